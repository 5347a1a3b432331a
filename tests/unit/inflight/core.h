/*
 * A core whose instruction window holds what a test says, in place of kernels that are measured: iterations of
 * experiments (lib/structure/inflight.h) take one of two numbers of cycles, and curves have their knee where that says.
 */
#ifndef FATHOM_TESTS_UNIT_INFLIGHT_CORE_H
#define FATHOM_TESTS_UNIT_INFLIGHT_CORE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/finding/finding.h"
#include "lib/structure/inflight_measure.h"

struct fake_core {
    double few, slow;  /* cycles of an iteration whose fillers fit, and of one whose fillers do not */
    double per_filler; /* cycles in which one filler is delivered: no iteration takes less than all of them do */
    double (*delivery)(double fillers); /* cycles of an iteration of these alone; NULL: as many times per_filler */
    double before;                      /* cycles of an iteration before the knee of a curve; 0: of one that overlaps */
    double chained;                     /* cycles of an iteration whose two operations are one dependency chain */
    /* How many fillers fit in an experiment. */
    double (*fits)(const struct inflight_experiment *e);
};

extern struct fake_core fake;
/* What was reported last. */
extern struct finding reported;
/* A probe to hand in, and what its core has: misses alone overlap. */
extern struct probe fake_probe;
extern const struct inflight fake_inflight;

/* The core on which that many fit: 100 cycles for iterations that overlap, 200 for those that do not. */
struct fake_core core_of(double (*fits)(const struct inflight_experiment *e));
/* Another probe has measured this. */
void known(const char *name, const char *variants, double value);
/* Nothing is known any more. */
void forget(void);
/* A verdict with a knee behind x = value, of which both views are sure. */
struct verdict knee_at(double value);

#endif
