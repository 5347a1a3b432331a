/*
 * Counting: what a kernel causes, in events of the core's performance counters.
 *
 * Readings with few iterations and with twice as many take turns. The difference of two such readings is what the added
 * iterations of the kernel counted; what the reader, the call and the window cost is in both and cancels. Where there
 * are more events than counters, all is repeated with the other events (lib/counters/allocate.h): nothing is scaled.
 */
#ifndef FATHOM_LIB_COUNTERS_COUNT_H
#define FATHOM_LIB_COUNTERS_COUNT_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/statistics.h"
#include "lib/counters/events.h"
#include "lib/measure/meter.h"

/* The most events, and the most repetitions, that one call of count_kernel takes. */
enum { COUNT_EVENTS = 64, COUNT_REPETITIONS = 100 };

struct count_options {
    uint64_t iterations;  /* of the shorter reading */
    unsigned warmup;      /* pairs that do not count */
    unsigned repetitions; /* pairs that do; at most COUNT_REPETITIONS */
};

/* What one event counted, per unit of the kernel. */
struct count {
    struct place place;   /* the counter that it was given */
    struct spread spread; /* over the repetitions that were not disturbed; of 0 numbers where nothing was counted */
    char why[128];        /* why it could not be counted; "" where it was */
};

/*
 * Counts `count` events, at most COUNT_EVENTS, for one unit of the kernel on the core in use, and fills in out[] for
 * each; counters that machine_count had set are stopped. An event that cannot be counted has the reason in its `why`.
 * The result says how the last window ended; after a fault or a timeout, events that had not been counted by then have
 * neither numbers nor a reason.
 */
struct window_result count_kernel(const struct kernel *k, const struct event *events, size_t count,
                                  const struct count_options *options, struct count *out);

/*
 * For implementations of lib/machine.h: finds out which counters of the core in use count. Programs each of the rows
 * that counters_proof (arch/counters.h) has listed, counts it over the reference chain, whose instructions are known,
 * and removes from have->slots the slots that do not count or have no row; those in have->taken stay. When none counts,
 * have->why_not becomes the reason, which stays valid until the next call. Where it is set already, nothing is done.
 */
void counters_prove(struct counters *have, const struct counter_proof *rows, size_t count);

#endif
