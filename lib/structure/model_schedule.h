/*
 * Code that is executed over and over on a core with units, cycle by cycle. The front end delivers instructions in order.
 * Each operation is bound to a unit when it is delivered, before it is known which will be free: to the one for which the
 * fewest operations wait. In each cycle a unit begins with the oldest of its operations that is ready; but it has one
 * result port, so that none begins whose result would return together with that of a longer one that began before. So
 * an iteration may take longer than its longest chain and its units each ask for.
 *
 * Sources: Fog, The microarchitecture of Intel, AMD and VIA CPUs, 2023 (operations of different latency that would return
 * on one port together); Abel and Reineke, uiCA, 2022 (operations are bound to ports by how many wait for each).
 */
#ifndef FATHOM_LIB_STRUCTURE_MODEL_SCHEDULE_H
#define FATHOM_LIB_STRUCTURE_MODEL_SCHEDULE_H

#include "lib/structure/model_flow.h"

enum { SCHEDULE_UNITS = 16, SCHEDULE_OPS = 24, SCHEDULE_GROUPS = 32 };

/* An operation that can run on any one of the units. */
struct schedule_op {
    uint16_t units; /* a bit each, one at least */
    uint8_t cycles; /* after which its result returns, fewer than SCHEDULE_LATENCY; 0: it has none */
};
enum { SCHEDULE_LATENCY = 32 };

/* What an instruction asks for besides what it waits for. */
struct schedule_need {
    double front_end; /* cycles that the front end takes for it */
    struct schedule_op ops[SCHEDULE_OPS];
    unsigned count;
    unsigned group; /* forms that share something which is no unit, one at a time; 0: none, SCHEDULE_GROUPS at most … */
    double group_cycles; /* … and for how long it keeps that busy */
};

/*
 * Cycles of an iteration of `count` instructions; NaN: memory is short, or it takes far more than `bound`, cycles that an
 * iteration takes at least.
 */
double schedule_cycles(const struct flow_step *steps, const struct schedule_need *needs, size_t count, double bound);

#endif
