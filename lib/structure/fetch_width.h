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
 * Decides a staircase (crossing->verdict) on the part of the curve that is above its control: where it is not, the back
 * end has caught up. At a single x the two may also be equal because the control is bound by fetching as well and needs
 * one fetch more. *split is false where no part is above it: no crossing is split. False where memory is short.
 */
bool fetch_width_decide(struct search *crossing, const struct search *control, bool *split);
/* The instructions of the longest loop that takes one fetch behind the crossing: a fetch is at least that wide. */
double fetch_width_least(const struct search *crossing);
/*
 * Whether the densest runs of NOPs in `fetched` (cycles per NOP over NOPs to a line) are bound by their bytes: the
 * fastest short run, `kept` decoded by the core, takes less, and a line with one NOP less takes no less. decoded:
 * instructions decoded in a cycle; a run that is faster comes from an operation cache (AMD Zen 4 holds all these runs,
 * since it packs NOPs). *bytes: bytes per cycle of the densest such run.
 */
bool fetch_width_bytes(const struct search *kept, const struct search *fetched, double decoded, double *bytes);

#endif
