#include "lib/structure/btb_fit.h"

#include <math.h>
#include <stdlib.h>

#include "lib/structure/btb_classes.h"
#include "lib/structure/btb_search.h"
#include "lib/structure/tolerances_btb.h"

/* A fit under one assumption on replacement. */
struct assumption {
    struct btb_classes classes;
    struct btb_search search;
    struct btb_fit_result result;
    size_t challenges; /* measured so far */
    bool challenged;   /* the sequence asked for last is a challenge */
    uint64_t random;
};

enum { LRU, ANY, ASSUMPTIONS };

struct btb_fit {
    struct btb_limits limits;
    struct assumption of[ASSUMPTIONS];
    bool lru_fails;  /* set by btb_fit_decide: the fit assuming ANY counts */
    size_t left_out; /* points for which there was no room */
};

struct btb_fit *btb_fit_start(const struct btb_limits *limits)
{
    struct btb_fit *f = calloc(1, sizeof *f);

    if (!f)
        return NULL;
    f->limits = *limits;
    for (size_t i = LRU; i < ASSUMPTIONS; i++) {
        struct assumption *a = &f->of[i];
        if (!btb_classes_start(&a->classes, limits->alignment, i == ANY) ||
            !btb_search_start(&a->search, &a->classes)) {
            btb_fit_free(f);
            return NULL;
        }
    }
    return f;
}

void btb_fit_free(struct btb_fit *f)
{
    for (size_t i = LRU; f && i < ASSUMPTIONS; i++) {
        btb_search_free(&f->of[i].search);
        btb_classes_free(&f->of[i].classes);
    }
    free(f);
}

/* The variance of a point because the last branch of a chain has a loop's other instructions before it. */
static double loop_variance(const struct btb_limits *limits, const struct btb_sequence *sequence)
{
    const double each = limits->last_at ? BTB_LOOP_CYCLES / sequence->count : 0;

    return each * each;
}

bool btb_fit_add(struct btb_fit *f, const struct btb_sequence *sequence, double cycles, double error)
{
    const struct btb_point point = {
        btb_limits_sequence(&f->limits, sequence->pattern, sequence->stride, sequence->count), cycles,
        sqrt(error * error + loop_variance(&f->limits, sequence))};

    if (f->of[LRU].classes.broken || f->of[ANY].classes.broken)
        return false;
    if (!btb_sequence_valid(&point.sequence) || !(cycles > 0) || !(cycles < INFINITY) || !(error >= 0) ||
        !(error < INFINITY))
        return false;
    if (btb_limits_exceeded(&f->limits, sequence))
        return true;
    for (size_t i = LRU; i < ASSUMPTIONS; i++) {
        struct assumption *a = &f->of[i];
        if (a->classes.point_count == BTB_FIT_POINTS) { /* both assumptions have all points */
            f->left_out++;
            return false;
        }
        if (!btb_classes_add(&a->classes, &point))
            return false;
        a->challenges += a->challenged;
        a->challenged = false;
    }
    return true;
}

/* ---- Survivors ---------------------------------------------------------------------------------- */

static bool same_index(const struct btb_index *a, const struct btb_index *b)
{
    return a->low == b->low && a->set_bits == b->set_bits && a->folded == b->folded;
}

/*
 * Whether these differ in their ways alone, and do not differ or are of a single set and overlap or follow each other.
 */
static bool joins(const struct btb_organisation *a, const struct btb_organisation *b)
{
    const bool alike = a->entry == b->entry && a->per_entry == b->per_entry && same_index(&a->index, &b->index);
    const unsigned apart = a->index.set_bits != 0; /* sets of other numbers of ways are not joined */

    return alike && a->ways + apart <= b->ways_end && b->ways + apart <= a->ways_end;
}

/* Joins the survivor to those listed that it joins; of these one is left, with all their ways. */
static bool join_listed(struct btb_fit_level *l, const struct btb_organisation *o)
{
    struct btb_organisation *into = NULL;
    struct btb_organisation *const first = l->shown;

    for (size_t i = 0; i < l->count && l->count <= BTB_FIT_SHOWN; i++) {
        if (!joins(into ? into : o, &first[i]) || &first[i] == into)
            continue;
        struct btb_organisation *to = into ? into : &first[i];
        const struct btb_organisation *from = into ? &first[i] : o;
        to->ways = from->ways < to->ways ? from->ways : to->ways;
        to->ways_end = from->ways_end > to->ways_end ? from->ways_end : to->ways_end;
        if (into) {
            first[i] = first[--l->count];
            i--;
        }
        into = to;
    }
    return into != NULL;
}

/* What this survivor does not share with the first one is not the same for all. */
static void compare(struct btb_fit_level *l, const struct btb_organisation *o)
{
    const struct btb_organisation *first = &l->shown[0];

    l->same_ways &= first->ways == o->ways && first->ways_end == o->ways_end;
    l->same_sets &= first->index.set_bits == o->index.set_bits;
    l->same_index &= same_index(&first->index, &o->index);
    /* a larger block than the largest one would predict the same */
    l->same_per_entry &= first->per_entry == o->per_entry && o->per_entry < BTB_PER_ENTRY_MOST;
}

/* Adds a survivor. Single sets of one kind whose sizes follow each other are counted as one, with a range of ways. */
static void add_survivor(struct btb_fit_level *l, const struct btb_organisation *o)
{
    if (join_listed(l, o))
        return;
    if (l->count < BTB_FIT_SHOWN)
        l->shown[l->count] = *o;
    else
        compare(l, o);
    l->count++;
}

static void list_survivors(const struct assumption *a, const uint8_t *marks, struct btb_fit_level *l)
{
    const struct btb_classes *c = &a->classes;

    for (size_t i = 0; i < c->count; i++)
        if (marks[i] && btb_classes_hold_all(c, (uint16_t)i))
            l->left = false;
    for (size_t i = 0; i < c->space.count; i++)
        if (marks[c->class_of[i]]) {
            const struct btb_organisation found = btb_space_organisation(&c->space, i);
            if (btb_space_distinct(&c->space, &found))
                add_survivor(l, &found);
        }
}

static enum reason list_levels(struct assumption *a)
{
    uint8_t *marks = calloc(a->classes.count, sizeof *marks);

    if (!marks)
        return REASON_NO_MEMORY;
    a->result.level_count = a->search.level_count;
    a->result.doubtful = btb_search_doubtful(&a->search, a->search.level_count);
    for (size_t l = 0; l < a->result.level_count; l++) {
        for (size_t p = 0; p < BRANCH_CHAIN_PATTERNS; p++)
            a->result.levels[l].cycles[p] = a->search.costs[p][l];
        struct btb_fit_level *level = &a->result.levels[l];
        level->left = level->same_ways = level->same_sets = level->same_index = level->same_per_entry = true;
        btb_search_mark(&a->search, l, marks);
        list_survivors(a, marks, level);
    }
    free(marks);
    return REASON_NONE;
}

static struct btb_fit_result *decide_assuming(struct btb_fit *f, size_t assumption)
{
    struct assumption *a = &f->of[assumption];
    const struct btb_classes *c = &a->classes;
    struct btb_fit_result *r = &a->result;
    bool seen[BRANCH_CHAIN_PATTERNS] = {0};

    *r = (struct btb_fit_result){.points = c->point_count,
                                 .any_replacement = c->space.any_replacement,
                                 .left_out = f->left_out,
                                 .challenges = a->challenges,
                                 .limits_known = f->limits.footprints[0] > 0,
                                 .complete = true};
    for (size_t i = 0; i < c->point_count; i++) {
        r->patterns += !seen[c->points[i].sequence.pattern];
        seen[c->points[i].sequence.pattern] = true;
    }
    if (c->broken || c->point_count < BTB_POINTS_LEAST) {
        r->reason = c->broken ? REASON_NO_MEMORY : REASON_TOO_FEW_POINTS;
        return r;
    }
    r->reason = btb_search_run(&a->search);
    r->mismatch = a->search.mismatch;
    r->expected = a->search.expected;
    r->complete = a->search.complete;
    if (!r->reason)
        r->reason = list_levels(a);
    return r;
}

/*
 * Where one level that replaces at random, or nearly so, explains what two levels with LRU do, a second level is not
 * certain: what survives as that one level is listed with the first of the two, about which they may agree.
 */
static void add_one_level(struct btb_fit *f, struct btb_fit_result *r)
{
    struct assumption *any = &f->of[ANY];
    uint8_t *marks = calloc(any->classes.count, sizeof *marks);

    if (!marks || !btb_search_one_level(&any->search)) {
        free(marks);
        return;
    }
    btb_search_mark(&any->search, 0, marks);
    r->level_count = 1;
    r->doubtful = btb_search_doubtful(&f->of[LRU].search, r->level_count) ||
                  btb_search_doubtful(&any->search, r->level_count);
    list_survivors(any, marks, &r->levels[0]);
    free(marks);
}

/* Finds what all survivors share, which counts for nothing where others may survive as well. */
static void compare_all(struct btb_fit_result *r)
{
    const bool untested = r->any_replacement && r->challenges < BTB_FIT_CHALLENGES;

    for (size_t i = 0; i < r->level_count; i++) {
        struct btb_fit_level *l = &r->levels[i];
        for (size_t k = 0; k < l->count && k < BTB_FIT_SHOWN; k++)
            compare(l, &l->shown[k]);
        if (!l->count || !r->complete || r->doubtful || untested)
            l->same_ways = l->same_sets = l->same_index = l->same_per_entry = false;
    }
}

const struct btb_fit_result *btb_fit_decide(struct btb_fit *f)
{
    struct btb_fit_result *r = decide_assuming(f, LRU);

    f->lru_fails = r->reason == REASON_NO_FIT;
    if (f->lru_fails)
        r = decide_assuming(f, ANY);
    else if (!r->reason && r->level_count == BTB_LEVELS)
        add_one_level(f, r);
    compare_all(r);
    return r;
}

bool btb_fit_next(struct btb_fit *f, struct btb_sequence *sequence)
{
    struct assumption *a = &f->of[f->lru_fails ? ANY : LRU];

    if (a->classes.broken || a->result.reason || a->classes.point_count == BTB_FIT_POINTS)
        return false;
    btb_search_refresh(&a->search);
    const enum btb_design found = btb_design_next(&a->search, &f->limits, a->challenges < BTB_FIT_CHALLENGES,
                                                  &a->random, sequence);
    a->challenged = found == BTB_DESIGN_CHALLENGE;
    return found != BTB_DESIGN_NONE;
}
