#include "lib/structure/model_schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Iterations before the first reading and until the last one: what goes round in several iterations has come round. */
enum { BEFORE = 24, ITERATIONS = 84, CYCLES_MOST = 1 << 15 };
/* How many times as long as its bound an iteration may take, for which there is room. Chosen; no test: more changes nothing. */
static const double ROOM = 2;
/*
 * Cycles by which times that were measured may be off a whole number, and part of a unit by which it may be taken twice.
 * Chosen: several times what latencies are off by, and a tenth of the least difference between two of them.
 */
static const double OFF = 0.1;

struct schedule {
    float *used; /* of each resource in each cycle: the part that is taken */
    size_t cycles;
    double ready[FLOW_VALUES]; /* when each value is there */
    double delivered;          /* when the front end has delivered the latest instruction */
    const double *least;
};

/* What is left of a resource in a cycle. */
static double left_of(const struct schedule *s, size_t resource, size_t cycle)
{
    return 1 - (double)s->used[cycle * SCHEDULE_RESOURCES + resource];
}

/* Whether an operation can begin on each resource that the instruction needs. */
static bool fits(const struct schedule *s, const struct schedule_need *n, size_t cycle)
{
    for (size_t i = 0; i < SCHEDULE_RESOURCES; i++)
        if (n->of[i] > 0 && left_of(s, i, cycle) < fmin(fmin(n->of[i], s->least[i]), 1) - fmax(s->least[i] / 2, OFF))
            return false;
    return true;
}

/* One operation begins in that cycle; others, or the rest of it, take what is left of the next ones. False: no room. */
static bool take(struct schedule *s, const struct schedule_need *n, size_t cycle)
{
    for (size_t i = 0; i < SCHEDULE_RESOURCES; i++) {
        double wanted = n->of[i];
        for (size_t at = cycle; wanted > OFF * s->least[i]; at++) {
            if (at == s->cycles)
                return false;
            const double first = at == cycle ? fmin(fmin(wanted, s->least[i]), 1) : 0;
            const double taken = fmax(first, fmin(wanted, fmax(0, left_of(s, i, at))));
            s->used[at * SCHEDULE_RESOURCES + i] += (float)taken;
            wanted -= taken;
        }
    }
    return true;
}

static bool needs_any(const struct schedule_need *n)
{
    for (size_t i = 0; i < SCHEDULE_RESOURCES; i++)
        if (n->of[i] > 0)
            return true;
    return false;
}

/* Executes one instruction. *begins: when it begins. False: there is no room. */
static bool execute(struct schedule *s, const struct flow_step *step, const struct schedule_need *n, double *begins)
{
    double written[FLOW_EDGES], latest = -1, wanted;

    s->delivered += n->front_end;
    wanted = s->delivered;
    for (unsigned i = 0; i < step->count; i++) {
        const struct flow_edge *e = &step->edges[i];
        const double from = fmax(s->delivered, e->from == FLOW_NOTHING ? 0 : s->ready[e->from]);
        written[i] = from + (double)e->cycles;
        if (e->from != FLOW_NOTHING && written[i] > latest) {
            latest = written[i];
            wanted = from; /* what the result waits for last decides when it begins */
        }
    }
    *begins = wanted;
    if (needs_any(n)) {
        size_t cycle = (size_t)ceil(fmax(0, wanted - OFF));
        while (cycle < s->cycles && !fits(s, n, cycle))
            cycle++;
        if (cycle >= s->cycles || !take(s, n, cycle))
            return false;
        *begins = (double)cycle;
    }
    for (unsigned i = 0; i < step->count; i++)
        s->ready[step->edges[i].to] = -1;
    for (unsigned i = 0; i < step->count; i++) {
        double *ready = &s->ready[step->edges[i].to];
        *ready = fmax(*ready, written[i] + *begins - wanted);
    }
    return true;
}

double schedule_cycles(const struct flow_step *steps, const struct schedule_need *needs, size_t count,
                       const double least[SCHEDULE_RESOURCES], double bound)
{
    struct schedule s = {.least = least, .cycles = (size_t)fmin(CYCLES_MOST, ITERATIONS * (ROOM * bound + 1))};
    double most = 0, begins = 0, *then = calloc(count, sizeof *then);
    bool good = then && (s.used = calloc(s.cycles * SCHEDULE_RESOURCES, sizeof *s.used)) != NULL;

    for (unsigned n = 0; n < ITERATIONS && good; n++)
        for (size_t i = 0; i < count && good; i++) {
            good = execute(&s, &steps[i], &needs[i], &begins);
            if (n == BEFORE - 1)
                then[i] = begins;
            if (n == ITERATIONS - 1)
                most = fmax(most, (begins - then[i]) / (ITERATIONS - BEFORE));
        }
    free(then);
    free(s.used);
    return good ? most : (double)NAN;
}
