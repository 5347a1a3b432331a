#include "lib/finding/grade.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/reason.h"
#include "lib/finding/tolerances.h"
#include "lib/probe/probe.h"
#include "lib/probe/sweep.h"

enum { MORE_TEXT = sizeof " and 36 more" };

/* What one experiment contributes, in the finding's unit. */
struct opinion {
    double value, low, high;
    double sharp; /* `low` without the allowance for what may be hidden in the noise */
    const char *confounder;
    size_t from;   /* index of the experiment */
    bool wide;     /* the interval is that of a ramp, and the value is its middle */
    bool reckoned; /* see struct experiment */
    bool agreed;   /* both views of its curve agree */
    bool certain;  /* agreed, no knee may be missing before it, and good and bad points do not mix around it */
};

static bool opinion_of(const struct experiment *e, size_t index, struct opinion *out)
{
    if (e->verdict->reason || e->knee >= e->verdict->count)
        return false;
    const struct knee *k = &e->verdict->knees[e->knee];
    double scale = e->scale > 0 ? e->scale : 1;
    bool agreed = e->half ? k->half_rise_agreed : k->agreed;
    *out = (struct opinion){.value = scale * (e->half ? k->half_rise : k->value) + e->holds,
                            .low = scale * (e->half ? k->foot : k->low - k->unseen) + e->holds,
                            .sharp = scale * (e->half ? k->foot : k->low) + e->holds,
                            .high = scale * (e->half ? fmax(k->half_rise_high, k->end) : k->high) + e->holds,
                            .confounder = e->confounder,
                            .from = index,
                            .wide = e->half,
                            .reckoned = e->reckoned,
                            .agreed = agreed,
                            .certain = agreed && !k->fuzzy && !k->doubtful};
    return true;
}

static bool same_step(const struct opinion *a, const struct opinion *b, double step)
{
    return a->certain && b->certain && fmax(a->sharp, b->sharp) < fmin(a->high, b->high) &&
           fmax(a->high, b->high) - fmin(a->sharp, b->sharp) < SAME_STEP_SPAN * step &&
           fabs(a->value - b->value) < SAME_STEP_VALUE * step;
}

static bool within(const struct opinion *a, const struct opinion *b)
{
    return b->low <= a->value && a->value <= b->high;
}

static bool alike(const struct opinion *a, const struct opinion *b, double step)
{
    if (a->wide && b->wide)
        return within(a, b) && within(b, a);
    return fabs(a->value - b->value) <= fmax(1.001 * step, AGREE * fmax(fabs(a->value), fabs(b->value)));
}

/*
 * Whether two intervals overlap, or nearly do so where one of them is calculated, and the first experiment's views
 * agree, so that it is worth grade C by itself. The views of the other need not agree: then it neither supports nor
 * contradicts the first.
 */
static bool compatible(const struct opinion *a, const struct opinion *b, double step)
{
    const double apart = a->reckoned || b->reckoned ? RECKONED_STEPS * step : 0;

    return a->agreed && fmax(a->low, b->low) < fmin(a->high, b->high) + apart;
}

typedef bool agrees(const struct opinion *a, const struct opinion *b, double step);

/* How many experiments agree with o[i], itself included; and whether one of them has another confounder. */
static size_t supporters(const struct opinion *o, size_t count, size_t i, agrees *agree, double step, bool *different)
{
    size_t n = 0;

    *different = false;
    for (size_t j = 0; j < count; j++)
        if (j == i || agree(&o[i], &o[j], step)) {
            n++;
            *different |= strcmp(o[j].confounder, o[i].confounder) != 0;
        }
    return n;
}

/* The result of the experiment o[i], with its interval extended to those that agree, and a text of which do. */
static struct graded result_of(const struct experiment *e, const struct opinion *o, size_t count, size_t i,
                               agrees *agree, double step, char grade)
{
    struct graded r = {.value = o[i].value,
                       .low = agree == same_step ? o[i].sharp : o[i].low,
                       .high = o[i].high,
                       .holds = e[o[i].from].holds,
                       .grade = grade,
                       .first = o[i].from};
    const size_t room = sizeof r.agreement - MORE_TEXT;
    size_t used = 0, more = 0;

    for (int against = 0; against < 2; against++)
        for (size_t j = 0; j < count; j++) {
            if ((j == i || agree(&o[i], &o[j], step)) == (bool)against)
                continue;
            if (against) {
                r.against++;
            } else {
                r.agreeing++;
                r.agrees[o[j].from] = true;
                r.low = fmin(r.low, agree == same_step ? o[j].sharp : o[j].low);
                r.high = fmax(r.high, o[j].high);
            }
            const char *name = e[o[j].from].name, *word = used == 0 ? "" : against ? " against " : " with ";
            if (used + strlen(word) + strlen(name) < room)
                used += (size_t)snprintf(r.agreement + used, room - used, "%s%s", word, name);
            else
                more++;
        }
    if (more)
        snprintf(r.agreement + used, sizeof r.agreement - used, " and %zu more", more);
    return r;
}

static struct graded undecided(enum reason reason)
{
    return (struct graded){.value = NAN, .low = NAN, .high = NAN, .grade = 'U', .reason = reason};
}

static struct graded judge(const struct experiment *e, const struct opinion *o, size_t count, agrees *closely,
                           double step)
{
    const struct {
        agrees *agree;
        bool different; /* at least two experiments with different confounders */
        char all, most; /* the grade when all agree, and when most do */
    } rules[] = {{closely, true, 'A', 'B'},
                 {alike, true, 'B', 'C'},
                 {closely, false, 'B', 'C'},
                 {alike, false, 'C', 'C'},
                 {compatible, false, 'C', 'C'}};

    if (count == 1)
        return o[0].agreed ? result_of(e, o, count, 0, alike, step, 'C') : undecided(REASON_VIEWS_DISAGREE);
    for (size_t rule = 0; rule < sizeof rules / sizeof rules[0]; rule++)
        for (size_t i = 0; i < count; i++) {
            bool different;
            size_t n = supporters(o, count, i, rules[rule].agree, step, &different);
            if (2 * n > count && (different || !rules[rule].different))
                return result_of(e, o, count, i, rules[rule].agree, step,
                                 n == count ? rules[rule].all : rules[rule].most);
        }
    return undecided(REASON_EXPERIMENTS_DISAGREE);
}

static bool is_vague(double low, double high, double step)
{
    return high > VAGUE_FACTOR * low && high - low > VAGUE_STEPS * step;
}

/* The common interval is vague: grades those experiments whose own intervals are not. */
static struct graded judge_sharp(const struct experiment *e, struct opinion *o, size_t count, double step)
{
    size_t sharp = 0;

    for (size_t i = 0; i < count; i++)
        if (!is_vague(o[i].low, o[i].high, step))
            o[sharp++] = o[i];
    if (sharp == 0 || sharp == count)
        return undecided(REASON_NOISE);
    struct graded r = judge(e, o, sharp, same_step, step);
    if (r.grade < 'C') /* the vague ones support nothing */
        r.grade = 'C';
    return is_vague(r.low, r.high, step) ? undecided(REASON_NOISE) : r;
}

static struct graded grade_opinions(const struct experiment *e, size_t count, double step)
{
    struct opinion o[EXPERIMENTS_MAXIMUM];
    size_t opinions = 0;

    for (size_t i = 0; i < count && i < EXPERIMENTS_MAXIMUM; i++)
        opinions += opinion_of(&e[i], i, &o[opinions]);
    if (opinions) {
        struct graded r = judge(e, o, opinions, same_step, step);
        if (!is_vague(r.low, r.high, step))
            return r;
        if (!e[r.first].half)
            return judge_sharp(e, o, opinions, step);
        if (r.grade < 'C') /* the middle of so wide a ramp is known, but says little about the structure */
            r.grade = 'C';
        return r;
    }
    if (count && e[0].verdict->reason)
        return undecided(e[0].verdict->reason);
    return undecided(count && e[0].knee < e[0].verdict->level_count ? REASON_NOT_LEFT : REASON_NO_KNEE);
}

struct graded grade_capacity(const struct experiment *e, size_t count, double step)
{
    struct graded r = grade_opinions(e, count, step);

    for (size_t i = 0; i < count && i < EXPERIMENTS_MAXIMUM; i++) {
        const double otherwise = (e[i].scale > 0 ? e[i].scale : 1) * e[i].otherwise + e[i].holds;
        if (!r.agrees[i] || !(e[i].otherwise > 0) || (r.low <= otherwise && otherwise < r.high))
            continue;
        r.low = fmin(r.low, otherwise);
        r.high = fmax(r.high, otherwise + step);
        r.grade = 'C';
    }
    return r.grade == 'C' && is_vague(r.low, r.high, step) && !e[r.first].half ? undecided(REASON_NOISE) : r;
}

/* ---- Numbers ----------------------------------------------------------------------------------- */

static bool close_numbers(const struct opinion *a, const struct opinion *b, double step)
{
    (void)step;
    return fabs(a->value - b->value) <= AGREE_CLOSELY * fmax(fabs(a->value), fabs(b->value));
}

struct graded grade_number(const struct experiment_value *v, size_t count)
{
    struct opinion o[EXPERIMENTS_MAXIMUM];
    struct experiment e[EXPERIMENTS_MAXIMUM];
    size_t opinions = 0;

    for (size_t i = 0; i < count && i < EXPERIMENTS_MAXIMUM; i++) {
        e[i] = (struct experiment){.name = v[i].name};
        if (!isnan(v[i].value))
            o[opinions++] = (struct opinion){.value = v[i].value,
                                             .low = v[i].value,
                                             .sharp = v[i].value,
                                             .high = v[i].value,
                                             .confounder = v[i].confounder,
                                             .from = i,
                                             .agreed = true,
                                             .certain = true};
    }
    return opinions ? judge(e, o, opinions, close_numbers, 0) : undecided(REASON_NOT_STEADY);
}

double level_height(const struct verdict *v, size_t level)
{
    if (level >= v->level_count)
        return NAN;
    const struct knee_level *l = &v->levels[level];
    return l->spread > STEADY || fabs(l->slope) > STEADY ? NAN : l->height;
}

double level_difference(const struct verdict *v, size_t level, const struct verdict *w, size_t behind)
{
    if (level >= v->level_count || behind >= w->level_count)
        return NAN;
    const struct knee_level *a = &v->levels[level], *b = &w->levels[behind];
    const double rise = b->height - a->height;
    const double loose = a->height * fmax(a->spread, fabs(a->slope)) + b->height * fmax(b->spread, fabs(b->slope));
    return loose <= STEADY * rise ? rise : NAN;
}

/* ---- Reports ----------------------------------------------------------------------------------- */

static void send(struct probe *p, struct finding *f, const struct graded *r)
{
    f->value = r->value;
    f->low = r->low;
    f->high = r->high;
    f->grade = r->grade;
    f->reason = r->reason;
    f->holds = r->holds;
    f->agreement = r->agreement[0] ? r->agreement : NULL;
    report(p, f);
}

bool experiments_contradict(const struct experiment *e, size_t count)
{
    bool seen = false, unseen = false;

    for (size_t i = 0; i < count; i++) {
        const struct verdict *v = e[i].verdict;
        const bool there = !v->reason && e[i].knee < v->count;
        seen |= there;
        unseen |= !there && (!v->reason || v->reason == REASON_NO_KNEE);
    }
    return seen && unseen;
}

void experiments_of_sweeps(const struct sweep *s, size_t count, struct experiment *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (struct experiment){.name = s[i].name, .confounder = s[i].confounder, .verdict = &s[i].search.verdict};
}

/* x from which a curve misses everything: the end of the last rise that is not small compared with the first. */
static double all_missed(const struct verdict *v)
{
    const struct knee *k = v->knees;
    double end = k->end;

    for (size_t i = 1; i < v->count; i++)
        if (k[i].after - k[i].before > SMALL_RISE * (k->after - k->before))
            end = k[i].end;
    return end;
}

struct graded grade_resident(struct graded r, const struct verdict *same_order, double step)
{
    if (r.grade == 'U' || !same_order)
        return r;
    if (!same_order->count)
        return undecided(REASON_NO_ORDER_OF_USE);
    const double first = same_order->knees->value, end = all_missed(same_order);
    if (fabs(first - r.value) <= step && end <= r.high + step)
        return r;
    r.value = fmax(r.value, first); /* as many as were resident in either order fit */
    r.high = fmax(r.high, end);
    r.grade = 'C';
    return is_vague(r.low, r.high, step) || r.value >= r.high ? undecided(REASON_NO_ORDER_OF_USE) : r;
}

void report_capacity(struct probe *p, const struct finding *f, const struct experiment *e, size_t count, double step)
{
    report_resident_capacity(p, f, e, count, step, NULL);
}

void report_resident_capacity(struct probe *p, const struct finding *f, const struct experiment *e, size_t count,
                              double step, const struct verdict *same_order)
{
    struct graded r = grade_resident(grade_capacity(e, count, step), same_order, step);
    struct finding filled = *f;

    if (!filled.method)
        filled.method = count && e[r.first].half ? "half of the rise to the next level" : "last point before the rise";
    for (size_t i = 0; i < count && i < FINDING_CURVES; i++)
        filled.curves[i] = e[i].name;
    send(p, &filled, &r);
}

void report_graded_number(struct probe *p, const struct finding *f, const struct experiment_value *v, size_t count)
{
    struct graded r = grade_number(v, count);
    struct finding filled = *f;
    bool known = false;

    for (size_t i = 0; i < count; i++)
        known |= !isnan(v[i].value);
    if (!known && f->reason)
        r.reason = f->reason;
    r.low = r.high = NAN; /* the difference of two numbers is no interval */
    send(p, &filled, &r);
}

size_t knee_near(const struct verdict *v, double x, double within)
{
    size_t best = v->count;
    double nearest = within;

    for (size_t i = 0; i < v->count; i++) {
        double value = v->knees[i].value;
        double ratio = value > x ? value / x : x / value;
        if (ratio <= nearest) {
            nearest = ratio;
            best = i;
        }
    }
    return best;
}
