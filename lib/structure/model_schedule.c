#include "lib/structure/model_schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    /*
     * Instructions in flight. Chosen: about as many as schedulers hold, so that chains are interleaved with what is
     * behind them. Half as many, and twice as many, predict random blocks as well.
     */
    WINDOW = 128,
    FLIGHTS = 2 * WINDOW, /* kept until nothing in flight asks for their results any more */
    /* Iterations until the first reading besides those that fill the window, and between the two. */
    BEFORE = 24,
    BETWEEN = 60,
    NEVER = FLIGHTS /* no flight: the value is there, or does not matter */
};
/* How many times as long as its bound an iteration may take. Chosen; no test: more changes nothing. */
static const double ROOM = 4;
/* Cycles by which times that were measured may be off a whole number. Chosen: several times what latencies are off by. */
static const double OFF = 0.1;

/* An instruction from its delivery until nothing asks for its results. */
struct flight {
    const struct flow_step *step;
    const struct schedule_need *need;
    double delivered;
    double wanted;              /* when it could begin; NaN: what it waits for is not known yet */
    double results[FLOW_EDGES]; /* when each value that it writes is there; NaN: not known yet */
    double done;                /* when all are */
    uint16_t from[FLOW_EDGES];  /* index of the flight that each value which it reads comes from … */
    uint8_t edge[FLOW_EDGES];   /* … and which of its results that is */
    double ready[SCHEDULE_OPS]; /* when the front end has delivered each operation */
    uint8_t unit[SCHEDULE_OPS]; /* to which each is bound */
    uint32_t left;              /* operations that have not begun, a bit each */
    bool begun;
};

struct schedule {
    struct flight flights[FLIGHTS];
    size_t head, tail;           /* instructions that have retired, and that were delivered */
    double delivered;            /* until when the front end is busy */
    size_t writers[FLOW_VALUES]; /* instructions up to that which wrote each value last; 0: none did … */
    uint8_t edges[FLOW_VALUES];  /* … and which of its results the value is */
    unsigned waiting[SCHEDULE_UNITS], bound[SCHEDULE_UNITS]; /* operations that wait for each unit, and all ever */
    uint16_t returns[SCHEDULE_LATENCY];                      /* units whose result returns in each of the next cycles */
    double groups[SCHEDULE_GROUPS + 1];                      /* until when each is busy */
};

/* ---- Delivery ------------------------------------------------------------------------------------- */

/* The unit for which the fewest operations wait; of several the one that had the fewest. */
static uint8_t bind(struct schedule *s, uint16_t units)
{
    unsigned best = (unsigned)__builtin_ctz(units); /* no operation has no unit */

    for (unsigned u = best + 1; u < SCHEDULE_UNITS; u++)
        if ((units >> u & 1) &&
            (s->waiting[u] < s->waiting[best] || (s->waiting[u] == s->waiting[best] && s->bound[u] < s->bound[best])))
            best = u;
    s->waiting[best]++;
    s->bound[best]++;
    return (uint8_t)best;
}

/* The flight that a value comes from. What has retired is there. */
static uint16_t source_of(const struct schedule *s, uint8_t value)
{
    const size_t writer = value == FLOW_NOTHING ? 0 : s->writers[value];

    return (uint16_t)(writer > s->head ? (writer - 1) % FLIGHTS : NEVER);
}

static void deliver(struct schedule *s, const struct flow_step *step, const struct schedule_need *n, double cycle)
{
    struct flight *f = &s->flights[s->tail % FLIGHTS];

    *f = (struct flight){.step = step, .need = n, .delivered = cycle, .wanted = (double)NAN, .done = (double)INFINITY};
    for (unsigned i = 0; i < step->count; i++) {
        const uint8_t from = step->edges[i].from;
        f->from[i] = source_of(s, from);
        f->edge[i] = f->from[i] == NEVER ? 0 : s->edges[from];
        f->results[i] = (double)NAN;
    }
    for (unsigned i = 0; i < step->count; i++) {
        s->writers[step->edges[i].to] = s->tail + 1;
        s->edges[step->edges[i].to] = (uint8_t)i;
    }
    for (unsigned i = 0; i < n->count; i++) {
        f->ready[i] = s->delivered + i * n->front_end / n->count;
        f->unit[i] = bind(s, n->ops[i].units);
        f->left |= UINT32_C(1) << i;
    }
    s->delivered += n->front_end;
    s->tail++;
}

/* ---- Execution ------------------------------------------------------------------------------------ */

static double value_at(const struct schedule *s, const struct flight *f, unsigned edge)
{
    return f->from[edge] == NEVER ? f->delivered : fmax(f->delivered, s->flights[f->from[edge]].results[f->edge[edge]]);
}

/* When it could begin: what its latest result waits for last decides that. False: that is not known yet. */
static bool find_wanted(const struct schedule *s, struct flight *f)
{
    double latest = -1, wanted = f->delivered;

    for (unsigned i = 0; i < f->step->count; i++) {
        if (f->from[i] == NEVER)
            continue;
        if (isnan(s->flights[f->from[i]].results[f->edge[i]]))
            return false;
        const double from = value_at(s, f, i), written = from + (double)f->step->edges[i].cycles;
        if (written > latest) {
            latest = written;
            wanted = from;
        }
    }
    f->wanted = wanted;
    return true;
}

/* It begins: from then on it is known when its results are there. */
static void begin(const struct schedule *s, struct flight *f, double cycle)
{
    const struct flow_step *step = f->step;
    double written[FLOW_EDGES];

    f->begun = true;
    f->done = cycle;
    for (unsigned i = 0; i < step->count; i++)
        written[i] = value_at(s, f, i) + (double)step->edges[i].cycles + cycle - f->wanted;
    for (unsigned i = 0; i < step->count; i++) {
        f->results[i] = -1;
        for (unsigned k = 0; k < step->count; k++)
            if (step->edges[k].to == step->edges[i].to)
                f->results[i] = fmax(f->results[i], written[k]);
        f->done = fmax(f->done, f->results[i]);
    }
}

/* Begins with the operations for which their units are free, and their result ports when they return. */
static bool begin_operations(struct schedule *s, struct flight *f, size_t cycle, uint16_t *busy)
{
    bool any = false;

    for (unsigned i = 0; i < f->need->count; i++) {
        const uint8_t latency = f->need->ops[i].cycles;
        const uint16_t unit = (uint16_t)(1u << f->unit[i]);
        uint16_t *returns = &s->returns[(cycle + latency) % SCHEDULE_LATENCY];
        if (!(f->left >> i & 1) || f->ready[i] > (double)cycle + OFF || (*busy & unit) ||
            (latency && (*returns & unit)))
            continue;
        *busy |= unit;
        *returns |= latency ? unit : 0;
        f->left &= ~(UINT32_C(1) << i);
        s->waiting[f->unit[i]]--;
        any = true;
    }
    return any;
}

/* One cycle of one instruction. True: it begins in it. */
static bool execute(struct schedule *s, struct flight *f, size_t cycle, uint16_t *busy)
{
    const struct schedule_need *n = f->need;

    if ((f->begun && !f->left) || (isnan(f->wanted) && !find_wanted(s, f)) || f->wanted > (double)cycle + OFF)
        return false;
    if (!f->begun && n->group && s->groups[n->group] > (double)cycle + OFF)
        return false;
    const bool any = begin_operations(s, f, cycle, busy);
    if (f->begun || (n->count && !any))
        return false;
    s->groups[n->group] = fmax(s->groups[n->group], (double)cycle) + n->group_cycles;
    begin(s, f, n->count || n->group ? (double)cycle : f->wanted);
    return true;
}

double schedule_cycles(const struct flow_step *steps, const struct schedule_need *needs, size_t count, double bound)
{
    const size_t before = BEFORE + FLIGHTS / count, all = (before + BETWEEN) * count;
    const double cycles = ROOM * bound * (double)(before + BETWEEN) + FLIGHTS;
    double most = 0, *then = calloc(count, sizeof *then);
    struct schedule *s = calloc(1, sizeof *s);

    for (size_t cycle = 0; s && then && s->head < all && (double)cycle < cycles; cycle++) {
        uint16_t busy = 0;
        s->delivered = fmax(s->delivered, (double)cycle - 1);
        while (s->tail < all && s->tail - s->head < WINDOW && s->delivered < (double)cycle - OFF / WINDOW)
            deliver(s, &steps[s->tail % count], &needs[s->tail % count], (double)cycle);
        for (size_t i = s->head; i < s->tail; i++) {
            if (!execute(s, &s->flights[i % FLIGHTS], cycle, &busy))
                continue;
            if (i / count == before - 1)
                then[i % count] = (double)cycle;
            if (i / count == before + BETWEEN - 1)
                most = fmax(most, ((double)cycle - then[i % count]) / BETWEEN);
        }
        s->returns[cycle % SCHEDULE_LATENCY] = 0;
        while (s->head < s->tail && !s->flights[s->head % FLIGHTS].left &&
               s->flights[s->head % FLIGHTS].done <= (double)cycle)
            s->head++;
    }
    const bool good = s && s->head == all;
    free(then);
    free(s);
    return good ? most : (double)NAN;
}
