/*
 * Counting: what a kernel causes, in events of the core's performance counters.
 *
 * Readings with few iterations and with twice as many take turns. What the added iterations counted is
 * the kernel's; what the reader, the call and the window cost is in both and cancels. Where there are
 * more events than counters, the same is repeated with the others (lib/counters/allocate.h): nothing is scaled.
 */
#ifndef FATHOM_LIB_COUNTERS_COUNT_H
#define FATHOM_LIB_COUNTERS_COUNT_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/statistics.h"
#include "lib/counters/events.h"
#include "lib/measure/meter.h"

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
 * Counts `count` events, at most COUNT_EVENTS, for one unit of the kernel. An event that cannot be counted has the
 * reason in its `why`. The result says whether the kernel ended by a fault or a timeout.
 */
struct window_result count_kernel(const struct kernel *k, const struct event *events, size_t count,
                                  const struct count_options *options, struct count *out);

/*
 * For implementations of lib/machine.h: finds out which counters count. Each row of arch/counters.h, counters_proof, is
 * counted over the reference chain, whose instructions are known. Slots that do not count, or have no row, are
 * removed from have->slots; when none is left, have->why_not says so.
 */
void counters_prove(struct counters *have, const struct counter_proof *rows, size_t count);

#endif
