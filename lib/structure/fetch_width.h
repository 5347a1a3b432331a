/*
 * Fetch width: what curves over the instructions of a loop that crosses a page, and over NOPs to a line, show of the
 * instructions or bytes that are fetched in one cycle.
 *
 * Method: docs/METHODS.md, 5.3.
 */
#ifndef FATHOM_LIB_STRUCTURE_FETCH_WIDTH_H
#define FATHOM_LIB_STRUCTURE_FETCH_WIDTH_H

#include <stdbool.h>

#include "lib/knee/search.h"

enum {
    FETCH_INSTRUCTIONS_MOST = 72, /* points of a crossing that are used */
    FETCH_DENSITY_FROM = 5,       /* NOPs to a line */
    FETCH_DENSITY_TO = 16
};

/*
 * Replaces crossing->verdict by that on a staircase (KNEE_STAIRCASE), whose width is the instructions of a fetch. The
 * curve is over the instructions of a loop that crosses into the next page, `control` the same within one page. Only
 * the part of the curve from its beginning on that is above the control counts; further on something else than fetching
 * is the limit of both. (At a single x both may be equal as well, where the control needs one fetch more.) *split:
 * whether the curve begins above. At most FETCH_INSTRUCTIONS_MOST points count. False where memory is short.
 */
bool fetch_width_decide(struct search *crossing, const struct search *control, bool *split);
/*
 * Returns how many instructions on the second page the longest loop has that takes as long as the first one of the
 * curve, and so do all before it: a fetch is at least that wide. 0 where there is no point.
 */
double fetch_width_least(const struct search *crossing);
/*
 * Whether runs of NOPs of at least two densities are bound by the bytes that are fetched. Curves are cycles per NOP
 * over NOPs to a line, of long runs (`fetched`) and of short ones that need not be fetched again (`kept`). A run that
 * is bound so takes longer than the fastest short one, its lines take no longer than lines with one NOP less, and it is
 * no faster than `decoded` instructions a cycle, which the decoders reach: a faster one comes from an operation cache.
 * *bytes: bytes per cycle of the densest such run, also where it is the only one; left as it is where there is none.
 */
bool fetch_width_bytes(const struct search *kept, const struct search *fetched, double decoded, double *bytes);

#endif
