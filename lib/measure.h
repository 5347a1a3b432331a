/*
 * Measuring: from a kernel to a point in core cycles.
 *
 * A list of readings alternates the kernel with the yardstick, a chain of dependent additions of
 * the same length in time: chain, kernel, chain, kernel, … chain. Each kernel is measured in the
 * cycles of its two neighbours, so the core clock may be anything and may drift; a reading whose
 * neighbours disagree is rejected and counted. What the reader itself costs is measured on an empty
 * kernel and taken off. Where the reader samples a cycle counter, that counter is the unit instead.
 *
 * A second yardstick, much shorter, lies beside each chain: NOPs, as many as the core takes at once. A
 * hardware thread that shares the core leaves the chain as long as it was, but takes its part of the
 * width, and of caches and predictors; or it holds up the chain, and no NOP: NOPs then seem too slow, or
 * too fast. How many of them a cycle are right is told by pairs in which both were as fast as ever.
 * Such threads come and go within tens of microseconds, so that
 * both ends of a list say little of its middle: from where one was first seen nothing of a list counts,
 * but for readings long beside that.
 */
#ifndef FATHOM_LIB_MEASURE_H
#define FATHOM_LIB_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/emit.h"
#include "lib/config.h"
#include "lib/machine.h"

/* Code ready to be measured. */
struct kernel {
    uintptr_t entry;        /* as seen inside a window */
    uint64_t data;          /* its second argument */
    double units;           /* what one iteration counts as: loads, instructions, calls */
    double warm_iterations; /* to run before the first reading; at least 1 is run anyway */
    double stretch;         /* readings are this many times longer, for kernels that are random; 0: 1 */
};

/* Why a reading does not count. */
enum cause {
    CAUSE_YARDSTICKS,  /* its neighbours disagree: the clock changed, or time was taken from one of them */
    CAUSE_INTERRUPTED, /* an interrupt or another process had the core */
    CAUSE_SHARED,      /* a hardware thread of the same core was awake */
    CAUSE_STOLEN,      /* far above the others of its point: time was taken from it alone */
    CAUSE_SMI,         /* system management mode had the core */
    CAUSE_THROTTLED,   /* heat, power or current slowed the core down */
    CAUSES
};
extern const char *const cause_names[CAUSES];

/* The readings at one parameter value. NaN where none was accepted. */
struct point {
    double x;
    double q20;    /* cycles per unit, 20 % quantile: the level, see DESIGN 6 */
    double median; /* cycles per unit */
    double ns;     /* nanoseconds per unit, median */
    unsigned accepted;
    unsigned rejected;
};

/* How readings are taken in this run, and what was spent on them so far. */
struct meter {
    enum profile profile;
    double tick_hz;
    double harness_ticks;  /* median of the empty kernel */
    double harness_cycles; /* the same by the cycle counter, where there is one */
    double step_ticks;     /* the time stamp goes on by so many at once */
    double span_ticks;     /* length aimed at for one reading */
    double tolerance;      /* relative difference of neighbours that rejects; infinite in an untrusted place */
    double width;          /* cycles a NOP takes when nobody shares the core; as far as is known by now */
    double slow;           /* what NOPs and chain took that tell it; the less, the surer nobody did */
    unsigned widened;      /* times that it was another than thought: what was read before was of a shared core */
    double patience;       /* seconds left in this run for waiting until nobody does */
    double core_hz;        /* median over the last point's yardsticks */
    unsigned readings;     /* wanted for a point … */
    bool exact;            /* … unless they repeat to the last digit, as the last ones did: then two are enough */
    enum reader_counters counters;
    /* Which of them the core's registers told since they were asked last, else CAUSES; NULL where they tell nothing. */
    enum cause (*disturbed)(void);
    uint64_t chain_iterations; /* so that the yardstick lasts one span */
    uint64_t width_iterations; /* of the other yardstick */
    uint64_t taken, rejected;  /* readings since the run began, rejected ones included; */
    uint64_t rejected_by[CAUSES];
    uint64_t windows;
    double kernel_seconds; /* time inside kernels and yardsticks */
};

/* Warms the core up and finds the reader's cost. The result says how its windows ended. */
struct window_result meter_start(struct meter *m, enum profile profile);

/*
 * Waits for a while and finds again what a NOP takes: where the times of a place do not hold, a hardware thread that
 * shares the core may have been awake ever since the meter started. False when there is no patience left for it.
 */
bool meter_wait(struct meter *m);

/* One point. `out->x` is left as it is. The result tells a fault or a timeout of the kernel. */
struct window_result meter_measure(struct meter *m, const struct kernel *k, struct point *out);

/*
 * About how many cycles a unit takes, a tenth of the effort: one reading by the clock that the last point told, between
 * short rows of NOPs that show whether the core is shared. Only to choose what is worth a measurement; what is told rests
 * on those. NaN where it was interrupted or shared, or no point has told a clock.
 * `iterations` is kept from one kernel to the next, which is about as long; 0: it is found first.
 */
struct window_result meter_glimpse(struct meter *m, const struct kernel *k, uint64_t *iterations, double *cycles);

#endif
