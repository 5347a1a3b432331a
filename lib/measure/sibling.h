/*
 * The sibling detector: whether another hardware thread of the same core was awake beside a reading.
 *
 * A sibling takes a part of the core's width, or holds up the reference chain, or both. The chain does not show the
 * first; so a short row of NOPs lies beside each chain, and is timed in cycles by that chain. NOPs that take longer
 * than on a quiet core have lost width to a sibling; NOPs that seem to take less lie beside a chain that was held up.
 * docs/METHODS.md, 1.3. For lib/measure alone.
 */
#ifndef FATHOM_LIB_MEASURE_SIBLING_H
#define FATHOM_LIB_MEASURE_SIBLING_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/measure/list.h"

enum sibling {
    SIBLING_ASLEEP,
    SIBLING_TAKES_WIDTH,
    SIBLING_HOLDS_UP_CHAIN /* or time was taken from this one chain */
};

/*
 * Finds what a NOP takes on a quiet core: by the pairs of NOPs and chain that were as fast as any, now or earlier in
 * this run. A sibling that sleeps now and then is waited for, QUIET_SEARCH_SECONDS at most; one that never sleeps
 * cannot be distinguished from a narrow core until it does.
 */
struct window_result sibling_calibrate(struct meter *m);
/* What a row of NOPs shows, where a tick of the time stamp is so many core cycles. */
enum sibling sibling_by_nops(const struct meter *m, const struct reading *nops, double cycles_per_tick);
/*
 * Where all pairs of a list are faster than any before and agree, the clock is higher, or a sibling was awake
 * whenever a quiet moment was looked for: what a NOP takes is corrected. True in the second case: then what was read
 * so far was read beside that sibling, and does not count.
 */
bool sibling_correct(struct meter *m, const struct reading *list, size_t kernels);
/*
 * Sets alone[i] for each kernel of the list that ran while no sibling was awake, and returns how many did. Kernels
 * behind a sibling do not count either, as caches and predictors lack what it used, but for kernels that are
 * BRINGS_BACK times as long as usual: they bring it back by themselves.
 */
size_t sibling_absent(const struct meter *m, const struct reading *list, size_t kernels, bool *alone);

#endif
