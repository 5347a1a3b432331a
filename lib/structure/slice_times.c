#include "lib/structure/slice_times.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/random.h"
#include "lib/base/statistics.h"
#include "lib/kernels/pointer_chase.h"
#include "lib/measure/list.h"
#include "lib/structure/tolerances_hierarchy.h"
#include "lib/structure/tolerances_slices.h"

enum {
    DISPLACERS_FACTOR = 2, /* in ways of the second level: policies that are not LRU replace them first, too */
    ZERO_WORD = 4,         /* of displacers; words 0 and 1 of a line are its own address and that of its displacers */
    OPERATION_BYTES = 16,  /* of code for a load and what belongs to it, or a multiplication, at most */
    CODE_BYTES = 256,      /* for the rest of a kernel */
    WINDOW_LINES = 8,      /* measured in a window, between two reference chains: few are lost when it is disturbed */
    WARM_ITERATIONS = 4,   /* that bring the line and its displacers from memory */
    FIRST_ITERATIONS = 4,  /* before it is known how many last a reading */
    ATTEMPTS = 5,          /* at a line whose measurement was disturbed */
    MOST_LINE_BITS = 15,   /* lines of 64 bytes in a page of 2 MiB, whose frames follow each other everywhere */
    SMOKE_LINE_BITS = 6,
    CALIBRATED = 64, /* lines that show what an iteration takes */
    MULTIPLY = 3,    /* cycles of a multiplication at least */
    MOST_MULTIPLICATIONS = 512
};

/* ---- Memory and kernels ------------------------------------------------------------------------------------------ */

static size_t lines_of(const struct slice_times *t)
{
    return (size_t)1 << t->line_bits;
}

/* The smallest pages that hold all of the lines; 0: there are none. */
static size_t page_for(size_t bytes)
{
    const size_t *sizes = machine_info()->page_bytes;
    size_t i = 0;

    while (i < sizeof machine_info()->page_bytes / sizeof *sizes && sizes[i] && sizes[i] < bytes)
        i++;
    return i < sizeof machine_info()->page_bytes / sizeof *sizes ? sizes[i] : 0;
}

/*
 * Maps pages that each have all lines, or all sets of the second level, whichever is more: the lines have the first
 * one. Without such pages the frames of neighbouring lines are not known.
 */
static enum reason map(struct slice_times *t)
{
    const size_t memory = machine_info()->memory_bytes;

    while (t->line_bits > SMOKE_LINE_BITS && lines_of(t) * t->line_bytes > memory / 8)
        t->line_bits--;
    const size_t lines = lines_of(t) * t->line_bytes, part = lines > t->way_bytes ? lines : t->way_bytes;
    const size_t page = page_for(part);
    if (!page)
        return REASON_RANDOM_FRAMES;
    return machine_map(&t->area, part + t->displacers * t->way_bytes, page, AREA_DATA) ? REASON_RANDOM_FRAMES
                                                                                       : REASON_NONE;
}

/* From byte so many of the area on the displacers lie. */
static size_t displacers_at(const struct slice_times *t)
{
    const size_t lines = lines_of(t) * t->line_bytes;

    return lines > t->way_bytes ? lines : t->way_bytes;
}

/*
 * An iteration: the line, its displacers `distance` apart, and then so many multiplications, for which the next one
 * waits. With none it waits for the displacers.
 */
static size_t emit(struct code *c, const struct slice_times *t, size_t distance, size_t multiplications)
{
    const size_t entry = c->used;

    emit_load(c, REG_T0, REG_DATA, 0);
    emit_load(c, REG_T3, REG_DATA, sizeof(uint64_t));
    emit_constant(c, REG_T4, distance);
    const size_t loop = c->used;
    emit_load(c, REG_T0, REG_T0, 0);
    emit_move(c, REG_T1, REG_T0);
    emit_and_constant(c, REG_T1, 1); /* addresses are even */
    emit_move(c, REG_T5, REG_T1);
    emit_add(c, REG_T5, REG_T3);
    for (size_t i = 0; i < t->displacers; i++) {
        emit_load(c, REG_T2, REG_T5, 0);
        emit_add(c, REG_T5, REG_T4);
        if (!multiplications)
            emit_add(c, REG_T0, REG_T2);
    }
    for (size_t i = 0; i < multiplications; i++)
        emit_multiply(c, REG_T1, REG_T1);
    emit_add(c, REG_T0, REG_T1);
    emit_loop(c, loop);
    emit_return(c);
    return entry;
}

static bool make_kernels(struct slice_times *t, size_t multiplications)
{
    struct code c = probe_code(t->p, 2 * ((2 * t->displacers + multiplications) * OPERATION_BYTES + CODE_BYTES));
    /* the same number of lines, but of other sets of the second level */
    const size_t apart = t->way_bytes / (2 * t->displacers) / t->line_bytes * t->line_bytes,
                 near = emit(&c, t, apart ? apart : t->line_bytes, multiplications),
                 far = emit(&c, t, t->way_bytes, multiplications);

    t->near = t->far = (struct kernel){.units = 1};
    return probe_kernel(t->p, &c, near, &t->near) && probe_kernel(t->p, &c, far, &t->far);
}

/* ---- Windows ----------------------------------------------------------------------------------------------------- */

static double cycles_of(const struct meter *m, const struct reading *r, double cycles_per_tick)
{
    const double counted = reading_counted_cycles(r);

    return counted > 0 ? counted - m->harness_cycles : (reading_ticks(r) - m->harness_ticks) * cycles_per_tick;
}

/* Measures `count` lines in a window: cycles of an iteration, NaN where something disturbed the window. */
static bool window(struct slice_times *t, const struct kernel *k, const uint32_t *lines, size_t count, double *cycles)
{
    struct meter *m = &t->p->run->meter;
    struct reading list[2 * WINDOW_LINES + 2];
    const size_t all = 2 * count + 2;

    list[0] = list[all - 1] = reading_of_chain(m);
    for (size_t i = 0; i < count; i++) {
        for (size_t part = 0; part < 2; part++) {
            list[1 + 2 * i + part] = reading_of(k, part ? t->iterations : WARM_ITERATIONS);
            list[1 + 2 * i + part].argument[1] = t->area.at + lines[i] * t->line_bytes;
        }
    }
    const struct window_result result = list_run(m, list, all);
    if (!probe_survived(t->p, &result) || !probe_goes_on(t->p))
        return false;
    const double before = reading_ticks(&list[0]) - m->harness_ticks,
                 after = reading_ticks(&list[all - 1]) - m->harness_ticks;
    const bool quiet = !result.interrupts && !result.smis && !result.throttled,
               steady = fabs(before - after) <= m->tolerance * fmin(before, after);
    m->taken += count;
    m->rejected += quiet && steady ? 0 : count;
    m->rejected_by[quiet ? CAUSE_REFERENCE : CAUSE_INTERRUPTED] += quiet && steady ? 0 : count;
    for (size_t i = 0; i < count; i++)
        cycles[i] = quiet && steady
                        ? cycles_of(m, &list[2 + 2 * i], 2 * chain_cycles(m) / (before + after)) / (double)t->iterations
                        : (double)NAN;
    return true;
}

/* The median over lines drawn at random; NaN: all windows were disturbed. */
static bool calibrate(struct slice_times *t, const struct kernel *k, double *middle)
{
    size_t known = 0;

    for (size_t i = 0; i < CALIBRATED; i++) {
        const uint32_t line = (uint32_t)random_below(&t->p->random, lines_of(t));
        if (!window(t, k, &line, 1, &t->sorted[known]))
            return false;
        known += isnan(t->sorted[known]) ? 0 : 1;
    }
    *middle = median(t->sorted, known);
    return true;
}

bool slice_times_start(struct probe *p, struct slice_times *t, const struct cache_span *second, enum reason *reason)
{
    *t = (struct slice_times){.p = p,
                              .line_bits = (unsigned)probe_smoke(p, SMOKE_LINE_BITS, MOST_LINE_BITS),
                              .line_bytes = (size_t)facts_number(&p->run->facts, "memory.cache.line_bytes", "level=1",
                                                                 POINTER_CHASE_LINE_BYTES),
                              .way_bytes = second->bytes,
                              .displacers = (size_t)DISPLACERS_FACTOR * second->ways,
                              .iterations = FIRST_ITERATIONS};
    *reason = second->ways ? map(t) : REASON_CAPACITY_UNKNOWN;
    if (*reason)
        return true;
    t->order = probe_calloc(p, lines_of(t), sizeof *t->order);
    t->sorted = probe_calloc(p, lines_of(t) + CALIBRATED, sizeof *t->sorted);
    if (!t->order || !t->sorted || !make_kernels(t, 0))
        return false;
    for (size_t i = 0; i < lines_of(t) * t->line_bytes; i += t->line_bytes) {
        uint64_t *words = (uint64_t *)(t->area.write + i);
        words[0] = t->area.at + i;
        words[1] = t->area.at + displacers_at(t) + i % t->way_bytes + ZERO_WORD * sizeof(uint64_t);
    }
    if (!calibrate(t, &t->near, &t->near_cycles) || !calibrate(t, &t->far, &t->far_cycles))
        return false;
    *reason = t->far_cycles > (1 + LEVEL_RISES) * t->near_cycles ? REASON_NONE : REASON_NO_CONTRAST;
    if (*reason && !probe_is_smoke(p))
        return true;
    /* they last longer than the displacers, by the time of the line itself */
    const double chain = fmin(ceil(t->far_cycles / MULTIPLY), MOST_MULTIPLICATIONS);
    if (!make_kernels(t, (size_t)fmax(chain, 1)) || !calibrate(t, &t->far, &t->far_cycles))
        return false;
    t->iterations = (uint64_t)fmax(FIRST_ITERATIONS, floor(chain_cycles(&p->run->meter) / t->far_cycles));
    return calibrate(t, &t->near, &t->near_cycles) && calibrate(t, &t->far, &t->far_cycles);
}

void slice_times_free(struct slice_times *t)
{
    free(t->order);
    free(t->sorted);
}

/* Measures the lines in t->order, `count` of them. */
static bool measure(struct slice_times *t, size_t count, double *cycles)
{
    for (size_t i = 0; i < count; i += WINDOW_LINES) {
        const size_t some = count - i < WINDOW_LINES ? count - i : WINDOW_LINES;
        double y[WINDOW_LINES];
        if (!window(t, &t->far, t->order + i, some, y))
            return false;
        for (size_t j = 0; j < some; j++)
            cycles[t->order[i + j]] = y[j];
    }
    return true;
}

/* Sets lines aside that take much more or less than most, and puts all that are to be measured again into t->order. */
static size_t set_aside(struct slice_times *t, double *cycles)
{
    size_t known = 0, again = 0;

    for (size_t i = 0; i < lines_of(t); i++)
        if (!isnan(cycles[i]))
            t->sorted[known++] = cycles[i];
    const double middle = median(t->sorted, known), most = SLICE_APART * (t->far_cycles - t->near_cycles);
    for (size_t i = 0; i < lines_of(t); i++)
        if (!(fabs(cycles[i] - middle) <= most)) {
            cycles[i] = (double)NAN;
            t->order[again++] = (uint32_t)i;
        }
    return again;
}

bool slice_times_measure(struct slice_times *t, double *cycles, enum reason *reason)
{
    size_t count = lines_of(t);

    for (size_t i = 0; i < count; i++)
        t->order[i] = (uint32_t)i;
    for (unsigned attempt = 0; attempt < ATTEMPTS && count; attempt++) {
        random_shuffle(t->order, count, sizeof *t->order, &t->p->random);
        if (!measure(t, count, cycles))
            return false;
        count = set_aside(t, cycles);
    }
    *reason = (double)count > SLICE_LOST * (double)lines_of(t) ? REASON_NOISE : REASON_NONE;
    return true;
}
