#include "lib/structure/stride_family.h"

#include <math.h>
#include <stdio.h>

#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/finding/tolerances.h"
#include "lib/probe/probe.h"
#include "lib/structure/tolerances_hierarchy.h"
#include "lib/structure/tolerances_stride.h"

const char *const stride_role_names[STRIDE_ROLES] = {
    "undecided", "reaches", "unreached-sets", "single-set", "conflicts", "masked", "hidden", "short", "above"};

/* ---- Levels ------------------------------------------------------------------------------------- */

/* The largest height that counts as the same as this one. */
static double same_up_to(const struct stride_family *f, double height)
{
    return fmax((1 + STRIDE_SAME_HEIGHT) * height, height + f->same_height);
}

/* The height of a level; NaN where it is not steady, which level_height decides, or a spread within same_height. */
static double steady_height(const struct stride_family *f, const struct verdict *v, size_t i)
{
    const struct knee_level *l = &v->levels[i];
    const bool same = i < v->level_count && fmax(l->spread, fabs(l->slope)) * fabs(l->height) < f->same_height;

    return same ? l->height : level_height(v, i);
}

/* The height of a member's level; NaN where it is only a piece of a rise: it ends too soon behind the one before. */
static double height_of(const struct stride_family *f, const struct verdict *v, size_t i)
{
    if (i > 0 && i < v->level_count) {
        double end = i < v->count ? v->knees[i].high : v->levels[i].to;
        if (end < LEVELS_APART * v->knees[i - 1].value)
            return NAN;
    }
    return steady_height(f, v, i);
}

/* The height of the next level of this member behind a knee; NaN where there is none. */
static double height_behind(const struct stride_family *f, const struct verdict *v, size_t knee)
{
    for (size_t i = knee + 1; i < v->level_count; i++)
        if (!isnan(height_of(f, v, i)))
            return height_of(f, v, i);
    return NAN;
}

/* The smallest height of any member above `height`; NaN where there is none. */
static double next_height(const struct stride_family *f, double height)
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
static size_t level_within(const struct stride_family *f, const struct verdict *v, double from, double to)
{
    size_t i = 0;

    while (i < v->level_count && !(height_of(f, v, i) >= from && height_of(f, v, i) <= to))
        i++;
    return i;
}

/*
 * Whether a level may hide before the one whose heights are from … to: some curve is not flat up to that height, or
 * rises slowly to it.
 */
static bool level_may_hide(const struct stride_family *f, double from, double to)
{
    for (size_t m = 0; m < f->count; m++) {
        const struct verdict *v = f->members[m].verdict;
        for (size_t i = 0; i < v->level_count; i++)
            if ((v->levels[i].height <= same_up_to(f, to) && isnan(steady_height(f, v, i))) ||
                (i < v->count && v->levels[i].height < from && v->knees[i].end > RISE_HIDES_LEVEL * v->knees[i].value))
                return true;
    }
    return false;
}

/* Fills in where each member leaves the level whose heights are from … to. Returns how many members show it. */
static size_t gather_level(const struct stride_family *f, double from, double to, struct stride_level *l)
{
    size_t shown = 0;

    *l = (struct stride_level){.value = NAN, .low = NAN, .high = NAN, .grade = 'U', .index_stride = NAN};
    for (size_t m = 0; m < f->count; m++) {
        const struct verdict *v = f->members[m].verdict;
        size_t i = level_within(f, v, from, to);
        l->at[m].level = i;
        l->at[m].count = i < v->count ? v->knees[i].value + f->holds : (double)NAN;
        shown += i < v->level_count;
        for (size_t k = i + 1; k < v->level_count; k++)
            if (height_of(f, v, k) >= from && height_of(f, v, k) <= to)
                l->reason = REASON_LEVELS_TOO_CLOSE;
    }
    return shown;
}

/* ---- Roles -------------------------------------------------------------------------------------- */

static bool same_count(const struct stride_family *f, double a, double b)
{
    return fabs(a - b) <= fmax(1.001 * f->step, AGREE * fmax(a, b));
}

/* Whether a known footprint is full where this member leaves the level. */
static bool masked(const struct stride_family *f, const struct stride_level *l, size_t m)
{
    if (isnan(l->at[m].count))
        return false;
    const struct knee *k = &f->members[m].verdict->knees[l->at[m].level];
    double stride = f->members[m].stride;
    for (size_t i = 0; i < STRIDE_FOOTPRINTS && f->footprints[i] > 0; i++)
        if (stride * k->low <= STRIDE_FOOTPRINT_TO * f->footprints[i] &&
            stride * k->high >= STRIDE_FOOTPRINT_FROM * f->footprints[i])
            return true;
    return false;
}

/* The largest count with which a member that shows no level of this height may have been on one. INFINITY: any. */
static double holds_at_most(const struct stride_family *f, const struct verdict *v, double height)
{
    size_t i = 0;

    /* a level that is not steady may contain it, unless all of it is higher */
    while (i < v->level_count && !(steady_height(f, v, i) > height) && !(v->levels[i].least > height))
        i++;
    return i == v->level_count ? INFINITY : i ? v->knees[i - 1].end : v->levels[0].from;
}

/*
 * The count of member m, whose stride is longer than that of `last`, if a level holds `value` at `last`: unreached
 * sets.
 */
static double expected_share(const struct stride_family *f, double value, size_t last, size_t m)
{
    return value * f->members[last].stride / f->members[m].stride;
}

static unsigned halvings(double whole, double part)
{
    unsigned n = 0;

    for (; whole > part * STRIDE_HALVING; whole /= 2)
        n++;
    return n;
}

struct role_counts {
    size_t reach, first, last; /* members that reach the level: how many, the first and the last of them */
    size_t unreached, single, unexplained, above; /* members of the role; unexplained: STRIDE_SHORT */
    bool above_at_end;                            /* a member that holds more is the first or the last stride */
    size_t ramps;                                 /* members that reach the level and leave it by a ramp */
    bool conflicts;    /* the next smaller stride than the first that reaches it has conflicts */
    bool contradicted; /* the interval of a member with unreached sets is not compatible */
    bool bracketed;    /* a member behind `last` holds its share, and the next level is at the same height */
};

/* The count that the longest strides have in common, that of a single set; NaN where they have none. */
static double single_set_count(const struct stride_family *f, const struct stride_level *l, size_t last)
{
    double of_single_set = NAN;

    for (size_t m = f->count; m-- > last + 1;) {
        if (isnan(l->at[m].count) || masked(f, l, m))
            continue;
        if (isnan(of_single_set))
            of_single_set = l->at[m].count;
        else
            return same_count(f, of_single_set, l->at[m].count) ? of_single_set : (double)NAN;
    }
    return NAN;
}

static bool same_height_behind(const struct stride_family *f, const struct stride_level *l, size_t a, size_t b)
{
    double x = height_behind(f, f->members[a].verdict, l->at[a].level);
    double y = height_behind(f, f->members[b].verdict, l->at[b].level);

    return fabs(x - y) <= fmax(STRIDE_SAME_HEIGHT * fmax(x, y), f->same_height);
}

/* Whether one capacity is in the interval of a member that reaches the level and, as its share, in that of member m. */
static bool intervals_compatible(const struct stride_family *f, const struct stride_level *l, size_t reach, size_t m)
{
    const struct knee *whole = &f->members[reach].verdict->knees[l->at[reach].level];
    const struct knee *part = &f->members[m].verdict->knees[l->at[m].level];
    double share = expected_share(f, 1, reach, m);

    return share * (whole->low + f->holds) < part->high + f->holds &&
           part->low + f->holds < share * (whole->high + f->holds);
}

/* The role of a member that shows the end of the level and does not reach it. */
static enum stride_role role_with_end(const struct stride_family *f, const struct stride_level *l, size_t m,
                                      double value, double of_single_set, const struct role_counts *t)
{
    double count = l->at[m].count, share = expected_share(f, value, t->last, m);

    if (masked(f, l, m))
        return STRIDE_MASKED;
    if (count > value)
        return STRIDE_ABOVE;
    if (m < t->first)
        return STRIDE_CONFLICTS;
    if (m < t->last)
        return STRIDE_SHORT;
    if (same_count(f, count, share) && !(of_single_set > share && same_count(f, of_single_set, count)))
        return STRIDE_UNREACHED_SETS;
    return same_count(f, count, of_single_set) && of_single_set > share ? STRIDE_SINGLE_SET : STRIDE_SHORT;
}

/* The role of a member that does not show the end of the level. */
static enum stride_role role_without_end(const struct stride_family *f, const struct stride_level *l, size_t m,
                                         double value, double height, const struct role_counts *t)
{
    const struct verdict *v = f->members[m].verdict;
    size_t level = l->at[m].level;

    if (level < v->level_count)
        return v->levels[level].to + f->holds > (1 + AGREE) * value + f->step ? STRIDE_ABOVE : STRIDE_UNDECIDED;
    double held = holds_at_most(f, v, same_up_to(f, height)) + f->holds;
    if (m < t->first)
        return held < value ? STRIDE_CONFLICTS : STRIDE_UNDECIDED;
    double share = m > t->last ? expected_share(f, value, t->last, m) : value;
    return !(held < INFINITY) ? STRIDE_UNDECIDED : share < LEVELS_APART * held ? STRIDE_HIDDEN : STRIDE_SHORT;
}

/* Gives each member its role, on the assumption that the level's capacity is the count of member `lead`. */
static struct role_counts assign_roles(const struct stride_family *f, double height, size_t lead,
                                       struct stride_level *l)
{
    double value = l->at[lead].count;
    struct role_counts t = {.first = lead, .last = lead};

    for (size_t m = 0; m < f->count; m++) {
        l->at[m].role = STRIDE_UNDECIDED;
        l->at[m].halvings = 0;
        if (isnan(l->at[m].count) || masked(f, l, m) || !same_count(f, l->at[m].count, value))
            continue;
        l->at[m].role = STRIDE_REACHES;
        t.reach++;
        t.ramps += f->members[m].verdict->knees[l->at[m].level].ramp;
        t.first = m < t.first ? m : t.first;
        t.last = m > t.last ? m : t.last;
    }
    double of_single_set = single_set_count(f, l, t.last);
    for (size_t m = 0; m < f->count; m++) {
        enum stride_role role = l->at[m].role;
        if (role != STRIDE_REACHES)
            role = isnan(l->at[m].count) ? role_without_end(f, l, m, value, height, &t)
                                         : role_with_end(f, l, m, value, of_single_set, &t);
        l->at[m].role = role;
        if (role == STRIDE_UNREACHED_SETS || role == STRIDE_SINGLE_SET)
            l->at[m].halvings = halvings(value, l->at[m].count);
        t.unreached += role == STRIDE_UNREACHED_SETS;
        t.single += role == STRIDE_SINGLE_SET;
        t.conflicts |= role == STRIDE_CONFLICTS && 2 * f->members[m].stride >= f->members[t.first].stride;
        t.unexplained += role == STRIDE_SHORT;
        t.above += role == STRIDE_ABOVE;
        t.above_at_end |= role == STRIDE_ABOVE && (m == 0 ? f->members[0].stride > f->smallest : m + 1 == f->count);
        t.contradicted |= role == STRIDE_UNREACHED_SETS && !intervals_compatible(f, l, t.last, m);
        t.bracketed |= role == STRIDE_UNREACHED_SETS && l->at[m].count >= STRIDE_STEPS_LEAST * f->step &&
                       same_height_behind(f, l, m, t.first) && same_height_behind(f, l, m, t.last);
    }
    return t;
}

/* ---- Decision ----------------------------------------------------------------------------------- */

static char worse(char a, char b)
{
    return a > b ? a : b; /* 'A' … 'C', 'U' */
}

/* The members of one role as experiments, each with its own stride as the confounder. Returns how many. */
static size_t experiments_of(const struct stride_family *f, const struct stride_level *l, enum stride_role role,
                             struct experiment *e)
{
    size_t n = 0;

    for (size_t m = 0; m < f->count && n < EXPERIMENTS_MAXIMUM; m++)
        if (l->at[m].role == role)
            e[n++] = (struct experiment){.name = f->members[m].name,
                                         .confounder = f->members[m].name,
                                         .verdict = f->members[m].verdict,
                                         .knee = l->at[m].level,
                                         .holds = f->holds};
    return n;
}

/* The best grade that the family allows. `numbered`: no level may be missing before this one. */
static char best_grade(const struct stride_family *f, const struct role_counts *t, bool numbered)
{
    bool near = t->conflicts || (f->smallest > 0 && f->members[t->first].stride <= f->smallest);
    /* a constant count might also be the ways of one set, unless smaller strides hold no more */
    bool far = t->bracketed || (near && f->members[t->last].stride >= STRIDE_NO_CONFLICT * f->members[t->first].stride);
    bool alone = t->reach == 1;

    if (!far || t->above || (alone && !(t->single >= 2 && t->unreached >= STRIDE_HALVINGS_SURE && near)))
        return 'C';
    /*
     * halving may be due to a limit in bytes just where conflicts end, unless such limits are known or a single set
     * shows
     */
    bool unlimited = !t->bracketed || f->footprints[0] > 0 || t->single >= 2;
    /* a constant count is a single set, which overflows at once, or many sets that a hash fills unevenly, one by one */
    bool whole = (t->bracketed && t->unreached >= STRIDE_HALVINGS_SURE) ||
                 (t->unreached == 0 && 2 * t->ramps < t->reach);
    return near && numbered && unlimited && whole && !t->unexplained && !t->contradicted && !alone ? 'A' : 'B';
}

/*
 * The experiments that show the ways of a single set. Where only one stride has that role, the one before it counts as
 * well if it holds as many: its share of the capacity and the single set are the same there. (If it and only one other
 * hold as many, the reason may also be an address bit between them that the index leaves out.)
 */
static size_t single_set_experiments(const struct stride_family *f, const struct stride_level *l, struct experiment *e)
{
    size_t n = experiments_of(f, l, STRIDE_SINGLE_SET, e), m = 0;

    while (m + 1 < f->count && l->at[m + 1].role != STRIDE_SINGLE_SET)
        m++;
    if (n == 1 && m + 1 < f->count && l->at[m].role == STRIDE_UNREACHED_SETS &&
        same_count(f, l->at[m].count, l->at[m + 1].count)) {
        e[n] = e[0];
        e[n].name = e[n].confounder = f->members[m].name;
        e[n].verdict = f->members[m].verdict;
        e[n++].knee = l->at[m].level;
    }
    return n;
}

static void decide_ways(const struct stride_family *f, bool numbered, struct stride_level *l,
                        const struct role_counts *t)
{
    struct experiment e[EXPERIMENTS_MAXIMUM];

    l->ways = (struct graded){.value = NAN, .low = NAN, .high = NAN, .grade = 'U', .reason = REASON_NO_SINGLE_SET};
    const size_t experiments = single_set_experiments(f, l, e);
    if (experiments < 2 || l->grade == 'U')
        return;
    if (t->unreached < STRIDE_HALVINGS_SURE && !same_count(f, f->odd, l->value)) {
        l->ways.reason = REASON_SINGLE_SET_OR_PAIRS;
        return;
    }
    l->ways = grade_capacity(e, experiments, f->step);
    l->ways.grade = worse(l->ways.grade, t->unexplained || t->above || t->single < 2                       ? 'C'
                                         : t->single >= STRIDE_SINGLE_SET_SURE && t->bracketed && numbered ? 'A'
                                                                                                           : 'B');
}

static void write_roles(const struct stride_family *f, struct stride_level *l)
{
    size_t used = 0;

    l->roles[0] = '\0';
    for (size_t role = STRIDE_UNDECIDED; role < STRIDE_ROLES; role++)
        for (size_t m = 0, said = 0; m < f->count && used < sizeof l->roles; m++) {
            /* STRIDE_REACHES first, STRIDE_UNDECIDED last */
            if (l->at[m].role != (enum stride_role)((role + 1) % STRIDE_ROLES))
                continue;
            int n = snprintf(l->roles + used, sizeof l->roles - used, "%s%s%s %.0f", used && !said ? ", " : "",
                             said ? "" : stride_role_names[l->at[m].role], said ? "" : ":", f->members[m].stride);
            used += n > 0 ? (size_t)n : 0;
            said = 1;
        }
}

/* The member with the largest count below `below`; f->count where there is none. */
static size_t largest_below(const struct stride_family *f, const struct stride_level *l, double below)
{
    size_t best = f->count;

    for (size_t m = 0; m < f->count; m++)
        if (l->at[m].count < below && !masked(f, l, m) && (best == f->count || l->at[m].count > l->at[best].count))
            best = m;
    return best;
}

/*
 * Decides on a level by the largest count that is supported; `height` is its height at the stride where it is highest.
 */
static void decide_level(const struct stride_family *f, double height, bool numbered, struct stride_level *l)
{
    struct experiment e[EXPERIMENTS_MAXIMUM];
    struct role_counts t = {0};
    size_t lead = largest_below(f, l, INFINITY), chosen = f->count;

    l->ways = (struct graded){.value = NAN, .low = NAN, .high = NAN, .grade = 'U', .reason = REASON_NO_SINGLE_SET};
    for (; lead < f->count && chosen == f->count; lead = largest_below(f, l, l->at[lead].count)) {
        t = assign_roles(f, height, lead, l);
        if (t.reach >= 2 || t.bracketed)
            chosen = lead;
    }
    write_roles(f, l);
    if (l->reason)
        return;
    if (chosen == f->count) {
        l->reason = largest_below(f, l, INFINITY) == f->count ? REASON_NOT_LEFT : REASON_LARGEST_ALONE;
        return;
    }
    if (t.reach == 1 && t.above) {
        l->reason = REASON_EXPERIMENTS_DISAGREE;
        return;
    }
    /* the next smaller stride was not tried, or it may hold more */
    bool at_edge = t.reach == 1 && (t.first == 0 ? !(f->members[0].stride <= f->smallest)
                                                 : l->at[t.first - 1].role == STRIDE_UNDECIDED);
    if (at_edge || t.above_at_end) {
        l->reason = REASON_STRIDES_END;
        return;
    }
    struct graded r = grade_capacity(e, experiments_of(f, l, STRIDE_REACHES, e), f->step);
    l->reason = r.reason;
    l->grade = r.grade;
    if (r.grade == 'U')
        return;
    l->value = r.value;
    l->low = r.low;
    l->high = r.high;
    for (size_t m = 0, n = 0; m < f->count; m++)
        if (l->at[m].role == STRIDE_REACHES && n++ == r.first)
            l->lead = m;
    /* lib/finding/grade.h gives one stride by itself a C; the halves behind it may raise that */
    l->grade = t.reach == 1 ? best_grade(f, &t, numbered) : worse(r.grade, best_grade(f, &t, numbered));
    l->index_stride = t.bracketed ? f->members[t.last].stride : (double)NAN;
    decide_ways(f, numbered, l, &t);
}

void stride_family_decide(const struct stride_family *f, struct stride_verdict *out)
{
    *out = (struct stride_verdict){.reason = REASON_NO_LEVEL};
    if (f->count > STRIDE_MEMBERS) {
        out->reason = REASON_TOO_MANY_STRIDES;
        return;
    }
    bool numbered = true;
    double from = next_height(f, -INFINITY), largest = 0;
    while (!isnan(from) && out->level_count < STRIDE_LEVELS) {
        double to = from, next;
        while (next = next_height(f, to), next <= same_up_to(f, to))
            to = next;
        struct stride_level *l = &out->levels[out->level_count];
        if (gather_level(f, from, to, l) >= 2) {
            if (to > fmax(from * (1 + 2 * STRIDE_SAME_HEIGHT), from + f->same_height))
                l->reason = REASON_LEVELS_TOO_CLOSE;
            decide_level(f, to, numbered && out->lone_heights == 0 && !level_may_hide(f, from, to), l);
            if (l->grade == 'U') /* what leaves the level undecided does so with its ways */
                l->ways.reason = l->reason;
            numbered &= l->grade != 'U';
            if (l->grade != 'U' && l->value < LEVELS_APART * largest)
                out->repeats++;
            else
                out->level_count++;
            for (size_t m = 0; m < f->count; m++)
                largest = fmax(largest, l->at[m].count); /* fmax ignores NaN */
        } else
            out->lone_heights++;
        from = next;
    }
    if (out->level_count)
        out->reason = REASON_NONE;
}

/* ---- Reports ------------------------------------------------------------------------------------ */

/* Reports U and returns true where there is no such level. */
static bool report_absent(struct probe *p, const struct finding *f, const struct stride_verdict *v, size_t level)
{
    struct finding filled = *f;

    if (level < v->level_count)
        return false;
    filled.value = filled.low = filled.high = NAN;
    filled.grade = 'U';
    filled.reason = v->reason ? v->reason : REASON_NO_LEVEL;
    report(p, &filled);
    return true;
}

/* Names the curves of members of a role first, then the others. */
static void name_curves(struct finding *f, const struct stride_family *family, const struct stride_level *l,
                        enum stride_role role)
{
    size_t n = 0;

    for (int others = 0; others < 2; others++)
        for (size_t m = 0; m < family->count && n < FINDING_CURVES; m++)
            if ((l->at[m].role != role) == (bool)others)
                f->curves[n++] = family->members[m].name;
}

void report_stride_family(struct probe *p, const struct finding *f, const struct stride_family *family,
                          const struct stride_verdict *v, size_t level)
{
    struct finding filled = *f;

    if (report_absent(p, f, v, level))
        return;
    const struct stride_level *l = &v->levels[level];
    filled.value = l->value;
    filled.low = l->low;
    filled.high = l->high;
    filled.grade = l->grade;
    filled.reason = l->reason;
    filled.holds = family->holds;
    filled.agreement = l->roles;
    filled.method = "largest count that two strides support";
    name_curves(&filled, family, l, STRIDE_REACHES);
    report(p, &filled);
}

void report_stride_family_height(struct probe *p, const struct finding *f, const struct stride_family *family,
                                 const struct stride_verdict *v, size_t level)
{
    struct experiment_value values[EXPERIMENTS_MAXIMUM];
    struct finding filled = *f;
    size_t n = 0;

    if (report_absent(p, f, v, level))
        return;
    const struct stride_level *l = &v->levels[level];
    for (size_t m = 0; m < family->count && n < EXPERIMENTS_MAXIMUM; m++) {
        const struct stride_member *member = &family->members[m];
        if (l->at[m].level < member->verdict->level_count)
            values[n++] = (struct experiment_value){member->name, member->name,
                                                    level_height(member->verdict, l->at[m].level)};
    }
    filled.method = "median of the level";
    name_curves(&filled, family, l, STRIDE_REACHES);
    report_graded_number(p, &filled, values, n);
}

void report_stride_family_ways(struct probe *p, const struct finding *f, const struct stride_family *family,
                               const struct stride_verdict *v, size_t level)
{
    struct finding filled = *f;

    if (report_absent(p, f, v, level))
        return;
    const struct stride_level *l = &v->levels[level];
    filled.value = l->ways.value;
    filled.low = l->ways.low;
    filled.high = l->ways.high;
    filled.grade = l->ways.grade;
    filled.reason = l->ways.reason;
    filled.holds = family->holds;
    filled.agreement = l->roles;
    filled.method = "count of a single set, below which no stride falls";
    name_curves(&filled, family, l, STRIDE_SINGLE_SET);
    report(p, &filled);
}
