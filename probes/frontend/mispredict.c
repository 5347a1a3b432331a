/*
 * Misprediction: what does it cost, and how many outcomes of branches can the core learn?
 *
 * Penalty. A bit drawn at random chooses one of two ways for a branch: taken or not, one of two targets of an indirect
 * jump, or one of two places that a function returns to, of which its call comes from one. Half of these are
 * mispredicted, however it is done. Control: the same code, which draws the same bits and then goes always the same
 * way. The bit was drawn an iteration before, so that the branch can be resolved as soon as it is there. What stands
 * around it is no chain, but as much as the core can take in: the front end is never idle, and what a misprediction
 * adds is what it costs the front end. Answer: the difference, divided by one half.
 *
 * That differs by a cycle or so with how the code happens to lie: the median over layouts is told, of which each is taken
 * for all kinds before the next one, so that what disturbs for a while disturbs few of each. Two experiments
 * differ in what is there to be recovered from: before the branch stand long NOPs, which need nothing behind the front
 * end, or the same with moves from register to register between them. Behind it stand long NOPs. Where the two differ by
 * more than 2 %, but by no more than a cycle, that is grade B.
 *
 * What stands behind the branch is part of the cost, and so the same in both. Long NOPs are taken in one by one, so that
 * a front end that starts again with gaps has caught up before it is missed. Where it is the front end that limits what
 * stands there, as where moves and NOPs are taken in by pairs, each gap is lost: 3 to 4 cycles more on Zen 4, with NOPs of
 * 11 and 15 bytes as with the mixture, whatever stands before the branch. A third filling has the mixture on both sides,
 * and `mixed_behind` tells what it costs; where that is more than a cycle off, no grade is above B.
 *
 * Capacity. n branches, each with a random pattern of its own of m outcomes, over and over. While the predictor holds
 * all n * m outcomes, or sees through them by its history, nothing is mispredicted. Two controls bound each n: patterns
 * of all zeros, and patterns that random bits are added to as they go by. The matrix is the share of mispredicted
 * branches by n and m. Answer: the largest product n * m of which less than a tenth is mispredicted, and the smallest of
 * which more is. On Zen 4 that is 0.05 from a thousand outcomes on, and at 65536 still: no misprediction, but as much as
 * one in ten or so costs where a quick predictor is overruled by a slower one; and 0.45 of twice as many.
 *
 * Method: Fog 2023 (Microarchitecture, 3, penalties by random branches); jia.je 2024 and clamchowder 2021 (branches by
 * pattern length); controls and layouts are ours.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernels/chance.h"
#include "lib/find.h"
#include "lib/matrix.h"
#include "lib/probe.h"
#include "lib/proof.h"

/* ---- Penalty ------------------------------------------------------------------------------------ */

enum branch { CONDITIONAL, INDIRECT, RETURN, BRANCHES };
enum filler { LONG_NOPS, MIXED };
/* Before the branch, and behind it. */
enum filling { NOPS, MIXED_BEFORE, MIXED_BEHIND, FILLINGS };
static const enum filler fillers[FILLINGS][2] = {{LONG_NOPS, LONG_NOPS}, {MIXED, LONG_NOPS}, {MIXED, MIXED}};
static const char *const branch_names[BRANCHES] = {"cond", "indirect", "return"};
static const char *const counted[BRANCHES] = {"conditional_mispredicts", "indirect_mispredicts", "return_mispredicts"};

enum {
    LINE_BYTES = 64,
    NOP_BYTES_AT_MOST = 8,
    PLACES = 64,  /* of a layout's begin, in lines */
    FILLING = 96, /* instructions on either side of the branch, … */
    MORE = 32,    /* … and up to so many more, by layout */
    CODE_BYTES = 16384,
    LAYOUTS = 75
};

/* Mispredicted, of those that go at random. */
static const double HALF = 0.5;

static void emit_filling(struct code *c, enum filler filler, size_t count)
{
    unsigned nop_bytes = 1;

    for (const unsigned *n = emit_nop_lengths; *n && *n <= NOP_BYTES_AT_MOST; n++)
        nop_bytes = *n;
    if (filler == LONG_NOPS)
        emit_nop_row(c, nop_bytes, count);
    for (size_t i = 0; filler == MIXED && i < count; i++)
        if (i % 2)
            emit_nop(c, nop_bytes);
        else
            emit_move(c, i % 4 ? REG_T1 : REG_T4, REG_T7);
}

/* What is different from one layout to the next. */
struct layout {
    size_t begin, before, after; /* offset, and instructions of filling */
};

static size_t bytes_of_call(struct code c)
{
    const size_t before = c.used;

    emit_call(&c, before);
    return c.used - before;
}

/* Goes by REG_T6: a bit, or the address of one of the two instructions from `ways` on; the function lies at offset 0. */
static void emit_way(struct code *c, enum branch branch, size_t ways)
{
    struct fixup over;

    switch (branch) {
    case CONDITIONAL:
        over = emit_branch_if_zero_ahead(c, REG_T6);
        emit_nop(c, emit_nop_lengths[0]);
        emit_land(c, over);
        return;
    case INDIRECT: emit_branch_register(c, REG_T6); break;
    default: /* the call's own return address is the first of them */
        over = emit_branch_ahead(c);
        emit_place(c, ways - bytes_of_call(*c));
        emit_land(c, over);
        emit_call(c, 0);
    }
    emit_place(c, ways);
    emit_nop(c, emit_nop_lengths[0]);
}

static bool build_branch(struct probe *p, enum branch branch, enum filling filling, const struct layout *l, bool random,
                         uint64_t state, struct kernel *k)
{
    const size_t ways = CODE_BYTES / 2;
    struct code c = probe_code(p, CODE_BYTES);

    emit_return_to(&c, REG_T6);
    emit_place(&c, l->begin);
    emit_enter(&c);
    chance_begin(&c);
    emit_constant(&c, REG_T7, 0);
    emit_constant(&c, REG_T8, emit_nop_lengths[0]);
    emit_move(&c, REG_T5, REG_T7);
    if (branch != CONDITIONAL)
        emit_address(&c, REG_T5, ways);
    const size_t loop = c.used;
    emit_move(&c, REG_T6, REG_T5);
    chance_draw(&c);
    chance_bits(&c, 0, 1);
    emit_move(&c, REG_T5, random ? REG_T1 : REG_T7);
    if (branch != CONDITIONAL) {
        emit_multiply(&c, REG_T5, REG_T8);
        emit_address(&c, REG_T4, ways);
        emit_add(&c, REG_T5, REG_T4);
    }
    emit_filling(&c, fillers[filling][0], l->before);
    emit_way(&c, branch, ways);
    emit_filling(&c, fillers[filling][1], l->after);
    emit_loop(&c, loop);
    chance_end(&c);
    emit_leave(&c);
    *k = (struct kernel){
        .data = state, .units = 1, .warm_iterations = probe_smoke(p, 10, 300), .stretch = probe_smoke(p, 1, 8)};
    return probe_kernel(p, &c, l->begin, k);
}

static struct layout draw_layout(struct probe *p)
{
    return (struct layout){.begin = (1 + random_below(&p->random, PLACES)) * LINE_BYTES,
                           .before = FILLING + random_below(&p->random, MORE),
                           .after = FILLING + random_below(&p->random, MORE)};
}

/* Of one layout; NaN where it could not be measured. */
static bool measure_penalty(struct probe *p, enum branch branch, enum filling filling, const struct layout *l,
                            uint64_t state, double *cycles)
{
    struct point pt[2];

    for (int random = 0; random < 2; random++) {
        struct kernel k;
        if (!build_branch(p, branch, filling, l, random, state, &k) || !probe_measure(p, &k, &pt[random]))
            return false;
    }
    *cycles = (pt[1].q20 - pt[0].q20) / HALF;
    return true;
}

struct penalties {
    double of[BRANCHES][FILLINGS][LAYOUTS];
    size_t count[BRANCHES][FILLINGS];
};

static bool measure_penalties(struct probe *p, uint64_t state, struct penalties *all)
{
    const size_t layouts = (size_t)probe_scale(p, 1, 15, 25, LAYOUTS);

    for (size_t i = 0; i < layouts; i++) {
        const struct layout l = draw_layout(p);
        for (enum branch branch = 0; branch < BRANCHES; branch++)
            for (enum filling filling = 0; filling < FILLINGS; filling++) {
                double cycles;
                if (!measure_penalty(p, branch, filling, &l, state, &cycles))
                    return false;
                if (!isnan(cycles))
                    all->of[branch][filling][all->count[branch][filling]++] = cycles;
            }
    }
    return true;
}

/* What counters say of the share that is mispredicted: without and with chance. Empty where there are none. */
static bool prove(struct probe *p, enum branch branch, uint64_t state, char text[PROOF_TEXT])
{
    const struct layout l = draw_layout(p);
    double of[2];

    for (int random = 0; random < 2; random++) {
        struct kernel k;
        if (!build_branch(p, branch, NOPS, &l, random, state, &k) || !probe_count(p, &k, counted[branch], &of[random]))
            return false;
    }
    text[0] = 0;
    if (!isnan(of[0]) && !isnan(of[1]))
        snprintf(text, PROOF_TEXT, "%s %.2f always alike, %.2f at random", counted[branch], of[0], of[1]);
    return true;
}

/* A pipeline has whole stages, and where code lies may cost a misprediction one of them more. */
static const double STAGE = 1, ALIKE = 0.02;

/* The median over layouts. */
static bool report_penalty(struct probe *p, enum branch branch, uint64_t state, struct penalties *all)
{
    char proof[PROOF_TEXT], behind[32] = "";
    double v[FILLINGS];

    for (enum filling filling = 0; filling < FILLINGS; filling++) {
        sort_numbers(all->of[branch][filling], all->count[branch][filling]);
        v[filling] = quantile(all->of[branch][filling], all->count[branch][filling], 0.5);
    }
    if (!prove(p, branch, state, proof))
        return false;
    const double middle = (v[NOPS] + v[MIXED_BEFORE]) / 2, apart = fabs(v[MIXED_BEFORE] - v[NOPS]);
    const bool alike = apart <= ALIKE * middle;
    if (!isnan(v[MIXED_BEHIND]))
        snprintf(behind, sizeof behind, "%.1f cycles", v[MIXED_BEHIND]);
    struct finding f = {.name = "frontend.mispredict.cycles",
                        .variants = {{"branch", branch_names[branch]}},
                        .value = middle,
                        .low = fmin(v[NOPS], v[MIXED_BEFORE]),
                        .high = fmax(v[NOPS], v[MIXED_BEFORE]),
                        .grade = alike && fabs(v[MIXED_BEHIND] - middle) <= STAGE ? 'A'
                                 : apart <= STAGE                                 ? 'B'
                                                                                  : 'C',
                        .method = "random less predicted, by the half that is mispredicted; median over layouts",
                        .remarks = {{"proof", proof}, {"mixed_behind", behind}}};
    if (!(middle > 0 && apart <= 2 * STAGE)) { /* NaN, too */
        f.value = f.low = f.high = (double)NAN;
        f.grade = 'U';
        f.reason = isnan(middle) ? "noise" : "experiments-disagree";
    }
    report(p, &f);
    return true;
}

/* ---- Capacity ----------------------------------------------------------------------------------- */

enum {
    WORD_BRANCHES = CHANCE_BITS, /* in a word of the pattern, its high bits: as many as are random in a draw */
    BRANCHES_BITS = 10,          /* at most */
    LENGTH_BITS = 14,
    OUTCOMES_BITS = 18,
    PASSES = 100,    /* of a pattern before it counts */
    SLOT_BYTES = 24, /* what a branch needs on either ISA */
    AGREE = 3,       /* numbers of branches */
    STRETCH = 32,    /* of readings: so long ones bring back what another thread takes of predictors (lib/measure.c) */
    HEADER_BYTES = 16, /* where chance and the walk go on, before the pattern */
};
static const double HELD = 0.1;

enum outcomes { PATTERN, ZEROS, RANDOM };

/* n branches, patterns of m outcomes; both are powers of two. */
struct shape {
    unsigned branches_bits, length_bits;
};

static unsigned words_bits(const struct shape *s)
{
    unsigned bits = 0;

    while ((size_t)WORD_BRANCHES << bits < (size_t)1 << s->branches_bits)
        bits++;
    return bits;
}

static void fill_pattern(struct probe *p, const struct shape *s, enum outcomes outcomes, uint64_t *pattern)
{
    for (size_t i = 0; i >> (s->length_bits + words_bits(s)) == 0; i++)
        pattern[i] = outcomes == ZEROS ? 0 : random_next(&p->random);
}

/*
 * Row by row through the pattern, REG_T8 counting words; every WORD_BRANCHES branches a word, REG_T5, to which a draw is
 * added or, in REG_T6, nothing.
 */
static bool build_pattern(struct probe *p, const struct shape *s, enum outcomes outcomes, const struct area *area,
                          struct kernel *k)
{
    const size_t branches = (size_t)1 << s->branches_bits, words = (size_t)1 << words_bits(s);
    struct code c = probe_code(p, 4096 + branches * SLOT_BYTES + words * 64);

    emit_enter(&c);
    chance_begin(&c);
    emit_load(&c, REG_T8, REG_DATA, 8);
    emit_move(&c, REG_T7, REG_DATA);
    emit_add_constant(&c, REG_T7, HEADER_BYTES);
    emit_constant(&c, REG_T6, 0);
    const size_t loop = c.used;
    for (size_t i = 0; i < branches; i++) {
        if (i % WORD_BRANCHES == 0) {
            emit_load_indexed(&c, REG_T5, REG_T7, REG_T8);
            emit_add_constant(&c, REG_T8, 1);
            chance_draw(&c);
            emit_xor(&c, REG_T5, outcomes == RANDOM ? REG_T0 : REG_T6);
        }
        emit_move(&c, REG_T1, REG_T5);
        emit_shift_right(&c, REG_T1, (unsigned)(63 - i % WORD_BRANCHES));
        emit_and_constant(&c, REG_T1, 1);
        struct fixup over = emit_branch_if_zero_ahead(&c, REG_T1);
        emit_nop(&c, emit_nop_lengths[0]);
        emit_land(&c, over);
    }
    emit_add_constant(&c, REG_T8, (int32_t)(words - (branches + WORD_BRANCHES - 1) / WORD_BRANCHES));
    emit_and_constant(&c, REG_T8, s->length_bits + words_bits(s));
    emit_loop(&c, loop);
    emit_store(&c, REG_T8, REG_DATA, 8);
    chance_end(&c);
    emit_leave(&c);
    *k = (struct kernel){.data = area->at,
                         .units = (double)branches,
                         .warm_iterations = PASSES * (double)((size_t)1 << s->length_bits),
                         .stretch = probe_smoke(p, 1, STRETCH)};
    return probe_kernel(p, &c, 0, k);
}

static bool measure_pattern(struct probe *p, const struct shape *s, enum outcomes outcomes, const struct area *area,
                            double *cycles)
{
    struct kernel k;
    struct point pt;

    memset(area->write, 0, HEADER_BYTES);
    fill_pattern(p, s, outcomes, (uint64_t *)(area->write + HEADER_BYTES));
    if (!build_pattern(p, s, outcomes, area, &k) || !probe_measure(p, &k, &pt))
        return false;
    *cycles = pt.q20;
    return true;
}

/* A row ends with the first pattern that is not held: longer ones are not either, and take the longest to learn nothing of. */
static bool measure_map(struct probe *p, const struct area *area, struct matrix *m)
{
    const unsigned step = (unsigned)probe_scale(p, 4, 2, 1, 1);

    for (unsigned n = 0; n <= probe_smoke(p, 4, BRANCHES_BITS); n += step, m->row_count++) {
        double zeros, random;
        bool held = true;
        const struct shape least = {n, 1};
        if (!measure_pattern(p, &least, ZEROS, area, &zeros) || !measure_pattern(p, &least, RANDOM, area, &random))
            return false;
        m->rows[m->row_count] = (double)((size_t)1 << n);
        for (unsigned l = 2; l <= LENGTH_BITS; l += step) {
            const struct shape s = {n, l};
            double cycles = (double)NAN;
            const size_t column = (l - 2) / step;
            if (held && n + l <= probe_smoke(p, 6, OUTCOMES_BITS) && !measure_pattern(p, &s, PATTERN, area, &cycles))
                return false;
            m->columns[column] = (double)((size_t)1 << l);
            m->column_count = column + 1;
            const double lost = HALF * (cycles - zeros) / (random - zeros);
            *matrix_cell(m, m->row_count, column) = lost;
            held &= lost < HELD;
        }
    }
    return true;
}

/*
 * Each number of branches has its longest pattern that is held. The largest product is the answer, where a longer one
 * fails; grade B where AGREE numbers of branches have the same.
 */
static struct finding outcomes_of(const struct matrix *m)
{
    struct finding f = {.name = "frontend.mispredict.outcomes",
                        .value = 0,
                        .method = "largest product of branches and pattern length of which under 0.1 is mispredicted",
                        .curves = {m->name}};
    unsigned agree = 0;

    for (size_t i = 0; i < m->row_count; i++) {
        size_t held = 0;
        while (held < m->column_count && *matrix_cell(m, i, held) < HELD)
            held++;
        if (!held || held == m->column_count || isnan(*matrix_cell(m, i, held)))
            continue; /* none, or all that were tried */
        const double product = m->rows[i] * m->columns[held - 1];
        agree = product > f.value ? 1 : agree + !(product < f.value);
        if (product > f.value) {
            f.value = product;
            f.high = m->rows[i] * m->columns[held];
        }
    }
    f.low = f.value;
    f.grade = agree >= AGREE ? 'B' : 'C';
    if (!agree) {
        f.value = f.low = f.high = (double)NAN;
        f.grade = 'U';
        f.reason = "no-knee";
    }
    return f;
}

static bool find_outcomes(struct probe *p, const struct area *area)
{
    double rows[BRANCHES_BITS + 1], columns[LENGTH_BITS], cells[(BRANCHES_BITS + 1) * LENGTH_BITS];
    struct matrix m = {.name = "patterns",
                       .row_axis = "branches",
                       .column_axis = "pattern_length",
                       .unit = "mispredicted",
                       .rows = rows,
                       .columns = columns,
                       .cells = cells,
                       .pitch = LENGTH_BITS};

    if (!measure_map(p, area, &m))
        return false;
    matrix_send(p, &m);
    const struct finding f = outcomes_of(&m);
    report(p, &f);
    return true;
}

static void run(struct probe *p)
{
    struct penalties *penalties = calloc(1, sizeof *penalties);
    struct area area;
    bool good = penalties && probe_map(p, &area, HEADER_BYTES + (sizeof(uint64_t) << LENGTH_BITS), 0) &&
                measure_penalties(p, area.at, penalties);

    for (enum branch branch = 0; branch < BRANCHES && good; branch++)
        good = report_penalty(p, branch, area.at, penalties);
    if (good)
        find_outcomes(p, &area);
    free(penalties);
}

PROBE(mispredict, .title = "Misprediction", .family = "frontend", .run = run,
      .findings = FINDINGS({"frontend.mispredict.cycles", "cycles", "lost by a mispredicted branch of that kind"},
                           {"frontend.mispredict.outcomes", "outcomes",
                            "of branches with patterns of their own, branches times length, that are predicted"}));
