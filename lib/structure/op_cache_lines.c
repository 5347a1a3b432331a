#include "lib/structure/op_cache_lines.h"

#include <math.h>
#include <stdio.h>

#include "lib/base/reason.h"
#include "lib/finding/grade.h"
#include "lib/kernels/branch_chain.h"
#include "lib/probe/sample.h"

enum {
    LINE = STRAIGHT_LINE_BYTES,
    KINDS = 3, /* of lines; the first has few operations */
    FEW = 3,   /* additions: with the jump as many operations as any entry holds */
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
/*
 * Lines, as a part of all entries, that are held if each takes one entry and not if each takes two. The geometric mean
 * of what is held then, 1 and 1/2.
 */
static const double PART_OF_ONE = 0.71;
/* The same of two entries and three: the mean of 1/2 and 1/3. */
static const double PART_OF_TWO = 0.41;

/* One kind of line. */
struct kind {
    size_t additions; /* before the jump of each line */
    char name[48];
};

/* The chain that btb_lines has at this distance, but in random order, and with additions before each jump. */
static bool build(struct probe *p, double lines, void *context, struct kernel *k)
{
    const struct kind *l = context;
    const size_t count = (size_t)lines - BRANCH_CHAIN_LOOP_BRANCHES, end = count * LINE;
    const struct branch_chain chain = {.count = count,
                                       .stride = LINE,
                                       .branch_end = l->additions * branch_chain_addition_bytes() +
                                                     emit_jump_bytes(INT16_MAX + 1, false),
                                       .additions = l->additions,
                                       .scattered = true};
    struct code c = probe_code(p, branch_chain_bytes(&chain, end));
    const size_t entry = branch_chain_emit(&c, &chain, end, &p->random);

    *k = (struct kernel){.units = (double)count, .warm_iterations = 4};
    return probe_kernel(p, &c, entry, k);
}

/* How many additions a line has room for beside its jump. */
static size_t room(void)
{
    return (LINE - emit_jump_bytes(INT16_MAX + 1, false)) / branch_chain_addition_bytes();
}

/* Lines of few operations, and of more than any entry holds. */
static void choose(struct kind kinds[KINDS])
{
    const size_t additions[KINDS] = {FEW, room() * 2 / 3, room()};

    for (size_t i = 0; i < KINDS; i++) {
        kinds[i].additions = additions[i];
        snprintf(kinds[i].name, sizeof kinds[i].name, "jumps in random order, %zu additions each", additions[i]);
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
    if (!sweeps_search(p, sweeps, count))
        return false;
    for (size_t i = 0; i < count; i++) /* the loop's line has few operations: it may fit where a whole one would not */
        if (sweeps[i].search.verdict.count)
            sweeps[i].search.verdict.knees[0].low -= BRANCH_CHAIN_LOOP_BRANCHES;
    return true;
}

/* A number and its interval. */
struct op_cache_held {
    double value, low, high;
};

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

/* Measures that many lines of a kind, in cycles a line; NaN: no reading was accepted. */
static bool measure(struct probe *p, struct kind *kind, double lines, double *cycles)
{
    return sample_cycles(p, SAMPLES, build_some, &(struct some){kind, lines}, cycles);
}

/*
 * Sets *lines to about how many lines of few operations are held, by bisection: beyond that these take a few cycles
 * each, which differ with what is fetched beside them. NaN: no end shows.
 */
static bool hold_roughly(struct probe *p, struct kind *kind, double *lines)
{
    double few, cycles, low = FEWEST_LINES, high = probe_smoke(p, 64, MOST_LINES);

    *lines = (double)NAN;
    if (!measure(p, kind, FEWEST_LINES, &few))
        return false;
    for (double now = high; high > CLOSE * low; now = floor((low + high) / 2)) {
        if (!measure(p, kind, now, &cycles))
            return false;
        if (!(cycles > NOT_HELD * few) && now >= high)
            return true;
        *(cycles > NOT_HELD * few ? &high : &low) = now;
    }
    *lines = low;
    return true;
}

/*
 * Sets *ops to the most operations that a line may have, its jump among them, so that this number of lines is held, by
 * bisection. NaN: full lines are held as well, lines of few operations are not, or no reading was accepted.
 */
static bool find_ops(struct probe *p, double lines, double *ops)
{
    /* additions: lines of `low` are held, those of `high` are not, once they were measured */
    size_t low = 0, high = room() + 1, now = room();

    *ops = (double)NAN;
    while (high - low > 1) {
        struct kind kind = {.additions = now};
        double few, cycles;
        if (!measure(p, &kind, FEWEST_LINES, &few) || !measure(p, &kind, lines, &cycles))
            return false;
        const bool is_held = cycles <= NOT_HELD * few;
        if (isnan(few) || isnan(cycles) || (is_held && now == room()))
            return true;
        *(is_held ? &low : &high) = now;
        now = (low + high) / 2;
    }
    if (low > 0)
        *ops = (double)low + 1;
    return true;
}

/* Sets *ops to the operations of an entry; NaN: not decided, for *reason. `entries`: there are so many. */
static bool find_ops_per_entry(struct probe *p, double entries, double *ops, enum reason *reason)
{
    double one, two;

    if (!find_ops(p, floor(PART_OF_ONE * entries), &one) || !find_ops(p, floor(PART_OF_TWO * entries), &two))
        return false;
    *reason = op_cache_ops_of_lines(one, two);
    *ops = *reason ? (double)NAN : one;
    return true;
}

/* Reports the operations of an entry, `ops`, and of all entries, where these are asked for. */
static void report_ops(struct probe *p, const struct finding otherwise[OP_CACHE_QUANTITIES], double ops,
                       enum reason reason, const struct op_cache_held *entries)
{
    const struct op_cache_held all[OP_CACHE_QUANTITIES] = {
        [OP_CACHE_OPS] = {entries->value * ops, entries->low * ops, entries->high * ops},
        [OP_CACHE_OPS_PER_ENTRY] = {ops, ops, ops + 1}};

    for (enum op_cache_quantity q = OP_CACHE_OPS; q < OP_CACHE_QUANTITIES; q++) {
        struct finding f = {.name = otherwise[q].name,
                            .value = all[q].value,
                            .low = all[q].low,
                            .high = all[q].high,
                            .grade = isnan(ops) ? 'U' : 'C',
                            .reason = reason,
                            .method = "the most operations of lines in random order that take one entry, and two"};
        if (f.name)
            report(p, &f);
    }
}

static void report_others(struct probe *p, const struct finding otherwise[OP_CACHE_QUANTITIES])
{
    for (enum op_cache_quantity q = 0; q < OP_CACHE_QUANTITIES; q++)
        if (otherwise[q].name)
            report(p, &otherwise[q]);
}

void op_cache_lines_report(struct probe *p, const struct finding otherwise[OP_CACHE_QUANTITIES])
{
    const size_t count = (size_t)probe_smoke(p, 1, KINDS - 1);
    const double l1i = facts_number(&p->run->facts, "frontend.l1i.bytes", "", (double)NAN);
    struct kind kinds[KINDS];
    struct sweep sweeps[KINDS - 1] = {{.name = NULL}};
    struct experiment e[KINDS - 1];
    double lines[KINDS] = {0}, entries[KINDS] = {0}, ops;
    enum reason reason;
    bool asked = false;

    for (enum op_cache_quantity q = 0; q < OP_CACHE_QUANTITIES; q++)
        asked |= otherwise[q].name != NULL;
    if (!asked)
        return;
    choose(kinds);
    if (!hold_roughly(p, &kinds[0], &lines[0]) || !search(p, &kinds[1], sweeps, count)) {
        sweeps_free(sweeps, count);
        return;
    }
    experiments_of_sweeps(sweeps, count, e);
    for (size_t i = 0; i < count; i++)
        lines[i + 1] = held(&sweeps[i]);
    const bool decided = !op_cache_entries_of_lines(lines, count + 1, l1i / LINE, entries);
    for (size_t i = 0; i < count && decided; i++)
        e[i].scale = entries[i + 1];
    if (!decided) {
        report_others(p, otherwise);
    } else if (find_ops_per_entry(p, lines[1] * entries[1], &ops, &reason)) {
        const struct knee *knee = &sweeps[0].search.verdict.knees[0]; /* of most lines: known best */
        struct finding f = {.name = otherwise[OP_CACHE_ENTRIES].name,
                            .method = "lines in random order, each with a jump to the next one"};
        if (f.name)
            report_capacity(p, &f, e, count, entries[count]);
        report_ops(p, otherwise, ops, reason,
                   &(struct op_cache_held){knee->value * entries[1], knee->low * entries[1], knee->high * entries[1]});
    }
    sweeps_free(sweeps, count);
}
