/*
 * The meter: from a kernel to a point in core cycles.
 *
 * A list of readings alternates the kernel with the reference chain, a chain of dependent additions that takes one core
 * cycle each: chain, kernel, chain, kernel, …, chain. The time of each kernel is converted to cycles by the chains
 * right before and after it, so that the core clock may have any frequency and may drift; a reading between two chains
 * that disagree is rejected and counted. What the reader itself costs is measured with an empty kernel and subtracted.
 * Where the reader samples a cycle counter, that counter is the unit instead.
 *
 * Beside each chain lies a sibling detector (lib/measure/sibling.h). Kernels of a list after the place where it first
 * sees a sibling thread do not count, except very long ones. docs/METHODS.md, chapter 1.
 */
#ifndef FATHOM_LIB_MEASURE_METER_H
#define FATHOM_LIB_MEASURE_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/emit.h"
#include "lib/machine.h"
#include "lib/plan/config.h"

/* Code ready to be measured. */
struct kernel {
    uintptr_t entry;        /* as seen inside a window */
    uint64_t data;          /* its second argument */
    double units;           /* what one iteration counts as: loads, instructions, calls */
    double warm_iterations; /* to run before the first reading; at least 1 runs in any case */
    double length_factor;   /* factor by which readings are longer than usual, for kernels that are random; 0: 1 */
    double instructions;    /* of one iteration, about; 0: not known */
    double round; /* profile simulated: iterations that a reading has at least, as parts of a ring differ; 0: one */
};

/* Why a reading is rejected. */
enum cause {
    CAUSE_REFERENCE,   /* its chains disagree, or time was taken from both, so that it lies far below its point */
    CAUSE_INTERRUPTED, /* an interrupt or another process had the core */
    CAUSE_SHARED,      /* a sibling thread was awake */
    CAUSE_STOLEN,      /* far above the others of its point: time was taken from this reading alone */
    CAUSE_SMI,         /* system management mode had the core */
    CAUSE_THROTTLED,   /* heat slowed the core down */
    CAUSES
};
/* Names of the causes, as records have them. */
extern const char *const cause_names[CAUSES];

/* The readings at one parameter value, summed up. q20, median and ns are NaN where no reading was accepted. */
struct point {
    double x;
    double q20;    /* cycles per unit, 20 % quantile: the level (docs/METHODS.md, 1.6) */
    double median; /* cycles per unit */
    double ns;     /* nanoseconds per unit, median */
    unsigned accepted;
    unsigned rejected;
    bool repeats; /* profile simulated: two readings were equal, so that another measurement gives the same */
};

/* How readings are taken on the core in use, and what was spent on them since meter_start. */
struct meter {
    enum profile profile;
    double tick_hz;
    double harness_ticks;     /* what the reader itself costs: ticks of an empty kernel, median (exact.h: mean) */
    double harness_cycles;    /* cycles of an empty kernel by the cycle counter, median; 0 where there is none */
    double step_ticks;        /* steps in which the time stamp advances */
    double span_ticks;        /* wanted length of one reading */
    double tolerance;         /* relative difference of neighbouring chains that rejects; infinite: none does */
    double nop_cycles;        /* that a NOP takes on a quiet core, as far as is known by now; NaN: not known */
    double nop_product;       /* of the pair that gave nop_cycles: ticks of NOPs times ticks of chain; less is surer */
    unsigned corrections;     /* times that nop_cycles was corrected: what was read before was of a shared core */
    double wait_seconds_left; /* that may still be spent on waiting until siblings sleep */
    double core_hz;           /* median over reference chains of the last point that had an accepted reading */
    unsigned readings;        /* wanted for a point */
    bool exact;               /* the last readings repeated to the last digit: then two are enough */
    enum reader_counters counters;
    uint64_t chain_iterations; /* of the reference chain, so that it lasts one reading */
    uint64_t nop_iterations;   /* of the sibling detector */
    uint64_t taken, rejected;  /* readings, `taken` with the rejected ones */
    uint64_t rejected_by[CAUSES];
    uint64_t windows;
    uint64_t limited;      /* of these, windows in which limits of power or current were noted */
    double kernel_seconds; /* time inside kernels, reference chains and sibling detectors, of uninterrupted windows */

    /* Profile simulated (exact.h). */
    double cycles_per_tick; /* core cycles in a tick of the time stamp */
    double instructions;    /* executed by readings so far, about */
    double last_ticks;      /* of an iteration of the last kernel, and how many instructions it has */
    double last_instructions;
};

/*
 * Prepares measurements on the core in use; overwrites *m. Warms the core up, measures what the reader itself costs,
 * finds how many iterations of the reference chain last one reading, and calibrates the sibling detector. (Profile
 * simulated: exact.h.) Ends with the first window that does not run to its end, and returns how the last window ended.
 */
struct window_result meter_start(struct meter *m, enum profile profile);

/*
 * Waits a moment and calibrates the sibling detector again: for a gate probe whose check of the times has failed, since
 * a sibling thread may have been awake ever since meter_start. False when no seconds for waiting are left (by profile:
 * tolerances.h), or a window ended by a fault or a timeout; then another try is of no use.
 */
bool meter_wait(struct meter *m);

/*
 * Seconds since some fixed moment, for budgets: those of machine_seconds, or, in profile simulated, the number of
 * instructions that readings have executed, divided by BUDGET_INSTRUCTIONS.
 */
double meter_seconds(const struct meter *m);

/* How many readings were rejected so far because a sibling thread was awake, or time was taken from them alone. */
uint64_t meter_disturbed(const struct meter *m);

/*
 * Measures one point: finds how many iterations last one reading, warms the kernel up, takes readings until enough are
 * accepted or too many were rejected, and fills in *out, except out->x, which it leaves as it is. Too many rejected
 * readings are no failure: out->accepted is small then; where it is 0, q20, median and ns are NaN. The result says how
 * the last window ended: by a fault or a timeout where the kernel caused one; *out is then not to be used.
 */
struct window_result meter_measure(struct meter *m, const struct kernel *k, struct point *out);

/*
 * Sets *cycles to about how many cycles a unit of the kernel takes, for less effort than a point, to choose what is
 * worth a measurement; it is never reported. It is one reading, converted by the core clock that the last point found,
 * between short rows of NOPs that show whether a sibling is awake; a disturbed reading is taken again a few times.
 * *cycles is NaN where all were disturbed, or no point has found a clock yet. *iterations is how often the kernel
 * iterates: with 0 that is found first. The caller passes the same variable for the next kernel, which should take
 * about as long; it becomes 0 again where a reading was more than four times too long or too short. The result says how
 * the last window ended; after a fault or a timeout *cycles is not to be used. (Profile simulated: it measures a point,
 * exact.h, and leaves *iterations as it is.)
 */
struct window_result meter_quick_sample(struct meter *m, const struct kernel *k, uint64_t *iterations, double *cycles);

#endif
