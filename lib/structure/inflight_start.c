#include "lib/structure/inflight_start.h"

#include <math.h>
#include <string.h>

#include "lib/base/reason.h"
#include "lib/base/statistics.h"
#include "lib/probe/probe.h"
#include "lib/structure/tolerances_inflight.h"

enum {
    CONTROL_FILLERS = 4,
    STEPS_TRIED = 8,       /* of a chain whose step is timed first */
    STEPS_MOST = 24,       /* fewer than any scheduler holds, since the steps of a chain wait there */
    STEP_CYCLES_LEAST = 4, /* what a step takes at least, however it was timed */
    TRIES = 5,             /* of each control */
    /*
     * On a simulated core, where linking a ring takes the time, it has one line of four, which fill a quarter of the sets
     * of each cache: what all lines fill they fill as well. Groups of neighbours, all in one random order, have four
     * pages: after a few misses that miss a TLB as well, all others of a group take as long, and readings are equal.
     */
    SIMULATED_PITCH = 256,   /* bytes from one line to the next */
    SIMULATED_GROUP = 64,    /* lines */
    SIMULATED_RING = 1 << 23 /* bytes of a longer ring there: beyond a second level of 4 MiB, and soon linked */
};

/* Cycles of a chain: fillers must be delivered and done meanwhile, and a longer chain makes a longer ramp. */
static const double CHAIN_CYCLES = 240;
/*
 * Bytes of a ring, in sizes of cache levels. In the second level: three times the first one, so that hardly a line is
 * found there, and both rings fit into the second.
 */
static const double TIMES_LEVEL_1 = 3;
/* Beyond the second level: few lines are found in it, and there are not many more pages than a TLB holds. */
static const double TIMES_LEVEL_2 = 2;
/*
 * Beyond the last level, where that is near (LAST_NEAR_BYTES): what it holds comes back too soon for long sequences
 * of fillers to be delivered, and what else uses it takes lines away at times. Larger last levels are as far away as
 * memory.
 */
static const double TIMES_LAST = 2;
/* Bytes of a last level that is near, at most. Chosen: shared levels of servers, which are far, begin above it. */
static const double LAST_NEAR_BYTES = 1 << 25;

/*
 * Cycles of a miss, at least, on a simulated core: in fewer the ring may lie in a cache, since what such a core declares
 * need not be what it has. Chosen: second levels take up to 25 and third ones up to 70 cycles, and in fewer than 80 a
 * window of 500 is not filled at six instructions a cycle.
 */
static const double MISS_CYCLES_LEAST = 80;
/* ---- Whether two operations overlap --------------------------------------------------------------- */

static bool measure_control(struct probe *p, const struct inflight *l, enum long_op kind, unsigned one_chain,
                            double *cycles)
{
    const struct inflight_experiment e = {
        .inflight = l, .first = kind, .second = kind, .fillers = {inflight_filler("nop")}, .one_chain = one_chain};

    return inflight_cycles(p, &e, CONTROL_FILLERS, cycles);
}

bool inflight_chained_cycles(struct probe *p, const struct inflight *l, enum long_op kind, double *cycles)
{
    double second;

    if (!measure_control(p, l, kind, 1, cycles))
        return false;
    if (kind != LONG_OP_MISS || probe_is_smoke(p))
        return true;
    if (!measure_control(p, l, kind, 2, &second))
        return false;
    *cycles = (*cycles + second) / 2;
    return true;
}

/* Both controls in turn, several times, and their medians: other programs use memory too, and may slow either. */
static bool measure_both_controls(struct probe *p, struct inflight *l, enum long_op kind)
{
    const unsigned tries = (unsigned)probe_smoke(p, 1, probe_simulated(p, 1, TRIES));
    double chained[TRIES], independent[TRIES];
    size_t count = 0;

    for (unsigned i = 0; i < tries; i++) {
        if (!inflight_chained_cycles(p, l, kind, &chained[count]) ||
            !measure_control(p, l, kind, 0, &independent[count]))
            return false;
        if (!isnan(chained[count] + independent[count]))
            count++;
    }
    l->chained[kind] = median(chained, count);
    l->independent[kind] = median(independent, count);
    return true;
}

static bool calibrate_long_ops(struct probe *p, struct inflight *l)
{
    const struct inflight_experiment none = {.inflight = l, .fillers = {inflight_filler("nop")}};

    if (!inflight_delivery_cycles(p, &none, CONTROL_FILLERS, &l->around))
        return false;
    for (enum long_op kind = 0; kind < LONG_OPS; kind++) {
        if (kind == LONG_OP_LOADS && probe_is_simulated(p)) { /* inflight_measure.c */
            l->steps[kind] = 1;
            l->unusable[kind] = REASON_TOO_LONG_TO_SIMULATE;
            continue;
        }
        if (kind != LONG_OP_MISS)
            l->steps[kind] = STEPS_TRIED;
        if (kind != LONG_OP_MISS && !probe_is_smoke(p)) {
            if (!measure_both_controls(p, l, kind))
                return false;
            const double step = fmax(l->chained[kind] / (2 * STEPS_TRIED), STEP_CYCLES_LEAST);
            l->steps[kind] = (unsigned)fmin(floor(CHAIN_CYCLES / step), STEPS_MOST);
        }
        if (!measure_both_controls(p, l, kind))
            return false;
        /* at smoke everything is executed, whatever the platform; what never overlaps has no knee either */
        const double ratio = kind == LONG_OP_MISS ? MISS_OVERLAP_RATIO : OVERLAP_RATIO;
        const bool overlaps = probe_is_smoke(p) || l->chained[kind] > ratio * l->independent[kind];
        l->unusable[kind] = overlaps ? REASON_NONE : REASON_NO_OVERLAP;
    }
    return true;
}

/* ---- Rings of lines ------------------------------------------------------------------------------- */

static size_t ring_bytes(const struct probe *p, enum long_op kind)
{
    const struct facts *f = &p->run->facts;
    const double level_1 = facts_number(f, "memory.cache.bytes", "level=1", 1 << 15);
    const double level_2 = facts_number(f, "memory.cache.bytes", "level=2", 1 << 20);
    const double level_3 = facts_number(f, "memory.cache.bytes", "level=3", 0);
    const double most = (double)machine_info()->memory_bytes / 8;
    const double beyond = level_3 <= LAST_NEAR_BYTES && TIMES_LAST * level_3 <= most ? TIMES_LAST * level_3 : 0;
    const double small = fmin(probe_scale(p, 1 << 16, 1 << 24, 1 << 25, 1 << 27), most);
    const double bytes = kind == LONG_OP_LOADS ? fmin(fmin(TIMES_LEVEL_1 * level_1, level_2 / 3), small)
                         : beyond > 0          ? probe_smoke(p, small, beyond)
                                               : fmin(TIMES_LEVEL_2 * level_2, small);

    return (size_t)bytes / POINTER_CHASE_LINE_BYTES * POINTER_CHASE_LINE_BYTES;
}

static bool start_chases(struct probe *p, struct inflight *l, enum long_op kind, size_t bytes)
{
    const size_t pitch = (size_t)probe_simulated(p, SIMULATED_PITCH, POINTER_CHASE_LINE_BYTES), lines = bytes / pitch;
    const size_t group = (size_t)probe_simulated(p, SIMULATED_GROUP, (double)lines);

    l->near_lines = lines;
    for (unsigned i = 0; i < 2; i++) {
        if (!pointer_chase_map(p, &l->chases[kind][i], bytes))
            return false;
        l->chases[kind][i].pitch = pitch;
        pointer_chase_link_alike(p, &l->chases[kind][i], 0, lines, group);
        memcpy(l->data.write + inflight_cursor_offset(kind, i), &l->chases[kind][i].ring.at, sizeof(uint64_t));
    }
    return true;
}

/* Starts the rings of misses; on a simulated core longer ones, where misses are too short to be some. */
static bool start_misses(struct probe *p, struct inflight *l)
{
    const size_t mark = machine_map_mark(), bytes = ring_bytes(p, LONG_OP_MISS);
    double first, second;

    l->steps[LONG_OP_MISS] = 1;
    if (!start_chases(p, l, LONG_OP_MISS, bytes))
        return false;
    if (!probe_is_simulated(p) || bytes >= SIMULATED_RING)
        return true;
    if (!measure_control(p, l, LONG_OP_MISS, 1, &first) || !measure_control(p, l, LONG_OP_MISS, 2, &second))
        return false;
    if (fmin(first, second) >= 2 * MISS_CYCLES_LEAST)
        return true;
    probe_release(p, mark);
    return start_chases(p, l, LONG_OP_MISS, SIMULATED_RING);
}

bool inflight_start(struct probe *p, struct inflight *l)
{
    const double root = 1;

    *l = (struct inflight){.near_lines = 0};
    if (!issue_order_find(p, &l->issue))
        return false;
    if (l->issue.order == IN_ORDER) {
        issue_order_report_none(p, l->issue.both);
        return false;
    }
    if (!probe_map(p, &l->data, INFLIGHT_DATA_BYTES, 0) || !start_misses(p, l) ||
        (!probe_is_simulated(p) && !start_chases(p, l, LONG_OP_LOADS, ring_bytes(p, LONG_OP_LOADS))))
        return false;
    memcpy(l->data.write + INFLIGHT_ROOT_OFFSET, &root, sizeof root);
    return calibrate_long_ops(p, l);
}
