#include "lib/levels.h"

#include <math.h>

/* Edges of one level in two experiments are no farther apart than this factor; those of two levels are. */
static const double SAME_LEVEL = 1.5, APART = 2;
/* Where frames fall at random a rise may be as wide; in a wider one another level may hide. */
static const double HIDES = 4;
/*
 * A level that grows by more than this is none, or lies so much higher than where the rise to it ended: each level of a
 * core costs more than half again of what the last does, and one that the search did not come to may lie between.
 */
static const double RISES = 0.5;

/* Where it has to be even, it varies by no more than this. */
static const double UNEVEN = 0.1;

static const char HIDDEN_BEFORE[] = "a level may hide in the rise before", HIDDEN_HERE[] = "a level may hide here";
static const char LEFT[] = "others fill it, too, and one experiment alone says how much they leave";

/* Of a first level that is left at once the first bend is its end, unless another one rises by so many times as much. */
static const double MINOR = 3;

/* The levels of a verdict that are levels of the core. The last one is what the curve ends on. */
struct ladder {
    const struct verdict *verdict;
    size_t level[KNEES_MAXIMUM + 1]; /* in the verdict … */
    size_t knee[KNEES_MAXIMUM + 1];  /* … and the knee by which it is left: of a bent rise the largest part */
    size_t count;
    size_t hides; /* the first one that, or whose rise to the next, may hide a level; count: none */
    bool rises;   /* that one itself does */
};

static double rise(const struct knee *k)
{
    return k->after - k->before;
}

static struct ladder climb(const struct verdict *v, bool sharp)
{
    struct ladder l = {.verdict = v, .hides = KNEES_MAXIMUM + 1};
    double begin = 0;

    for (size_t i = 0; i < v->level_count; i++) {
        if (l.count > 0 && i < v->count && v->knees[i].high < APART * v->knees[i - 1].value) {
            size_t *knee = &l.knee[l.count - 1];
            *knee = rise(&v->knees[i]) > (sharp && l.count == 1 ? MINOR : 1) * rise(&v->knees[*knee]) ? i : *knee;
            continue;
        }
        if (i > 0 && l.hides >= l.count && v->knees[i - 1].end > HIDES * begin)
            l.hides = l.count - 1;
        const double begins = i > 0 ? v->knees[i - 1].after : v->levels[i].height;
        if (l.hides > l.count && (v->levels[i].slope > RISES || v->levels[i].height > (1 + RISES) * begins)) {
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

/* How many levels the other experiments leave where the first one is on its last. */
static size_t climbed_on(const struct ladder *ladders, size_t count)
{
    const struct verdict *first = ladders->verdict;
    double last = first->count ? APART * first->knees[first->count - 1].value : 0;
    size_t most = 0;

    for (size_t i = 1; i < count; i++) {
        const struct verdict *v = ladders[i].verdict;
        size_t n = 0;
        for (size_t rung = 0; rung < ladders[i].count; rung++)
            n += ladders[i].knee[rung] < v->count && v->knees[ladders[i].knee[rung]].value > last;
        most = n > most ? n : most;
    }
    return most;
}

/* The rung of a ladder that is left near x; `count` when there is none. */
static size_t rung_near(const struct ladder *l, double x)
{
    size_t knee = find_knee_near(l->verdict, x, SAME_LEVEL), rung = 0;

    while (rung < l->count && (l->knee[rung] != knee || knee >= l->verdict->count))
        rung++;
    return rung;
}

/* Undecided, as yet. */
static struct finding finding_of(const struct levels *q, const char *name, size_t number, const char *reason)
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

/* Why the capacity of a level cannot be told, whatever its edge is like; NULL: it can. */
static const char *no_capacity(const struct levels *q, const struct ladder *first, size_t number, size_t beyond)
{
    bool half = q->scattered && q->before + number > 0;

    if (number > first->hides)
        return HIDDEN_BEFORE;
    if (number == first->hides && number < first->count && (first->rises || half))
        return HIDDEN_HERE;
    if (q->even && half && number + 1 < first->count &&
        first->verdict->levels[first->level[number + 1]].spread > UNEVEN)
        return "what is behind it is no level";
    return beyond > 0 && number + 1 >= first->count ? "experiments-disagree" : NULL;
}

static bool is_what_others_leave(const struct levels *q, const struct find_experiment *e, size_t count, size_t number)
{
    return q->shared && q->before + number + 1 >= q->shared && find_decide(e, count, q->step).grade == 'C';
}

static void report_level(struct probe *p, const struct levels *q, const struct find_experiment *experiments,
                         struct ladder *ladders, size_t count, size_t number, size_t beyond)
{
    struct find_experiment e[FIND_EXPERIMENTS];
    struct find_value v[FIND_EXPERIMENTS];
    const char *without = no_capacity(q, ladders, number, beyond);
    struct finding capacity = finding_of(q, q->capacity, number, without);
    struct finding height = finding_of(q, q->height, number, without);
    bool scattered = q->scattered && q->before + number > 0;
    size_t knee = number < ladders->count ? ladders->knee[number] : ladders->verdict->level_count;

    for (size_t i = 0; i < count; i++) {
        const struct ladder *l = &ladders[i];
        size_t rung = number;
        if (i > 0) /* the last level has no edge to know it by */
            rung = knee < ladders->verdict->count ? rung_near(l, ladders->verdict->knees[knee].value) : l->count;
        e[i] = experiments[i];
        e[i].knee = rung < l->count ? l->knee[rung] : l->verdict->level_count;
        e[i].half = scattered;
        e[i].fooled_by = scattered ? "frames" : experiments[i].fooled_by;
        const bool level = rung < l->count && !(l->rises && rung == l->hides);
        v[i] = (struct find_value){e[i].name, experiments[i].fooled_by,
                                   level ? find_height(l->verdict, l->level[rung]) : NAN};
        if (i < FINDING_CURVES)
            capacity.curves[i] = height.curves[i] = e[i].name;
    }
    if (!without && is_what_others_leave(q, e, count, number)) {
        capacity.reason = without = LEFT;
        ladders->hides = number;
    }
    if (without) {
        report(p, &capacity);
    } else {
        capacity.limits[0] = q->limit;
        if (number == 0 && q->proof && q->proof[0]) {
            capacity.remarks[0].key = "proof";
            capacity.remarks[0].text = q->proof;
        }
        find_held_capacity(p, &capacity, e, count, q->step, number == 0 ? q->same_order : NULL);
    }
    if (!q->height)
        return;
    if (q->guard) {
        height.remarks[0].key = "guard";
        height.remarks[0].text = q->guard;
    }
    if (number > ladders->hides || (without && number >= ladders->count)) {
        report(p, &height);
        return;
    }
    height.method = "median of the level";
    find_number(p, &height, v, count);
}

unsigned levels_report(struct probe *p, const struct levels *q, const struct find_experiment *experiments, size_t count)
{
    struct ladder ladders[FIND_EXPERIMENTS];

    if (count == 0 || count > FIND_EXPERIMENTS)
        return 0;
    for (size_t i = 0; i < count; i++)
        ladders[i] = climb(experiments[i].verdict, q->before == 0);
    size_t beyond = climbed_on(ladders, count), most = ladders->count + beyond, told = 0;
    if (q->goes_on && beyond == 0 && ladders->verdict->count > 0)
        most--;
    for (; told < most || told == 0; told++)
        report_level(p, q, experiments, ladders, count, told, beyond);
    return (unsigned)told;
}
