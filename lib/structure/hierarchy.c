#include "lib/structure/hierarchy.h"

#include <math.h>

#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/structure/tolerances_hierarchy.h"

/* The levels of a curve that are levels of the core. The curve ends on the last one. */
struct levels {
    const struct verdict *verdict;
    size_t level[KNEES_MAXIMUM + 1]; /* number in the verdict */
    size_t knee[KNEES_MAXIMUM + 1];  /* number of the knee that ends it: where a rise has several, the largest */
    size_t count;
    size_t hides; /* the first one that may hide a level, in itself or in the rise behind it; count: none does */
    bool rises;   /* that one does so in itself */
};

static double rise_of(const struct knee *k)
{
    return k->after - k->before;
}

/* `sharp`: the first level has an edge, so that the first of several knees is its end. */
static struct levels levels_of(const struct verdict *v, bool sharp)
{
    struct levels l = {.verdict = v, .hides = KNEES_MAXIMUM + 1};
    double begin = 0;

    for (size_t i = 0; i < v->level_count; i++) {
        if (l.count > 0 && i < v->count && v->knees[i].high < LEVELS_APART * v->knees[i - 1].value) {
            size_t *knee = &l.knee[l.count - 1];
            *knee = rise_of(&v->knees[i]) > (sharp && l.count == 1 ? MINOR_STEP : 1) * rise_of(&v->knees[*knee])
                        ? i
                        : *knee;
            continue;
        }
        if (i > 0 && l.hides >= l.count && v->knees[i - 1].end > RISE_HIDES_LEVEL * begin)
            l.hides = l.count - 1;
        const double begins = i > 0 ? v->knees[i - 1].after : v->levels[i].height;
        if (l.hides > l.count &&
            (v->levels[i].slope > LEVEL_RISES || v->levels[i].height > (1 + LEVEL_RISES) * begins)) {
            l.hides = l.count;
            l.rises = true;
        }
        l.level[l.count] = l.knee[l.count] = i;
        l.count++;
        begin = i < v->count ? v->knees[i].low : 0;
    }
    l.hides = l.hides < l.count ? l.hides : l.count;
    return l;
}

/* The most levels that another experiment shows behind the last edge of the first one. */
static size_t levels_behind(const struct levels *levels, size_t count)
{
    const struct verdict *first = levels->verdict;
    double last = first->count ? LEVELS_APART * first->knees[first->count - 1].value : 0;
    size_t most = 0;

    for (size_t i = 1; i < count; i++) {
        const struct verdict *v = levels[i].verdict;
        size_t n = 0;
        for (size_t level = 0; level < levels[i].count; level++)
            n += levels[i].knee[level] < v->count && v->knees[levels[i].knee[level]].value > last;
        most = n > most ? n : most;
    }
    return most;
}

/* The level that ends near x; `count` when there is none. */
static size_t level_near(const struct levels *l, double x)
{
    size_t knee = knee_near(l->verdict, x, SAME_LEVEL), level = 0;

    while (level < l->count && (l->knee[level] != knee || knee >= l->verdict->count))
        level++;
    return level;
}

/* A finding about level `number`, undecided so far. */
static struct finding finding_of(const struct hierarchy *q, const char *name, size_t number, enum reason reason)
{
    return (struct finding){.name = name,
                            .variants = {{"level", .number = (double)(q->before + number) + 1},
                                         {q->variants[0].key, q->variants[0].text},
                                         {q->variants[1].key, q->variants[1].text}},
                            .value = NAN,
                            .low = NAN,
                            .high = NAN,
                            .reason = reason};
}

/* Why the capacity of a level is undecided whatever its edge is like; REASON_NONE: the edge decides. */
static enum reason capacity_undecided(const struct hierarchy *q, const struct levels *first, size_t number,
                                      size_t behind)
{
    bool half = q->scattered && q->before + number > 0;

    if (q->moved && *q->moved < first->verdict->count && (number >= first->count || first->knee[number] >= *q->moved))
        return REASON_MASKED_BY_BTB;
    if (number > first->hides)
        return REASON_LEVEL_HIDES_BEFORE;
    if (number == first->hides && number < first->count && (first->rises || half))
        return REASON_LEVEL_MAY_HIDE;
    if (q->steady_behind && half && number + 1 < first->count &&
        first->verdict->levels[first->level[number + 1]].spread > LEVEL_SCATTERS)
        return REASON_NO_LEVEL_BEHIND;
    return behind > 0 && number + 1 >= first->count ? REASON_EXPERIMENTS_DISAGREE : REASON_NONE;
}

/* Whether the edge may be that of the part of a shared level that other programs left. */
static bool is_shared_part(const struct hierarchy *q, const struct experiment *e, size_t count, size_t number)
{
    return q->shared && q->before + number + 1 >= q->shared && grade_capacity(e, count, q->step).grade == 'C';
}

static void report_level(struct probe *p, const struct hierarchy *q, const struct experiment *experiments,
                         struct levels *levels, size_t count, size_t number, size_t behind)
{
    struct experiment e[EXPERIMENTS_MAXIMUM];
    struct experiment_value v[EXPERIMENTS_MAXIMUM];
    enum reason reason = capacity_undecided(q, levels, number, behind);
    struct finding capacity = finding_of(q, q->capacity, number, reason);
    struct finding height = finding_of(q, q->height, number, reason);
    bool scattered = q->scattered && q->before + number > 0;
    size_t knee = number < levels->count ? levels->knee[number] : levels->verdict->level_count;

    for (size_t i = 0; i < count; i++) {
        const struct levels *l = &levels[i];
        size_t level = number;
        if (i > 0) /* by its edge; the last level has none */
            level = knee < levels->verdict->count ? level_near(l, levels->verdict->knees[knee].value) : l->count;
        e[i] = experiments[i];
        e[i].knee = level < l->count ? l->knee[level] : l->verdict->level_count;
        e[i].half = scattered;
        /* where a rise has several knees it begins at the first of them */
        if (level < l->count && l->knee[level] > l->level[level]) {
            const struct knee *begin = &l->verdict->knees[l->level[level]];
            e[i].otherwise = scattered ? begin->foot : begin->low;
        }
        e[i].confounder = scattered ? "frames" : experiments[i].confounder;
        const bool flat = level < l->count && !(l->rises && level == l->hides);
        v[i] = (struct experiment_value){e[i].name, experiments[i].confounder,
                                         flat ? level_height(l->verdict, l->level[level]) : NAN};
        if (i < FINDING_CURVES)
            capacity.curves[i] = height.curves[i] = e[i].name;
    }
    if (!reason && is_shared_part(q, e, count, number)) {
        capacity.reason = reason = REASON_SHARED_LEVEL;
        levels->hides = number;
    }
    if (reason) {
        report(p, &capacity);
    } else {
        capacity.limits[0] = q->limit;
        if (number == 0 && q->proof && q->proof[0]) {
            capacity.remarks[0].key = "proof";
            capacity.remarks[0].text = q->proof;
        }
        report_resident_capacity(p, &capacity, e, count, q->step, number == 0 ? q->one_order : NULL);
    }
    if (!q->height)
        return;
    if (q->guard) {
        height.remarks[0].key = "guard";
        height.remarks[0].text = q->guard;
    }
    if (number > levels->hides || (reason && number >= levels->count)) {
        report(p, &height);
        return;
    }
    height.method = "median of the level";
    height.reason = REASON_NONE; /* that of the capacity says nothing about it */
    report_graded_number(p, &height, v, count);
}

unsigned hierarchy_report(struct probe *p, const struct hierarchy *q, const struct experiment *experiments,
                          size_t count)
{
    struct levels levels[EXPERIMENTS_MAXIMUM];

    if (count == 0 || count > EXPERIMENTS_MAXIMUM)
        return 0;
    for (size_t i = 0; i < count; i++)
        levels[i] = levels_of(experiments[i].verdict, q->before == 0);
    size_t behind = levels_behind(levels, count), most = levels->count + behind, reported = 0;
    if (q->goes_on && behind == 0 && levels->verdict->count > 0)
        most--;
    for (; reported < most || reported == 0; reported++)
        report_level(p, q, experiments, levels, count, reported, behind);
    return (unsigned)reported;
}
