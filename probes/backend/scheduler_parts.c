/*
 * Single schedulers: how many entries has each of several, and which operations wait in it? (docs/METHODS.md, 6.4)
 *
 * Experiment: as in the probe schedulers, n operations between two misses need the result of the first one, and wait in
 * a scheduler until it is there. They are of a class that only some units execute (lib/structure/scheduler_classes.h),
 * and those need not have all schedulers. Each class is measured alone, and behind two thirds of each smaller class.
 *
 * Curve: none; the number that can wait is found by bisection to half of the rise.
 *
 * Inference: a class is apart from a smaller one or holds it completely (lib/structure/scheduler_parts.h). What can wait
 * of a class, less what can wait of all those within it, is the entries of the schedulers that hold none of these. On
 * cores that assign operations before they know which scheduler has room (Zen 4) there is no such difference, but it
 * shows over how many schedulers a class is spread.
 *
 * Method: Johnson 2021, Firestorm: the same differences. The class that comes first, in place of all classes together,
 * is ours.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/probe/table.h"
#include "lib/structure/inflight_limit.h"
#include "lib/structure/inflight_start.h"
#include "lib/structure/scheduler_classes.h"
#include "lib/structure/scheduler_parts.h"
#include "lib/structure/sharing.h"
#include "lib/structure/tolerances_inflight.h"

enum { MOST = 640 /* fillers, where the reorder buffer is not known */ };

/* Classes of one kind of register: pairs are of the same kind. */
struct group {
    const char *queue; /* variant of the finding that says how long the queue before the schedulers is */
    struct scheduler_class classes[PARTS_CLASSES];
    struct parts_counts counts;
    struct part parts[PARTS_CLASSES];
    enum reason why[PARTS_CLASSES]; /* a class was not measured alone */
    bool queue_is_known;
    bool stands_for_others[PARTS_CLASSES]; /* it is the smallest of those that wait in the same schedulers */
};

struct parts {
    struct inflight inflight;
    enum long_op op;
    double most; /* fillers that surely do not fit */
    struct group general, vector;
};

/* Vectors take as long again as all others, and are left to longer profiles. */
static void choose_classes(const struct probe *p, struct parts *s)
{
    struct inflight_experiment e = {.inflight = &s->inflight, .first = s->op, .second = s->op, .waits = true};
    const bool vectors = inflight_choose_fillers(&e, (const char *const[INFLIGHT_KINDS]){"v128"});

    s->general.queue = "class=int";
    s->general.counts.classes = scheduler_classes(false, s->general.classes, PARTS_CLASSES);
    s->vector.queue = "class=vector";
    if (vectors && probe_scale(p, 1, 0, 1, 1) > 0)
        s->vector.counts.classes = scheduler_classes(true, s->vector.classes, PARTS_CLASSES);
}

/* ---- How many wait -------------------------------------------------------------------------------- */

static struct inflight_experiment experiment_of(const struct parts *s, const struct scheduler_class *c)
{
    return (struct inflight_experiment){
        .inflight = &s->inflight, .first = s->op, .second = s->op, .waits = true, .fillers = {&c->filler}};
}

static bool measure_alone(struct probe *p, const struct parts *s, struct group *g, size_t i)
{
    const struct inflight_experiment e = experiment_of(s, &g->classes[i]);
    bool masked = false;

    if (!sharing_count(p, &e, s->most, &g->counts.alone[i]))
        return false;
    g->why[i] = REASON_NO_KNEE;
    if (isnan(g->counts.alone[i]) || probe_is_smoke(p))
        return true;
    if (!sharing_control(p, &e, g->counts.alone[i], &masked))
        return false;
    if (masked) {
        g->why[i] = REASON_MASKED_BY_COMMON_LIMIT;
        g->counts.alone[i] = (double)NAN;
    }
    return true;
}

/* The larger class b behind the smaller one, a. */
static bool measure_behind(struct probe *p, const struct parts *s, struct group *g, size_t a, size_t b)
{
    struct inflight_experiment e = experiment_of(s, &g->classes[b]);

    g->counts.head[a][b] = parts_head(&g->counts, a, b);
    e.head = &g->classes[a].filler;
    e.head_count = (unsigned)g->counts.head[a][b];
    return !e.head_count || sharing_count(p, &e, g->counts.alone[b] * BEYOND_FITTING, &g->counts.behind[a][b]);
}

/* The class order[i] behind smaller ones, until it is known to wait in the same schedulers as one of them. */
static bool measure_behind_smaller(struct probe *p, const struct parts *s, struct group *g, const size_t order[],
                                   size_t i)
{
    g->stands_for_others[order[i]] = true;
    for (size_t k = 0; k < i && g->stands_for_others[order[i]]; k++) {
        if (g->stands_for_others[order[k]] && !measure_behind(p, s, g, order[k], order[i]))
            return false;
        g->stands_for_others[order[i]] = !parts_are_same(&g->counts, order[k], order[i]);
    }
    return true;
}

static bool measure_group(struct probe *p, const struct parts *s, struct group *g)
{
    struct parts_counts *c = &g->counts;
    size_t order[PARTS_CLASSES];
    const struct fact *queue = facts_find(&p->run->facts, "backend.dispatch_queue.entries", g->queue);

    for (size_t a = 0; a < c->classes; a++)
        for (size_t b = 0; b < c->classes; b++)
            c->behind[a][b] = (double)NAN;
    g->queue_is_known = queue != NULL;
    c->queue = queue ? queue->value : 0;
    c->queue_off = queue ? fmax(queue->high - queue->value, queue->value - queue->low) : 0;
    for (size_t i = 0; i < c->classes; i++)
        if (!measure_alone(p, s, g, i))
            return false;
    const size_t count = parts_order(c, order);
    for (size_t i = 0; i < count; i++)
        if (!measure_behind_smaller(p, s, g, order, i))
            return false;
    parts_decide(c, g->parts);
    return true;
}

/* ---- What is reported ----------------------------------------------------------------------------- */

/* All classes that wait in the same schedulers as the i-th. */
static void names_of(const struct group *g, size_t i, char *to, size_t room)
{
    size_t used = 0;

    to[0] = '\0';
    for (size_t k = 0; k < g->counts.classes && used < room; k++)
        if (g->parts[k].same == i)
            used += (size_t)snprintf(to + used, room - used, "%s%s", used ? ", " : "", g->classes[k].name);
}

static void report_group(struct probe *p, const struct group *g)
{
    char names[160];

    for (size_t i = 0; i < g->counts.classes; i++) {
        const struct part *part = &g->parts[i];
        const bool known = !isnan(part->entries);
        if (part->same != i)
            continue;
        names_of(g, i, names, sizeof names);
        report(p, &(struct finding){.name = "backend.scheduler.part.entries",
                                    .variants = {{"class", g->classes[i].name}},
                                    .value = part->entries,
                                    .low = part->low,
                                    .high = part->high,
                                    .grade = known ? 'C' : 'U',
                                    .reason = known                       ? REASON_NONE
                                              : isnan(g->counts.alone[i]) ? g->why[i]
                                                                          : part->reason,
                                    .remarks = {{.key = "classes", .text = names},
                                                {.key = g->queue_is_known ? NULL : "includes",
                                                 .text = "the queue before the scheduler, if there is one"}},
                                    .method = "as many as wait of this class, less those of classes within it"});
    }
}

/* Where a full scheduler holds up others: over how many more each class is spread. */
static void report_spread(struct probe *p, const struct group *g)
{
    char pair[64];

    for (size_t a = 0; a < g->counts.classes; a++)
        for (size_t b = 0; b < g->counts.classes; b++) {
            const double spread = a == b ? (double)NAN : parts_spread(&g->counts, a, b);
            snprintf(pair, sizeof pair, "%s for %s", g->classes[b].name, g->classes[a].name);
            if (!isnan(spread))
                report(p,
                       &(struct finding){.name = "backend.scheduler.spread",
                                         .variants = {{"pair", pair}},
                                         .value = spread,
                                         .low = spread,
                                         .high = spread,
                                         .grade = 'C',
                                         .method = "as many as wait behind some of the smaller class, divided by what "
                                                   "these leave of it"});
        }
}

static void add_rows(struct record *r, const struct group *g)
{
    for (size_t a = 0; a < g->counts.classes; a++)
        for (size_t b = 0; b < g->counts.classes; b++) {
            if (a != b && isnan(g->counts.behind[a][b]))
                continue;
            record_array(r, NULL);
            record_text(r, NULL, g->classes[b].name);
            record_number(r, NULL, g->counts.alone[b]);
            record_text(r, NULL, a == b ? NULL : g->classes[a].name);
            record_number(r, NULL, a == b ? (double)NAN : g->counts.head[a][b]);
            record_number(r, NULL, a == b ? (double)NAN : g->counts.behind[a][b]);
            record_close(r);
        }
}

static void send_table(struct probe *p, const struct parts *s)
{
    struct record r;

    record_table(p, &r, "scheduler_parts");
    RECORD_COLUMNS(&r, "class", "alone", "behind", "of_these", "then");
    add_rows(&r, &s->general);
    add_rows(&r, &s->vector);
    record_close(&r);
    record_send(&r);
}

static void run(struct probe *p)
{
    struct parts *s = probe_calloc(p, 1, sizeof *s);

    if (s && inflight_start(p, &s->inflight)) {
        s->op = s->inflight.unusable[LONG_OP_MISS] ? LONG_OP_LOADS : LONG_OP_MISS;
        const enum reason unusable = probe_is_simulated(p) ? REASON_TOO_LONG_TO_SIMULATE : s->inflight.unusable[s->op];
        s->most = facts_number(&p->run->facts, "backend.rob.entries", "", MOST);
        choose_classes(p, s);
        if (unusable)
            inflight_undecided(p, &(struct finding){.name = "backend.scheduler.part.entries"}, unusable);
        else if (measure_group(p, s, &s->general) && measure_group(p, s, &s->vector)) {
            report_group(p, &s->general);
            report_group(p, &s->vector);
            report_spread(p, &s->general);
            report_spread(p, &s->vector);
            send_table(p, s);
        }
    }
    free(s);
}

PROBE(scheduler_parts, .title = "Single schedulers", .family = "backend", .after = "schedulers", .run = run,
      .findings = FINDINGS({"backend.scheduler.part.entries", "entries",
                            "of those in which operations of a class wait, the ones that hold no smaller class"},
                           {"backend.scheduler.spread", "schedulers",
                            "over how many schedulers a class is spread for each one of a smaller class"}));
