#include "lib/fit/btb_misfit.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* What is anything from -1 to 1 has this variance. */
static const double UNIFORM = 1.0 / 3;
/* Parts that a spacing's rows hold at a level, together, or it does not show it. */
static const double SHOWS = 0.5;

enum { BTB_MISFIT_LEVELS = 2 };

/*
 * Least squares. In group g hits of level 1, hits of level 2 and misses cost u = (u1, u2, u3), and
 *
 *     sum over points of ((y - f.u) / sigma)^2 + sum over j of ((uj - cj) / tj)^2
 *
 * is least, f the parts of the row, c the pattern's costs, t how far a group may deviate. For given c the best u solves
 * (A + T) u = b + T c, with A = sum f f' / sigma^2, b = sum f y / sigma^2, T = diag(1 / t^2). What remains is
 * quadratic in c.
 */
struct symmetric {
    double xx, xy, xz, yy, yz, zz;
};

static double dot(struct btb_vector a, struct btb_vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static struct btb_vector times(const struct symmetric *m, struct btb_vector v)
{
    return (struct btb_vector){m->xx * v.x + m->xy * v.y + m->xz * v.z, m->xy * v.x + m->yy * v.y + m->yz * v.z,
                               m->xz * v.x + m->yz * v.y + m->zz * v.z};
}

/* Of a positive definite one, by its adjugate. */
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

static void scale_patterns(struct btb_misfit *m, const struct btb_point *points, size_t count,
                           const struct btb_slack *slack)
{
    for (size_t p = 0; p < BTB_PATTERNS; p++)
        m->patterns[p] = (struct btb_misfit_pattern){.least = INFINITY};
    for (size_t i = 0; i < count; i++) {
        struct btb_misfit_pattern *s = &m->patterns[points[i].row.pattern];
        s->least = fmin(s->least, points[i].cycles);
        s->most = fmax(s->most, points[i].cycles);
    }
    for (size_t p = 0; p < BTB_PATTERNS; p++) {
        struct btb_misfit_pattern *s = &m->patterns[p];
        s->spread = (struct btb_vector){1 / square(slack->hits * s->least),
                                        1 / (square(slack->hits) * s->least * s->most),
                                        1 / square(slack->misses * s->most)};
    }
}

static bool same_group(const struct btb_misfit_point *a, const struct btb_misfit_point *b)
{
    return a->pattern == b->pattern && a->stride == b->stride;
}

static int by_group(const void *a, const void *b)
{
    const struct btb_misfit_point *x = a, *y = b;

    if (x->pattern != y->pattern)
        return x->pattern < y->pattern ? -1 : 1;
    if (x->stride != y->stride)
        return x->stride < y->stride ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

void btb_misfit_prepare(struct btb_misfit *m, const struct btb_point *points, size_t count, unsigned from, unsigned to,
                        const struct btb_slack *slack)
{
    m->count = 0;
    m->scatter = slack->scatter;
    scale_patterns(m, points, count, slack);
    for (size_t i = 0; i < count; i++) {
        const struct btb_point *p = &points[i];
        const struct btb_misfit_pattern *s = &m->patterns[p->row.pattern];
        if (p->row.count >= from && p->row.count <= to)
            m->points[m->count++] = (struct btb_misfit_point){
                .number = i,
                .pattern = p->row.pattern,
                .stride = p->row.stride,
                .cycles = p->cycles,
                .weight = 1 / (square(p->error) + square(slack->scatter * p->cycles)),
                .range = s->most - s->least};
    }
    qsort(m->points, m->count, sizeof m->points[0], by_group);
}

double btb_misfit_expected(const struct btb_misfit *m)
{
    double likely = 0;

    for (size_t i = 0; i < m->count; i++) {
        likely += 1 - (1 - UNIFORM) * square(m->scatter * m->points[i].cycles) * m->points[i].weight;
        likely += i == 0 || !same_group(&m->points[i - 1], &m->points[i]) ? UNIFORM : 0;
    }
    return likely + BTB_CHANCE * sqrt(2 * likely);
}

struct group_sums {
    struct symmetric a;
    struct btb_vector b;
    double yy;
    struct btb_vector used; /* sum of parts */
    bool mixed;             /* some row is held in parts, */
    bool doubted;           /* and nobody knows how large they are */
};

/* What it changes where a hit of level 1 is one of level 2, and where one of level 2 is a miss; cycles. */
struct changes {
    double nearer, farther;
};

static double middle(struct btb_part part)
{
    return ((double)part.least + part.most) / 2 / BTB_ALL;
}

/* Half of what a part may be more or less. */
static double half(struct btb_part part)
{
    return ((double)part.most - part.least) / 2 / BTB_ALL;
}

/*
 * A row that is held in parts. What both levels hold may be anything from one + two - 1 to the smaller part: the middle
 * is taken, and half of the range is a doubt.
 */
static void add_mixed(const struct btb_misfit_point *s, struct btb_part first, struct btb_part second,
                      struct changes changes, struct group_sums *g)
{
    double one = middle(first), two = middle(second);
    double least = fmax(0, one + two - 1), both = (least + fmin(one, two)) / 2;
    double doubt = UNIFORM * (square(half(first) * changes.nearer) + square(half(second) * changes.farther)) +
                   square((both - least) * changes.farther);
    double weight = doubt > 0 ? 1 / (1 / s->weight + doubt) : s->weight;
    struct btb_vector p = {one, two - both, 1 - one - two + both};

    g->mixed = true;
    g->doubted |= first.least < first.most || second.least < second.most;
    g->a.xx += weight * p.x * p.x;
    g->a.xy += weight * p.x * p.y;
    g->a.xz += weight * p.x * p.z;
    g->a.yy += weight * p.y * p.y;
    g->a.yz += weight * p.y * p.z;
    g->a.zz += weight * p.z * p.z;
    g->b.x += weight * p.x * s->cycles;
    g->b.y += weight * p.y * s->cycles;
    g->b.z += weight * p.z * s->cycles;
    g->yy += (weight - s->weight) * s->cycles * s->cycles;
    g->used.x += p.x;
    g->used.y += p.y;
    g->used.z += p.z;
}

/* held[l] NULL: there is no such level. */
static void add_point(const struct btb_misfit *m, size_t number, const struct btb_part *const held[BTB_MISFIT_LEVELS],
                      const struct changes *changes, struct group_sums *g)
{
    static const struct btb_part nothing = {0, 0};
    const struct btb_misfit_point *s = &m->points[number];
    const struct btb_part first = held[0] ? held[0][s->number] : nothing;
    const struct btb_part second = held[1] ? held[1][s->number] : nothing;

    g->yy += s->weight * s->cycles * s->cycles;
    if (first.least == BTB_ALL) {
        g->a.xx += s->weight;
        g->b.x += s->weight * s->cycles;
        g->used.x++;
    } else if (first.most == 0 && second.least == BTB_ALL) {
        g->a.yy += s->weight;
        g->b.y += s->weight * s->cycles;
        g->used.y++;
    } else if (first.most == 0 && second.most == 0) {
        g->a.zz += s->weight;
        g->b.z += s->weight * s->cycles;
        g->used.z++;
    } else
        add_mixed(s, first, second, changes ? *changes : (struct changes){s->range, s->range}, g);
}

/* Sums of the points of one group; returns the first of the next. */
static size_t add_up(const struct btb_misfit *m, size_t from, const struct btb_part *const held[BTB_MISFIT_LEVELS],
                     const struct changes changes[BTB_PATTERNS], struct group_sums *g)
{
    size_t i = from;

    *g = (struct group_sums){0};
    for (; i < m->count && same_group(&m->points[i], &m->points[from]); i++)
        add_point(m, i, held, changes ? &changes[m->points[i].pattern] : NULL, g);
    return i;
}

/* What is quadratic in a pattern's costs: c'Gc - 2 r'c + rest. */
struct pattern_sums {
    struct symmetric g;
    struct btb_vector r;
    double rest;
    struct btb_vector used;
};

static void eliminate(const struct group_sums *g, struct btb_vector t, struct pattern_sums *p)
{
    p->used.x += g->used.x;
    p->used.y += g->used.y;
    p->used.z += g->used.z;
    p->rest += g->yy;
    if (!g->mixed) { /* three lines, each by itself */
        struct btb_vector share = {t.x / (g->a.xx + t.x), t.y / (g->a.yy + t.y), t.z / (g->a.zz + t.z)};
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
    struct btb_vector b = times(&i, g->b);
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

/* The costs of one pattern, and what remains; INFINITY where they do not ascend. NaN: the cost that no row shows. */
static double solve(const struct pattern_sums *p, double costs[BTB_COSTS])
{
    /* what is hardly seen has hardly a cost */
    const double SEEN = 0.01;
    bool x = p->used.x > SEEN, y = p->used.y > SEEN, z = p->used.z > SEEN;
    struct symmetric g = p->g;
    struct btb_vector r = p->r;

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
    struct btb_vector c = times(&i, r);
    costs[0] = x ? c.x : (double)NAN;
    costs[1] = y ? c.y : (double)NAN;
    costs[2] = z ? c.z : (double)NAN;
    double before = 0;
    for (size_t k = 0; k < BTB_COSTS; k++)
        if (!isnan(costs[k])) {
            if (costs[k] < BTB_DEARER * before)
                return INFINITY;
            before = costs[k];
        }
    return p->rest - dot(r, c);
}

/* What remains of a group whatever costs are: how its hits and its misses scatter. */
static double scatter(const struct group_sums *g)
{
    if (g->mixed) {
        const double LITTLE = 1e-6; /* of a weight: what no row shows may cost anything */
        struct symmetric a = g->a;
        const double more = LITTLE * (a.xx + a.yy + a.zz);
        a.xx += more;
        a.yy += more;
        a.zz += more;
        const struct symmetric i = inverse(&a);
        return g->yy - dot(g->b, times(&i, g->b));
    }
    return g->yy - (g->a.xx > 0 ? g->b.x * g->b.x / g->a.xx : 0) - (g->a.yy > 0 ? g->b.y * g->b.y / g->a.yy : 0) -
           (g->a.zz > 0 ? g->b.z * g->b.z / g->a.zz : 0);
}

static bool several(unsigned bits)
{
    return (bits & (bits - 1)) != 0;
}

/* What a part more or less would change, at these costs; where one is not known, anything. */
static void find_changes(const struct btb_misfit *m, bool two_levels, double costs[BTB_PATTERNS][BTB_COSTS],
                         struct changes changes[BTB_PATTERNS])
{
    for (size_t p = 0; p < BTB_PATTERNS; p++) {
        const double range = m->patterns[p].most - m->patterns[p].least, *c = costs[p];
        const double nearer = (two_levels ? c[1] : c[2]) - c[0], farther = c[2] - c[1];
        changes[p] = (struct changes){isnan(nearer) ? range : nearer, isnan(farther) ? range : farther};
    }
}

/* What the rows of a group cost, whose own costs follow from its pattern's. */
static struct btb_vector group_costs(const struct group_sums *g, struct btb_vector spread,
                                     const double costs[BTB_COSTS])
{
    struct symmetric s = g->a;
    struct btb_vector b = g->b;

    s.xx += spread.x;
    s.yy += spread.y;
    s.zz += spread.z;
    b.x += isnan(costs[0]) ? 0 : spread.x * costs[0];
    b.y += isnan(costs[1]) ? 0 : spread.y * costs[1];
    b.z += isnan(costs[2]) ? 0 : spread.z * costs[2];
    const struct symmetric i = inverse(&s);
    return times(&i, b);
}

/* One point's share of chi-square at its group's costs: its weight times what is left of it, squared. */
static double share(const struct btb_misfit *m, size_t number, const struct btb_part *const held[BTB_MISFIT_LEVELS],
                    const struct changes *changes, struct btb_vector u)
{
    struct group_sums one = {0};

    add_point(m, number, held, changes, &one);
    struct btb_vector p = times(&one.a, u);
    return one.yy - 2 * dot(one.b, u) + dot(p, u);
}

/* With `changes` as far as they are known, or NULL. *doubted: there are parts that they matter for. */
static double fit_costs(const struct btb_misfit *m, const struct btb_part *one, const struct btb_part *two,
                        double limit, const struct changes changes[BTB_PATTERNS], double costs[BTB_PATTERNS][BTB_COSTS],
                        bool *doubted)
{
    const struct btb_part *const held[BTB_MISFIT_LEVELS] = {one, two};
    struct pattern_sums patterns[BTB_PATTERNS] = {0};
    unsigned show_one = 0, show_two = 0; /* spacings, each a bit */
    double sum = 0, least = 0;

    *doubted = false;
    for (size_t i = 0; i < m->count;) {
        const struct btb_misfit_point *is = &m->points[i];
        struct group_sums g;
        i = add_up(m, i, held, changes, &g);
        eliminate(&g, m->patterns[is->pattern].spread, &patterns[is->pattern]);
        *doubted |= g.doubted;
        least += scatter(&g);
        if (least > limit)
            return INFINITY;
        show_one |= g.used.x > SHOWS ? is->stride : 0;
        show_two |= g.used.y > SHOWS ? is->stride : 0;
    }
    for (size_t p = 0; p < BTB_PATTERNS; p++) {
        for (size_t k = 0; k < BTB_COSTS; k++)
            costs[p][k] = NAN;
        if (m->patterns[p].most > 0)
            sum += solve(&patterns[p], costs[p]);
    }
    return (!one || show_one) && (!two || show_two) ? sum : INFINITY;
}

/* Parts are doubted by what that makes of costs: once as if these were anything, and once as that gave them. */
double btb_misfit(const struct btb_misfit *m, const struct btb_part *one, const struct btb_part *two, double limit,
                  double costs[BTB_PATTERNS][BTB_COSTS])
{
    struct changes changes[BTB_PATTERNS];
    bool doubted;
    const double sum = fit_costs(m, one, two, limit, NULL, costs, &doubted);

    if (!doubted || !(sum < INFINITY))
        return sum;
    find_changes(m, two != NULL, costs, changes);
    return fit_costs(m, one, two, limit, changes, costs, &doubted);
}

bool btb_misfit_lonely(const struct btb_misfit *m, const struct btb_part *one, const struct btb_part *two)
{
    const struct btb_part *const held[BTB_MISFIT_LEVELS] = {one, two};
    unsigned show_one = 0, show_two = 0;

    for (size_t i = 0; i < m->count;) {
        unsigned stride = m->points[i].stride;
        struct group_sums g;
        i = add_up(m, i, held, NULL, &g);
        show_one |= g.used.x > SHOWS ? stride : 0;
        show_two |= g.used.y > SHOWS ? stride : 0;
    }
    return (one && !several(show_one)) || (two && !several(show_two));
}

double btb_misfit_worst(const struct btb_misfit *m, const struct btb_part *one, const struct btb_part *two,
                        double costs[BTB_PATTERNS][BTB_COSTS])
{
    const struct btb_part *const held[BTB_MISFIT_LEVELS] = {one, two};
    struct changes changes[BTB_PATTERNS];
    bool doubted = false;
    double worst = 0;

    for (size_t i = 0; i < m->count;) {
        struct group_sums g;
        i = add_up(m, i, held, NULL, &g);
        doubted |= g.doubted;
    }
    find_changes(m, two != NULL, costs, changes);
    for (size_t i = 0; i < m->count;) {
        const enum btb_pattern pattern = m->points[i].pattern;
        const size_t from = i;
        struct group_sums g;
        i = add_up(m, i, held, doubted ? changes : NULL, &g);
        const struct btb_vector u = group_costs(&g, m->patterns[pattern].spread, costs[pattern]);
        for (size_t k = from; k < i; k++)
            worst = fmax(worst, share(m, k, held, doubted ? &changes[pattern] : NULL, u));
    }
    return worst;
}
