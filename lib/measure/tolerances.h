/*
 * Thresholds of lib/measure: when a reading counts, how long it is, and how long the meter waits.
 *
 * tests/tolerances/run moves each of them and expects a test to notice.
 */
#ifndef FATHOM_LIB_MEASURE_TOLERANCES_H
#define FATHOM_LIB_MEASURE_TOLERANCES_H

#include <stdint.h>

#include "lib/plan/config.h"

/* ---- How long a reading is --------------------------------------------------------------------- */

/*
 * Seconds of one reading. Chosen: short enough to lie between the interruptions of a shared machine, and long enough
 * for READING_STEPS below at the usual steps of 1 to 16 ns; with longer steps READING_STEPS decides.
 */
static const double READING_SECONDS = 8e-6;
/* Steps of the time stamp in one reading at least: then one step is 1/500 of it, a fifth of NEIGHBOURS_DIFFER. */
static const double READING_STEPS = 500;
/* Iterations of a kernel in one reading at most, so that the search for its length ends if it takes no time. */
static const uint64_t ITERATIONS_MAXIMUM = 0x10000000000;
/*
 * Factor by which one step of the search for a reading's length changes the iterations of the kernel, at most. Chosen:
 * while a longer kernel overflows caches, its time grows faster than its iterations, and the next window must still
 * end far before its deadline.
 */
static const double GROWTH = 16;
/* A length that is within this factor of the one that is wanted will do: readings of one kernel need not be equal. */
static const double LENGTH_WITHIN = 2;
/*
 * Core cycles by which a reading is longer than its iterations, at most: what runs before a kernel pushes a part of it out
 * of caches, and its first iteration brings that again. Chosen: twenty lines of five cycles each, three sets of a cache of
 * operations with seven ways.
 */
static const double AROUND_KERNEL_CYCLES = 100;
/* A reading this many times shorter than wanted was measured while the kernel was cold: its length is found again. */
static const double TOO_SHORT = 4;
/* Seconds of warming up in one window at most. Chosen: a window stays far below its deadline, 10 ms at least. */
static const double WARM_WINDOW_SECONDS = 0.004;

/* ---- Profile simulated --------------------------------------------------------------------------- */

/*
 * Steps of the time stamp in one reading at least. Chosen: a point is the mean of two readings, so that an error of one
 * step changes it by 1/200, below the 1 % by which points of one level may differ.
 */
static const double EXACT_STEPS = 100;
/* Core cycles in one reading at least. Chosen: the fences around a kernel vary by some cycles, which is then 1 %. */
static const double EXACT_CYCLES = 500;
/* Factor by which a kernel may ask for longer readings, at most. Chosen: random kernels need some to average over. */
static const double EXACT_LENGTH_FACTOR = 4;
/* Two readings are equal if they differ by at most one step of the time stamp plus this part of them. */
static const double EXACT_PART = 0.001;
/* Instructions that stand for one second of a budget. Chosen: a sweep, which has 3 s as in quick, may execute 3e6. */
static const double BUDGET_INSTRUCTIONS = 1e6;
/* Instructions of one reading at most; a kernel of which one iteration has more is run for one. */
static const double EXACT_INSTRUCTIONS = 200000;

/* ---- When a reading is rejected ----------------------------------------------------------------- */

/*
 * A kernel's reading is rejected where the times of the reference chains before and after it differ by more than this,
 * relative to each other: then the clock has changed, or one chain was interrupted. Chosen: five times the error that
 * one step of the time stamp makes (READING_STEPS), and below the 2 % by which findings may differ.
 */
static const double NEIGHBOURS_DIFFER = 0.01;
/*
 * Time was taken from a reading that lies above the median of its point by so many median absolute deviations, and by
 * STOLEN_PART. A normal sample of 16 exceeds eight such deviations (5.4 sigma) once in 2 million points; a
 * kernel that varies by nature has a large deviation of its own and loses hardly any reading.
 */
static const double STOLEN_DEVIATIONS = 8;
/*
 * Part of the median by which a reading must lie above it, besides STOLEN_DEVIATIONS, to count as one that time was
 * taken from. Chosen: three times what two readings may differ by at random (NEIGHBOURS_DIFFER).
 */
static const double STOLEN_PART = 0.03;
/*
 * Where time was taken from most readings of a point, their median is wrong. It then lies above the 20 % quantile by
 * more than this part of it, and UNEVEN_FACTOR times as many readings are taken. Chosen: larger than STOLEN_PART.
 */
static const double UNEVEN_PART = 0.05;
enum { UNEVEN_FACTOR = 3 };

/* ---- The sibling thread ------------------------------------------------------------------------- */

/*
 * NOPs of a sibling detector for each addition of the chain beside it. Chosen: on a core that executes w NOPs a cycle
 * they take 1 / (2 w) of the chain's time.
 */
static const double NOPS_PER_ADDITION = 0.5;
/*
 * A NOP that takes this part longer, or less, than on a core that nothing else uses betrays a sibling. Chosen: five
 * times NEIGHBOURS_DIFFER; on Zen 4 a sibling was seen to hold up chains by a fifth.
 */
static const double NOP_DIFFERS = 0.05;
/*
 * Seconds in which a quiet moment is looked for when the meter starts. Chosen: a tenth of what profile quick may wait.
 */
static const double QUIET_SEARCH_SECONDS = 1;
/*
 * Duration of a warm-up that refills what a sibling has displaced from caches and predictors, relative to the time for
 * which the sibling was awake: the sibling may have had so many misses in flight at once, while the kernel has one at a
 * time. Readings that are longer than usual by this factor need no such warm-up: on a shared Zen 4 siblings were seen
 * awake for 32 us to 2 ms, most of them for less than 256 us.
 */
enum { BRINGS_BACK = 16 };
enum {
    /*
     * Seconds in all for which the meter of a core waits until siblings sleep, in profile quick. Smoke does not wait.
     * Chosen: a small part of such a run.
     */
    WAIT_SECONDS_QUICK = 10,
    /* Those seconds in profile standard. Chosen: a small part of such a run. */
    WAIT_SECONDS_STANDARD = 60,
    /* Those seconds in profile full. Chosen: a small part of such a run. */
    WAIT_SECONDS_FULL = 300,
};
/* Seconds for which meter_wait waits. Chosen: short, since waiting does not help where times never hold. */
static const double WAIT_SECONDS_AT_ONCE = 0.1;

/* ---- Profile smoke ------------------------------------------------------------------------------- */

/*
 * Smoke runs in emulators and simulators, where each instruction counts and time may mean nothing: a reading lasts as
 * long as a chain of so many iterations, whatever that is, and is too short to be exact.
 */
static const uint64_t SMOKE_CHAIN_ITERATIONS = 16;
/* NEIGHBOURS_DIFFER in profile smoke. Chosen: wide, since a reading is short. */
static const double SMOKE_NEIGHBOURS_DIFFER = 0.03;
/* NOP_DIFFERS in profile smoke. Chosen: wide, since a reading is short. */
static const double SMOKE_NOP_DIFFERS = 0.3;

#endif
