/*
 * The meter: from a kernel to a point in core cycles.
 *
 * A list of readings alternates the kernel with the reference chain, a chain of dependent additions that takes one core
 * cycle each: chain, kernel, chain, kernel, …, chain. Each kernel is converted to cycles by its two neighbours, so that
 * the core clock may have any frequency and may drift; a reading whose neighbours disagree is rejected and counted.
 * What the reader itself costs is measured with an empty kernel and subtracted. Where the reader samples a cycle
 * counter, that counter is the unit instead.
 *
 * Beside each chain lies a sibling detector (lib/measure/sibling.h). Kernels of a list behind the place where it first
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
};

/* Why a reading does not count. */
enum cause {
    CAUSE_REFERENCE,   /* its chains disagree, or time was taken from both, so that it lies far below its point */
    CAUSE_INTERRUPTED, /* an interrupt or another process had the core */
    CAUSE_SHARED,      /* a sibling thread was awake */
    CAUSE_STOLEN,      /* far above the others of its point: time was taken from this reading alone */
    CAUSE_SMI,         /* system management mode had the core */
    CAUSE_THROTTLED,   /* heat slowed the core down */
    CAUSES
};
extern const char *const cause_names[CAUSES];

/* The readings at one parameter value. NaN where none was accepted. */
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
    double harness_ticks;     /* median of the empty kernel */
    double harness_cycles;    /* the same by the cycle counter, where there is one */
    double step_ticks;        /* steps in which the time stamp advances */
    double span_ticks;        /* wanted length of one reading */
    double tolerance;         /* relative difference of neighbouring chains that rejects; infinite: none does */
    double nop_cycles;        /* that a NOP takes on a quiet core, as far as is known by now; NaN: not known */
    double nop_product;       /* ticks of NOPs times ticks of chain of the pair behind nop_cycles; less is surer */
    unsigned corrections;     /* times that nop_cycles was corrected: what was read before was of a shared core */
    double wait_seconds_left; /* that may still be spent on waiting until siblings sleep */
    double core_hz;           /* median over the last point's reference chains */
    unsigned readings;        /* wanted for a point */
    bool exact;               /* the last readings repeated to the last digit: then two are enough */
    enum reader_counters counters;
    uint64_t chain_iterations; /* of the reference chain, so that it lasts one reading */
    uint64_t nop_iterations;   /* of the sibling detector */
    uint64_t taken, rejected;  /* readings, `taken` with the rejected ones */
    uint64_t rejected_by[CAUSES];
    uint64_t windows;
    uint64_t limited;      /* of these, windows in which limits of power or current were noted */
    double kernel_seconds; /* time inside kernels, reference chains and sibling detectors */

    /* Profile simulated (exact.h). */
    double cycles_per_tick; /* core cycles in a tick of the time stamp */
    double instructions;    /* executed by readings so far, about */
    double last_ticks;      /* of an iteration of the last kernel, and how many instructions it has */
    double last_instructions;
};

/*
 * Warms the core up, finds the reader's cost and the reference chain's length, and calibrates the sibling detector. The
 * result says how the last window ended.
 */
struct window_result meter_start(struct meter *m, enum profile profile);

/*
 * Waits a moment and calibrates the sibling detector again; for a gate probe whose check has failed, since a sibling
 * may have been awake ever since the meter started. False when no seconds for waiting are left or a window did not run.
 */
bool meter_wait(struct meter *m);

/*
 * Seconds since some start, for budgets: those of the machine's clock, or, in profile simulated, the number of
 * instructions that readings have executed, divided by BUDGET_INSTRUCTIONS.
 */
double meter_seconds(const struct meter *m);

/* Measures one point. `out->x` is left as it is. The result says whether the kernel ended by a fault or a timeout. */
struct window_result meter_measure(struct meter *m, const struct kernel *k, struct point *out);

/*
 * Takes a quick sample: *cycles becomes about how many cycles a unit takes, for a tenth of the effort of a point. It is
 * one reading, converted by the core clock that the last point found, between short rows of NOPs that show whether a
 * sibling is awake; a disturbed one is taken again a few times. It only chooses what is worth a measurement: nothing is
 * reported from it. *cycles is NaN where all were interrupted or shared, or no point has found a clock yet. *iterations
 * is how often the kernel iterates. The caller begins with 0, for which it is found, and passes the same variable for
 * the next kernel, which should take about as long; it becomes 0 where the reading was four times too long or short.
 */
struct window_result meter_quick_sample(struct meter *m, const struct kernel *k, uint64_t *iterations, double *cycles);

#endif
