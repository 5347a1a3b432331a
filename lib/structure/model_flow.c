#include "lib/structure/model_flow.h"

#include <math.h>
#include <string.h>

/*
 * Iterations before the first reading and between two: a cycle that goes round in several iterations has come round by
 * then. The numbers have many divisors, so that the mean over them is that of the cycle.
 */
enum { BEFORE = 24, BETWEEN = 60 };
/* Cycles by which an instruction is made longer to see whether it is in the cycle; less than any latency. */
static const float LONGER = 0.25F;
/*
 * Cycles that an iteration must become longer by for that: what one instruction of a cycle adds that goes round in
 * sixteen iterations.
 */
static const double CRITICAL = 0.25 / 16 / 2;

static void execute(const struct flow_step *step, double ready[FLOW_VALUES])
{
    double written[FLOW_EDGES] = {0};

    for (unsigned i = 0; i < step->count; i++) {
        const struct flow_edge *e = &step->edges[i];
        written[i] = (e->from == FLOW_NOTHING ? 0 : ready[e->from]) + (double)e->cycles;
    }
    for (unsigned i = 0; i < step->count; i++)
        ready[step->edges[i].to] = -1;
    for (unsigned i = 0; i < step->count; i++)
        ready[step->edges[i].to] = fmax(ready[step->edges[i].to], written[i]);
}

double flow_cycles(const struct flow_step *steps, size_t count)
{
    double ready[FLOW_VALUES] = {0}, then[FLOW_VALUES] = {0}, most = 0;

    for (unsigned n = 0; n < BEFORE + BETWEEN; n++) {
        if (n == BEFORE)
            memcpy(then, ready, sizeof then);
        for (size_t i = 0; i < count; i++)
            execute(&steps[i], ready);
    }
    /* each value's own pace: one that a slow cycle feeds goes as slowly as that */
    for (size_t i = 0; i < FLOW_VALUES; i++)
        most = fmax(most, (ready[i] - then[i]) / BETWEEN);
    return most;
}

bool flow_is_critical(struct flow_step *steps, size_t count, size_t index, double cycles)
{
    struct flow_step *step = &steps[index];

    for (unsigned i = 0; i < step->count; i++)
        step->edges[i].cycles += LONGER;
    const double longer = flow_cycles(steps, count);
    for (unsigned i = 0; i < step->count; i++)
        step->edges[i].cycles -= LONGER;
    return longer > cycles + CRITICAL;
}
