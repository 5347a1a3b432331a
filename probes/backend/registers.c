/*
 * Registers: how many can be renamed beyond those that a program names?
 *
 * Two long operations, and n instructions between them that each write a register (lib/kernels/lookahead.h). A register
 * that is written gets a physical one, which is free again when the next write of it has left the core in order: n in
 * flight hold n of them. While there are that many, both long operations are under way at the same time.
 *
 *   int64, int32   additions of whole general registers and of halves: the same, unless a file can hold two halves in one
 *   flags          comparisons, which write nothing else
 *   vector         of each width, scalable ones of that which they have here; mask or predicate registers
 *
 * Curve: cycles an iteration over n. Answer: the last n before it rises, and what the long operations write themselves.
 * A knee where that of NOPs is, is the reorder buffer's.
 *
 * Where neighbours may share an entry of that, two comparisons side by side may need room for the flags of but one of
 * them: what the first one says nobody can ask for any more. There they are counted with others between them.
 *
 * Vector registers that a program names hold physical ones, too. All are written before; or cleared, for which some cores
 * need none: then there are more of them left by so many, and what is found is the file, but for what nothing empties.
 *
 * Shared: half as many of one class as fit, and then the other (lib/kernels/sharing.h). Whole general registers and
 * halves by the same tell what a half takes: a register, half of one, or one of a file of its own.
 *
 * Renames: a core may hold apart what it has renamed, each in an entry whatever its class, and those may end first (Johnson
 * 2021, Firestorm). So no class is told of which as many are in flight as were ever seen of all together: by the two of a
 * pair, or by general and vector registers in turn. Where those in turn end before twice the smaller file, and
 * a row of NOPs before them takes nothing away, as it does from entries of the reorder buffer, renames are what ends; but
 * not where either class alone ends there, too, since then it may be one file.
 * Method: Wong 2013; jia.je 2024.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/find.h"
#include "lib/kernels/lookahead_answer.h"
#include "lib/kernels/sharing.h"
#include "lib/probe.h"

enum { TO = 400, LIMIT = 1280 };

static const struct {
    const char *filler, *class;
    unsigned width; /* 0: of no matter */
    enum filler_class holds;
    bool cleared;
} rows[] = {
    {"int64", "int64", 0, FILLER_GENERAL, false},    {"int32", "int32", 0, FILLER_GENERAL, false},
    {"flags", "flags", 0, FILLER_FLAGS, false},      {"scalar", "vector", 64, FILLER_VECTOR, false},
    {"v128", "vector", 128, FILLER_VECTOR, false},   {"v256", "vector", 256, FILLER_VECTOR, false},
    {"v512", "vector", 512, FILLER_VECTOR, false},   {"v128", "vector", 128, FILLER_VECTOR, true},
    {"v512", "vector", 512, FILLER_VECTOR, true},    {"mask", "mask", 0, FILLER_MASK, false},
    {"scalable", "vector", 0, FILLER_VECTOR, false},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static const struct {
    const char *a, *b;
} pairs[] = {{"int64", "int32"}, {"int64", "flags"}, {"int64", "v128"}, {"v128", "mask"}, {"int64", "mask"}};
enum { PAIRS = sizeof pairs / sizeof pairs[0] };

/* Two halves for a whole, by as much as what blurs edges leaves. */
static const double WHOLES = 0.1;

/*
 * Files must end so much later than renames before those are told, and NOPs take so much of these when both are in one
 * buffer.
 */
static const double SPARE = 1.1, TELLS = 0.1;

enum { SPACED = 3 /* one in so many is a comparison, where they are asked apart */ };

struct measured {
    struct lookahead with;
    struct lookahead_limits limits;
    struct lookahead_answer answers[ROWS];
    struct lookahead_answer apart;  /* of comparisons, apart, … */
    struct verdict flags[BLOCKERS]; /* … and what that says of flags */
    double ends[ROWS];              /* fillers and blockers in flight, of whatever class */
    struct sharing shared[PAIRS];
    double seen;    /* instructions that each write a register, at the same time */
    double renames; /* where those end by themselves; NaN: nowhere, or it is not known */
};

/* ---- Classes that share ------------------------------------------------------------------------- */

static size_t row_of(const char *filler)
{
    size_t row = 0;

    while (strcmp(rows[row].filler, filler) != 0)
        row++;
    return row;
}

/* Where a class was seen to end; or where NOPs do, which nothing is past. */
static double about(const struct measured *m, const char *filler)
{
    const double ends = m->ends[row_of(filler)];

    return isnan(ends) ? m->limits.nops : ends * 1.15;
}

/* Shared, or so many of both at once as of one alone, for want of renames, with what the blockers may hold. */
static void doubt(const struct measured *m, struct sharing *s)
{
    double total = 0;

    for (size_t i = 0; i < s->count && s->text; i++)
        total = fmax(total, fmax(s->ways[i].alone[0], s->ways[i].alone[1]) + m->with.steps[s->ways[i].first] + 1);
    if (!s->text || !strcmp(s->text, "separate"))
        return;
    s->reason = strcmp(s->text, "shared") ? "ambiguous" : lookahead_renames(total, m->seen);
    for (unsigned packed = 1; packed <= m->limits.packed && !s->reason; packed++)
        if (lookahead_same(total, m->limits.nops / packed))
            s->reason = "masked-by:backend.rob.entries";
    if (s->reason)
        s->text = NULL;
}

/* By how many halves fit for a whole, by all blockers alike. NULL: not told. */
static const char *what_halves_take(const struct sharing *s)
{
    double least = INFINITY, most = 0;

    for (size_t i = 0; i < s->count; i++) {
        least = fmin(least, s->ways[i].alone[1] / s->ways[i].alone[0]);
        most = fmax(most, s->ways[i].alone[1] / s->ways[i].alone[0]);
    }
    const bool one = least >= 1 - WHOLES && most <= 1 + WHOLES, two = least >= 2 - WHOLES && most <= 2 + WHOLES;
    return !s->text ? NULL : !strcmp(s->text, "separate") ? "apart" : one ? "whole" : two ? "packed" : NULL;
}

/* The first pair says two things. */
static bool is_told(const struct sharing *s, size_t pair)
{
    return s->text && (pair > 0 || what_halves_take(s));
}

static bool find_shared(struct probe *p, struct measured *m)
{
    const bool others = !m->with.unfit[BLOCKER_LOADS] && !m->with.unfit[BLOCKER_ARITHMETIC];

    for (size_t i = 0; i < PAIRS; i++) {
        struct sharing *s = &m->shared[i];
        /* how long a miss takes is other people's affair: where two others fit, they are enough */
        *s = (struct sharing){
            .a = pairs[i].a, .b = pairs[i].b, .group = m->limits.group, .count = others ? 2 : BLOCKERS};
        if (!lookahead_filler(s->a) || !lookahead_filler(s->b)) {
            s->count = 0;
            continue;
        }
        s->about[0] = about(m, s->a);
        s->about[1] = about(m, s->b);
        for (size_t w = 0; w < BLOCKERS; w++)
            s->ways[w].first = s->ways[w].second = (enum blocker)((BLOCKER_LOADS + w) % BLOCKERS);
        if (!sharing_find(p, &m->with, m->shared, i))
            return false;
    }
    for (unsigned look = 0; look < (unsigned)probe_smoke(p, 0, LOOKAHEAD_LOOKS); look++)
        for (size_t i = 0; i < PAIRS; i++)
            if (!is_told(&m->shared[i], i) && !sharing_find_again(p, &m->with, m->shared, i))
                return false;
    for (size_t i = 0; i < PAIRS; i++)
        m->seen = fmax(m->seen, m->shared[i].seen);
    return true;
}

static void report_shared(struct probe *p, const struct sharing *s)
{
    char pair[32];

    snprintf(pair, sizeof pair, "%s and %s", s->a, s->b);
    report(p, &(struct finding){.name = "backend.registers.shared",
                                .variants = {{"pair", pair}},
                                .value = NAN,
                                .low = NAN,
                                .high = NAN,
                                .text = s->text,
                                .grade = s->text ? s->grade : 'U',
                                .reason = s->text ? NULL : s->reason,
                                .method = "half as many of one as fit, and then the other"});
}

static void report_halves(struct probe *p, const struct sharing *s)
{
    const char *text = what_halves_take(s);

    report(p, &(struct finding){.name = "backend.registers.halves",
                                .value = NAN,
                                .low = NAN,
                                .high = NAN,
                                .text = text,
                                .grade = text ? s->grade : 'U',
                                .reason = text        ? NULL
                                          : s->reason ? s->reason
                                                      : "ambiguous",
                                .method = "half as many whole registers as fit, and then halves"});
}

/* ---- Renames ------------------------------------------------------------------------------------ */

/*
 * Whether NOPs before them take room from general and vector registers in turn. *reason: why that is not told, or that
 * they do.
 */
static bool find_taken(struct probe *p, const struct measured *m, const char **reason)
{
    const struct lookahead_limits *l = &m->limits;
    const unsigned before = (unsigned)fmin(l->nops / 4, (l->nops - l->writers) / 2);
    unsigned untouched = 0, taken = 0;

    *reason = "ambiguous";
    if (!(l->writers * before / l->nops > TELLS * l->writers)) /* too few to tell */
        return true;

    for (enum blocker b = 0; b < BLOCKERS; b++) {
        struct lookahead_row r = {.with = l->with, .blocker = b, .second = b, .head = lookahead_filler("nop")};
        double alone, behind;
        if (l->with->unfit[b] || !lookahead_choose(&r, lookahead_writers))
            continue;
        if (!lookahead_most(p, &r, l->writers * 1.15, &alone))
            return false;
        r.head_count = before;
        if (!lookahead_most(p, &r, l->writers * 1.15, &behind))
            return false;
        const double missing = alone - behind, whole = alone * before / l->nops; /* what the buffer would lack */
        untouched += missing < whole / 4;
        taken += missing > whole * 3 / 4;
    }
    *reason = taken ? "masked-by:backend.rob.entries" : untouched ? NULL : "ambiguous";
    return true;
}

/* How many fit, as registers are held; where blockers agree only on what is in flight, that. */
static double registers_of(const struct measured *m, size_t row)
{
    const double registers = lookahead_fitted(&m->answers[row], rows[row].holds);

    return isnan(registers) ? m->ends[row] : registers;
}

static bool find_renames(struct probe *p, struct measured *m)
{
    const struct finding f = {.name = "backend.rename_retire.entries",
                              .method = "general and vector registers in turn, before twice the smaller file ends"};
    const struct lookahead_limits *l = &m->limits;
    const size_t general = row_of("int64"), vector = row_of("v128");
    const double at_least = isnan(l->writers) ? l->written : l->writers;
    const bool alike = lookahead_same(m->ends[general], l->writers) && lookahead_same(m->ends[vector], l->writers);
    const double of_general = registers_of(m, general), of_vector = registers_of(m, vector);
    const bool masked = !(at_least * SPARE < 2 * fmin(of_general, of_vector));
    struct lookahead_answer a;
    const char *reason = NULL;

    m->renames = (double)NAN;
    if (isnan(l->nops))
        reason = "reorder-buffer-unknown";
    else if (isnan(of_general) || isnan(of_vector) || (isnan(l->writers) && !masked))
        reason = "no-knee";
    else if (masked)
        reason = "masked-by:backend.registers.entries";
    else if (l->writers >= l->nops - LOOKAHEAD_GROUP || lookahead_same(l->writers, l->nops))
        reason = "masked-by:backend.rob.entries";
    else if (alike)
        reason = "renames, or one file for both";
    if (!reason && !find_taken(p, m, &reason))
        return false;
    if (reason) {
        lookahead_undecided(p, &f, reason);
        return true;
    }
    const struct lookahead_question q = lookahead_of_writers(l->with, "renames");
    if (!lookahead_search(p, &q, &a))
        return false;
    for (size_t i = 0; i < a.count; i++)
        a.experiments[i].holds = lookahead_holds(&a.rows[i], FILLER_NOTHING);
    m->renames = l->writers;
    lookahead_report(p, &f, a.experiments, a.count, 1, l->group);
    lookahead_free(&a);
    return true;
}

/* ---- What is told ------------------------------------------------------------------------------- */

/*
 * Whether fewer fit than did when they were asked for with others: then another hardware thread holds some, for as long as
 * it is awake, though nothing else may tell of it (Zen 4: 19 of the integer registers).
 */
static bool fits_fewer(const struct measured *m, size_t row)
{
    const struct lookahead_answer *a = &m->answers[row];

    for (size_t i = 0; i < a->count; i++) {
        const struct verdict *v = a->experiments[i].verdict;
        const double alone = sharing_alone(m->shared, PAIRS, rows[row].filler, a->rows[i].blocker);
        if (!v->reason && v->count && !isnan(alone) && !sharing_fits_all(m->limits.group, alone, v->knees[0].value))
            return true;
    }
    return false;
}

/* Why that row's knee may be something else's. NULL: it is not. */
static const char *masked(const struct measured *m, size_t row)
{
    const char *reason = isnan(m->ends[row]) ? NULL : lookahead_masked(&m->limits, &m->answers[row]);

    if (!reason && lookahead_same(m->ends[row], m->renames))
        return "masked-by:backend.rename_retire.entries";
    return reason || isnan(m->ends[row]) ? reason : lookahead_renames(m->ends[row], m->seen);
}

/* Flags of comparisons that are no neighbours. What ends where its other thirds do alone is theirs. */
static const char *find_apart(struct measured *m, struct find_experiment e[BLOCKERS])
{
    const double others[] = {m->ends[row_of("int64")], m->ends[row_of("v128")]};

    for (size_t i = 0; i < m->apart.count; i++) {
        const struct verdict *v = m->apart.experiments[i].verdict;
        const double least = v->count ? floor(v->knees[0].low / SPACED) : 0,
                     most = v->count ? floor(v->knees[0].value / SPACED) : 0;
        m->flags[i] = *v;
        if (v->count) {
            struct knee *k = &m->flags[i].knees[0];
            k->low = least;
            k->high = fmax(floor(k->high / SPACED), most + 1);
            k->value = most;
        }
        e[i] = m->apart.experiments[i];
        e[i].verdict = &m->flags[i];
        e[i].holds = 0;
        for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
            if (lookahead_same(most, others[k]))
                return "masked-by:backend.registers.entries";
    }
    return isnan(lookahead_ends(&m->apart, FILLER_NOTHING)) ? NULL : lookahead_masked(&m->limits, &m->apart);
}

static void report_row(struct probe *p, struct measured *m, size_t row)
{
    const bool alone = rows[row].holds != FILLER_FLAGS || m->apart.count == 0;
    struct find_experiment e[BLOCKERS];
    const char *reason = alone ? masked(m, row) : find_apart(m, e);
    struct finding f = {.name = rows[row].cleared ? "backend.registers.cleared" : "backend.registers.entries",
                        .variants = {{"class", rows[row].class}},
                        .method = "two long operations, and writes of registers between them"};

    if (rows[row].width)
        f.variants[1].key = "width", f.variants[1].number = rows[row].width;
    if (!strcmp(rows[row].filler, "scalable")) {
        f.variants[1].key = "width", f.variants[1].number = machine_info()->scalable_bits;
        f.variants[2].key = "vectors", f.variants[2].text = "sve";
    }
    if (!reason && alone && fits_fewer(m, row))
        reason = "more fitted at another time";
    if (reason)
        lookahead_undecided(p, &f, reason);
    else if (alone)
        lookahead_report(p, &f, m->answers[row].experiments, m->answers[row].count, 1, m->limits.group);
    else
        lookahead_report(p, &f, e, m->apart.count, 1, m->limits.group);
}

/* Registers are cleared in the widest way that the core has, but for legacy ones. */
static bool has_row(size_t row)
{
    const struct emit_filler *f = lookahead_filler(rows[row].filler);

    return f && (f->vector_bits || !rows[row].cleared);
}

static bool search_row(struct probe *p, struct measured *m, size_t row)
{
    struct lookahead_question q = {.with = &m->with,
                                   .fillers = {rows[row].filler},
                                   .class = rows[row].holds,
                                   .to = TO,
                                   .limit = LIMIT,
                                   .group = m->limits.group,
                                   .cleared = rows[row].cleared};

    snprintf(q.name, sizeof q.name, "%s%s", rows[row].filler, rows[row].cleared ? ", cleared" : "");
    return lookahead_search(p, &q, &m->answers[row]);
}

static bool look(struct probe *p, struct measured *m)
{
    for (size_t i = 0; i < ROWS; i++)
        if (fits_fewer(m, i))
            m->answers[i].seen = 0;
    const bool good = lookahead_look(p, m->answers, ROWS);

    for (size_t i = 0; i < ROWS; i++)
        m->ends[i] = lookahead_ends(&m->answers[i], rows[i].holds);
    return good;
}

static void run(struct probe *p)
{
    struct measured *m = calloc(1, sizeof *m);
    bool good = m && lookahead_start(p, &m->with) && lookahead_find_limits(p, &m->with, &m->limits);
    const struct lookahead_question apart = {.with = m ? &m->with : NULL,
                                             .name = "flags, apart",
                                             .fillers = {"int64", "v128", "flags"},
                                             .class = FILLER_FLAGS,
                                             .to = TO,
                                             .limit = LIMIT,
                                             .group = m ? m->limits.group : 0};

    for (size_t i = 0; i < ROWS && good; i++)
        good = !has_row(i) || search_row(p, m, i);
    if (good && m->limits.packed > 1)
        good = lookahead_search(p, &apart, &m->apart);
    good = good && look(p, m);
    if (good)
        m->seen = m->limits.written;
    good = good && find_shared(p, m) && look(p, m) && find_renames(p, m) && look(p, m) && look(p, m);
    for (size_t i = 0; i < ROWS && good; i++)
        if (has_row(i))
            report_row(p, m, i);
    for (size_t i = 0; i < PAIRS && good; i++) {
        doubt(m, &m->shared[i]);
        if (lookahead_filler(m->shared[i].a) && lookahead_filler(m->shared[i].b))
            report_shared(p, &m->shared[i]);
    }
    if (good) {
        report_halves(p, &m->shared[0]);
        sharing_send(p, m->shared, PAIRS);
    }
    for (size_t i = 0; i < ROWS && m; i++)
        lookahead_free(&m->answers[i]);
    if (m)
        lookahead_free(&m->apart);
    free(m);
}

PROBE(registers, .title = "Register files", .family = "backend", .after = "rob", .run = run,
      .findings = FINDINGS({"backend.registers.entries", "registers",
                            "registers of that class that can be renamed, beyond those that a program names"},
                           {"backend.registers.cleared", "registers",
                            "the same where those that a program names were cleared, and may hold none"},
                           {"backend.registers.shared", "files", "whether two classes are renamed to one file"},
                           {"backend.registers.halves", "registers",
                            "what a write of half a general register takes: the whole, half of one, or one apart"},
                           {"backend.rename_retire.entries", "renames",
                            "renames that can be in flight, where that is a limit of its own"}));
