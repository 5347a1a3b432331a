#include "lib/find.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Experiments agree closely, or still agree: relative differences of heights; the second one of capacities, too. */
static const double CLOSE = 0.005, ALIKE = 0.02;
/* A level that nobody else uses scatters by less. */
static const double STEADY = 0.06;
/* An edge that is known no better than to a factor, and to so many steps, is not known. */
static const double VAGUE = 2, VAGUE_STEPS = 4;

/* What one experiment says, in the finding's unit. */
struct opinion {
    double value, low, high;
    const char *fooled_by;
    size_t from;  /* index of the experiment */
    bool wide;    /* the interval is that of a ramp, and the value somewhere on it */
    bool agreed;  /* both views of its curve agree */
    bool certain; /* and good and bad points do not mix */
};

static bool opinion_of(const struct find_experiment *e, size_t index, struct opinion *out)
{
    if (e->verdict->reason || e->knee >= e->verdict->count)
        return false;
    const struct knee *k = &e->verdict->knees[e->knee];
    double scale = e->scale > 0 ? e->scale : 1;
    bool agreed = e->half ? k->half_agreed : k->agreed;
    *out = (struct opinion){.value = scale * (e->half ? k->half : k->value) + e->holds,
                            .low = scale * (e->half ? k->foot : k->low) + e->holds,
                            .high = scale * (e->half ? fmax(k->half_high, k->end) : k->high) + e->holds,
                            .fooled_by = e->fooled_by,
                            .from = index,
                            .wide = e->half,
                            .agreed = agreed,
                            .certain = agreed && !k->fuzzy};
    return true;
}

static bool same_step(const struct opinion *a, const struct opinion *b, double step)
{
    return a->certain && b->certain && fmax(a->low, b->low) < fmin(a->high, b->high) &&
           fmax(a->high, b->high) - fmin(a->low, b->low) < 2.5 * step && fabs(a->value - b->value) < step / 2;
}

static bool within(const struct opinion *a, const struct opinion *b)
{
    return b->low <= a->value && a->value <= b->high;
}

static bool alike(const struct opinion *a, const struct opinion *b, double step)
{
    if (a->wide && b->wide)
        return within(a, b) && within(b, a);
    return fabs(a->value - b->value) <= fmax(1.001 * step, ALIKE * fmax(fabs(a->value), fabs(b->value)));
}

/*
 * They say different things that may both be true of one value, and the one is worth a C by itself. The other one may be
 * worth nothing by itself, where the views of its curve do not agree: it is no more against it than for it.
 */
static bool compatible(const struct opinion *a, const struct opinion *b, double step)
{
    (void)step;
    return a->agreed && fmax(a->low, b->low) < fmin(a->high, b->high);
}

typedef bool agrees(const struct opinion *a, const struct opinion *b, double step);

/* How many experiments agree with o[i], itself included; and whether something else could fool one of them. */
static size_t supporters(const struct opinion *o, size_t count, size_t i, agrees *agree, double step, bool *different)
{
    size_t n = 0;

    *different = false;
    for (size_t j = 0; j < count; j++)
        if (j == i || agree(&o[i], &o[j], step)) {
            n++;
            *different |= strcmp(o[j].fooled_by, o[i].fooled_by) != 0;
        }
    return n;
}

/* Whose answer it is, with its interval widened to hold those of all that agree, and who agrees, for people. */
static struct find_result answer(const struct find_experiment *e, const struct opinion *o, size_t count, size_t i,
                                 agrees *agree, double step, char grade)
{
    struct find_result r = {.value = o[i].value,
                            .low = o[i].low,
                            .high = o[i].high,
                            .holds = e[o[i].from].holds,
                            .grade = grade,
                            .first = o[i].from};
    size_t used = 0;

    for (int against = 0; against < 2; against++)
        for (size_t j = 0; j < count && used < sizeof r.agreement; j++) {
            if ((j == i || agree(&o[i], &o[j], step)) == (bool)against)
                continue;
            if (against) {
                r.against++;
            } else {
                r.agreeing++;
                r.agrees[o[j].from] = true;
                r.low = fmin(r.low, o[j].low);
                r.high = fmax(r.high, o[j].high);
            }
            int n = snprintf(r.agreement + used, sizeof r.agreement - used, "%s%s",
                             used == 0 ? ""
                             : against ? " against "
                                       : " with ",
                             e[o[j].from].name);
            used += n > 0 ? (size_t)n : 0;
        }
    return r;
}

static struct find_result undecided(const char *reason)
{
    return (struct find_result){.value = NAN, .low = NAN, .high = NAN, .grade = 'U', .reason = reason};
}

static struct find_result judge(const struct find_experiment *e, const struct opinion *o, size_t count, agrees *closely,
                                double step)
{
    const struct {
        agrees *agree;
        bool different; /* two experiments at least that different things could fool */
        char all, most; /* the grade when all agree, or most */
    } rules[] = {{closely, true, 'A', 'B'},
                 {alike, true, 'B', 'C'},
                 {closely, false, 'B', 'C'},
                 {alike, false, 'C', 'C'},
                 {compatible, false, 'C', 'C'}};

    if (count == 1)
        return o[0].agreed ? answer(e, o, count, 0, alike, step, 'C') : undecided("views-disagree");
    for (size_t rule = 0; rule < sizeof rules / sizeof rules[0]; rule++)
        for (size_t i = 0; i < count; i++) {
            bool different;
            size_t n = supporters(o, count, i, rules[rule].agree, step, &different);
            if (2 * n > count && (different || !rules[rule].different))
                return answer(e, o, count, i, rules[rule].agree, step, n == count ? rules[rule].all : rules[rule].most);
        }
    return undecided("experiments-disagree");
}

static bool is_vague(double low, double high, double step)
{
    return high > VAGUE * low && high - low > VAGUE_STEPS * step;
}

/* What the experiments say together has become vague: what do those say that are not? */
static struct find_result judge_sharp(const struct find_experiment *e, struct opinion *o, size_t count, double step)
{
    size_t sharp = 0;

    for (size_t i = 0; i < count; i++)
        if (!is_vague(o[i].low, o[i].high, step))
            o[sharp++] = o[i];
    if (sharp == 0 || sharp == count)
        return undecided("noise");
    struct find_result r = judge(e, o, sharp, same_step, step);
    if (r.grade < 'C') /* the others are no support */
        r.grade = 'C';
    return is_vague(r.low, r.high, step) ? undecided("noise") : r;
}

static struct find_result decide(const struct find_experiment *e, size_t count, double step)
{
    struct opinion o[FIND_EXPERIMENTS];
    size_t opinions = 0;

    for (size_t i = 0; i < count && i < FIND_EXPERIMENTS; i++)
        opinions += opinion_of(&e[i], i, &o[opinions]);
    if (opinions) {
        struct find_result r = judge(e, o, opinions, same_step, step);
        if (!is_vague(r.low, r.high, step))
            return r;
        if (!e[r.first].half)
            return judge_sharp(e, o, opinions, step);
        if (r.grade < 'C') /* of a ramp so wide its middle is known, and hardly what that says of the structure */
            r.grade = 'C';
        return r;
    }
    if (count && e[0].verdict->reason)
        return undecided(e[0].verdict->reason);
    return undecided(count && e[0].knee < e[0].verdict->level_count ? "not-left" : "no-knee");
}

struct find_result find_decide(const struct find_experiment *e, size_t count, double step)
{
    struct find_result r = decide(e, count, step);

    for (size_t i = 0; i < count && i < FIND_EXPERIMENTS; i++) {
        const double otherwise = (e[i].scale > 0 ? e[i].scale : 1) * e[i].otherwise + e[i].holds;
        if (!r.agrees[i] || !(e[i].otherwise > 0) || (r.low <= otherwise && otherwise < r.high))
            continue;
        r.low = fmin(r.low, otherwise);
        r.high = fmax(r.high, otherwise + step);
        r.grade = 'C';
    }
    return r.grade == 'C' && is_vague(r.low, r.high, step) && !e[r.first].half ? undecided("noise") : r;
}

/* ---- Numbers ----------------------------------------------------------------------------------- */

static bool close_numbers(const struct opinion *a, const struct opinion *b, double step)
{
    (void)step;
    return fabs(a->value - b->value) <= CLOSE * fmax(fabs(a->value), fabs(b->value));
}

struct find_result find_number_decide(const struct find_value *v, size_t count)
{
    struct opinion o[FIND_EXPERIMENTS];
    struct find_experiment e[FIND_EXPERIMENTS];
    size_t opinions = 0;

    for (size_t i = 0; i < count && i < FIND_EXPERIMENTS; i++) {
        e[i] = (struct find_experiment){.name = v[i].name};
        if (!isnan(v[i].value))
            o[opinions++] = (struct opinion){.value = v[i].value,
                                             .low = v[i].value,
                                             .high = v[i].value,
                                             .fooled_by = v[i].fooled_by,
                                             .from = i,
                                             .agreed = true,
                                             .certain = true};
    }
    return opinions ? judge(e, o, opinions, close_numbers, 0) : undecided("not-steady");
}

double find_height(const struct verdict *v, size_t level)
{
    if (level >= v->level_count)
        return NAN;
    const struct knee_level *l = &v->levels[level];
    return l->spread > STEADY || fabs(l->slope) > STEADY ? NAN : l->height;
}

double find_difference(const struct verdict *v, size_t level, const struct verdict *w, size_t behind)
{
    if (level >= v->level_count || behind >= w->level_count)
        return NAN;
    const struct knee_level *a = &v->levels[level], *b = &w->levels[behind];
    const double rise = b->height - a->height;
    const double loose = a->height * fmax(a->spread, fabs(a->slope)) + b->height * fmax(b->spread, fabs(b->slope));
    return loose <= STEADY * rise ? rise : NAN;
}

/* ---- Reports ----------------------------------------------------------------------------------- */

static void send(struct probe *p, struct finding *f, const struct find_result *r)
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

static const char NO_ORDER[] = "replaced by no strict order of use";

bool find_contradicted(const struct find_experiment *e, size_t count)
{
    bool seen = false, unseen = false;

    for (size_t i = 0; i < count; i++) {
        const struct verdict *v = e[i].verdict;
        const bool there = !v->reason && e[i].knee < v->count;
        seen |= there;
        unseen |= !there && (!v->reason || !strcmp(v->reason, "no-knee"));
    }
    return seen && unseen;
}

void find_experiments(const struct sweep *s, size_t count, struct find_experiment *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (struct find_experiment){
            .name = s[i].name, .fooled_by = s[i].fooled_by, .verdict = &s[i].search.verdict};
}

/* Where a curve that misses more and more misses all: behind the last rise that is not small beside the first. */
static double all_missed(const struct verdict *v)
{
    static const double SMALL = 0.5;
    const struct knee *k = v->knees;
    double end = k->end;

    for (size_t i = 1; i < v->count; i++)
        if (k[i].after - k[i].before > SMALL * (k->after - k->before))
            end = k[i].end;
    return end;
}

struct find_result find_held(struct find_result r, const struct verdict *same_order, double step)
{
    if (r.grade == 'U' || !same_order)
        return r;
    if (!same_order->count)
        return undecided(NO_ORDER);
    const double first = same_order->knees->value, end = all_missed(same_order);
    if (fabs(first - r.value) <= step && end <= r.high + step)
        return r;
    r.value = fmax(r.value, first); /* what was held once fits */
    r.high = fmax(r.high, end);
    r.grade = 'C';
    return is_vague(r.low, r.high, step) || r.value >= r.high ? undecided(NO_ORDER) : r;
}

void find_capacity(struct probe *p, const struct finding *f, const struct find_experiment *e, size_t count, double step)
{
    find_held_capacity(p, f, e, count, step, NULL);
}

void find_held_capacity(struct probe *p, const struct finding *f, const struct find_experiment *e, size_t count,
                        double step, const struct verdict *same_order)
{
    struct find_result r = find_held(find_decide(e, count, step), same_order, step);
    struct finding filled = *f;

    if (!filled.method)
        filled.method = count && e[r.first].half ? "half of the rise to the next level" : "last point before the rise";
    for (size_t i = 0; i < count && i < FINDING_CURVES; i++)
        filled.curves[i] = e[i].name;
    send(p, &filled, &r);
}

void find_number(struct probe *p, const struct finding *f, const struct find_value *v, size_t count)
{
    struct find_result r = find_number_decide(v, count);
    struct finding filled = *f;

    r.low = r.high = NAN; /* how far two numbers differ is no interval */
    send(p, &filled, &r);
}

size_t find_knee_near(const struct verdict *v, double x, double within)
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
