#include "lib/structure/btb_design.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/random.h"
#include "lib/structure/tolerances_btb.h"

enum {
    MEMBERS = 32,  /* survivors of a level that are compared */
    PER_OCTAVE = 4 /* counts of branches that are candidates */
};
/*
 * Where a level ends is not challenged where sequences were measured so near that their numbers of branches have this
 * ratio to what it holds: less than an entry more or less in each set of a few ways. Chosen.
 */
static const double CHALLENGE_LEAST = 1.1;

struct btb_sequence btb_limits_sequence(const struct btb_limits *limits, enum branch_chain_pattern pattern,
                                        unsigned stride, unsigned count)
{
    return (struct btb_sequence){pattern, stride, count, limits->last_at ? limits->last_at(pattern, stride) : 0};
}

bool btb_limits_exceeded(const struct btb_limits *limits, const struct btb_sequence *sequence)
{
    double bytes = (double)sequence->count * sequence->stride;

    for (size_t i = 0; i < BTB_FOOTPRINTS && limits->footprints[i] > 0; i++)
        if (bytes > BTB_FOOTPRINT_FULL * limits->footprints[i])
            return true;
    return false;
}

/* Survivors of one level; a random choice where there are more than MEMBERS. */
struct members {
    size_t count;
    struct btb_organisation all[MEMBERS];
};

static void choose_members(const struct btb_search *s, size_t level, uint64_t *random, uint8_t *marks,
                           struct members *m)
{
    const struct btb_classes *c = s->classes;
    size_t left = 0;

    btb_search_mark(s, level, marks);
    for (size_t o = 0; o < c->space.count; o++)
        left += marks[c->class_of[o]];
    m->count = 0;
    for (size_t o = 0; o < c->space.count && m->count < MEMBERS; o++)
        if (marks[c->class_of[o]] && random_below(random, left--) < MEMBERS - m->count)
            m->all[m->count++] = btb_space_organisation(&c->space, o);
}

/* Statistics of the part of a sequence that each member of a level holds. */
struct parts {
    double mean, variance, range;
};

static struct parts parts_of(const struct members *m, const struct btb_sequence *sequence)
{
    double sum = 0, squares = 0, least = 1, most = 0;

    for (size_t i = 0; i < m->count; i++) {
        double part = btb_organisation_resident(&m->all[i], sequence);
        sum += part;
        squares += part * part;
        least = fmin(least, part);
        most = fmax(most, part);
    }
    double mean = sum / (double)m->count;
    return (struct parts){mean, fmax(0, squares / (double)m->count - mean * mean), most - least};
}

/* How much less a hit of a level costs than a miss, as a part of that: in this pattern, or else in another. */
static double contrast(const struct btb_search *s, enum branch_chain_pattern pattern, size_t level)
{
    double found = NAN;

    for (size_t p = 0; p < BRANCH_CHAIN_PATTERNS; p++) {
        const double *c = s->costs[p];
        double behind = level == 0 && !isnan(c[1]) ? c[1] : c[2], is = (behind - c[level]) / behind;
        if (!isnan(is) && (isnan(found) || p == (size_t)pattern))
            found = is;
    }
    return isnan(found) ? BTB_CONTRAST_UNKNOWN : found;
}

static bool is_measured(const struct btb_classes *c, const struct btb_sequence *sequence)
{
    for (size_t i = 0; i < c->point_count; i++) {
        const struct btb_sequence *r = &c->points[i].sequence;
        if (r->pattern == sequence->pattern && r->stride == sequence->stride && r->count == sequence->count)
            return true;
    }
    return false;
}

/* The variance of the cost that survivors predict, relatively; 0 where they differ by less than a point can show. */
static double separation(const struct btb_search *s, const struct members members[BTB_LEVELS],
                         const struct btb_sequence *sequence)
{
    double sum = 0, missed = 1;

    for (size_t l = 0; l < s->level_count; l++) {
        const struct parts parts = parts_of(&members[l], sequence);
        double visible = missed * contrast(s, sequence->pattern, l);
        if (parts.range * visible > BTB_SIGMAS * s->points.scatter)
            sum += parts.variance * visible * visible;
        missed *= 1 - parts.mean;
    }
    return sum;
}

/*
 * The count, rounded down so that the sequence ends at the end of a line: the space of organisations does not model how
 * a full set holds a last block of which the sequence has only a part.
 */
static unsigned whole_lines(unsigned count, unsigned stride)
{
    const unsigned LINE = 64;
    unsigned step = stride < LINE / 2 ? LINE / stride : 2;

    return count > step ? count / step * step : count / 2 * 2;
}

static bool is_candidate(const struct btb_search *s, const struct btb_limits *limits,
                         const struct btb_sequence *sequence)
{
    return limits->patterns >> sequence->pattern & 1 && sequence->stride >= limits->stride_from &&
           sequence->stride <= limits->stride_to && sequence->count >= limits->count_from &&
           sequence->count <= limits->count_to && btb_sequence_valid(sequence) &&
           !btb_limits_exceeded(limits, sequence) && !is_measured(s->classes, sequence);
}

static bool find_separating(const struct btb_search *s, const struct btb_limits *limits,
                            const struct members members[BTB_LEVELS], struct btb_sequence *out)
{
    const unsigned counts = limits->last_at ? 2 : 1; /* in a chain with an odd number, pairs change with each turn */
    double best = 0;

    for (unsigned p = 0; p < BRANCH_CHAIN_PATTERNS; p++)
        for (unsigned stride = 1; stride <= BTB_STRIDE_MOST; stride *= 2)
            for (unsigned octave = PER_OCTAVE; octave <= BTB_COUNT_MOST; octave *= 2)
                for (unsigned part = 0; part < PER_OCTAVE * counts; part++) {
                    const struct btb_sequence candidate = btb_limits_sequence(
                        limits, (enum branch_chain_pattern)p, stride,
                        whole_lines(octave + octave / PER_OCTAVE * (part / counts), stride) + part % counts);
                    double score = is_candidate(s, limits, &candidate) ? separation(s, members, &candidate) : 0;
                    if (score > best) {
                        best = score;
                        *out = candidate;
                    }
                }
    return best > 0;
}

/* ---- Challenges --------------------------------------------------------------------------------- */

/* Where a level ends at one stride, and between which measured sequences that is. Counts of branches. */
struct edge {
    unsigned held;         /* most that the level holds as a whole */
    unsigned below, above; /* the nearest ones that were measured: the most that are held, the fewest that are not */
};

static double held_part(const struct btb_organisation *o, const struct btb_sequence *like, unsigned count)
{
    return btb_organisation_resident(o, &(struct btb_sequence){like->pattern, like->stride, count, like->last_at});
}

/* False where the level ends outside of the counts that can be measured. */
static bool find_edge(const struct btb_search *s, const struct btb_limits *limits, const struct btb_organisation *o,
                      const struct btb_sequence *like, struct edge *e)
{
    unsigned from = limits->count_from, to = limits->count_to;

    while (to > from && btb_limits_exceeded(limits, &(struct btb_sequence){.stride = like->stride, .count = to}))
        to = to / 4 * 3;
    *e = (struct edge){.below = from, .above = to};
    for (size_t i = 0; i < s->classes->point_count; i++) {
        const struct btb_sequence *q = &s->classes->points[i].sequence;
        if (q->pattern != like->pattern || q->stride != like->stride)
            continue;
        if (held_part(o, q, q->count) >= 1)
            e->below = q->count > e->below ? q->count : e->below;
        else
            e->above = q->count < e->above ? q->count : e->above;
    }
    if (e->above <= e->below || held_part(o, like, e->below / 2 * 2) < 1 || held_part(o, like, e->above / 2 * 2) >= 1)
        return false;
    unsigned least = e->below / 2 * 2, most = e->above / 2 * 2; /* chains with odd numbers were measured as well */
    while (most - least > 2) {
        const unsigned middle = (least + most) / 4 * 2;
        *(held_part(o, like, middle) >= 1 ? &least : &most) = middle;
    }
    e->held = least;
    return true;
}

/* The sequence that tests where a level ends at some stride, and how far from what was measured that is. */
struct challenge {
    struct btb_sequence sequence;
    double ratio; /* of counts; 0: there is none */
};

/*
 * The longest sequence that the level holds, or one half way to the next that was measured, whichever is farther off.
 */
static struct challenge challenge_at(const struct btb_search *s, const struct btb_limits *limits,
                                     const struct btb_organisation *o, struct btb_sequence like)
{
    struct challenge c = {.ratio = 0};
    struct edge e;

    if (!find_edge(s, limits, o, &like, &e))
        return c;
    const double held = e.held, counts[] = {held, sqrt(held * e.above)}, ratios[] = {held / e.below, e.above / held};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        like.count = whole_lines((unsigned)counts[i], like.stride);
        if (ratios[i] > c.ratio && is_candidate(s, limits, &like))
            c = (struct challenge){like, ratios[i]};
    }
    return c;
}

/*
 * The sequence that would refute a survivor most: at the stride at which the end of a level lies farthest from what was
 * measured, and there by the pattern by which it is known best. Which of several strides is random.
 */
static bool find_challenge(const struct btb_search *s, const struct btb_limits *limits,
                           const struct members members[BTB_LEVELS], uint64_t *random, struct btb_sequence *out)
{
    double widest = CHALLENGE_LEAST;
    size_t ties = 0;

    for (size_t l = 0; l < s->level_count; l++)
        for (unsigned stride = limits->stride_from; stride <= limits->stride_to; stride *= 2) {
            struct challenge least = {.ratio = INFINITY};
            for (unsigned p = 0; p < BRANCH_CHAIN_PATTERNS; p++) {
                const struct btb_sequence like = btb_limits_sequence(limits, (enum branch_chain_pattern)p, stride, 0);
                const struct challenge c = challenge_at(s, limits, &members[l].all[0], like);
                if (c.ratio > 0 && c.ratio < least.ratio)
                    least = c;
            }
            if (!(least.ratio < INFINITY) || least.ratio < widest)
                continue;
            ties = least.ratio > widest ? 1 : ties + 1;
            widest = least.ratio;
            if (random_below(random, ties) == 0)
                *out = least.sequence;
        }
    return ties > 0;
}

enum btb_design btb_design_next(const struct btb_search *s, const struct btb_limits *limits, bool may_challenge,
                                uint64_t *random, struct btb_sequence *out)
{
    struct members *members = calloc(BTB_LEVELS, sizeof *members);
    uint8_t *marks = calloc(s->classes->count, sizeof *marks);
    enum btb_design found = BTB_DESIGN_NONE;

    if (members && marks && s->pair_count) {
        for (size_t l = 0; l < s->level_count; l++)
            choose_members(s, l, random, marks, &members[l]);
        if (find_separating(s, limits, members, out))
            found = BTB_DESIGN_SEPARATE;
        else if (may_challenge && find_challenge(s, limits, members, random, out))
            found = BTB_DESIGN_CHALLENGE;
    }
    free(members);
    free(marks);
    return found;
}
