#include "lib/family.h"

#include <math.h>
#include <stdio.h>

/* Heights of one level at two spacings; of two levels they differ by more. */
static const double SAME_HEIGHT = 0.05;
/* Counts that agree, as in lib/find.c. */
static const double ALIKE = 0.02;
/* A level that is left again before it is so many times longer is a bend in the rise: lib/levels.c. */
static const double APART = 2;
/* In a rise as wide another level may hide: the same. */
static const double HIDES = 4;
/* Spacings that agree over such a factor are not crowded: no set has 32 ways. */
static const double UNCROWDED = 16;
/* An instruction cache also holds the loop around the branches, so it is full a little before. */
static const double FULL_FROM = 0.85, FULL_TO = 1.02;
/* A count of fewer steps says nothing about halves. */
static const double STEPS_AT_LEAST = 4;
/* So many spacings at the floor are sure to have met it; two might stand at a bit that the index leaves out. */
enum { FLOOR_SURE = 3 };
/* A single halving is also what becomes of two neighbours in one entry when they part. */
enum { HALVINGS_SURE = 2 };

const char *const family_role_names[FAMILY_ROLES] = {"undecided", "reach",  "sparse", "floor", "crowded",
                                                     "masked",    "hidden", "short",  "above"};

/* ---- Levels ------------------------------------------------------------------------------------- */

/* Up to where heights are the same as this one. */
static double same_up_to(const struct family *f, double height)
{
    return fmax((1 + SAME_HEIGHT) * height, height + f->same);
}

/* The height of a level, NaN where it is not steady: as find_height has it, or within what is the same. */
static double steady_height(const struct family *f, const struct verdict *v, size_t i)
{
    const struct knee_level *l = &v->levels[i];
    const bool same = i < v->level_count && fmax(l->spread, fabs(l->slope)) * fabs(l->height) < f->same;

    return same ? l->height : find_height(v, i);
}

/* The height of a member's level; NaN where it is none, but a piece of a rise. */
static double height_of(const struct family *f, const struct verdict *v, size_t i)
{
    if (i > 0 && i < v->level_count) {
        double end = i < v->count ? v->knees[i].high : v->levels[i].to;
        if (end < APART * v->knees[i - 1].value)
            return NAN;
    }
    return steady_height(f, v, i);
}

/* The next level of this member behind a knee; NaN where there is none. */
static double height_behind(const struct family *f, const struct verdict *v, size_t knee)
{
    for (size_t i = knee + 1; i < v->level_count; i++)
        if (!isnan(height_of(f, v, i)))
            return height_of(f, v, i);
    return NAN;
}

/* The smallest height of any member above `height`; NaN where there is none. */
static double next_height(const struct family *f, double height)
{
    double next = NAN;

    for (size_t m = 0; m < f->count; m++)
        for (size_t i = 0; i < f->members[m].verdict->level_count; i++) {
            double h = height_of(f, f->members[m].verdict, i);
            if (h > height && !(h >= next))
                next = h;
        }
    return next;
}

/* The member's level with a height in from … to; level_count where it shows none. */
static size_t level_within(const struct family *f, const struct verdict *v, double from, double to)
{
    size_t i = 0;

    while (i < v->level_count && !(height_of(f, v, i) >= from && height_of(f, v, i) <= to))
        i++;
    return i;
}

/*
 * Whether a level may hide before the one whose heights are from … to: some curve is not flat where it is no higher, or
 * takes long to rise to it.
 */
static bool level_may_hide(const struct family *f, double from, double to)
{
    for (size_t m = 0; m < f->count; m++) {
        const struct verdict *v = f->members[m].verdict;
        for (size_t i = 0; i < v->level_count; i++)
            if ((v->levels[i].height <= same_up_to(f, to) && isnan(steady_height(f, v, i))) ||
                (i < v->count && v->levels[i].height < from && v->knees[i].end > HIDES * v->knees[i].value))
                return true;
    }
    return false;
}

/* What all members say of the level whose heights are from … to. Returns how many show it. */
static size_t gather(const struct family *f, double from, double to, struct family_level *l)
{
    size_t shown = 0;

    *l = (struct family_level){.value = NAN, .low = NAN, .high = NAN, .grade = 'U', .index_spacing = NAN};
    for (size_t m = 0; m < f->count; m++) {
        const struct verdict *v = f->members[m].verdict;
        size_t i = level_within(f, v, from, to);
        l->at[m].level = i;
        l->at[m].count = i < v->count ? v->knees[i].value + f->holds : (double)NAN;
        shown += i < v->level_count;
        for (size_t k = i + 1; k < v->level_count; k++)
            if (height_of(f, v, k) >= from && height_of(f, v, k) <= to)
                l->reason = "levels-too-close";
    }
    return shown;
}

/* ---- Roles -------------------------------------------------------------------------------------- */

static bool alike(const struct family *f, double a, double b)
{
    return fabs(a - b) <= fmax(1.001 * f->step, ALIKE * fmax(a, b));
}

/* Whether a footprint that is known is full where this member leaves the level. */
static bool masked(const struct family *f, const struct family_level *l, size_t m)
{
    if (isnan(l->at[m].count))
        return false;
    const struct knee *k = &f->members[m].verdict->knees[l->at[m].level];
    double spacing = f->members[m].spacing;
    for (size_t i = 0; i < FAMILY_FOOTPRINTS && f->footprints[i] > 0; i++)
        if (spacing * k->low <= FULL_TO * f->footprints[i] && spacing * k->high >= FULL_FROM * f->footprints[i])
            return true;
    return false;
}

/* Up to which count a member that does not show a level of this height may have been on it. */
static double may_hold(const struct family *f, const struct verdict *v, double height)
{
    size_t i = 0;

    /* of what is no steady level, any part may be */
    while (i < v->level_count && !(steady_height(f, v, i) > height))
        i++;
    return i == v->level_count ? INFINITY : i ? v->knees[i - 1].end : v->levels[0].from;
}

/* What a member whose spacing is larger than `last` holds, of a level that holds `value` up to there. */
static double sparse_count(const struct family *f, double value, size_t last, size_t m)
{
    return value * f->members[last].spacing / f->members[m].spacing;
}

static unsigned halvings(double whole, double part)
{
    unsigned n = 0;

    for (; whole > part * 1.5; whole /= 2)
        n++;
    return n;
}

struct tally {
    size_t reach, first, last; /* members that reach it: how many, the first and the last of them */
    size_t sparse, floors, odd, above;
    bool above_at_end; /* one that holds more is the first or last spacing */
    size_t ramps;      /* of those that reach it: which leave it little by little */
    bool crowded;      /* half the spacing of the first that reaches it is crowded */
    bool contradicted; /* by the interval of one that holds its share */
    bool bracketed;    /* one behind the last that reaches it holds its share, and goes on to the same level */
};

/* The count that the last spacings have in common; NaN where they have none. */
static double floor_of(const struct family *f, const struct family_level *l, size_t last)
{
    double floor = NAN;

    for (size_t m = f->count; m-- > last + 1;) {
        if (isnan(l->at[m].count) || masked(f, l, m))
            continue;
        if (isnan(floor))
            floor = l->at[m].count;
        else
            return alike(f, floor, l->at[m].count) ? floor : (double)NAN;
    }
    return NAN;
}

static bool goes_on_alike(const struct family *f, const struct family_level *l, size_t a, size_t b)
{
    double x = height_behind(f, f->members[a].verdict, l->at[a].level);
    double y = height_behind(f, f->members[b].verdict, l->at[b].level);

    return fabs(x - y) <= fmax(SAME_HEIGHT * fmax(x, y), f->same);
}

/* Whether the intervals of one that reaches the level and of one that holds its share of it can both be true. */
static bool compatible(const struct family *f, const struct family_level *l, size_t reach, size_t m)
{
    const struct knee *whole = &f->members[reach].verdict->knees[l->at[reach].level];
    const struct knee *part = &f->members[m].verdict->knees[l->at[m].level];
    double share = sparse_count(f, 1, reach, m);

    return share * (whole->low + f->holds) < part->high + f->holds &&
           part->low + f->holds < share * (whole->high + f->holds);
}

/* The role of a member that shows the level and does not reach it. */
static enum family_role role_of(const struct family *f, const struct family_level *l, size_t m, double value,
                                double floor, const struct tally *t)
{
    double count = l->at[m].count, share = sparse_count(f, value, t->last, m);

    if (masked(f, l, m))
        return FAMILY_MASKED;
    if (count > value)
        return FAMILY_ABOVE;
    if (m < t->first)
        return FAMILY_CROWDED;
    if (m < t->last)
        return FAMILY_SHORT;
    if (alike(f, count, share) && !(floor > share && alike(f, floor, count)))
        return FAMILY_SPARSE;
    return alike(f, count, floor) && floor > share ? FAMILY_FLOOR : FAMILY_SHORT;
}

/* The role of a member that does not show the level, or does not leave it. */
static enum family_role silent_role(const struct family *f, const struct family_level *l, size_t m, double value,
                                    double height, const struct tally *t)
{
    const struct verdict *v = f->members[m].verdict;
    size_t level = l->at[m].level;

    if (level < v->level_count)
        return v->levels[level].to + f->holds > (1 + ALIKE) * value + f->step ? FAMILY_ABOVE : FAMILY_UNDECIDED;
    double held = may_hold(f, v, same_up_to(f, height)) + f->holds;
    if (m < t->first)
        return held < value ? FAMILY_CROWDED : FAMILY_UNDECIDED;
    double share = m > t->last ? sparse_count(f, value, t->last, m) : value;
    return !(held < INFINITY) ? FAMILY_UNDECIDED : share < APART * held ? FAMILY_HIDDEN : FAMILY_SHORT;
}

/* Says of each member what it does, if the level holds what `lead` says. */
static struct tally give_roles(const struct family *f, double height, size_t lead, struct family_level *l)
{
    double value = l->at[lead].count;
    struct tally t = {.first = lead, .last = lead};

    for (size_t m = 0; m < f->count; m++) {
        l->at[m].role = FAMILY_UNDECIDED;
        l->at[m].halvings = 0;
        if (isnan(l->at[m].count) || masked(f, l, m) || !alike(f, l->at[m].count, value))
            continue;
        l->at[m].role = FAMILY_REACHES;
        t.reach++;
        t.ramps += f->members[m].verdict->knees[l->at[m].level].ramp;
        t.first = m < t.first ? m : t.first;
        t.last = m > t.last ? m : t.last;
    }
    double floor = floor_of(f, l, t.last);
    for (size_t m = 0; m < f->count; m++) {
        enum family_role role = l->at[m].role;
        if (role != FAMILY_REACHES)
            role = isnan(l->at[m].count) ? silent_role(f, l, m, value, height, &t) : role_of(f, l, m, value, floor, &t);
        l->at[m].role = role;
        if (role == FAMILY_SPARSE || role == FAMILY_FLOOR)
            l->at[m].halvings = halvings(value, l->at[m].count);
        t.sparse += role == FAMILY_SPARSE;
        t.floors += role == FAMILY_FLOOR;
        t.crowded |= role == FAMILY_CROWDED && 2 * f->members[m].spacing >= f->members[t.first].spacing;
        t.odd += role == FAMILY_SHORT;
        t.above += role == FAMILY_ABOVE;
        t.above_at_end |= role == FAMILY_ABOVE && (m == 0 ? f->members[0].spacing > f->closest : m + 1 == f->count);
        t.contradicted |= role == FAMILY_SPARSE && !compatible(f, l, t.last, m);
        t.bracketed |= role == FAMILY_SPARSE && l->at[m].count >= STEPS_AT_LEAST * f->step &&
                       goes_on_alike(f, l, m, t.first) && goes_on_alike(f, l, m, t.last);
    }
    return t;
}

/* ---- Decision ----------------------------------------------------------------------------------- */

static char worse(char a, char b)
{
    return a > b ? a : b; /* 'A' … 'C', 'U' */
}

/* Members of one role as experiments; each spacing by itself is what could fool it. */
static size_t experiments_of(const struct family *f, const struct family_level *l, enum family_role role,
                             struct find_experiment *e)
{
    size_t n = 0;

    for (size_t m = 0; m < f->count && n < FIND_EXPERIMENTS; m++)
        if (l->at[m].role == role)
            e[n++] = (struct find_experiment){.name = f->members[m].name,
                                              .fooled_by = f->members[m].name,
                                              .verdict = f->members[m].verdict,
                                              .knee = l->at[m].level,
                                              .holds = f->holds};
    return n;
}

/* The best grade that the rest of the family leaves. `numbered`: no level may be missing before this one. */
static char best_grade(const struct family *f, const struct tally *t, bool numbered)
{
    bool near = t->crowded || (f->closest > 0 && f->members[t->first].spacing <= f->closest);
    /* what is constant might also be the ways of a set, unless smaller spacings hold no more */
    bool far = t->bracketed || (near && f->members[t->last].spacing >= UNCROWDED * f->members[t->first].spacing);
    bool alone = t->reach == 1;

    if (!far || t->above || (alone && !(t->floors >= 2 && t->sparse >= HALVINGS_SURE && near)))
        return 'C';
    /* what is bracketed may be a limit of bytes just where crowding ends, unless such limits are known, or a floor seen */
    bool unlimited = !t->bracketed || f->footprints[0] > 0 || t->floors >= 2;
    /* what is constant is a single set, which overflows at once; or many that a hash fills unevenly, one by one */
    bool whole = (t->bracketed && t->sparse >= HALVINGS_SURE) || (t->sparse == 0 && 2 * t->ramps < t->reach);
    return near && numbered && unlimited && whole && !t->odd && !t->contradicted && !alone ? 'A' : 'B';
}

/*
 * The first spacing at the floor, which still holds its share as well, beside the ones that no longer do: an experiment
 * more. That it and only one other hold as many may also be a bit between them that the index leaves out.
 */
static size_t floor_experiments(const struct family *f, const struct family_level *l, struct find_experiment *e)
{
    size_t n = experiments_of(f, l, FAMILY_FLOOR, e), m = 0;

    while (m + 1 < f->count && l->at[m + 1].role != FAMILY_FLOOR)
        m++;
    if (n == 1 && m + 1 < f->count && l->at[m].role == FAMILY_SPARSE && alike(f, l->at[m].count, l->at[m + 1].count)) {
        e[n] = e[0];
        e[n].name = e[n].fooled_by = f->members[m].name;
        e[n].verdict = f->members[m].verdict;
        e[n++].knee = l->at[m].level;
    }
    return n;
}

static void decide_ways(const struct family *f, bool numbered, struct family_level *l, const struct tally *t)
{
    struct find_experiment e[FIND_EXPERIMENTS];

    l->ways = (struct find_result){.value = NAN, .low = NAN, .high = NAN, .grade = 'U', .reason = "no-floor"};
    const size_t experiments = floor_experiments(f, l, e);
    if (experiments < 2 || l->grade == 'U')
        return;
    if (t->sparse < HALVINGS_SURE) {
        l->ways.reason = "floor-or-pairs";
        return;
    }
    l->ways = find_decide(e, experiments, f->step);
    l->ways.grade = worse(l->ways.grade, t->odd || t->above || t->floors < 2                   ? 'C'
                                         : t->floors >= FLOOR_SURE && t->bracketed && numbered ? 'A'
                                                                                               : 'B');
}

static void describe(const struct family *f, struct family_level *l)
{
    size_t used = 0;

    l->which[0] = '\0';
    for (size_t role = FAMILY_UNDECIDED; role < FAMILY_ROLES; role++)
        for (size_t m = 0, said = 0; m < f->count && used < sizeof l->which; m++) {
            /* who reaches it first, who says nothing last */
            if (l->at[m].role != (enum family_role)((role + 1) % FAMILY_ROLES))
                continue;
            int n = snprintf(l->which + used, sizeof l->which - used, "%s%s%s %.0f", used && !said ? ", " : "",
                             said ? "" : family_role_names[l->at[m].role], said ? "" : ":", f->members[m].spacing);
            used += n > 0 ? (size_t)n : 0;
            said = 1;
        }
}

/* The member with the largest count below `below`; f->count where there is none. */
static size_t largest_below(const struct family *f, const struct family_level *l, double below)
{
    size_t best = f->count;

    for (size_t m = 0; m < f->count; m++)
        if (l->at[m].count < below && !masked(f, l, m) && (best == f->count || l->at[m].count > l->at[best].count))
            best = m;
    return best;
}

/* Takes the largest count that is supported; `height` is the level's largest. */
static void decide_level(const struct family *f, double height, bool numbered, struct family_level *l)
{
    struct find_experiment e[FIND_EXPERIMENTS];
    struct tally t = {0};
    size_t lead = largest_below(f, l, INFINITY), chosen = f->count;

    l->ways = (struct find_result){.value = NAN, .low = NAN, .high = NAN, .grade = 'U', .reason = "no-floor"};
    for (; lead < f->count && chosen == f->count; lead = largest_below(f, l, l->at[lead].count)) {
        t = give_roles(f, height, lead, l);
        if (t.reach >= 2 || t.bracketed)
            chosen = lead;
    }
    describe(f, l);
    if (l->reason)
        return;
    if (chosen == f->count) {
        l->reason = largest_below(f, l, INFINITY) == f->count ? "not-left" : "largest-alone";
        return;
    }
    if (t.reach == 1 && t.above) {
        l->reason = "experiments-disagree";
        return;
    }
    bool at_edge = t.reach == 1 && t.first == 0 && !(f->members[0].spacing <= f->closest);
    if (at_edge || t.above_at_end) {
        l->reason = "spacings-end";
        return;
    }
    struct find_result r = find_decide(e, experiments_of(f, l, FAMILY_REACHES, e), f->step);
    l->reason = r.reason;
    l->grade = r.grade;
    if (r.grade == 'U')
        return;
    l->value = r.value;
    l->low = r.low;
    l->high = r.high;
    for (size_t m = 0, n = 0; m < f->count; m++)
        if (l->at[m].role == FAMILY_REACHES && n++ == r.first)
            l->lead = m;
    /* one spacing by itself is grade C to lib/find.h: the halves behind it are what may lift it */
    l->grade = t.reach == 1 ? best_grade(f, &t, numbered) : worse(r.grade, best_grade(f, &t, numbered));
    l->index_spacing = t.bracketed ? f->members[t.last].spacing : (double)NAN;
    decide_ways(f, numbered, l, &t);
}

void family_decide(const struct family *f, struct family_verdict *out)
{
    *out = (struct family_verdict){.reason = "no-level"};
    if (f->count > FAMILY_MEMBERS) {
        out->reason = "too-many-spacings";
        return;
    }
    bool numbered = true;
    double from = next_height(f, -INFINITY), largest = 0;
    while (!isnan(from) && out->level_count < FAMILY_LEVELS) {
        double to = from, next;
        while (next = next_height(f, to), next <= same_up_to(f, to))
            to = next;
        struct family_level *l = &out->levels[out->level_count];
        if (gather(f, from, to, l) >= 2) {
            if (to > fmax(from * (1 + 2 * SAME_HEIGHT), from + f->same))
                l->reason = "levels-too-close";
            decide_level(f, to, numbered && out->lone == 0 && !level_may_hide(f, from, to), l);
            numbered &= l->grade != 'U';
            if (l->grade != 'U' && l->value < APART * largest)
                out->echoes++;
            else
                out->level_count++;
            for (size_t m = 0; m < f->count; m++)
                largest = fmax(largest, l->at[m].count); /* NaN: the other one */
        } else
            out->lone++;
        from = next;
    }
    if (out->level_count)
        out->reason = NULL;
}

/* ---- Reports ------------------------------------------------------------------------------------ */

/* What is said where there is no such level. */
static bool absent(struct probe *p, const struct finding *f, const struct family_verdict *v, size_t level)
{
    struct finding filled = *f;

    if (level < v->level_count)
        return false;
    filled.value = filled.low = filled.high = NAN;
    filled.grade = 'U';
    filled.reason = v->reason ? v->reason : "no-level";
    report(p, &filled);
    return true;
}

/* The curves of a role first, the others after them. */
static void name_curves(struct finding *f, const struct family *family, const struct family_level *l,
                        enum family_role role)
{
    size_t n = 0;

    for (int others = 0; others < 2; others++)
        for (size_t m = 0; m < family->count && n < FINDING_CURVES; m++)
            if ((l->at[m].role != role) == (bool)others)
                f->curves[n++] = family->members[m].name;
}

void find_family(struct probe *p, const struct finding *f, const struct family *family, const struct family_verdict *v,
                 size_t level)
{
    struct finding filled = *f;

    if (absent(p, f, v, level))
        return;
    const struct family_level *l = &v->levels[level];
    filled.value = l->value;
    filled.low = l->low;
    filled.high = l->high;
    filled.grade = l->grade;
    filled.reason = l->reason;
    filled.holds = family->holds;
    filled.agreement = l->which;
    filled.method = "largest count that two spacings support";
    name_curves(&filled, family, l, FAMILY_REACHES);
    report(p, &filled);
}

void find_family_height(struct probe *p, const struct finding *f, const struct family *family,
                        const struct family_verdict *v, size_t level)
{
    struct find_value values[FIND_EXPERIMENTS];
    struct finding filled = *f;
    size_t n = 0;

    if (absent(p, f, v, level))
        return;
    const struct family_level *l = &v->levels[level];
    for (size_t m = 0; m < family->count && n < FIND_EXPERIMENTS; m++) {
        const struct family_member *member = &family->members[m];
        if (l->at[m].level < member->verdict->level_count)
            values[n++] = (struct find_value){member->name, member->name, find_height(member->verdict, l->at[m].level)};
    }
    filled.method = "median of the level";
    name_curves(&filled, family, l, FAMILY_REACHES);
    find_number(p, &filled, values, n);
}

void find_family_ways(struct probe *p, const struct finding *f, const struct family *family,
                      const struct family_verdict *v, size_t level)
{
    struct finding filled = *f;

    if (absent(p, f, v, level))
        return;
    const struct family_level *l = &v->levels[level];
    filled.value = l->ways.value;
    filled.low = l->ways.low;
    filled.high = l->ways.high;
    filled.grade = l->ways.grade;
    filled.reason = l->ways.reason;
    filled.holds = family->holds;
    filled.agreement = l->which;
    filled.method = "count below which no spacing falls";
    name_curves(&filled, family, l, FAMILY_FLOOR);
    report(p, &filled);
}
