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

/* What a row of NOPs shows of the sibling thread. */
enum sibling {
    SIBLING_ASLEEP,
    SIBLING_TAKES_WIDTH,
    SIBLING_HOLDS_UP_CHAIN /* or something else took time from this one chain */
};

/*
 * Finds how many cycles a NOP takes on a quiet core (m->nop_cycles), from the fastest pairs of NOPs and chain of now or
 * an earlier calibration. A sibling that sleeps now and then is waited for, QUIET_SEARCH_SECONDS at most; one that
 * stays awake all the time cannot be distinguished from a narrow core. Where pairs never agree, the fastest of the
 * first ones are taken; where every window is disturbed, m->nop_cycles stays as it was. The result says how the last
 * window ended.
 */
struct window_result sibling_calibrate(struct meter *m);
/*
 * What a reading of a row of NOPs shows, where a tick of the time stamp is `cycles_per_tick` core cycles;
 * SIBLING_ASLEEP while m->nop_cycles is not known.
 */
enum sibling sibling_by_nops(const struct meter *m, const struct reading *nops, double cycles_per_tick);
/*
 * Waits until no sibling is awake, but for m->wait_seconds_left at most; the caller subtracts what it took from these.
 * The result says how the last window ended.
 */
struct window_result sibling_wait(struct meter *m);
/*
 * Corrects the calibration by a list that has been run (list_make, `kernels` kernels), where all its pairs of NOPs and
 * chain are faster than the calibrated one. If a NOP takes as many cycles as before, the clock has become higher, and
 * only m->nop_product is corrected. If it takes another number, the same in all pairs, a sibling was awake during
 * calibration: nop_cycles is corrected too, and the result is true, since every earlier reading was taken beside that
 * sibling and does not count. In all other cases, and where m->tolerance is infinite, it is false.
 */
bool sibling_correct(struct meter *m, const struct reading *list, size_t kernels);
/*
 * Sets alone[i] for each of the `kernels` kernels of a list that ran while no sibling was awake, and clears it for the
 * others. Kernels that ran after a sibling in the same list do not count either, since it has displaced what they had
 * in caches and predictors, except those that take BRINGS_BACK times as long as usual, which bring that back by
 * themselves. Where m->tolerance is infinite all count. Returns how many count.
 */
size_t sibling_absent(const struct meter *m, const struct reading *list, size_t kernels, bool *alone);

#endif
