#include "lib/structure/btb_mismatch.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "lib/structure/tolerances_btb.h"

/* Variance of a value that is uniform in [-1, 1]. no test: it is exact. */
static const double UNIFORM_VARIANCE = 1.0 / 3;
enum {
    /* How often costs are fitted to parts within their ranges. A third time changes chi-square by less than one. */
    ADJUSTMENTS = 2,
    GROUPS = BRANCH_CHAIN_PATTERNS * 17 /* powers of two up to BTB_STRIDE_MOST */
};

/*
 * Least squares. Let hits of level 1, hits of level 2 and misses cost u = (u1, u2, u3) in a group, and c in its
 * pattern. To be minimised over all u and c is
 *
 *     sum over points of ((y - f.u) / sigma)^2 + sum over j of ((uj - cj) / tj)^2
 *
 * where y is a point's cycles, f the parts of its sequence, sigma its error and t the spread of groups. For given c the
 * best u solves (A + T) u = b + T c, with A = sum f f' / sigma^2, b = sum f y / sigma^2, T = diag(1 / t^2). With that u
 * the sum is quadratic in c: `struct pattern_sums`.
 */
struct symmetric {
    double xx, xy, xz, yy, yz, zz;
};

static double dot(struct btb_costs a, struct btb_costs b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static struct btb_costs times(const struct symmetric *m, struct btb_costs v)
{
    return (struct btb_costs){m->xx * v.x + m->xy * v.y + m->xz * v.z, m->xy * v.x + m->yy * v.y + m->yz * v.z,
                              m->xz * v.x + m->yz * v.y + m->zz * v.z};
}

/* The inverse of a positive definite matrix, by its adjugate. */
static struct symmetric inverse(const struct symmetric *m)
{
    double xx = m->yy * m->zz - m->yz * m->yz, xy = m->xz * m->yz - m->xy * m->zz, xz = m->xy * m->yz - m->xz * m->yy;
    double d = 1 / (m->xx * xx + m->xy * xy + m->xz * xz);

    return (struct symmetric){.xx = xx * d,
                              .xy = xy * d,
                              .xz = xz * d,
                              .yy = (m->xx * m->zz - m->xz * m->xz) * d,
                              .yz = (m->xy * m->xz - m->xx * m->yz) * d,
                              .zz = (m->xx * m->yy - m->xy * m->xy) * d};
}

static double square(double x)
{
    return x * x;
}

static void scale_patterns(struct btb_mismatch *m, const struct btb_point *points, size_t count,
                           const struct btb_spread *spread)
{
    for (size_t p = 0; p < BRANCH_CHAIN_PATTERNS; p++)
        m->patterns[p] = (struct btb_mismatch_pattern){.least = INFINITY};
    for (size_t i = 0; i < count; i++) {
        struct btb_mismatch_pattern *s = &m->patterns[points[i].sequence.pattern];
        s->least = fmin(s->least, points[i].cycles);
        s->most = fmax(s->most, points[i].cycles);
    }
    for (size_t p = 0; p < BRANCH_CHAIN_PATTERNS; p++) {
        struct btb_mismatch_pattern *s = &m->patterns[p];
        s->weights = (struct btb_costs){1 / square(spread->hits * s->least),
                                        1 / (square(spread->hits) * s->least * s->most),
                                        1 / square(spread->misses * s->most)};
    }
}

static bool same_group(const struct btb_mismatch_point *a, const struct btb_mismatch_point *b)
{
    return a->pattern == b->pattern && a->stride == b->stride;
}

static int by_group(const void *a, const void *b)
{
    const struct btb_mismatch_point *x = a, *y = b;

    if (x->pattern != y->pattern)
        return x->pattern < y->pattern ? -1 : 1;
    if (x->stride != y->stride)
        return x->stride < y->stride ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

void btb_mismatch_prepare(struct btb_mismatch *m, const struct btb_point *points, size_t count, unsigned from,
                          unsigned to, const struct btb_spread *spread)
{
    m->count = 0;
    m->scatter = spread->scatter;
    scale_patterns(m, points, count, spread);
    for (size_t i = 0; i < count; i++) {
        const struct btb_point *p = &points[i];
        const struct btb_mismatch_pattern *s = &m->patterns[p->sequence.pattern];
        if (p->sequence.count >= from && p->sequence.count <= to)
            m->points[m->count++] = (struct btb_mismatch_point){
                .number = i,
                .pattern = p->sequence.pattern,
                .stride = p->sequence.stride,
                .cycles = p->cycles,
                .weight = 1 / (square(p->error) + square(spread->scatter * p->cycles)),
                .range = s->most - s->least};
    }
    qsort(m->points, m->count, sizeof m->points[0], by_group);
}

double btb_mismatch_expected(const struct btb_mismatch *m)
{
    double expected = 0;

    for (size_t i = 0; i < m->count; i++) {
        expected += 1 - (1 - UNIFORM_VARIANCE) * square(m->scatter * m->points[i].cycles) * m->points[i].weight;
        expected += i == 0 || !same_group(&m->points[i - 1], &m->points[i]) ? UNIFORM_VARIANCE : 0;
    }
    return expected + BTB_SIGMAS * sqrt(2 * expected);
}

struct group_sums {
    struct symmetric a;
    struct btb_costs b;
    double yy;
    struct btb_costs used; /* sum of parts */
    bool mixed;            /* a sequence is resident in part */
    size_t ranges;         /* sequences of which a part is a range */
};

/*
 * Cycles by which a hit of level 2 (of one level alone: a miss) costs more than one of level 1, and a miss more than a
 * hit of level 2.
 */
struct cost_differences {
    double one_to_two, two_to_miss;
};

static double middle(struct btb_part part)
{
    return ((double)part.least + part.most) / 2 / BTB_WHOLE;
}

/* Half of the range of a part. */
static double half(struct btb_part part)
{
    return ((double)part.most - part.least) / 2 / BTB_WHOLE;
}

static bool is_range(struct btb_part first, struct btb_part second)
{
    return first.least < first.most || second.least < second.most;
}

/* Adds a sequence of which these parts hit in level 1, in level 2, and in none. */
static void add_parts(const struct btb_mismatch_point *s, double weight, struct btb_costs p, struct group_sums *g)
{
    g->mixed = true;
    g->a.xx += weight * p.x * p.x;
    g->a.xy += weight * p.x * p.y;
    g->a.xz += weight * p.x * p.z;
    g->a.yy += weight * p.y * p.y;
    g->a.yz += weight * p.y * p.z;
    g->a.zz += weight * p.z * p.z;
    g->b.x += weight * p.x * s->cycles;
    g->b.y += weight * p.y * s->cycles;
    g->b.z += weight * p.z * s->cycles;
    g->yy += weight * s->cycles * s->cycles;
    g->used.x += p.x;
    g->used.y += p.y;
    g->used.z += p.z;
}

/* The parts of a sequence where level 1 holds `one` of it, level 2 `two`, and both `both`. */
static struct btb_costs parts_of(double one, double two, double both)
{
    return (struct btb_costs){one, two - both, 1 - one - two + both};
}

/*
 * Adds a sequence that a level holds in part, where costs are not known yet. The part that both levels hold lies
 * between one + two - 1 and the smaller of the two: its middle is used, and half of that range adds to the variance, as
 * do the halves of the ranges of the parts.
 */
static void add_mixed(const struct btb_mismatch_point *s, struct btb_part first, struct btb_part second,
                      struct cost_differences differences, struct group_sums *g)
{
    double one = middle(first), two = middle(second);
    double least = fmax(0, one + two - 1), both = (least + fmin(one, two)) / 2;
    double uncertainty = square(half(first) * differences.one_to_two) + square(half(second) * differences.two_to_miss) +
                         square((both - least) * differences.two_to_miss);

    g->ranges += is_range(first, second);
    add_parts(s, 1 / (1 / s->weight + uncertainty), parts_of(one, two, both), g);
}

/*
 * Adds a sequence of which a part is a range, where hits and misses are known to cost u: of all parts that the ranges
 * allow, those at which the sequence costs most nearly what was measured.
 */
static void add_nearest(const struct btb_mismatch_point *s, struct btb_part first, struct btb_part second,
                        struct btb_costs u, struct group_sums *g)
{
    const double one = (double)first.most / BTB_WHOLE, two = (double)second.most / BTB_WHOLE;
    const double least_one = (double)first.least / BTB_WHOLE, least_two = (double)second.least / BTB_WHOLE;
    const struct btb_costs most_hits = parts_of(one, two, fmax(0, one + two - 1)),
                           least_hits = parts_of(least_one, least_two, fmin(least_one, least_two));
    const double low = dot(most_hits, u), high = dot(least_hits, u);
    const double missed = high > low ? fmin(1, fmax(0, (s->cycles - low) / (high - low))) : 0.5;

    g->ranges++;
    add_parts(s, s->weight,
              (struct btb_costs){most_hits.x + missed * (least_hits.x - most_hits.x),
                                 most_hits.y + missed * (least_hits.y - most_hits.y),
                                 most_hits.z + missed * (least_hits.z - most_hits.z)},
              g);
}

/*
 * resident[l] is NULL where there is no such level. differences: NULL where costs are not known: the range of the
 * pattern's points is used. u: costs in this group, by which parts are chosen from their ranges; NULL: not known.
 */
static void add_point(const struct btb_mismatch *m, size_t number, const struct btb_part *const resident[BTB_LEVELS],
                      const struct cost_differences *differences, const struct btb_costs *u, struct group_sums *g)
{
    static const struct btb_part nothing = {0, 0};
    const struct btb_mismatch_point *s = &m->points[number];
    const struct btb_part first = resident[0] ? resident[0][s->number] : nothing;
    const struct btb_part second = resident[1] ? resident[1][s->number] : nothing;

    if (first.least == BTB_WHOLE) {
        g->yy += s->weight * s->cycles * s->cycles;
        g->a.xx += s->weight;
        g->b.x += s->weight * s->cycles;
        g->used.x++;
    } else if (first.most == 0 && second.least == BTB_WHOLE) {
        g->yy += s->weight * s->cycles * s->cycles;
        g->a.yy += s->weight;
        g->b.y += s->weight * s->cycles;
        g->used.y++;
    } else if (first.most == 0 && second.most == 0) {
        g->yy += s->weight * s->cycles * s->cycles;
        g->a.zz += s->weight;
        g->b.z += s->weight * s->cycles;
        g->used.z++;
    } else if (u && is_range(first, second))
        add_nearest(s, first, second, *u, g);
    else
        add_mixed(s, first, second, differences ? *differences : (struct cost_differences){s->range, s->range}, g);
}

/* Adds up the points of the group that begins at point `from`; returns the first point of the next group. */
static size_t add_up(const struct btb_mismatch *m, size_t from, const struct btb_part *const resident[BTB_LEVELS],
                     const struct cost_differences *differences, const struct btb_costs *u, struct group_sums *g)
{
    size_t i = from;

    *g = (struct group_sums){0};
    for (; i < m->count && same_group(&m->points[i], &m->points[from]); i++)
        add_point(m, i, resident, differences, u, g);
    return i;
}

/* The sum of squares of a pattern as a function of its costs c, best group costs inserted: c'Gc - 2 r'c + rest. */
struct pattern_sums {
    struct symmetric g;
    struct btb_costs r;
    double rest;
    struct btb_costs used;
};

static void eliminate(const struct group_sums *g, struct btb_costs t, struct pattern_sums *p)
{
    p->used.x += g->used.x;
    p->used.y += g->used.y;
    p->used.z += g->used.z;
    p->rest += g->yy;
    if (!g->mixed) { /* the matrix is diagonal */
        struct btb_costs share = {t.x / (g->a.xx + t.x), t.y / (g->a.yy + t.y), t.z / (g->a.zz + t.z)};
        p->rest -= g->b.x * g->b.x * share.x / t.x + g->b.y * g->b.y * share.y / t.y + g->b.z * g->b.z * share.z / t.z;
        p->r.x += share.x * g->b.x;
        p->r.y += share.y * g->b.y;
        p->r.z += share.z * g->b.z;
        p->g.xx += share.x * g->a.xx;
        p->g.yy += share.y * g->a.yy;
        p->g.zz += share.z * g->a.zz;
        return;
    }
    struct symmetric s = g->a;
    s.xx += t.x;
    s.yy += t.y;
    s.zz += t.z;
    const struct symmetric i = inverse(&s);
    struct btb_costs b = times(&i, g->b);
    p->rest -= dot(g->b, b);
    p->r.x += t.x * b.x;
    p->r.y += t.y * b.y;
    p->r.z += t.z * b.z;
    p->g.xx += t.x - t.x * t.x * i.xx;
    p->g.xy -= t.x * t.y * i.xy;
    p->g.xz -= t.x * t.z * i.xz;
    p->g.yy += t.y - t.y * t.y * i.yy;
    p->g.yz -= t.y * t.z * i.yz;
    p->g.zz += t.z - t.z * t.z * i.zz;
}

/*
 * The best costs of one pattern. A cost is NaN where hardly any branch shows it. Returns the sum of squares that
 * remains, INFINITY where the costs do not ascend.
 */
static double solve(const struct pattern_sums *p, double costs[BTB_COSTS])
{
    bool x = p->used.x > BTB_SEEN, y = p->used.y > BTB_SEEN, z = p->used.z > BTB_SEEN;
    struct symmetric g = p->g;
    struct btb_costs r = p->r;

    if (!x) {
        g.xx = 1;
        g.xy = g.xz = r.x = 0;
    }
    if (!y) {
        g.yy = 1;
        g.xy = g.yz = r.y = 0;
    }
    if (!z) {
        g.zz = 1;
        g.xz = g.yz = r.z = 0;
    }
    const struct symmetric i = inverse(&g);
    struct btb_costs c = times(&i, r);
    costs[0] = x ? c.x : (double)NAN;
    costs[1] = y ? c.y : (double)NAN;
    costs[2] = z ? c.z : (double)NAN;
    double before = 0;
    for (size_t k = 0; k < BTB_COSTS; k++)
        if (!isnan(costs[k])) {
            if (costs[k] < BTB_COST_RATIO * before)
                return INFINITY;
            before = costs[k];
        }
    return p->rest - dot(r, c);
}

/*
 * The sum of squares that remains in a group with costs of its own, a lower bound of its share in any fit. The costs
 * are eliminated one after the other (Cholesky without roots). Where points show only combinations of costs, a pivot is
 * zero but for rounding: that cost is given by the others, and takes nothing off the sum.
 */
static double least_sum(const struct group_sums *g)
{
    struct symmetric a = g->a;
    struct btb_costs b = g->b;
    double sum = g->yy;

    if (a.xx > 0) {
        const double xy = a.xy / a.xx, xz = a.xz / a.xx;
        sum -= b.x * b.x / a.xx;
        b.y -= xy * b.x;
        b.z -= xz * b.x;
        a.yy -= xy * a.xy;
        a.yz -= xy * a.xz;
        a.zz -= xz * a.xz;
    }
    if (a.yy > BTB_PIVOT_LEAST * g->a.yy) {
        const double yz = a.yz / a.yy;
        sum -= b.y * b.y / a.yy;
        b.z -= yz * b.y;
        a.zz -= yz * a.yz;
    }
    return a.zz > BTB_PIVOT_LEAST * g->a.zz ? sum - b.z * b.z / a.zz : sum;
}

static bool has_two_bits(unsigned bits)
{
    return (bits & (bits - 1)) != 0;
}

/* The differences of the costs in each pattern; where a cost is not known, the range of the pattern's points. */
static void differences_of(const struct btb_mismatch *m, bool two_levels,
                           double costs[BRANCH_CHAIN_PATTERNS][BTB_COSTS],
                           struct cost_differences differences[BRANCH_CHAIN_PATTERNS])
{
    for (size_t p = 0; p < BRANCH_CHAIN_PATTERNS; p++) {
        const double range = m->patterns[p].most - m->patterns[p].least, *c = costs[p];
        const double one_to_two = (two_levels ? c[1] : c[2]) - c[0], two_to_miss = c[2] - c[1];
        differences[p] = (struct cost_differences){isnan(one_to_two) ? range : one_to_two,
                                                   isnan(two_to_miss) ? range : two_to_miss};
    }
}

/* The best costs of a group for given costs of its pattern. */
static struct btb_costs group_costs(const struct group_sums *g, struct btb_costs weights, const double costs[BTB_COSTS])
{
    struct symmetric s = g->a;
    struct btb_costs b = g->b;

    s.xx += weights.x;
    s.yy += weights.y;
    s.zz += weights.z;
    b.x += isnan(costs[0]) ? 0 : weights.x * costs[0];
    b.y += isnan(costs[1]) ? 0 : weights.y * costs[1];
    b.z += isnan(costs[2]) ? 0 : weights.z * costs[2];
    const struct symmetric i = inverse(&s);
    return times(&i, b);
}

/* One point's share of chi-square at its group's costs u: its weight times the square of its residual. */
static double share(const struct btb_mismatch *m, size_t number, const struct btb_part *const resident[BTB_LEVELS],
                    const struct cost_differences *differences, struct btb_costs u)
{
    struct group_sums one = {0};

    add_point(m, number, resident, differences, &u, &one);
    struct btb_costs p = times(&one.a, u);
    return one.yy - 2 * dot(one.b, u) + dot(p, u);
}

/* What turns overlaps into variances, and parts from their ranges, at costs that were fitted before. */
struct adjusted {
    size_t ranges; /* points of which a part is a range; 0: nothing else is set, or used */
    struct cost_differences differences[BRANCH_CHAIN_PATTERNS];
    struct btb_costs u[GROUPS]; /* of each group, in the order of points */
};

/*
 * Fits the costs of all patterns. adjusted: NULL where nothing is known of them. sums: of each group, in the order of
 * points. *ranges: how many points there are of which a part is a range, so that `adjusted` matters. Returns
 * chi-square, or INFINITY as btb_mismatch does; also where more than `limit` and one for each range is certain, since
 * no more than one is due to a range that is added to the variance.
 */
static double fit_costs(const struct btb_mismatch *m, const struct btb_part *const resident[BTB_LEVELS], double limit,
                        const struct adjusted *adjusted, double costs[BRANCH_CHAIN_PATTERNS][BTB_COSTS],
                        struct group_sums sums[GROUPS], size_t *ranges)
{
    struct pattern_sums patterns[BRANCH_CHAIN_PATTERNS] = {0};
    unsigned show_one = 0, show_two = 0; /* the strides that show each level, powers of two or-ed */
    double sum = 0, least = 0;
    size_t groups = 0;

    *ranges = 0;
    for (size_t p = 0; p < BRANCH_CHAIN_PATTERNS; p++)
        for (size_t k = 0; k < BTB_COSTS; k++)
            costs[p][k] = NAN;
    for (size_t i = 0; i < m->count; groups++) {
        const struct btb_mismatch_point *first = &m->points[i];
        struct group_sums *g = &sums[groups];
        i = add_up(m, i, resident, adjusted ? &adjusted->differences[first->pattern] : NULL,
                   adjusted ? &adjusted->u[groups] : NULL, g);
        *ranges += g->ranges;
        if (!adjusted) {
            least += least_sum(g);
            if (least > limit + (double)*ranges)
                return INFINITY;
        }
        eliminate(g, m->patterns[first->pattern].weights, &patterns[first->pattern]);
        show_one |= g->used.x > BTB_SHOWS ? first->stride : 0;
        show_two |= g->used.y > BTB_SHOWS ? first->stride : 0;
    }
    for (size_t p = 0; p < BRANCH_CHAIN_PATTERNS; p++)
        if (m->patterns[p].most > 0)
            sum += solve(&patterns[p], costs[p]);
    return (!resident[0] || show_one) && (!resident[1] || show_two) ? sum : INFINITY;
}

/* Sets *out by the costs that were fitted to these sums of groups. */
static void adjust(const struct btb_mismatch *m, bool two_levels, const struct group_sums sums[GROUPS],
                   double costs[BRANCH_CHAIN_PATTERNS][BTB_COSTS], struct adjusted *out)
{
    size_t group = 0;

    differences_of(m, two_levels, costs, out->differences);
    for (size_t i = 0; i < m->count; i++) {
        const enum branch_chain_pattern pattern = m->points[i].pattern;
        if (i == 0 || !same_group(&m->points[i - 1], &m->points[i])) {
            out->u[group] = group_costs(&sums[group], m->patterns[pattern].weights, costs[pattern]);
            group++;
        }
    }
}

/*
 * Where parts are ranges, they are chosen by the costs, and the costs are fitted to those parts, in turn: neither makes
 * chi-square larger. *adjusted is left as it follows from the last costs.
 */
static double fit_adjusted(const struct btb_mismatch *m, const struct btb_part *const resident[BTB_LEVELS],
                           double limit, double costs[BRANCH_CHAIN_PATTERNS][BTB_COSTS], struct adjusted *adjusted)
{
    struct group_sums sums[GROUPS];
    size_t *const ranges = &adjusted->ranges;
    double sum = fit_costs(m, resident, limit, NULL, costs, sums, ranges);

    if (*ranges == 0 || !(sum <= limit + (double)*ranges))
        return sum;
    for (size_t i = 0; i < ADJUSTMENTS && sum < INFINITY && (i == 0 || sum <= 2 * limit); i++) {
        adjust(m, resident[1] != NULL, sums, costs, adjusted);
        sum = fit_costs(m, resident, limit, adjusted, costs, sums, ranges);
    }
    if (sum < INFINITY)
        adjust(m, resident[1] != NULL, sums, costs, adjusted);
    return sum;
}

double btb_mismatch(const struct btb_mismatch *m, const struct btb_part *one, const struct btb_part *two, double limit,
                    double costs[BRANCH_CHAIN_PATTERNS][BTB_COSTS])
{
    const struct btb_part *const resident[BTB_LEVELS] = {one, two};
    struct adjusted adjusted;

    return fit_adjusted(m, resident, limit, costs, &adjusted);
}

bool btb_mismatch_one_stride(const struct btb_mismatch *m, const struct btb_part *one, const struct btb_part *two)
{
    const struct btb_part *const resident[BTB_LEVELS] = {one, two};
    unsigned show_one = 0, show_two = 0;

    for (size_t i = 0; i < m->count;) {
        unsigned stride = m->points[i].stride;
        struct group_sums g;
        i = add_up(m, i, resident, NULL, NULL, &g);
        show_one |= g.used.x > BTB_SHOWS ? stride : 0;
        show_two |= g.used.y > BTB_SHOWS ? stride : 0;
    }
    return (one && !has_two_bits(show_one)) || (two && !has_two_bits(show_two));
}

double btb_mismatch_worst(const struct btb_mismatch *m, const struct btb_part *one, const struct btb_part *two,
                          double costs[BRANCH_CHAIN_PATTERNS][BTB_COSTS])
{
    const struct btb_part *const resident[BTB_LEVELS] = {one, two};
    struct adjusted adjusted;
    double worst = 0;
    size_t group = 0;

    fit_adjusted(m, resident, INFINITY, costs, &adjusted);
    for (size_t i = 0; i < m->count; group++) {
        const enum branch_chain_pattern pattern = m->points[i].pattern;
        const struct cost_differences *differences = adjusted.ranges ? &adjusted.differences[pattern] : NULL;
        const size_t from = i;
        struct group_sums g;
        i = add_up(m, i, resident, differences, adjusted.ranges ? &adjusted.u[group] : NULL, &g);
        const struct btb_costs u = group_costs(&g, m->patterns[pattern].weights, costs[pattern]);
        for (size_t k = from; k < i; k++)
            worst = fmax(worst, share(m, k, resident, differences, u));
    }
    return worst;
}

bool btb_mismatch_no_step(const struct btb_mismatch *m, const struct btb_part *one, const struct btb_part *two)
{
    const struct btb_part *const resident[BTB_LEVELS] = {one, two};
    double costs[BRANCH_CHAIN_PATTERNS][BTB_COSTS];
    struct adjusted adjusted;
    size_t group = 0;

    fit_adjusted(m, resident, INFINITY, costs, &adjusted);
    for (size_t i = 0; i < m->count; group++) {
        const enum branch_chain_pattern pattern = m->points[i].pattern;
        struct group_sums g;
        i = add_up(m, i, resident, adjusted.ranges ? &adjusted.differences[pattern] : NULL,
                   adjusted.ranges ? &adjusted.u[group] : NULL, &g);
        const struct btb_costs u = group_costs(&g, m->patterns[pattern].weights, costs[pattern]);
        if (g.used.x > BTB_SHOWS && g.used.y > BTB_SHOWS && u.y < BTB_COST_RATIO * u.x &&
            u.x < BTB_COST_RATIO * costs[pattern][0])
            return true;
    }
    return false;
}
