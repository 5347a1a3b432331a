#include "lib/knee/search_confirm.h"

#include <math.h>

#include "lib/base/reason.h"
#include "lib/knee/search_samples.h"
#include "lib/knee/tolerances.h"

/* ---- What is compared --------------------------------------------------------------------------- */

enum { CONTRAST_POINTS = 3 };

/* Some x, and a weighted sum of their y that is positive where the knee exists and zero where it does not. */
struct contrast {
    unsigned count;
    double x[CONTRAST_POINTS], weight[CONTRAST_POINTS];
};

/* The x of up to PAIR_POINTS points on one side of a knee, nearest first, whose y is on that side of half its height.
 * */
static size_t points_beside(const struct search *s, const struct knee *k, bool above, double *x)
{
    double half = k->before + (k->after - k->before) / 2;
    size_t n = 0;

    for (size_t i = 0; i < s->count && n < PAIR_POINTS; i++) {
        const struct search_point *p = &s->points[above ? i : s->count - 1 - i];
        if (p->kept && (above ? p->x >= k->end && p->y > half : p->x <= k->low && p->y < half))
            x[n++] = p->x;
    }
    return n;
}

/* A step or jump: a point behind it against one before it. */
static size_t contrasts_of_step(const struct search *s, const struct knee *k, struct contrast *out)
{
    double x[2][PAIR_POINTS];
    size_t n[2] = {points_beside(s, k, false, x[0]), points_beside(s, k, true, x[1])}, count = 0;

    while (n[0] && n[1] && count < PAIR_POINTS) {
        out[count] = (struct contrast){2, {x[0][count % n[0]], x[1][count % n[1]]}, {-1, 1}};
        count++;
    }
    return count;
}

/*
 * A slope change: a point behind it, no farther than the line before is long, against the continuation of the line
 * through a point at the beginning and one at the slope change.
 */
static size_t contrasts_of_slope(const struct search *s, const struct knee *k, struct contrast *out)
{
    double from[PAIR_POINTS], change[PAIR_POINTS], to[PAIR_POINTS], far = fmin(k->end, 2 * k->low - s->from);
    size_t n[3] = {0}, count = 0;

    for (size_t i = 0; i < s->count; i++) {
        const struct search_point *p = &s->points[i], *q = &s->points[s->count - 1 - i];
        if (p->kept && p->x < k->low && n[0] < PAIR_POINTS)
            from[n[0]++] = p->x;
        if (q->kept && q->x <= k->low && n[1] < PAIR_POINTS)
            change[n[1]++] = q->x;
        if (q->kept && q->x > k->high && q->x <= fmax(far, k->high + s->step) && n[2] < PAIR_POINTS)
            to[n[2]++] = q->x;
    }
    while (n[0] && n[1] && n[2] && count < PAIR_POINTS) {
        double a = from[count % n[0]], b = change[count % n[1]], c = to[count % n[2]];
        if (!(a < b))
            break;
        double leads = (c - b) / (b - a);
        out[count++] = (struct contrast){3, {a, b, c}, {leads, -1 - leads, 1}};
    }
    return count;
}

/* A staircase: the points on both sides of a riser, of the first risers that lie between neighbouring points. */
static size_t contrasts_of_staircase(const struct search *s, const struct knee *k, struct contrast *out)
{
    double half = (k->after - k->before) / 2;
    size_t count = 0;

    for (size_t i = 1; i < s->count && count < PAIR_POINTS; i++) {
        const struct search_point *p = &s->points[i];
        if (p->kept && p[-1].kept && p->y - p[-1].y > half && p->y - p[-1].y < 3 * half)
            out[count++] = (struct contrast){2, {p[-1].x, p->x}, {-1, 1}};
    }
    return count;
}

/* Takes one more sample at each x of a contrast, in the reverse order every other time. *sum is their weighted sum. */
static bool take_contrast(struct search *s, const struct contrast *c, bool backwards, double *sum)
{
    double y;

    *sum = 0;
    for (unsigned i = 0; i < c->count; i++) {
        unsigned at = backwards ? c->count - 1 - i : i;
        if (!search_take_value(s, c->x[at], &y))
            return false;
        *sum += c->weight[at] * y;
    }
    return true;
}

/* The weighted sum of the samples taken so far. */
static double contrast_so_far(struct search *s, const struct contrast *c)
{
    double sum = 0;

    for (unsigned i = 0; i < c->count; i++)
        sum += c->weight[i] * search_point_at(s, c->x[i])->y;
    return sum;
}

/* ---- Measuring again ------------------------------------------------------------------------------ */

/*
 * Sequential test whether a rise is there at this later time, too: a contrast that exceeds half of what it was counts
 * for the rise, any other one against it, and a lead of LEAD decides.
 */
static bool test_contrasts(struct search *s, const struct knee *k, enum confirmation *result)
{
    struct contrast c[PAIR_POINTS];
    double half[PAIR_POINTS], sum;
    size_t n = (s->kind == KNEE_SLOPE       ? contrasts_of_slope
                : s->kind == KNEE_STAIRCASE ? contrasts_of_staircase
                                            : contrasts_of_step)(s, k, c);
    int lead = 0, enough = s->verdict.sigma > 0 ? LEAD : LEAD_EXACT;
    bool good = true;

    for (size_t i = 0; i < n; i++)
        half[i] = (s->kind == KNEE_SLOPE ? contrast_so_far(s, &c[i]) : k->after - k->before) / 2;
    for (unsigned pair = 0; good && n && pair < PAIRS_MAXIMUM && lead < enough && lead > -enough; pair++) {
        good = take_contrast(s, &c[pair % n], pair % 2, &sum);
        if (good && !isnan(sum))
            lead += half[pair % n] > 0 && sum > half[pair % n] ? 1 : -1;
    }
    *result = lead >= enough ? CONFIRMED : lead <= -enough ? REFUTED : UNCONFIRMED;
    return good;
}

/* Samples the points of a knee's interval and two more on each side again, once each. */
static bool sample_beside(struct search *s, const struct knee *k)
{
    size_t first = 0, end;

    while (first + 1 < s->count && s->points[first + 1].x <= k->low)
        first++;
    for (end = first; end < s->count && s->points[end].x < k->high; end++)
        ;
    first = first > 1 ? first - 2 : 0;
    end = end + 3 < s->count ? end + 3 : s->count;
    for (size_t i = first; i < end; i++)
        if (!search_wait_for_quiet(s) || !search_take(s, s->points[i].x))
            return false;
    return true;
}

bool search_confirm(struct search *s)
{
    const struct verdict v = s->verdict;

    s->confirmation_count = 0;
    for (size_t i = 0; i < v.count; i++) {
        const struct knee *k = &v.knees[i];
        bool wide = k->high - k->low > ONE_STEP * s->step || s->kind == KNEE_SLOPE;
        enum confirmation result;
        if (!test_contrasts(s, k, &result) || (wide && s->kind != KNEE_STAIRCASE && !sample_beside(s, k)))
            return false;
        s->confirmations[s->confirmation_count++] = (struct confirmed_interval){
            .low = k->low, .high = k->high, .result = result};
    }
    return true;
}

/* ---- What follows --------------------------------------------------------------------------------- */

bool search_is_where_confirmed(const struct search *s)
{
    for (size_t i = 0; i < s->verdict.count; i++) {
        const struct knee *k = &s->verdict.knees[i];
        bool within = false;
        for (size_t c = 0; c < s->confirmation_count && !within; c++)
            within = s->confirmations[c].low <= k->low && k->high <= s->confirmations[c].high;
        if (!within)
            return false;
    }
    return true;
}

/* The result of the intervals that overlap with a knee's: CONFIRMED where one is, else REFUTED where one is. */
static enum confirmation result_of(const struct search *s, const struct knee *k)
{
    enum confirmation best = UNCONFIRMED;

    for (size_t i = 0; i < s->confirmation_count; i++) {
        const struct confirmed_interval *c = &s->confirmations[i];
        if (c->low < k->high && k->low < c->high && (best == UNCONFIRMED || c->result == CONFIRMED))
            best = c->result;
    }
    return best;
}

/*
 * Makes one level of the two beside a refuted knee: with the height of the longer one, and the growth from one height
 * to the other as its slope, so that it does not count as a steady level if the knee was refuted by mistake.
 */
static struct knee_level join_levels(const struct knee_level *before, const struct knee_level *after)
{
    struct knee_level l = after->to - after->from > before->to - before->from ? *after : *before;

    l.from = before->from;
    l.to = after->to;
    l.slope = before->height > 0 ? after->height / before->height - 1 : l.slope;
    return l;
}

void search_apply_confirmations(struct search *s)
{
    struct verdict *v = &s->verdict;
    size_t kept = 0;

    for (size_t i = 0; i < v->count; i++) {
        struct knee *k = &v->knees[i];
        enum confirmation result = result_of(s, k);
        k->agreed = k->agreed && result == CONFIRMED;
        k->half_rise_agreed = k->half_rise_agreed && result == CONFIRMED;
        if (result == REFUTED) {
            v->levels[kept] = join_levels(&v->levels[kept], &v->levels[i + 1]);
            continue;
        }
        v->knees[kept++] = *k;
        v->levels[kept] = v->levels[i + 1];
    }
    if (kept < v->count) {
        v->level_count = kept + 1;
        v->count = kept;
        v->reason = kept ? REASON_NONE : REASON_AMBIGUOUS;
    }
}
