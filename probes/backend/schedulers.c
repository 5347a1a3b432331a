/*
 * Schedulers: how many operations can wait for what they need, and what waits before them?
 *
 * Two long operations, and between them n others that need what the first one brings (lib/kernels/lookahead.h). They
 * have places in the reorder buffer, registers and queues, and stay in the scheduler. While it has room for all of them,
 * or they for others to get past, the second long operation is under way meanwhile.
 *
 *   beyond   the second one is of another kind: it gets past a scheduler that is full as long as what does not fit can
 *            wait somewhere else. Scheduler, and what waits before it
 *   behind   the second one is of the same kind, or begins with an operation of it: it needs an entry. The scheduler
 *            alone
 *
 * Curve: cycles an iteration over n. Answer: the last n before it rises, and what is behind it where that needs an entry.
 *
 * Vectors are looked at behind misses, too, with square roots as the second one: those need an entry where vectors wait.
 * With the last places of several schedulers they get in at times and at others they do not, by which one fillers have
 * gone to: the answer is half way up, where most do.
 *
 * Loads of a chain wait, too. Where they do so in the same entries (Zen 4: general operations and addresses), they leave
 * them one by one, and the knee is a ramp that begins too early by as many: there single misses are asked instead.
 *
 * The control is the same row behind the knee, which waits for nothing: it must still fit. If it does not, something else
 * that the operations hold is full: so many could wait at least, and what they share is asked all the same.
 *
 * Shared: half as many of one kind as fit, and then the other one, and the other way round (lib/kernels/sharing.h).
 *
 * Method: jiegec/cpu-micro-benchmarks, sched_size; the second operation behind the scheduler, rather than a row of others
 * that need it, and the filled half, are ours.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/find.h"
#include "lib/kernels/lookahead_answer.h"
#include "lib/kernels/sharing.h"
#include "lib/probe.h"

enum {
    TO = 256,
    LIMIT = 640,
    EXPERIMENTS = 3,
    MORE = 4,
    STEP = 2 /* entries: loads that are missed may hold one or two in the way, by which experiments differ */
};

#define HELD(name, variants) {name, variants, 1}, "masked-by:" name

static const struct kind {
    const char *class, *filler;
    struct behind {
        enum blocker first, second;
        enum lookahead_gate gate;
        bool needs;    /* an entry, too */
        unsigned more; /* loads that miss besides */
    } behind[EXPERIMENTS];
    bool queued; /* much may wait before them: no word of what gets past alone */
    size_t experiments;
    struct finding_limit limit; /* what else one of them holds, HELD … */
    const char *masked;         /* … and that in a finding's reason, where it may be full first */
} kinds[] = {
    {"int",
     "int64",
     {{BLOCKER_LOADS, BLOCKER_LOADS, GATE_NONE, false, 0},
      {BLOCKER_MISS, BLOCKER_MISS, GATE_NONE, false, 0},
      {BLOCKER_LOADS, BLOCKER_LOADS, GATE_ADDITION, true, 0}},
     false,
     3,
     HELD("backend.registers.entries", "class=int64")},
    {"multiply",
     "multiply",
     {{BLOCKER_LOADS, BLOCKER_LOADS, GATE_NONE, false, 0},
      {BLOCKER_LOADS, BLOCKER_LOADS, GATE_MULTIPLICATION, true, 0}},
     false,
     2,
     HELD("backend.registers.entries", "class=int64")},
    {"branch",
     "branch",
     {{BLOCKER_LOADS, BLOCKER_LOADS, GATE_NONE, false, 0}},
     false,
     1,
     HELD("backend.branches_in_flight.entries", "branch=not-taken")},
    {"vector",
     "scalar",
     {{BLOCKER_LOADS, BLOCKER_LOADS, GATE_NONE, false, 0},
      {BLOCKER_MISS, BLOCKER_MISS, GATE_NONE, false, 0},
      {BLOCKER_MISS, BLOCKER_ARITHMETIC, GATE_NONE, true, 0}},
     true,
     3,
     HELD("backend.registers.entries", "class=vector width=64")},
    {"vector-int",
     "v128",
     {{BLOCKER_LOADS, BLOCKER_LOADS, GATE_NONE, false, 0},
      {BLOCKER_MISS, BLOCKER_MISS, GATE_NONE, false, 0},
      {BLOCKER_MISS, BLOCKER_ARITHMETIC, GATE_NONE, true, 0}},
     true,
     3,
     HELD("backend.registers.entries", "class=vector width=128")},
    {"load",
     "load-64",
     {{BLOCKER_MISS, BLOCKER_ARITHMETIC, GATE_NONE, false, 0},
      {BLOCKER_MISS, BLOCKER_MISS, GATE_NONE, true, 0},
      {BLOCKER_MISS, BLOCKER_ARITHMETIC, GATE_NONE, false, MORE}},
     false,
     3,
     HELD("backend.load_queue.entries", "width=64")},
    {"store-address",
     "store-target",
     {{BLOCKER_MISS, BLOCKER_ARITHMETIC, GATE_NONE, false, 0}, {BLOCKER_MISS, BLOCKER_MISS, GATE_NONE, false, 0}},
     false,
     2,
     HELD("backend.store_queue.entries", "width=64")},
    {"store-data",
     "store-64",
     {{BLOCKER_LOADS, BLOCKER_LOADS, GATE_NONE, false, 0}, {BLOCKER_MISS, BLOCKER_MISS, GATE_NONE, false, 0}},
     false,
     2,
     HELD("backend.store_queue.entries", "width=64")},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static const struct {
    const char *a, *b;
    enum blocker first, second; /* the second of neither kind */
} pairs[] = {
    {"int", "multiply", BLOCKER_LOADS, BLOCKER_LOADS},
    {"int", "branch", BLOCKER_LOADS, BLOCKER_LOADS},
    {"int", "vector", BLOCKER_LOADS, BLOCKER_LOADS},
    {"vector", "vector-int", BLOCKER_LOADS, BLOCKER_LOADS},
    {"int", "load", BLOCKER_MISS, BLOCKER_ARITHMETIC},
    {"int", "store-data", BLOCKER_LOADS, BLOCKER_LOADS},
    {"load", "store-address", BLOCKER_MISS, BLOCKER_ARITHMETIC},
    {"store-address", "store-data", BLOCKER_LOADS, BLOCKER_LOADS},
};
enum { PAIRS = sizeof pairs / sizeof pairs[0] };

/* One row of operations that wait, and what is said of it. */
struct waited {
    struct lookahead_row row;
    struct lookahead_answer answer;
};

/* What else they hold is full: that which is known to be, where they end there. */
static const char *what_masks(const struct probe *p, const struct kind *k, double fits)
{
    const double limit = facts_number(&p->run->facts, k->limit.name, k->limit.variants, (double)NAN);

    return fabs(fits * k->limit.per_unit - limit) <= STEP ? k->masked : sharing_held;
}

/*
 * Behind the knee the same operations must fit where they do not wait: by more than half of what the knee costs they are
 * faster.
 */
static bool control(struct probe *p, const void *context, const struct lookahead_row *r, struct verdict *v)
{
    const struct kind *kind = context;
    struct lookahead_row ready = *r;
    double waiting, not ;

    if (v->reason || v->count == 0)
        return true;
    const struct knee *k = &v->knees[0];
    ready.ready = true;
    if (!lookahead_cycles(p, r, fmax(k->high, k->end) + 1, &waiting) ||
        !lookahead_cycles(p, &ready, fmax(k->high, k->end) + 1, &not ))
        return false;
    if (!(waiting - not > (k->after - k->before) / 2))
        v->reason = what_masks(p, kind, k->value);
    return true;
}

/* False: the probe is over. */
static bool search(struct probe *p, const struct lookahead *with, const struct kind *k, const struct behind *b,
                   struct waited *w)
{
    struct lookahead_question q = {.with = with,
                                   .fillers = {k->filler},
                                   .class = FILLER_NOTHING,
                                   .to = TO,
                                   .limit = LIMIT,
                                   .only = &w->row,
                                   .control = control,
                                   .context = k};

    w->row = (struct lookahead_row){
        .blocker = b->first, .second = b->second, .more = b->more, .waits = true, .gate = b->gate};
    snprintf(q.name, sizeof q.name, "%s%s", k->class, b->needs ? ", behind" : b->more ? ", more missed" : "");
    return lookahead_search(p, &q, &w->answer);
}

/* What its curve says; NULL: there is none. */
static const struct verdict *verdict_of(const struct waited *w)
{
    return w->answer.count ? w->answer.experiments[0].verdict : NULL;
}

/*
 * The e-th row again, asked of single misses where a chain's loads wait in the same entries, unless another one asks
 * them that. *held: they do. False: the probe is over.
 */
static bool search_held(struct probe *p, const struct lookahead *with, const struct kind *k, size_t e, struct waited *w,
                        bool *held)
{
    const struct verdict *v = verdict_of(w);
    struct behind misses = k->behind[e];

    if (!v || misses.first != BLOCKER_LOADS || v->count == 0 || !v->knees[0].ramp || with->unfit[BLOCKER_MISS])
        return true;
    *held = true;
    lookahead_free(&w->answer);
    misses.first = misses.second = BLOCKER_MISS;
    for (size_t i = 0; i < k->experiments; i++)
        if (k->behind[i].first == misses.first && k->behind[i].second == misses.second &&
            k->behind[i].gate == misses.gate)
            return true;
    return search(p, with, k, &misses, w);
}

static struct finding finding_of(const struct kind *k, const char *name)
{
    struct finding f = {.name = name,
                        .variants = {{"class", k->class}},
                        .method = "two long operations, and between them these, which wait for the first"};
    f.limits[0] = k->limit;
    f.limits[1] = (struct finding_limit){"backend.rob.entries", "", 1};
    return f;
}

/* What waits before the scheduler: what fits when the second one can get past, more than in the scheduler itself. */
static void report_queue(struct probe *p, const struct kind *k, const struct find_result *beyond,
                         const struct find_result *behind, const struct waited w[EXPERIMENTS])
{
    struct finding f = finding_of(k, "backend.dispatch_queue.entries");
    const bool none = lookahead_same(beyond->value, behind->value);

    f.limits[0].name = NULL;
    if (beyond->grade == 'U' || behind->grade == 'U') {
        lookahead_undecided(p, &f, beyond->grade == 'U' ? beyond->reason : behind->reason);
        return;
    }
    if (!none && beyond->value < behind->value) {
        lookahead_undecided(p, &f, "experiments-disagree");
        return;
    }
    f.value = none ? 0 : beyond->value - behind->value;
    /* each may be a step off, as in lookahead_report */
    f.low = none ? 0 : fmax(beyond->low - behind->high - STEP, 0);
    f.high = none ? fmax(beyond->high - behind->low, 1) : beyond->high - behind->low + STEP;
    f.grade = 'C';
    for (size_t i = 0; i < k->experiments; i++)
        f.curves[i] = w[i].answer.rows[0].name;
    report(p, &f);
}

/* How many fit by that experiment. NAN: not told. */
static double fitted(const struct waited *w)
{
    const struct verdict *v = verdict_of(w);

    return v && !v->reason && v->count ? v->knees[0].value : (double)NAN;
}

/* The most that were seen to wait at once, by whatever ended there. */
static double waited_at_most(const struct waited w[EXPERIMENTS], size_t count)
{
    double most = (double)NAN;

    for (size_t i = 0; i < count; i++)
        if (verdict_of(&w[i]) && verdict_of(&w[i])->count)
            most = fmax(most, verdict_of(&w[i])->knees[0].value);
    return most;
}

/*
 * By the first blocker and by the load that the row waits for, both of which miss. Where loads that miss hold entries until
 * their line is there, so many fewer others fit as there are more of them. NAN: not told.
 */
static double held_by_misses(const struct kind *k, const struct waited w[EXPERIMENTS])
{
    const size_t last = k->experiments - 1;

    if (!k->behind[last].more)
        return 0;
    const double fewer = fitted(&w[0]) - fitted(&w[last]);
    return fabs(fewer) <= 1 ? 0 : fabs(fewer - MORE) <= 1 ? 2 : (double)NAN;
}

static struct find_result decide(const struct find_experiment *e, size_t count)
{
    struct find_result r = find_decide(e, count, STEP);

    if (count == 0)
        r.reason = "blockers-do-not-overlap";
    return r;
}

static bool asks_behind(const struct kind *k)
{
    bool asks = false;

    for (size_t i = 0; i < k->experiments; i++)
        asks |= k->behind[i].needs;
    return asks;
}

/*
 * Behind the scheduler there is the scheduler alone, and where both kinds of experiment say the same there is nothing
 * before it. Beyond it alone it may be both.
 */
static void report_kind(struct probe *p, const struct kind *k, const struct waited w[EXPERIMENTS], double *fits)
{
    struct find_experiment all[EXPERIMENTS], beyond[EXPERIMENTS], behind[EXPERIMENTS];
    size_t count = 0, beyonds = 0, behinds = 0;
    struct finding f = finding_of(k, "backend.scheduler.entries");
    const double held = held_by_misses(k, w);

    for (size_t i = 0; i < k->experiments; i++)
        if (w[i].answer.count && !k->behind[i].more) {
            const bool needs = k->behind[i].needs;
            struct find_experiment e = w[i].answer.experiments[0];
            e.fooled_by = needs ? "what is behind" : e.fooled_by;
            e.half = needs && k->behind[i].second == BLOCKER_ARITHMETIC;
            e.holds = held + needs;
            all[count++] = e;
            *(needs ? &behind[behinds++] : &beyond[beyonds++]) = e;
        }
    struct find_result past = decide(beyond, beyonds);
    const struct find_result alone = decide(behind, behinds);
    *fits = past.grade == 'U' ? waited_at_most(w, k->experiments) : past.value - held;
    if (isnan(held) && past.grade != 'U')
        past = (struct find_result){.grade = 'U', .reason = "what the blockers hold is unknown"};
    if (asks_behind(k))
        report_queue(p, k, &past, &alone, w);
    if (count == 0 || isnan(held)) {
        lookahead_undecided(p, &f, past.reason);
    } else if (alone.grade == 'U' && k->queued) { /* the scheduler is a part of what gets past */
        lookahead_undecided(p, &f, alone.reason);
    } else if (alone.grade == 'U') {
        f.remarks[1].key = "includes";
        f.remarks[1].text = "what waits before it to be picked";
        lookahead_report(p, &f, beyond, beyonds, STEP, 1);
    } else if (past.grade == 'U' || lookahead_same(past.value, alone.value)) {
        lookahead_report(p, &f, all, count, STEP, 1);
    } else {
        lookahead_report(p, &f, behind, behinds, STEP, 1);
    }
}

static size_t kind_named(const char *class)
{
    size_t i = 0;

    while (strcmp(kinds[i].class, class) != 0)
        i++;
    return i;
}

/* More than `fits` do not, or not many. `held`: chains of loads are no blockers of those. */
static bool report_pair(struct probe *p, const struct lookahead *with, struct sharing all[PAIRS], size_t pair,
                        const double fits[KINDS], const bool held[KINDS])
{
    const size_t a = kind_named(pairs[pair].a), b = kind_named(pairs[pair].b);
    const bool misses = (held[a] || held[b]) && pairs[pair].first == BLOCKER_LOADS;
    struct sharing *s = &all[pair];
    char name[48];

    *s = (struct sharing){.a = kinds[a].filler,
                          .b = kinds[b].filler,
                          .waits = true,
                          .about = {fits[a] * 1.15, fits[b] * 1.15},
                          .ways = {{.first = misses ? BLOCKER_MISS : pairs[pair].first,
                                    .second = misses ? BLOCKER_MISS : pairs[pair].second}},
                          .count = 1};
    if (!sharing_find(p, with, all, pair) ||
        (!s->text && probe_smoke(p, 0, 1) > 0 && !sharing_find_again(p, with, all, pair)))
        return false;
    if (!s->text && s->reason == sharing_held && !strcmp(kinds[a].masked, kinds[b].masked))
        s->reason = kinds[a].masked;
    snprintf(name, sizeof name, "%s and %s", kinds[a].class, kinds[b].class);
    report(p, &(struct finding){.name = "backend.scheduler.shared",
                                .variants = {{"pair", name}},
                                .method = "half as many of one as fit, and then the other",
                                .value = NAN,
                                .low = NAN,
                                .high = NAN,
                                .text = s->text,
                                .grade = s->text ? s->grade : 'U',
                                .reason = s->text ? NULL : s->reason});
    return true;
}

static bool search_kind(struct probe *p, const struct lookahead *with, const struct kind *k,
                        struct waited w[EXPERIMENTS], bool *held)
{
    for (size_t e = 0; e < k->experiments; e++)
        if (!search(p, with, k, &k->behind[e], &w[e]) || !search_held(p, with, k, e, &w[e], held))
            return false;
    return true;
}

static void run(struct probe *p)
{
    struct sharing *shared = calloc(PAIRS, sizeof *shared);
    struct waited(*w)[EXPERIMENTS] = calloc(KINDS, sizeof *w);
    double fits[KINDS];
    bool held[KINDS] = {false};
    struct lookahead with;
    bool good = shared && w && lookahead_start(p, &with);

    for (size_t i = 0; i < KINDS && good; i++)
        good = search_kind(p, &with, &kinds[i], w[i], &held[i]);
    for (size_t look = 0; look < LOOKAHEAD_LOOKS; look++)
        for (size_t i = 0; i < KINDS * EXPERIMENTS && good; i++)
            good = lookahead_look(p, &w[i / EXPERIMENTS][i % EXPERIMENTS].answer, 1);
    for (size_t i = 0; i < KINDS && good; i++)
        report_kind(p, &kinds[i], w[i], &fits[i]);
    for (size_t i = 0; i < PAIRS && good; i++)
        good = report_pair(p, &with, shared, i, fits, held);
    if (good)
        sharing_send(p, shared, PAIRS);
    for (size_t i = 0; i < KINDS * EXPERIMENTS && w; i++)
        lookahead_free(&w[i / EXPERIMENTS][i % EXPERIMENTS].answer);
    free(w);
    free(shared);
}

PROBE(schedulers, .title = "Schedulers", .family = "backend", .after = "queues", .run = run,
      .findings = FINDINGS({"backend.scheduler.entries", "entries",
                            "operations of that class that can wait to be picked"},
                           {"backend.dispatch_queue.entries", "entries",
                            "operations of that class that can wait for a place in the scheduler, others passing them"},
                           {"backend.scheduler.shared", "schedulers", "whether two classes wait in the same entries"}));
