#include "lib/structure/op_cache_lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/random.h"
#include "lib/base/reason.h"
#include "lib/finding/grade.h"
#include "lib/kernels/straight.h"
#include "lib/probe/sample.h"
#include "lib/structure/op_cache_layout.h"

enum {
    KINDS = 3,     /* of lines; the first has few operations */
    FAR = 1 << 20, /* bytes: all jumps have the length of one that reaches so far */
    FEWEST_LINES = 8,
    MOST_LINES = 2048, /* twice the most that is known: 1024 entries (AMD 2024, Zen 5) */
    /*
     * By which readings are longer than usual. Code between readings takes entries of full sets, each of which then
     * misses all of its lines once a reading. no test: on a modelled core nothing runs between readings.
     */
    LONGER = 16,
    SAMPLES = 5
};
/*
 * Lines are not held any more where one costs this many times as much as one of few. Chosen: past the cycles that other
 * code costs, and before the rise has gone far: there the excess of a set misses, not all of the lines.
 */
static const double NOT_HELD = 1.25;
/* How near bisection comes, as a ratio of numbers of lines; no test: closer than the ratios that follow need. */
static const double CLOSE = 1.02;

/* One kind of line. */
struct kind {
    unsigned nops, nop_bytes; /* before the jump of each line */
    char name[40];
};

static bool build(struct probe *p, double lines, void *context, struct kernel *k)
{
    const struct kind *l = context;
    const size_t count = (size_t)lines - 1, end = count * STRAIGHT_LINE_BYTES; /* the last one is the loop's own */
    const unsigned jump_bytes = emit_jump_bytes(FAR, false);
    struct code c = probe_code(p, end + 2 * (size_t)STRAIGHT_LINE_BYTES);
    uint32_t *next = probe_calloc(p, count, sizeof *next);

    if (!next)
        return false;
    random_cycle(next, (uint32_t)count, &p->random);
    for (size_t i = 0; i < count && code_good(&c); i++) {
        emit_place(&c, i * STRAIGHT_LINE_BYTES);
        emit_nop_sequence(&c, l->nop_bytes, l->nops);
        emit_jump(&c, next[i] ? next[i] * (size_t)STRAIGHT_LINE_BYTES : end, jump_bytes);
    }
    free(next);
    emit_place(&c, end);
    emit_add_constant(&c, REG_COUNT, -1);
    const struct fixup done = emit_branch_if_zero_ahead(&c, REG_COUNT);
    const size_t entry = c.used;
    emit_jump(&c, 0, jump_bytes);
    emit_land(&c, done);
    emit_return(&c);
    *k = (struct kernel){.units = (double)count, .warm_iterations = 4};
    return probe_kernel(p, &c, entry, k);
}

/* The longest NOP up to so many bytes. */
static unsigned nop_of(unsigned bytes)
{
    unsigned longest = emit_nop_lengths[0];

    for (const unsigned *n = emit_nop_lengths; *n; n++)
        longest = *n <= bytes && *n > longest ? *n : longest;
    return longest;
}

/* Lines of few operations, and of more than any entry holds. */
static void choose(struct kind kinds[KINDS])
{
    enum { FEW = 4, WIDE = 8, MANY = 20, MOST = 40 };
    const unsigned each = emit_nop_lengths[0], room = (STRAIGHT_LINE_BYTES - emit_jump_bytes(FAR, false)) / each;
    const unsigned nops[KINDS] = {FEW, room < MOST ? room * 2 / 3 : MANY, room < MOST ? room : MOST};

    for (size_t i = 0; i < KINDS; i++) {
        kinds[i] = (struct kind){.nops = nops[i], .nop_bytes = i ? each : nop_of(WIDE)};
        snprintf(kinds[i].name, sizeof kinds[i].name, "jumps in random order, %u NOPs each", nops[i]);
    }
}

static bool search(struct probe *p, struct kind *kinds, struct sweep *sweeps, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sweeps[i] = (struct sweep){.name = kinds[i].name,
                                   .confounder = "operations of a line",
                                   .axis = "lines",
                                   .unit = "cycles/line",
                                   .build = build,
                                   .context = &kinds[i],
                                   .length_factor = LONGER,
                                   .seconds = probe_scale(p, 1, 0.5, 1, 4),
                                   .search = {.kind = KNEE_STEP,
                                              .from = FEWEST_LINES,
                                              .to = probe_smoke(p, 64, (double)MOST_LINES / 2),
                                              .step = 1,
                                              .resolution = 0.03,
                                              .per_octave = (unsigned)probe_smoke(p, 1, 8)}};
    return sweeps_search(p, sweeps, count);
}

/* The number of lines held; NaN: not decided. */
static double held(const struct sweep *s)
{
    const struct verdict *v = &s->search.verdict;

    return v->reason || !v->count ? (double)NAN : v->knees[0].value;
}

/* A number of lines of one kind, for sample_cycles. */
struct some {
    struct kind *kind;
    double lines;
};

static bool build_some(struct probe *p, void *context, struct kernel *k)
{
    const struct some *s = context;

    k->length_factor = LONGER;
    return build(p, s->lines, s->kind, k);
}

/*
 * Sets *lines to about how many lines of few operations are held, by bisection: beyond that these take a few cycles
 * each, which differ with what is fetched beside them. NaN: no end shows.
 */
static bool hold_roughly(struct probe *p, struct kind *kind, double *lines)
{
    struct some s = {kind, FEWEST_LINES};
    double few, cycles, low = FEWEST_LINES, high = probe_smoke(p, 64, MOST_LINES);

    *lines = (double)NAN;
    if (!sample_cycles(p, SAMPLES, build_some, &s, &few))
        return false;
    for (s.lines = high; high > CLOSE * low; s.lines = floor((low + high) / 2)) {
        if (!sample_cycles(p, SAMPLES, build_some, &s, &cycles))
            return false;
        if (!(cycles > NOT_HELD * few) && s.lines >= high)
            return true;
        *(cycles > NOT_HELD * few ? &high : &low) = s.lines;
    }
    *lines = low;
    return true;
}

void op_cache_lines_report(struct probe *p, const struct finding *otherwise)
{
    const size_t count = (size_t)probe_smoke(p, 1, KINDS - 1);
    const double l1i = facts_number(&p->run->facts, "frontend.l1i.bytes", "", (double)NAN);
    struct kind kinds[KINDS];
    struct sweep sweeps[KINDS - 1] = {{.name = NULL}};
    struct experiment e[KINDS - 1];
    double lines[KINDS] = {0}, entries[KINDS] = {0};
    struct finding f = {.name = otherwise->name, .method = "lines in random order, each with a jump to the next one"};

    choose(kinds);
    if (hold_roughly(p, &kinds[0], &lines[0]) && search(p, &kinds[1], sweeps, count)) {
        experiments_of_sweeps(sweeps, count, e);
        for (size_t i = 0; i < count; i++)
            lines[i + 1] = held(&sweeps[i]);
        const bool decided = !op_cache_entries_of_lines(lines, count + 1, l1i / STRAIGHT_LINE_BYTES, entries);
        for (size_t i = 0; i < count && decided; i++)
            e[i].scale = entries[i + 1];
        if (decided)
            report_capacity(p, &f, e, count, entries[count]);
        else
            report(p, otherwise);
    }
    sweeps_free(sweeps, count);
}
