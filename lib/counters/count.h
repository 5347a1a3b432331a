/*
 * Counting: what a kernel does, in events of the core's performance counters.
 *
 * Readings with few iterations and with twice as many take turns. What the added iterations counted is
 * the kernel's; what the reader, the call and the window cost is in both and cancels. Where there are
 * more events than counters, the same is repeated with the others (lib/counters/allocate.h): nothing is scaled.
 */
#ifndef FATHOM_LIB_COUNTERS_COUNT_H
#define FATHOM_LIB_COUNTERS_COUNT_H

#include <stddef.h>
#include <stdint.h>

#include "lib/counters/events.h"
#include "lib/measure.h"
#include "lib/engine/statistics.h"

enum { COUNT_EVENTS = 64, COUNT_REPETITIONS = 100 };

struct count_options {
    uint64_t iterations;  /* of the shorter reading */
    unsigned warmup;      /* pairs that do not count */
    unsigned repetitions; /* pairs that do; at most COUNT_REPETITIONS */
};

/* What one event counted, for one unit of the kernel. */
struct count {
    struct place place;
    struct spread spread; /* over the repetitions that were not disturbed; none: see why */
    char why[128];
};

/*
 * Counts so many events, at most COUNT_EVENTS. Those that cannot be counted here have the reason in `why`. The
 * result tells a fault or a timeout of the kernel.
 */
struct window_result count_kernel(const struct kernel *k, const struct event *events, size_t count,
                                  const struct count_options *options, struct count *out);

/*
 * For the doors: which of the slots count? Each of the rows (arch/counters.h, counters_proof), one after another, over
 * the reader's chain of additions, whose instructions are known. Slots that do not count, or have no row, are taken out
 * of have->slots; with none left, have->why_not says so.
 */
void counters_prove(struct counters *have, const struct counter_proof *rows, size_t count);

#endif
