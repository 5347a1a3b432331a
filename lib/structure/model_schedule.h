/*
 * Code that is executed over and over on a core with units, in the order in which they would be chosen: of the
 * instructions that could begin in a cycle the oldest do, as far as there are units. What waits for a unit delays what
 * waits for it; so an iteration may take longer than its longest chain and its units each ask for.
 */
#ifndef FATHOM_LIB_STRUCTURE_MODEL_SCHEDULE_H
#define FATHOM_LIB_STRUCTURE_MODEL_SCHEDULE_H

#include "lib/structure/model_flow.h"

enum { SCHEDULE_RESOURCES = 56 };

/* What an instruction asks for besides what it waits for. */
struct schedule_need {
    double front_end; /* cycles that the front end takes for it */
    /* Cycles for which it keeps each resource busy. One with several units counts as one that is as fast as all. */
    double of[SCHEDULE_RESOURCES];
};

/*
 * Cycles of an iteration of `count` instructions; NaN: memory is short. least[]: cycles of each resource that its
 * shortest operation takes; `bound`: cycles that an iteration takes at least.
 */
double schedule_cycles(const struct flow_step *steps, const struct schedule_need *needs, size_t count,
                       const double least[SCHEDULE_RESOURCES], double bound);

#endif
