#include "lib/kernels/lookahead_answer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PACKED_MAXIMUM = 8, /* M1's buffer holds seven in an entry (Johnson 2021) */
    SHIFTED = 5, /* searches, where blockers do not agree: as many as there are places in a group of six, but one */
    STEEP = 4    /* fillers of a ramp, at most */
};

/* Two limits that are so near to each other could be one. */
static const double ALIKE = 0.015, ALIKE_STEPS = 3;

/* ---- Searches ----------------------------------------------------------------------------------- */

/*
 * Chains that hold much of what is asked for, which becomes free bit by bit, are no blockers of that. Flags may be kept in
 * general registers.
 */
static bool holds_many(enum blocker b, enum filler_class class)
{
    return b == BLOCKER_ARITHMETIC
               ? class == FILLER_VECTOR
               : b == BLOCKER_LOADS && (class == FILLER_GENERAL || class == FILLER_FLAGS || class == FILLER_LOAD);
}

static bool fits_more(const struct verdict *one, const struct verdict *other)
{
    return !one->reason && one->count &&
           (other->reason || !other->count || one->knees[0].value > other->knees[0].value);
}

/*
 * A search with so many NOPs before the first blocker, which counts where it finds more than one before, or that told
 * nothing. What is taken in together needs room for all of it: where the knee is depends on what shares a group with it.
 * And another hardware thread of the core, awake for a while, has entries and registers of its own.
 */
static bool search_shifted(struct probe *p, struct lookahead_answer *a, size_t i, unsigned before)
{
    struct lookahead_row *r = &a->rows[i];
    const struct lookahead_row old = *r;
    const struct verdict *was = &a->sweeps[i].search.verdict;
    const struct search *range = &a->sweeps[i].search;
    const struct verdict *is;
    char what[sizeof r->name];

    snprintf(what, sizeof what, "%s +%u", a->asked.name, before);
    struct sweep s = lookahead_sweep(p, r, what, range->to, range->limit);
    is = &s.search.verdict;
    r->before = before;
    const bool good = lookahead_row_search(p, r, &s);
    if (good && fits_more(is, was)) {
        sweep_free(&a->sweeps[i]);
        a->sweeps[i] = s;
    } else {
        *r = old;
        sweep_free(&s);
    }
    return good;
}

/* That blocker has an end. */
static bool tells(const struct lookahead_answer *a, size_t i)
{
    return !a->sweeps[i].search.verdict.reason && a->sweeps[i].search.verdict.count;
}

static bool tells_nothing(const struct lookahead_answer *a)
{
    for (size_t i = 0; i < a->count; i++)
        if (tells(a, i))
            return false;
    return true;
}

/* Some blocker tells something, but not all of them the same: one of them has nobody with it. */
static bool is_torn(const struct lookahead_answer *a)
{
    return !tells_nothing(a) && find_decide(a->experiments, a->count, 1).agreeing < a->count;
}

/* One of its rows; none where what it needs is not there. */
static bool search_row(struct probe *p, struct lookahead_answer *a, const struct lookahead_row *row)
{
    const struct lookahead_question *q = &a->asked;
    struct lookahead_row *r = &a->rows[a->count];
    struct sweep *s = &a->sweeps[a->count];

    *r = *row;
    r->with = q->with;
    if (!q->fillers[0] || q->with->unfit[r->blocker] || q->with->unfit[r->second] || !lookahead_choose(r, q->fillers))
        return true;
    *s = lookahead_sweep(p, r, q->name, q->to, q->limit);
    if (!lookahead_row_search(p, r, s) || (q->control && !q->control(p, q->context, r, &s->search.verdict))) {
        sweep_free(s);
        return false;
    }
    a->experiments[a->count++] = (struct find_experiment){.name = r->name,
                                                          .fooled_by = s->fooled_by,
                                                          .verdict = &s->search.verdict,
                                                          .holds = lookahead_holds(r, q->class),
                                                          .reckoned = r->blocker != BLOCKER_MISS};
    return true;
}

static bool search_rows(struct probe *p, struct lookahead_answer *a)
{
    const struct lookahead_question *q = &a->asked;

    if (q->only)
        return search_row(p, a, q->only);
    for (enum blocker b = 0; b < BLOCKERS; b++) {
        struct lookahead_row r = {.blocker = b, .second = b, .cleared = q->cleared};
        if (!holds_many(b, q->class) && !search_row(p, a, &r))
            return false;
    }
    return true;
}

bool lookahead_search(struct probe *p, const struct lookahead_question *q, struct lookahead_answer *out)
{
    *out = (struct lookahead_answer){.asked = *q, .seen = 1};
    if (!search_rows(p, out))
        return false;
    /* rows that ask for the reorder buffer tell groups by themselves */
    const bool alone = q->only || q->class == FILLER_NOTHING;
    const unsigned shifts = alone ? 0 : (unsigned)probe_smoke(p, 0, SHIFTED);
    for (unsigned before = 1; before <= shifts && is_torn(out); before++)
        for (size_t i = 0; i < out->count; i++) {
            if (!search_shifted(p, out, i, before))
                return false;
            out->experiments[i].holds = lookahead_holds(&out->rows[i], q->class);
        }
    return true;
}

/* ---- Looks -------------------------------------------------------------------------------------- */

/* Nearer to what few take than to what as many do behind one chain, with which nothing overlaps. */
static bool is_fast(struct probe *p, const struct lookahead_row *r, double fillers, double cycles, bool *fast)
{
    struct lookahead_row chained = *r;
    double few, slow;

    chained.one_chain = 1;
    chained.gate = GATE_NONE;
    if (!lookahead_cycles(p, &chained, fillers, &slow) || !lookahead_cycles(p, r, LOOKAHEAD_FEW, &few))
        return false;
    *fast = cycles < (few + slow) / 2;
    return true;
}

/*
 * So many as did not fit take as long as if they did, the second number that did not, where the edge is as sharp as that
 * of single misses, or more: one number may be wrong as well as all of them. Or a few less than fitted do not.
 */
static bool is_over(struct probe *p, const struct lookahead_row *r, const struct knee *k, bool *over)
{
    const struct {
        double fillers;
        bool fit;
    } tried[] = {
        {fmax(k->high, k->end) + LOOKAHEAD_FEW, false},
        {k->value - ALIKE_STEPS, true},
        {k->high + 1, false},
    };
    double few, cycles;

    if (!lookahead_warm(p, r) || !lookahead_cycles(p, r, LOOKAHEAD_FEW, &few))
        return false;
    const double half = few * (k->before + k->after) / (2 * k->before);
    for (size_t i = 0; i < (r->blocker != BLOCKER_MISS || k->ramp ? 2 : 3) && !*over; i++) {
        bool fast;
        if (!(tried[i].fillers > LOOKAHEAD_FEW))
            continue;
        if (!lookahead_cycles(p, r, tried[i].fillers, &cycles))
            return false;
        if ((cycles < half) == tried[i].fit)
            continue;
        fast = cycles < half;
        if (r->second == r->blocker && !is_fast(p, r, tried[i].fillers, cycles, &fast))
            return false;
        *over = fast != tried[i].fit;
    }
    return true;
}

/* It might be told at another time; what one blocker does not tell others may, but for those that are asked alone. */
static bool is_open(const struct lookahead_answer *a, const char *reason)
{
    return !strcmp(reason, "ambiguous") ||
           (a->asked.only && (reason == lookahead_delivery || !strcmp(reason, "no-knee")));
}

/* What is told of a row is not so now, or its numbers contradict each other. */
static bool is_doubtful(struct probe *p, const struct lookahead_answer *a, bool *doubtful)
{
    for (size_t i = 0; i < a->count && !*doubtful; i++) {
        const struct verdict *v = a->experiments[i].verdict;
        if (v->reason)
            *doubtful = is_open(a, v->reason);
        else if (v->count && !is_over(p, &a->rows[i], &v->knees[0], doubtful))
            return false;
    }
    return true;
}

/* Where an answer has been copied to, or its sweeps exchanged. */
static void bind(struct lookahead_answer *a)
{
    for (size_t i = 0; i < a->count; i++) {
        a->sweeps[i].name = a->experiments[i].name = a->rows[i].name;
        a->sweeps[i].context = &a->rows[i];
        a->experiments[i].verdict = &a->sweeps[i].search.verdict;
    }
}

/* More fits by what both tell. */
static bool is_more(const struct lookahead_answer *one, const struct lookahead_answer *than)
{
    double more = 0;

    for (size_t i = 0; i < one->count && i < than->count; i++)
        if (one->rows[i].blocker == than->rows[i].blocker && tells(one, i) && tells(than, i))
            more += one->sweeps[i].search.verdict.knees[0].value - than->sweeps[i].search.verdict.knees[0].value;
    return more > 0;
}

/* The most that was seen twice; the most where nothing was. */
static bool is_better(const struct lookahead_answer *one, const struct lookahead_answer *than)
{
    if (tells_nothing(one) || tells_nothing(than))
        return !tells_nothing(one);
    return (one->seen > 1) == (than->seen > 1) ? is_more(one, than) : one->seen > 1;
}

static void exchange(struct lookahead_answer *a)
{
    struct lookahead_answer *const other = a->other, was = *a;

    *a = *other;
    *other = was;
    a->other = other;
    other->other = NULL;
    bind(a);
    bind(other);
}

/* What else was seen, by more than the place in a group: more, or as often. Less was, once, for a reason that is gone. */
static void note_otherwise(struct lookahead_answer *a)
{
    const double by = a->asked.only ? 1 : a->asked.group > 0 ? a->asked.group : LOOKAHEAD_GROUP;
    const struct lookahead_answer *other = a->other;

    for (size_t i = 0; i < a->count; i++) {
        a->experiments[i].otherwise = 0;
        if (!other || !other->seen || i >= other->count || other->rows[i].blocker != a->rows[i].blocker ||
            !tells(a, i) || !tells(other, i))
            continue;
        const double seen = other->sweeps[i].search.verdict.knees[0].value;
        const double told = a->sweeps[i].search.verdict.knees[0].value;
        if (!lookahead_same(seen, told) && fabs(seen - told) >= by && (seen > told || a->seen == 1 || other->seen > 1))
            a->experiments[i].otherwise = seen;
    }
}

static void forget_other(struct lookahead_answer *a)
{
    if (a->other)
        sweeps_free(a->other->sweeps, a->other->count);
    free(a->other);
    a->other = NULL;
}

/* It is so now, too. */
static bool see(struct probe *p, struct lookahead_answer *a, bool *seen)
{
    bool doubtful = !a->seen;

    if (!is_doubtful(p, a, &doubtful))
        return false;
    *seen = !doubtful;
    a->seen += *seen;
    return true;
}

/* Searches for something else, unless what else was found is so now; and keeps the better one. */
static bool search_other(struct probe *p, struct lookahead_answer *a)
{
    struct lookahead_question q = a->asked;
    bool seen = false;

    if (a->other && !see(p, a->other, &seen))
        return false;
    if (!seen) {
        forget_other(a);
        a->other = calloc(1, sizeof *a->other);
        snprintf(q.name, sizeof q.name, "%.32s, again", a->asked.name);
        if (!a->other || !lookahead_search(p, &q, a->other))
            return false;
        a->other->asked = a->asked;
    }
    if (is_better(a->other, a))
        exchange(a);
    return true;
}

bool lookahead_look(struct probe *p, struct lookahead_answer *answers, size_t count)
{
    bool good = true, seen = false;

    for (size_t i = 0; i < count && good && probe_smoke(p, 0, 1) > 0; i++) {
        good = see(p, &answers[i], &seen) && (seen || search_other(p, &answers[i]));
        note_otherwise(&answers[i]);
    }
    return good;
}

/* ---- What they say together --------------------------------------------------------------------- */

void lookahead_free(struct lookahead_answer *a)
{
    forget_other(a);
    sweeps_free(a->sweeps, a->count);
    a->count = 0;
}

double lookahead_fitted(const struct lookahead_answer *a, enum filler_class class)
{
    struct find_experiment raw[BLOCKERS];

    for (size_t i = 0; i < a->count; i++) {
        raw[i] = a->experiments[i];
        raw[i].holds = lookahead_holds(&a->rows[i], class);
    }
    const struct find_result r = find_decide(raw, a->count, 1);
    return r.grade == 'U' ? (double)NAN : r.value;
}

double lookahead_ends(const struct lookahead_answer *a, enum filler_class class)
{
    const double all = lookahead_fitted(a, FILLER_NOTHING);

    return isnan(all) ? lookahead_fitted(a, class) : all;
}

const char *const lookahead_writers[LOOKAHEAD_MIX] = {"int64", "v128"};

struct lookahead_question lookahead_of_writers(const struct lookahead *with, const char *name)
{
    struct lookahead_question q = {
        .with = with, .class = FILLER_GENERAL, .to = LOOKAHEAD_NOPS, .limit = 4 * LOOKAHEAD_NOPS};

    snprintf(q.name, sizeof q.name, "%s", name);
    memcpy(q.fillers, lookahead_writers, sizeof q.fillers);
    return q;
}

/*
 * The fewest that any blocker says, where it is not decided how many fitted: half way up, when all of a chain but that
 * may have left.
 */
static bool find_least(struct probe *p, const struct lookahead_answer *a, double nops, double *least)
{
    *least = 0;
    for (size_t i = 0; i < a->count; i++) {
        double half;
        if (a->count > 1 && a->rows[i].blocker == BLOCKER_MISS) /* which takes what others let it take */
            continue;
        if (!lookahead_most(p, &a->rows[i], nops, &half))
            return false;
        half -= a->rows[i].with->steps[a->rows[i].blocker];
        *least = isnan(half) ? *least : *least > 0 ? fmin(*least, half) : half;
    }
    return true;
}

/* How many of these fit, as the probe `rob` has it under that name, or searched; and how many do at least. */
static bool know(struct probe *p, const struct lookahead_question *q, double nops, double *most, double *least)
{
    char variant[48];
    struct lookahead_answer a;

    snprintf(variant, sizeof variant, "filler=%s", q->name);
    *most = *least = facts_number(&p->run->facts, "backend.rob.instructions", variant, (double)NAN);
    if (!isnan(*most))
        return true;
    if (!lookahead_search(p, q, &a))
        return false;
    *most = lookahead_fitted(&a, FILLER_NOTHING);
    *least = *most;
    const bool good = !isnan(*most) || find_least(p, &a, nops, least);
    lookahead_free(&a);
    return good;
}

bool lookahead_find_limits(struct probe *p, const struct lookahead *with, struct lookahead_limits *l)
{
    const struct lookahead_question nops = {.with = with,
                                            .name = "nop",
                                            .fillers = {"nop"},
                                            .class = FILLER_NOTHING,
                                            .to = LOOKAHEAD_NOPS,
                                            .limit = 4 * LOOKAHEAD_NOPS},
                                    writers = lookahead_of_writers(with, "registers");
    const struct facts *facts = &p->run->facts;
    const double entries = facts_number(facts, "backend.rob.entries", "", (double)NAN);
    double least;

    *l = (struct lookahead_limits){.with = with,
                                   .shared = (unsigned)facts_number(facts, "backend.rob.per_entry", "", 1),
                                   .group = facts_number(facts, "backend.rob.group", "", (double)NAN)};
    if (!know(p, &nops, (double)NAN, &l->nops, &least))
        return false;
    /* other fillers end there, too, or where they are packed less */
    l->packed = isnan(entries) ? PACKED_MAXIMUM : 1;
    if (l->nops > entries && l->shared == 1)
        l->packed = (unsigned)fmin(floor(l->nops / entries + 0.5), PACKED_MAXIMUM);
    if (l->packed > 1 && !isnan(entries))
        l->nops = entries * l->packed;
    return know(p, &writers, l->nops, &l->writers, &l->written);
}

bool lookahead_same(double one, double other)
{
    return fabs(one - other) <= fmax(ALIKE_STEPS, ALIKE * other);
}

/* Any blocker's knee will do. */
static bool ends_at(const struct lookahead_limits *l, const struct lookahead_answer *a, double entries)
{
    const double group = isnan(l->group) ? LOOKAHEAD_GROUP : l->group;

    for (size_t i = 0; i < a->count; i++) {
        const struct verdict *v = a->experiments[i].verdict;
        const double holds = lookahead_holds(&a->rows[i], FILLER_NOTHING);
        if (v->reason || v->count == 0)
            continue;
        /* what the blockers hold shares no entries, and of chains it is reckoned; groups end where they do */
        const double end = v->knees[0].value + holds;
        if (lookahead_same(end, entries) || fabs(end - entries) <= holds + group - 1)
            return true;
    }
    return false;
}

const char *lookahead_masked(const struct lookahead_limits *l, const struct lookahead_answer *a)
{
    if (isnan(l->nops))
        return "reorder-buffer-unknown";
    for (unsigned packed = 1; packed <= l->packed; packed++)
        if (ends_at(l, a, l->nops / packed))
            return "masked-by:backend.rob.entries";
    for (unsigned share = 1; share < l->shared; share++) /* what shares entries with some of its kind */
        if (ends_at(l, a, l->nops * share / l->shared))
            return "masked-by:backend.rob.entries";
    return NULL;
}

const char *lookahead_renames(double fitted, double seen)
{
    return seen > fitted && !lookahead_same(fitted, seen) ? NULL : "may be the limit of backend.rename_retire.entries";
}

/* ---- What is told ------------------------------------------------------------------------------- */

void lookahead_undecided(struct probe *p, const struct finding *f, const char *reason)
{
    struct finding u = *f;

    u.value = u.low = u.high = NAN;
    u.grade = 'U';
    u.reason = reason;
    report(p, &u);
}

/* One that agrees counted what it holds. */
static bool is_counted(const struct find_result *r, const struct find_experiment *e, size_t count)
{
    for (size_t i = 0; i < count && i < FIND_EXPERIMENTS; i++)
        if (r->agrees[i] && !e[i].reckoned)
            return true;
    return false;
}

/*
 * Where one blocker shows a ramp and no other one any end, the ramp may be what fillers take to be delivered; but a few of
 * them do not take as long as a blocker does.
 */
static bool is_a_ramp_alone(const struct find_experiment *e, size_t count, size_t first)
{
    for (size_t i = 0; i < count; i++)
        if (i != first && !e[i].verdict->reason && e[i].verdict->count > e[i].knee)
            return false;
    const struct knee *k = &e[first].verdict->knees[e[first].knee];
    return k->ramp && k->end - k->value > STEEP;
}

void lookahead_report(struct probe *p, const struct finding *f, const struct find_experiment *e, size_t count,
                      double step, double group)
{
    const struct find_result r = find_decide(e, count, step);
    struct finding told = *f;

    if (r.grade == 'U' || is_a_ramp_alone(e, count, r.first)) {
        lookahead_undecided(p, f, r.grade == 'U' ? r.reason : "a ramp that one blocker alone shows");
        return;
    }
    told.value = r.value;
    told.low = r.low;
    told.high = r.high + (isnan(group) ? LOOKAHEAD_GROUP : fmax(group, 1)) - 1;
    told.holds = r.holds;
    told.grade = r.grade == 'A' ? 'B' : r.grade;
    /* reckoned, to an operation or two; and one blocker alone is no surer of where its ramp begins */
    if ((r.holds > 0 || r.grade == 'C') && !is_counted(&r, e, count)) {
        told.grade = 'C';
        told.low = fmax(told.low - 2, 0);
        told.high += 2;
    }
    if (r.grade == 'C' && step > 1) { /* they may differ by a step, and it is one of them */
        told.low = fmax(told.low - step, 0);
        told.high += step;
    }
    told.agreement = r.agreement[0] ? r.agreement : NULL;
    told.remarks[0].key = "condition";
    told.remarks[0].text = "what can be filled: a core may want a group's worth of room more";
    for (size_t i = 0; i < count && i < FINDING_CURVES; i++)
        told.curves[i] = e[i].name;
    report(p, &told);
}
