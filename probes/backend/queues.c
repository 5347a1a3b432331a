/*
 * Queues: how many loads, stores and branches can be in flight at once?
 *
 * Two long operations, and n loads, stores or branches between them (lib/kernels/lookahead.h). All of them are done
 * soon, and wait for the first long operation to be done before they may leave in order. While they fit, both long
 * operations are under way at the same time.
 *
 *   loads      of general registers and of vectors: where a register is what they run out of, the two differ
 *   stores     of each width
 *   branches   never taken; and always
 *
 * Curve: cycles an iteration over n. Answer: the last n before it rises, and the long operations themselves where they
 * are loads. Loads whose entry is given back once they are done, before they leave, have no knee of their own, or a
 * larger one where nothing but arithmetic is waited for: those that no load before them is missing for may leave (Zen 4),
 * and where general registers end then is no knee of the queue. A knee where the reorder buffer, registers or renames end
 * is theirs.
 *
 * Beside: where loads of vectors alone do not tell, as where they end on a ramp before the queue does, they and loads of
 * general registers in turn do: where those end as the latter do alone, each takes an entry.
 * Method: Wong 2013; Johnson 2021, Firestorm.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/find.h"
#include "lib/kernels/lookahead_answer.h"
#include "lib/probe.h"

enum { TO = 256, LIMIT = 1024 };

static const struct {
    const char *name, *finding, *key, *text; /* and its variant; */
    unsigned width;                          /* or this, where `key` is NULL */
    enum filler_class class;
    const char *filler;
    const char *writes; /* class of registers, as a finding's variants */
} rows[] = {
    {"loads of 64 bits", "backend.load_queue.entries", NULL, NULL, 64, FILLER_LOAD, "load-64", "class=int64"},
    {"loads of 128 bits", "backend.load_queue.entries", NULL, NULL, 128, FILLER_LOAD, "load-v128",
     "class=vector width=128"},
    {"loads of 512 bits", "backend.load_queue.entries", NULL, NULL, 512, FILLER_LOAD, "load-v512",
     "class=vector width=512"},
    {"stores of 64 bits", "backend.store_queue.entries", NULL, NULL, 64, FILLER_STORE, "store-64", NULL},
    {"stores of 128 bits", "backend.store_queue.entries", NULL, NULL, 128, FILLER_STORE, "store-v128", NULL},
    {"stores of 512 bits", "backend.store_queue.entries", NULL, NULL, 512, FILLER_STORE, "store-v512", NULL},
    {"branches", "backend.branches_in_flight.entries", "branch", "not-taken", 0, FILLER_BRANCH, "branch", NULL},
    {"jumps", "backend.branches_in_flight.entries", "branch", "taken", 0, FILLER_JUMP, "jump", NULL},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static bool is_vector(size_t row)
{
    return strncmp(rows[row].writes, "class=vector", strlen("class=vector")) == 0;
}

/*
 * Each load writes a register. What ends where registers do is theirs; where those are not known, loads into another file
 * must end at the same.
 */
static bool may_be_registers(const struct probe *p, const double fillers[ROWS], size_t row)
{
    const double registers = facts_number(&p->run->facts, "backend.registers.entries", rows[row].writes, (double)NAN);

    if (!isnan(registers))
        return lookahead_same(fillers[row], registers);
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].class == FILLER_LOAD && i != row && is_vector(i) != is_vector(row) &&
            lookahead_same(fillers[row], fillers[i]))
            return false;
    return true;
}

/*
 * Behind arithmetic loads that give their entries back go on to where registers end: what ends there beside a smaller
 * number behind misses says nothing of the queue, and is left out.
 */
static void leave_out_registers(const struct probe *p, struct lookahead_answer *a, size_t row)
{
    const double registers = rows[row].class == FILLER_LOAD ? facts_number(&p->run->facts, "backend.registers.entries",
                                                                           rows[row].writes, (double)NAN)
                                                            : (double)NAN;

    if (isnan(registers) || !isnan(lookahead_fitted(a, rows[row].class)))
        return;
    for (size_t i = 0; i < a->count; i++) {
        struct verdict *v = &a->sweeps[i].search.verdict;
        if (a->rows[i].blocker == BLOCKER_ARITHMETIC && !v->reason && v->count &&
            fabs(v->knees[0].end - 1 - registers) < LOOKAHEAD_GROUP)
            v->reason = "masked-by:backend.registers.entries";
    }
}

/* How many fitted by that blocker, what it holds with them; NaN: it does not say. */
static double fitted_by(const struct lookahead_answer *a, size_t i)
{
    const struct verdict *v = a->experiments[i].verdict;

    return v->reason || !v->count ? (double)NAN : v->knees[0].value + a->experiments[i].holds;
}

/* Where misses do not tell, arithmetic may end where loads do that have given their entries back: at anything else. */
static void leave_out_arithmetic(struct lookahead_answer *a, size_t row)
{
    bool missed = rows[row].class != FILLER_LOAD;

    for (size_t i = 0; i < a->count; i++)
        missed |= a->rows[i].blocker == BLOCKER_MISS && !isnan(fitted_by(a, i));
    for (size_t i = 0; i < a->count && !missed; i++)
        if (!a->sweeps[i].search.verdict.reason)
            a->sweeps[i].search.verdict.reason = "loads may leave before they retire";
}

/* By more than a ramp that one blocker alone shows. */
static bool is_told(const struct lookahead_answer *a, double fitted)
{
    size_t knees = 0;
    bool ramp = true;

    for (size_t i = 0; i < a->count; i++)
        if (!isnan(fitted_by(a, i))) {
            knees++;
            ramp = ramp && a->experiments[i].verdict->knees[0].ramp;
        }
    return !isnan(fitted) && (knees > 1 || !ramp);
}

/* Loads of vectors that alone tell nothing, in turn with those of general registers, which do. False: the probe is over. */
static bool search_beside(struct probe *p, const struct lookahead_limits *limits,
                          const struct lookahead_answer answers[ROWS], const double fillers[ROWS], size_t row,
                          struct lookahead_answer *beside)
{
    struct lookahead_question q = {.with = limits->with,
                                   .fillers = {rows[row].filler, rows[0].filler},
                                   .class = FILLER_LOAD,
                                   .to = TO,
                                   .limit = LIMIT,
                                   .group = limits->group};

    *beside = (struct lookahead_answer){.count = 0};
    if (rows[row].class != FILLER_LOAD || !is_vector(row) || isnan(fillers[0]) || !lookahead_filler(rows[row].filler) ||
        lookahead_masked(limits, &answers[0]) || may_be_registers(p, fillers, 0) ||
        is_told(&answers[row], fillers[row]))
        return true;
    snprintf(q.name, sizeof q.name, "%s and 64 in turn", rows[row].name);
    return lookahead_search(p, &q, beside);
}

/* As many of both as of the others alone: what one takes is known, and how many there are. */
static bool report_beside(struct probe *p, const struct finding *f, struct lookahead_answer *beside, double alone)
{
    struct finding told = *f;
    size_t left = 0;

    for (size_t i = 0; i < beside->count; i++) /* only those blockers that say so: others let registers end first */
        if (lookahead_same(fitted_by(beside, i), alone))
            beside->experiments[left++] = beside->experiments[i];
    if (left == 0)
        return false;
    told.method = "two long operations, and between them these and loads of 64 bits in turn";
    told.remarks[1].key = "beside";
    told.remarks[1].text = "each takes an entry; alone fewer may fit, for another reason";
    lookahead_report(p, &told, beside->experiments, left, 1, 1);
    return true;
}

static void report_row(struct probe *p, const struct lookahead_limits *limits, const struct lookahead_answer *a,
                       const double fillers[ROWS], size_t row, struct lookahead_answer *beside)
{
    const char *masked = isnan(fillers[row]) ? NULL : lookahead_masked(limits, a);
    struct finding f = {.name = rows[row].finding, .method = "two long operations, and these between them"};

    if (rows[row].key)
        f.variants[0].key = rows[row].key, f.variants[0].text = rows[row].text;
    else
        f.variants[0].key = "width", f.variants[0].number = rows[row].width;
    if (!masked && !isnan(fillers[row]) && rows[row].class == FILLER_LOAD) {
        masked = lookahead_renames(lookahead_ends(a, FILLER_LOAD), limits->written);
        if (may_be_registers(p, fillers, row))
            masked = "may be the limit of backend.registers.entries";
    }
    if (beside->count && report_beside(p, &f, beside, fillers[0]))
        return;
    if (masked)
        lookahead_undecided(p, &f, masked);
    else
        lookahead_report(p, &f, a->experiments, a->count, 1, 1);
}

static void run(struct probe *p)
{
    struct lookahead_answer *answers = calloc(ROWS, sizeof *answers);
    double fillers[ROWS];
    struct lookahead with;
    struct lookahead_limits limits;
    bool good = answers && lookahead_start(p, &with) && lookahead_find_limits(p, &with, &limits);

    for (size_t i = 0; i < ROWS && good; i++) {
        struct lookahead_question q = {.with = &with,
                                       .fillers = {rows[i].filler},
                                       .class = rows[i].class,
                                       .to = TO,
                                       .limit = LIMIT,
                                       .group = limits.group};
        snprintf(q.name, sizeof q.name, "%s", rows[i].name);
        good = lookahead_search(p, &q, &answers[i]);
    }
    for (unsigned i = 0; i < LOOKAHEAD_LOOKS && good; i++)
        good = lookahead_look(p, answers, ROWS);
    for (size_t i = 0; i < ROWS && good; i++) {
        leave_out_registers(p, &answers[i], i);
        leave_out_arithmetic(&answers[i], i);
        fillers[i] = lookahead_fitted(&answers[i], rows[i].class);
    }
    for (size_t i = 0; i < ROWS && answers; i++) {
        struct lookahead_answer beside = {.count = 0};
        good = good && (probe_smoke(p, 0, 1) == 0 || search_beside(p, &limits, answers, fillers, i, &beside));
        if (good && lookahead_filler(rows[i].filler))
            report_row(p, &limits, &answers[i], fillers, i, &beside);
        lookahead_free(&beside);
    }
    for (size_t i = 0; i < ROWS && answers; i++)
        lookahead_free(&answers[i]);
    free(answers);
}

PROBE(queues, .title = "Load and store queues, branches in flight", .family = "backend", .after = "registers",
      .run = run,
      .findings = FINDINGS({"backend.load_queue.entries", "entries", "loads that can be in flight"},
                           {"backend.store_queue.entries", "entries", "stores that can be in flight"},
                           {"backend.branches_in_flight.entries", "entries", "branches that can be in flight"}));
