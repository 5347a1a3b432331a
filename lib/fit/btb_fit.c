#include "lib/fit/btb_fit.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/probe.h"
#include "lib/table.h"

/* Five sigma, squared: of survivors against the best, of a second level against none. */
static const double SURVIVES = 25;
/* With the best partner, and no survivor with any: only for what would take too long to be tried with all. */
static const double FAR_OFF = 200;
/* A level that holds less than so many times what the one before it holds is a bend in its end. */
static const double APART = 1.5;
/* A row that is so near to a footprint is beyond it: the loop around it is held there, too. */
static const double FULL_FROM = 0.85;

enum {
    POINTS_AT_LEAST = 12,
    SINGLE_SET_MOST = 512, /* no larger fully associative buffer is searched in a cycle */
    SEEDS = 4,             /* classes that begin the search for pairs, for each part of the rows */
    SCANS = 256,           /* classes that are combined with all others, at most */
    FULL_SCANS = 8,        /* or, with any replacement, only so many and the seeds */
    PAIRS = 4096,          /* that are kept */
    MEMBERS = 32,          /* survivors of a level that are asked for the next row */
    PER_OCTAVE = 4,        /* counts of branches that are candidates for the next row */
    TRIES = 4096           /* rows drawn at random to find one that may refute */
};

/* Of a set; single sets have no blocks. */
static const struct rule {
    enum btb_entry entry;
    unsigned per_entry;
} rules[] = {{BTB_SINGLE, 1}, {BTB_COND_FIRST, 2}, {BTB_UNCOND_NEXT, 2}, {BTB_ANY_NEXT, 2},
             {BTB_BLOCK, 2},  {BTB_BLOCK, 4},      {BTB_BLOCK, 8},       {BTB_BLOCK, 3},
             {BTB_BLOCK, 5},  {BTB_BLOCK, 6},      {BTB_BLOCK, 7}};
enum { RULES = sizeof rules / sizeof rules[0], SINGLE_SET_RULES = 4, PER_ENTRY_MOST = 8 };
/* Those that are asked for with any replacement, where more would fit than is of use: powers of two to a block. */
enum { USUAL_RULES = 7 };

/* ---- Organisations in question, numbered -------------------------------------------------------- */

static size_t index_count(const struct btb_fit_question *q)
{
    size_t lows = 0;

    for (unsigned low = 0; low <= BTB_LOW_MOST; low++)
        lows += 1U << low >= q->alignment;
    return lows * BTB_SET_BITS_MOST * 2;
}

static struct btb_index index_of(const struct btb_fit_question *q, size_t number)
{
    unsigned low = (unsigned)(number / (BTB_SET_BITS_MOST * 2));

    for (unsigned a = 1; a < q->alignment; a *= 2)
        low++;
    return (struct btb_index){
        .low = low, .set_bits = 1 + (unsigned)(number / 2) % BTB_SET_BITS_MOST, .folded = number % 2 != 0};
}

/* Single sets first, then each index with each rule and number of ways. */
static size_t organisation_count(const struct btb_fit_question *q, size_t rule_count)
{
    return SINGLE_SET_RULES * SINGLE_SET_MOST + index_count(q) * rule_count * BTB_WAYS;
}

static struct btb_organisation organisation_of(const struct btb_fit_question *q, size_t rule_count, size_t number)
{
    struct btb_organisation o = {0};

    if (number < SINGLE_SET_RULES * SINGLE_SET_MOST) {
        o.ways = 1 + (unsigned)(number % SINGLE_SET_MOST);
        o.entry = rules[number / SINGLE_SET_MOST].entry;
        o.per_entry = rules[number / SINGLE_SET_MOST].per_entry;
    } else {
        number -= SINGLE_SET_RULES * SINGLE_SET_MOST;
        o.ways = 1 + (unsigned)(number % BTB_WAYS);
        o.entry = rules[number / BTB_WAYS % rule_count].entry;
        o.per_entry = rules[number / BTB_WAYS % rule_count].per_entry;
        o.index = index_of(q, number / BTB_WAYS / rule_count);
    }
    o.ways_end = o.ways + 1;
    return o;
}

void btb_organisation_text(const struct btb_organisation *o, char *out, size_t room)
{
    char ways[24], index[32] = "";
    unsigned top = o->index.low + o->index.set_bits;

    if (o->ways_end > o->ways + 1)
        snprintf(ways, sizeof ways, "%u to %u", o->ways, o->ways_end - 1);
    else
        snprintf(ways, sizeof ways, "%u", o->ways);
    if (o->index.set_bits)
        snprintf(index, sizeof index, ", PC[%u:%u]", top - 1, o->index.low);
    if (o->index.folded)
        snprintf(index + strlen(index), sizeof index - strlen(index), "^[%u:%u]", top + o->index.set_bits - 1, top);
    snprintf(out, room, "%s ways of %u sets%s, %s %u", ways, 1U << o->index.set_bits, index, btb_entry_names[o->entry],
             o->per_entry);
}

/* ---- The fit's state ---------------------------------------------------------------------------- */

struct pair {
    uint16_t level[BTB_FIT_LEVELS]; /* classes */
    double misfit;
};

/*
 * Organisations that predict alike in all rows so far are one class; each new row may split it. A class keeps what it
 * holds of each point's row.
 */
struct btb_fit {
    struct btb_fit_question question;
    bool any_replacement; /* else least recently used first */
    struct btb_fit *any;  /* of the one that begins with that: what is asked where it does not fit */
    bool ask_any;         /* it did not */
    size_t rule_count;
    size_t organisations;
    uint16_t *class_of;    /* by organisation */
    struct btb_part *held; /* class_count rows of BTB_FIT_POINTS */
    size_t class_count, class_room;
    struct btb_part *split_at; /* by organisation, while a point is added: hits */
    bool broken;               /* memory was short in the middle of that */
    size_t count;              /* points */
    struct btb_point points[BTB_FIT_POINTS];
    struct pair *pairs;
    size_t pair_count;
    double best;
    struct btb_fit_result result;
    double costs[BTB_PATTERNS][BTB_COSTS]; /* of the best */
    uint16_t *root;                        /* by class: which one it was part of when pairs were found */
    size_t challenges;                     /* rows asked for that might have refuted the survivors */
    uint64_t random;
};

static const uint16_t NONE = UINT16_MAX;

static struct btb_fit *start(const struct btb_fit_question *q, bool any_replacement)
{
    struct btb_fit *f = calloc(1, sizeof *f);

    if (!f)
        return NULL;
    f->question = *q;
    f->any_replacement = any_replacement;
    f->rule_count = any_replacement ? USUAL_RULES : RULES;
    f->organisations = organisation_count(q, f->rule_count);
    f->class_count = 1;
    f->class_room = 64;
    f->class_of = calloc(f->organisations, sizeof *f->class_of);
    f->split_at = calloc(f->organisations, sizeof *f->split_at);
    f->held = calloc(f->class_room * BTB_FIT_POINTS, sizeof *f->held);
    f->root = calloc(f->class_room, sizeof *f->root);
    f->pairs = calloc(PAIRS, sizeof *f->pairs);
    if (f->class_of && f->split_at && f->held && f->root && f->pairs)
        return f;
    btb_fit_free(f);
    return NULL;
}

static struct btb_organisation organisation(const struct btb_fit *f, size_t number)
{
    return organisation_of(&f->question, f->rule_count, number);
}

struct btb_fit *btb_fit_start(const struct btb_fit_question *q)
{
    struct btb_fit *f = start(q, false);

    if (!f || (f->any = start(q, true)))
        return f;
    btb_fit_free(f);
    return NULL;
}

void btb_fit_free(struct btb_fit *f)
{
    if (!f)
        return;
    btb_fit_free(f->any);
    free(f->class_of);
    free(f->split_at);
    free(f->held);
    free(f->root);
    free(f->pairs);
    free(f);
}

static bool beyond_footprint(const struct btb_fit_question *q, const struct btb_row *row)
{
    double bytes = (double)row->count * row->stride;

    for (size_t i = 0; i < BTB_FIT_FOOTPRINTS && q->footprints[i] > 0; i++)
        if (bytes > FULL_FROM * q->footprints[i])
            return true;
    return false;
}

/* ---- Points ------------------------------------------------------------------------------------- */

static uint16_t part(unsigned held, unsigned of)
{
    return (uint16_t)(((uint64_t)held * BTB_ALL + of / 2) / of);
}

/* `most`, where not all that a set is asked for stays. */
static struct btb_part part_of(bool any_replacement, unsigned held, double most, unsigned of)
{
    const uint16_t least = part(held, of);
    const unsigned best = (unsigned)floor(most);

    return (struct btb_part){least, any_replacement && best > held ? part(best < of ? best : of, of) : least};
}

/* What every organisation holds of a row. */
static void predict_all(const struct btb_fit *f, const struct btb_row *row, struct btb_part *out)
{
    const struct btb_fit_question *q = &f->question;
    unsigned plain[BTB_WAYS + 1], joined[BTB_WAYS + 1];
    double plain_most[BTB_WAYS + 1] = {0}, joined_most[BTB_WAYS + 1] = {0};

    for (size_t r = 0; r < SINGLE_SET_RULES; r++) {
        unsigned entries = btb_row_entries(rules[r].entry, row);
        for (unsigned ways = 1; ways <= SINGLE_SET_MOST; ways++)
            *out++ = part_of(f->any_replacement, entries <= ways ? row->count : 0,
                             fmin(row->count, (double)rules[r].per_entry * ways), row->count);
    }
    for (size_t i = 0; i < index_count(q); i++) {
        const struct btb_index index = index_of(q, i);
        btb_row_held(&index, BTB_SINGLE, 1, row, plain, f->any_replacement ? plain_most : NULL);
        for (size_t r = 0; r < f->rule_count; r++) {
            const unsigned *held = plain;
            const double *most = plain_most;
            if (!btb_row_single(&index, rules[r].entry, row)) {
                btb_row_held(&index, rules[r].entry, rules[r].per_entry, row, joined,
                             f->any_replacement ? joined_most : NULL);
                held = joined;
                most = joined_most;
            }
            for (unsigned ways = 1; ways <= BTB_WAYS; ways++)
                *out++ = part_of(f->any_replacement, held[ways], most[ways], row->count);
        }
    }
}

/* A class of its own for those of `class` that hold so much of the newest point; NONE where memory is short. */
static uint16_t new_class(struct btb_fit *f, uint16_t class, struct btb_part hits)
{
    if (f->class_count == NONE)
        return NONE;
    if (f->class_count == f->class_room) {
        struct btb_part *held = realloc(f->held, 2 * f->class_room * BTB_FIT_POINTS * sizeof *held);
        if (held)
            f->held = held;
        uint16_t *root = realloc(f->root, 2 * f->class_room * sizeof *root);
        if (root)
            f->root = root;
        if (!held || !root)
            return NONE;
        f->class_room *= 2;
    }
    struct btb_part *row = &f->held[f->class_count * BTB_FIT_POINTS];
    memcpy(row, &f->held[class * BTB_FIT_POINTS], f->count * sizeof *row);
    row[f->count] = hits;
    f->root[f->class_count] = f->root[class];
    return (uint16_t)f->class_count++;
}

struct child {
    struct btb_part hits;
    uint16_t class, next; /* of the same parent */
};

static bool same_part(struct btb_part a, struct btb_part b)
{
    return a.least == b.least && a.most == b.most;
}

/* Splits classes by what their organisations hold of the point that is about to be added. */
static bool split(struct btb_fit *f)
{
    size_t parents = f->class_count, room = f->organisations, used = 0;
    struct child *children = calloc(room, sizeof *children);
    uint16_t *first = calloc(parents, sizeof *first);
    bool good = children && first;

    for (size_t i = 0; good && i < parents; i++)
        first[i] = NONE;
    for (size_t o = 0; good && o < f->organisations; o++) {
        uint16_t parent = f->class_of[o], *link = &first[parent];
        while (*link != NONE && !same_part(children[*link].hits, f->split_at[o]))
            link = &children[*link].next;
        if (*link == NONE) {
            bool eldest = first[parent] == NONE;
            uint16_t class = eldest ? parent : new_class(f, parent, f->split_at[o]);
            if (eldest)
                f->held[(size_t)parent * BTB_FIT_POINTS + f->count] = f->split_at[o];
            if (class == NONE) {
                good = false;
                break;
            }
            *link = (uint16_t)used;
            children[used++] = (struct child){f->split_at[o], class, NONE};
        }
        f->class_of[o] = children[*link].class;
    }
    free(children);
    free(first);
    return good;
}

static bool add(struct btb_fit *f, const struct btb_row *row, double cycles, double error)
{
    if (f->broken || f->count == BTB_FIT_POINTS || !btb_row_good(row) || !(cycles > 0) || !(cycles < INFINITY) ||
        !(error >= 0) || !(error < INFINITY))
        return false;
    if (beyond_footprint(&f->question, row))
        return true;
    predict_all(f, row, f->split_at);
    if (!split(f)) {
        f->broken = true;
        return false;
    }
    f->points[f->count] = (struct btb_point){*row, cycles, error};
    f->count++;
    return true;
}

bool btb_fit_add(struct btb_fit *f, const struct btb_row *row, double cycles, double error)
{
    return add(f, row, cycles, error) && add(f->any, row, cycles, error);
}

/* ---- Search ------------------------------------------------------------------------------------- */

struct fitting {
    struct btb_fit *fit;
    const unsigned *reach; /* by class: the longest row that is held */
    struct btb_misfit rows;
};

/*
 * Where it is not known what is replaced, nothing is to hang on a plateau that slopes, nor on what rows of one spacing
 * cost: rows past a level teach little of that. A plateau may slope by what makes no new level, evenly; and rows may
 * deviate twice as much: on a Raptor Cove a hit of the last level costs 5 cycles at 8 bytes, 4 at 16, 3.2 behind that.
 */
static const struct btb_slack *slack_of(const struct btb_fit *f)
{
    static const struct btb_slack lru = {0.01, 0.1, 0.2}, any = {(BTB_DEARER - 1) / 1.7320508, 0.2, 0.4};
    return f->any_replacement ? &any : &lru;
}

static void prepare(struct btb_fit *f, struct fitting *t, unsigned from, unsigned to)
{
    t->fit = f;
    btb_misfit_prepare(&t->rows, f->points, f->count, from, to, slack_of(f));
}

static const struct btb_part *held_by(const struct btb_fit *f, uint16_t class)
{
    return class == NONE ? NULL : &f->held[(size_t) class * BTB_FIT_POINTS];
}

/* Of two classes as levels 1 and 2; NONE: there is no such level. */
static double misfit(const struct fitting *t, uint16_t one, uint16_t two, double limit,
                     double costs[BTB_PATTERNS][BTB_COSTS])
{
    return btb_misfit(&t->rows, held_by(t->fit, one), held_by(t->fit, two), limit, costs);
}

/*
 * The most that a survivor misses. With any replacement the best may be best since more of it is doubted: what explains
 * the points as well as chance would survives.
 */
static double survives(const struct btb_fit *f)
{
    return f->any_replacement ? fmax(f->best + SURVIVES, f->result.expected) : f->best + SURVIVES;
}

/* Keeps the pair if it may survive. */
static void keep(struct btb_fit *f, uint16_t one, uint16_t two, double chi)
{
    size_t kept = 0;

    if (!(chi < INFINITY) || chi > survives(f))
        return;
    if (f->pair_count == PAIRS || chi < f->best) {
        f->best = fmin(f->best, chi);
        for (size_t i = 0; i < f->pair_count; i++)
            if (f->pairs[i].misfit <= survives(f))
                f->pairs[kept++] = f->pairs[i];
        f->pair_count = kept;
    }
    for (size_t i = 0; i < f->pair_count; i++)
        if (f->pairs[i].level[0] == one && f->pairs[i].level[1] == two)
            return;
    if (f->pair_count < PAIRS)
        f->pairs[f->pair_count++] = (struct pair){{one, two}, chi};
    else
        f->result.complete = false;
}

/* Shifted by a level: a class was held to be it, while the other was anything; it may be it, with some other. */
enum { SCANNED = 1, POSSIBLE = 4 };

/*
 * Holds one class as `level` against all others at the other level, or against those that are possible there. These are
 * what some full scan found not to be far off.
 */
static void scan(struct fitting *t, uint16_t class, size_t level, bool full, uint8_t *scanned)
{
    struct btb_fit *f = t->fit;
    double costs[BTB_PATTERNS][BTB_COSTS];
    const unsigned possible = (unsigned)POSSIBLE << (1 - level);

    for (size_t other = 0; other < f->class_count; other++) {
        uint16_t one = level == 0 ? class : (uint16_t)other, two = level == 0 ? (uint16_t)other : class;
        if (one == two || (!full && !(scanned[other] & possible)))
            continue;
        const double limit = survives(f) + (full && f->any_replacement ? FAR_OFF : 0);
        const double chi = misfit(t, one, two, limit, costs);
        if (chi <= limit)
            scanned[other] |= (uint8_t)possible;
        keep(f, one, two, chi);
    }
    scanned[class] |= (uint8_t)(SCANNED << level);
}

/* The best pair of which a class was not scanned yet; NULL when there is none. */
static const struct pair *next_pair(const struct btb_fit *f, const uint8_t *scanned, size_t *level)
{
    const struct pair *best = NULL;

    for (size_t i = 0; i < f->pair_count; i++)
        for (size_t l = 0; l < BTB_FIT_LEVELS; l++)
            if (!(scanned[f->pairs[i].level[l]] & SCANNED << l) && (!best || f->pairs[i].misfit < best->misfit)) {
                best = &f->pairs[i];
                *level = l;
            }
    return best;
}

/* How much each class misses by itself; with any replacement, of those that are far from the best it is not asked. */
static void fit_alone(const struct fitting *t, double *alone)
{
    double costs[BTB_PATTERNS][BTB_COSTS], best = INFINITY;

    for (size_t c = 0; c < t->fit->class_count; c++) {
        alone[c] = misfit(t, (uint16_t)c, NONE, t->fit->any_replacement ? best + FAR_OFF : INFINITY, costs);
        best = fmin(best, alone[c]);
    }
}

/* The classes that miss least, as either level, with all others as the other one. */
static size_t scan_best(struct fitting *t, const double *alone, uint8_t *scanned)
{
    const struct btb_fit *f = t->fit;
    size_t scans = 0;

    for (size_t s = 0; s < (f->any_replacement ? 1 : SEEDS); s++) {
        size_t seed = f->class_count;
        for (size_t c = 0; c < f->class_count; c++)
            if (!scanned[c] && alone[c] < INFINITY && (seed == f->class_count || alone[c] < alone[seed]))
                seed = c;
        for (size_t l = 0; seed < f->class_count && l < BTB_FIT_LEVELS; l++, scans++)
            scan(t, (uint16_t)seed, l, true, scanned);
    }
    return scans;
}

/*
 * All pairs are too many. Short rows need hardly more than the first level, long ones are beyond it: classes that
 * explain the ones or the others by themselves are held against all others; and then, as long as pairs survive whose
 * classes were not, these.
 */
static void search_pairs(struct fitting *t, double *alone, uint8_t *scanned)
{
    struct btb_fit *f = t->fit;
    size_t scans = scan_best(t, alone, scanned);

    for (unsigned count = 32; count < BTB_COUNT_MOST; count *= 4)
        for (size_t longer = 0; longer < 2; longer++) {
            prepare(f, t, longer ? count : 0, longer ? UINT_MAX : count);
            if (t->rows.count < POINTS_AT_LEAST || t->rows.count == f->count)
                continue;
            fit_alone(t, alone);
            prepare(f, t, 0, UINT_MAX);
            scans += scan_best(t, alone, scanned);
        }
    prepare(f, t, 0, UINT_MAX);
    for (size_t i = 0; scans < SCANS; scans++, i++) {
        size_t level;
        const struct pair *p = next_pair(f, scanned, &level);
        if (!p)
            return;
        scan(t, p->level[level], level, !f->any_replacement || i < FULL_SCANS, scanned);
    }
    f->result.complete = false;
}

/* ---- Decision ----------------------------------------------------------------------------------- */

static bool same_index(const struct btb_index *a, const struct btb_index *b)
{
    return a->low == b->low && a->set_bits == b->set_bits && a->folded == b->folded;
}

/* One more survivor. Single sets of one kind whose sizes follow each other are one. */
static void survivor(struct btb_fit_level *l, const struct btb_organisation *o)
{
    if (l->count > 0) {
        const struct btb_organisation *first = &l->shown[0];
        struct btb_organisation *last = &l->shown[(l->count < BTB_FIT_SHOWN ? l->count : BTB_FIT_SHOWN) - 1];
        if (o->index.set_bits == 0 && l->count <= BTB_FIT_SHOWN && last->entry == o->entry &&
            last->index.set_bits == 0 && last->ways_end == o->ways) {
            last->ways_end = o->ways_end;
            return;
        }
        l->same_ways &= first->ways == o->ways && first->ways_end == o->ways_end;
        l->same_sets &= first->index.set_bits == o->index.set_bits;
        l->same_index &= same_index(&first->index, &o->index);
        l->same_per_entry &= first->per_entry == o->per_entry;
    } else
        l->same_ways = l->same_sets = l->same_index = l->same_per_entry = true;
    l->same_per_entry &= o->per_entry < PER_ENTRY_MOST; /* it may as well be more */
    if (l->count < BTB_FIT_SHOWN)
        l->shown[l->count] = *o;
    l->count++;
}

static bool holds_all(const struct btb_fit *f, size_t class)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->held[class * BTB_FIT_POINTS + i].least != BTB_ALL)
            return false;
    return true;
}

/* Which classes survive at a level, as marks by class. */
static void mark_survivors(const struct btb_fit *f, size_t level, uint8_t *marks)
{
    memset(marks, 0, f->class_count);
    for (size_t i = 0; i < f->pair_count; i++)
        if (f->pairs[i].misfit <= survives(f))
            marks[f->pairs[i].level[level]] = 1;
}

/* A block of one instruction is no block. */
static bool sensible(const struct btb_fit_question *q, const struct btb_organisation *o)
{
    return o->entry != BTB_BLOCK || 1U << o->index.low > q->alignment;
}

static void tell_level(const struct btb_fit *f, const uint8_t *marks, struct btb_fit_level *l)
{
    l->left = true;
    for (size_t c = 0; c < f->class_count; c++)
        if (marks[c] && holds_all(f, c))
            l->left = false;
    for (size_t o = 0; o < f->organisations; o++)
        if (marks[f->class_of[o]]) {
            const struct btb_organisation found = organisation(f, o);
            if (sensible(&f->question, &found))
                survivor(l, &found);
        }
    if (!f->result.complete || f->result.doubtful)
        l->same_ways = l->same_sets = l->same_index = l->same_per_entry = false;
}

static void find_reach(const struct btb_fit *f, unsigned *reach)
{
    for (size_t c = 0; c < f->class_count; c++) {
        reach[c] = 0;
        for (size_t i = 0; i < f->count; i++)
            if (f->held[c * BTB_FIT_POINTS + i].least == BTB_ALL && f->points[i].row.count > reach[c])
                reach[c] = f->points[i].row.count;
    }
}

static const struct pair *best_pair(const struct btb_fit *f)
{
    const struct pair *best = NULL;

    for (size_t i = 0; i < f->pair_count; i++)
        if (!best || f->pairs[i].misfit < best->misfit)
            best = &f->pairs[i];
    return best;
}

/*
 * What explains rows and may be no level: some survivor has a level that one spacing alone shows, or one that hardly
 * holds more than the one before. It may stand for something that is not in question at all.
 */
static bool doubtful(const struct fitting *t)
{
    const struct btb_fit *f = t->fit;

    for (size_t i = 0; i < f->pair_count; i++) {
        const uint16_t *level = f->pairs[i].level;
        if (btb_misfit_lonely(&t->rows, held_by(f, level[0]), held_by(f, level[1])) ||
            (level[1] != NONE && t->reach[level[1]] < APART * t->reach[level[0]]))
            return true;
    }
    return false;
}

/* No point is off by more than chance. Leaves the pair's costs. */
static bool fits(const struct fitting *t, const struct pair *pair)
{
    struct btb_fit *f = t->fit;

    misfit(t, pair->level[0], pair->level[1], INFINITY, f->costs);
    double worst = btb_misfit_worst(&t->rows, held_by(f, pair->level[0]), held_by(f, pair->level[1]), f->costs);
    return worst <= BTB_CHANCE * BTB_CHANCE;
}

/* With points enough, and memory. */
static const char *decide(struct fitting *t, double *alone, uint8_t *marks)
{
    struct btb_fit *f = t->fit;
    struct btb_fit_result *r = &f->result;
    double flat = misfit(t, NONE, NONE, INFINITY, f->costs), one_level = INFINITY;

    r->expected = btb_misfit_expected(&t->rows);
    fit_alone(t, alone);
    for (size_t c = 0; c < f->class_count; c++)
        one_level = fmin(one_level, alone[c]);
    r->misfit = flat;
    if (flat <= r->expected && flat <= one_level + SURVIVES)
        return "no-level";
    search_pairs(t, alone, marks);
    r->misfit = fmax(0, fmin(one_level, f->best)); /* sums may cancel to a little less */
    r->level_count = 2;
    if (one_level <= r->expected && one_level <= f->best + SURVIVES) {
        r->level_count = 1;
        r->complete = true;
        f->best = one_level;
        f->pair_count = 0;
        fit_alone(t, alone);
        for (size_t c = 0; c < f->class_count; c++)
            keep(f, (uint16_t)c, NONE, alone[c]);
    }
    const struct pair *best = best_pair(f);
    if (r->misfit > r->expected || !best || !fits(t, best)) {
        r->level_count = 0;
        return "none-fits";
    }
    r->doubtful = doubtful(t);
    for (size_t l = 0; l < r->level_count; l++) {
        for (size_t p = 0; p < BTB_PATTERNS; p++)
            r->levels[l].cycles[p] = f->costs[p][l];
        mark_survivors(f, l, marks);
        tell_level(f, marks, &r->levels[l]);
    }
    return NULL;
}

static const struct btb_fit_result *decide_one(struct btb_fit *f)
{
    struct btb_fit_result *r = &f->result;
    bool seen[BTB_PATTERNS] = {0};
    size_t room = f->class_count + 1; /* never 0 */

    *r = (struct btb_fit_result){.points = f->count,
                                 .any_replacement = f->any_replacement,
                                 .challenges = f->challenges,
                                 .limits_known = f->question.footprints[0] > 0,
                                 .complete = true};
    f->pair_count = 0;
    f->best = INFINITY;
    for (size_t c = 0; c < f->class_count; c++)
        f->root[c] = (uint16_t)c;
    for (size_t i = 0; i < f->count; i++) {
        r->patterns += !seen[f->points[i].row.pattern];
        seen[f->points[i].row.pattern] = true;
    }
    struct fitting *t = malloc(sizeof *t);
    double *alone = calloc(room, sizeof *alone);
    uint8_t *marks = calloc(room, sizeof *marks);
    unsigned *reach = calloc(room, sizeof *reach);
    if (f->broken || !t || !alone || !marks || !reach)
        r->reason = "no-memory";
    else if (f->count < POINTS_AT_LEAST)
        r->reason = "too-few-points";
    else {
        find_reach(f, reach);
        t->reach = reach;
        prepare(f, t, 0, UINT_MAX);
        r->reason = decide(t, alone, marks);
    }
    free(t);
    free(alone);
    free(marks);
    free(reach);
    return r;
}

const struct btb_fit_result *btb_fit_decide(struct btb_fit *f)
{
    const struct btb_fit_result *r = decide_one(f);

    f->ask_any = r->reason && strcmp(r->reason, "none-fits") == 0;
    return f->ask_any ? decide_one(f->any) : r;
}

/* ---- The next row ------------------------------------------------------------------------------- */

/* Survivors of one level; where they are many, some, by chance. */
struct members {
    size_t count;
    struct btb_organisation all[MEMBERS];
};

static void gather_members(struct btb_fit *f, size_t level, uint8_t *marks, struct members *m)
{
    size_t left = 0;

    mark_survivors(f, level, marks);
    for (size_t o = 0; o < f->organisations; o++)
        left += marks[f->class_of[o]];
    m->count = 0;
    for (size_t o = 0; o < f->organisations && m->count < MEMBERS; o++)
        if (marks[f->class_of[o]] && random_below(&f->random, left--) < MEMBERS - m->count)
            m->all[m->count++] = organisation(f, o);
}

static double part_held(const struct btb_organisation *o, const struct btb_row *row)
{
    unsigned held[BTB_WAYS + 1];

    if (o->index.set_bits == 0)
        return btb_row_entries(o->entry, row) <= o->ways;
    btb_row_held(&o->index, o->entry, o->per_entry, row, held, NULL);
    return (double)held[o->ways] / row->count;
}

struct opinions {
    double mean, variance, range;
};

static struct opinions ask(const struct members *m, const struct btb_row *row)
{
    double sum = 0, squares = 0, least = 1, most = 0;

    for (size_t i = 0; i < m->count; i++) {
        double part = part_held(&m->all[i], row);
        sum += part;
        squares += part * part;
        least = fmin(least, part);
        most = fmax(most, part);
    }
    double mean = sum / (double)m->count;
    return (struct opinions){mean, fmax(0, squares / (double)m->count - mean * mean), most - least};
}

/* What a miss of a level costs more than a hit, relatively: in this pattern or, where it is not known, in another. */
static double contrast(const struct btb_fit *f, enum btb_pattern pattern, size_t level)
{
    double found = NAN;

    for (size_t p = 0; p < BTB_PATTERNS; p++) {
        const double *c = f->costs[p];
        double behind = level == 0 && !isnan(c[1]) ? c[1] : c[2], is = (behind - c[level]) / behind;
        if (!isnan(is) && (isnan(found) || p == (size_t)pattern))
            found = is;
    }
    return isnan(found) ? 0.5 : found;
}

static bool measured(const struct btb_fit *f, const struct btb_row *row)
{
    for (size_t i = 0; i < f->count; i++) {
        const struct btb_row *r = &f->points[i].row;
        if (r->pattern == row->pattern && r->stride == row->stride && r->count == row->count)
            return true;
    }
    return false;
}

/* How well this row would tell survivors apart; 0 where no two of them differ by what a point can show. */
static double tells_apart(const struct btb_fit *f, const struct members members[BTB_FIT_LEVELS],
                          const struct btb_row *row)
{
    double sum = 0, missed = 1;

    for (size_t l = 0; l < f->result.level_count; l++) {
        const struct opinions o = ask(&members[l], row);
        double seen = missed * contrast(f, row->pattern, l);
        if (o.range * seen > BTB_CHANCE * slack_of(f)->scatter)
            sum += o.variance * seen * seen;
        missed *= 1 - o.mean;
    }
    return sum;
}

/*
 * So many branches that the row ends where a line does: what becomes of the last block, if the row takes a part of it
 * and its set has no room, depends on how entries are filled.
 */
static unsigned whole_lines(unsigned count, unsigned stride)
{
    const unsigned LINE = 64;
    unsigned grain = stride < LINE / 2 ? LINE / stride : 2;

    return count > grain ? count / grain * grain : count / 2 * 2;
}

static bool possible(const struct btb_fit *f, const struct btb_row *row)
{
    const struct btb_fit_question *q = &f->question;

    return q->patterns >> row->pattern & 1 && row->stride >= q->stride_from && row->stride <= q->stride_to &&
           row->count >= q->count_from && row->count <= q->count_to && btb_row_good(row) && !beyond_footprint(q, row) &&
           !measured(f, row);
}

/* The row that tells survivors apart best; false where none does. */
static bool telling_row(const struct btb_fit *f, const struct members members[BTB_FIT_LEVELS], struct btb_row *out)
{
    double best = 0;

    for (unsigned p = 0; p < BTB_PATTERNS; p++)
        for (unsigned stride = 1; stride <= BTB_STRIDE_MOST; stride *= 2)
            for (unsigned octave = PER_OCTAVE; octave <= BTB_COUNT_MOST; octave *= 2)
                for (unsigned part = 0; part < PER_OCTAVE; part++) {
                    struct btb_row row = {(enum btb_pattern)p, stride,
                                          whole_lines(octave + octave / PER_OCTAVE * part, stride)};
                    double score = possible(f, &row) ? tells_apart(f, members, &row) : 0;
                    if (score > best) {
                        best = score;
                        *out = row;
                    }
                }
    return best > 0;
}

/*
 * A row that may refute what survives: chance decides, among those that would be held otherwise if they were a third
 * longer, or shorter. False where none was found.
 */
static bool challenging_row(struct btb_fit *f, const struct members members[BTB_FIT_LEVELS], struct btb_row *out)
{
    for (size_t i = 0; i < TRIES; i++) {
        struct btb_row row = {.pattern = (enum btb_pattern)random_below(&f->random, BTB_PATTERNS),
                              .stride = 1U << random_below(&f->random, 17)};
        unsigned octave = 1U << random_below(&f->random, 17);
        row.count = whole_lines(octave + (unsigned)random_below(&f->random, octave), row.stride);
        struct btb_row shorter = row, longer = row;
        shorter.count = row.count / 4 * 3 / 2 * 2;
        longer.count = row.count / 3 * 4 / 2 * 2;
        if (!possible(f, &row) || !btb_row_good(&shorter) || !btb_row_good(&longer))
            continue;
        for (size_t l = 0; l < f->result.level_count; l++)
            if (part_held(&members[l].all[0], &shorter) > part_held(&members[l].all[0], &longer)) {
                *out = row;
                return true;
            }
    }
    return false;
}

/* Pairs of what became of the classes since pairs were found. */
static void refresh(struct btb_fit *f, struct fitting *t)
{
    size_t count = f->pair_count;
    struct pair *before = malloc((count + 1) * sizeof *before);
    double costs[BTB_PATTERNS][BTB_COSTS];

    if (!before)
        return;
    memcpy(before, f->pairs, count * sizeof *before);
    prepare(f, t, 0, UINT_MAX);
    f->pair_count = 0;
    f->best = INFINITY;
    for (size_t i = 0; i < count; i++)
        for (size_t one = 0; one < f->class_count; one++)
            for (size_t two = 0; f->root[one] == before[i].level[0] && two < f->class_count; two++)
                if (before[i].level[1] == NONE) {
                    keep(f, (uint16_t)one, NONE, misfit(t, (uint16_t)one, NONE, survives(f), costs));
                    break;
                } else if (f->root[two] == before[i].level[1])
                    keep(f, (uint16_t)one, (uint16_t)two, misfit(t, (uint16_t)one, (uint16_t)two, survives(f), costs));
    for (size_t c = 0; c < f->class_count; c++)
        f->root[c] = (uint16_t)c;
    free(before);
}

static bool next(struct btb_fit *f, struct btb_row *out)
{
    struct members *members = calloc(BTB_FIT_LEVELS, sizeof *members);
    uint8_t *marks = calloc(f->class_count, sizeof *marks);
    struct fitting *t = malloc(sizeof *t);
    bool found = false;

    if (members && marks && t && !f->broken && !f->result.reason && f->count < BTB_FIT_POINTS) {
        refresh(f, t);
        for (size_t l = 0; l < f->result.level_count; l++)
            gather_members(f, l, marks, &members[l]);
        found = f->pair_count && telling_row(f, members, out);
        if (!found && f->pair_count && f->challenges < BTB_FIT_CHALLENGES) {
            found = challenging_row(f, members, out);
            f->challenges += found;
        }
    }
    free(members);
    free(marks);
    free(t);
    return found;
}

bool btb_fit_next(struct btb_fit *f, struct btb_row *out)
{
    return next(f->ask_any ? f->any : f, out);
}

/* ---- Report ------------------------------------------------------------------------------------- */

static void send_survivors(struct probe *p, const struct btb_fit_level *l, unsigned number)
{
    for (size_t i = 0; i < l->count && i < BTB_FIT_SHOWN; i++) {
        const struct btb_organisation *o = &l->shown[i];
        struct record r;
        record_table(p, &r, "organisation");
        if (number)
            record_integer(&r, "level", number);
        record_integer(&r, "fits", i + 1);
        record_integer(&r, "of", l->count);
        record_integer(&r, "ways", o->ways);
        record_integer(&r, "ways_most", o->ways_end - 1);
        record_integer(&r, "sets", 1U << o->index.set_bits);
        record_integer(&r, "index_low", o->index.low);
        record_integer(&r, "index_bits", o->index.set_bits);
        record_boolean(&r, "folded", o->index.folded);
        record_text(&r, "entry", btb_entry_names[o->entry]);
        record_integer(&r, "branches_per_entry", o->per_entry);
        record_send(&r);
    }
}

void btb_fit_report(struct probe *p, const struct btb_fit_result *r, size_t level, unsigned number,
                    const struct btb_fit_names *names)
{
    const char *const name[] = {names->ways, names->sets, names->index_bits, names->branches_per_entry};
    enum { QUESTIONS = sizeof name / sizeof name[0] };
    bool found = !r->reason && level < r->level_count;
    const struct btb_fit_level *l = found ? &r->levels[level] : NULL;
    const struct btb_organisation *o = found ? &l->shown[0] : NULL;
    const bool same[QUESTIONS] = {found && l->same_ways, found && l->same_sets, found && l->same_index,
                                  found && l->same_per_entry};
    const unsigned values[QUESTIONS] = {found ? o->ways : 0, found ? 1U << o->index.set_bits : 0,
                                        found ? o->index.set_bits : 0, found ? o->per_entry : 0};
    char text[BTB_FIT_TEXT] = "none";

    if (found)
        btb_organisation_text(o, text, sizeof text);
    if (found && l->count > 1)
        snprintf(text, sizeof text, "%zu organisations fit", l->count);
    for (size_t i = 0; i < QUESTIONS && (number || level == 0); i++) {
        if (!name[i])
            continue;
        struct finding f = {.name = name[i], .value = NAN, .low = NAN, .high = NAN, .grade = 'U'};
        if (number) {
            f.variants[0].key = "level";
            f.variants[0].number = number;
        }
        f.method = r->any_replacement ? "rows held by simulated buffers, whatever they replace"
                                      : "rows held by simulated buffers";
        f.agreement = text;
        if (same[i] && number) {
            f.value = values[i];
            if (i == 0 && o->ways_end > o->ways + 1) {
                f.low = o->ways;
                f.high = o->ways_end;
            }
            f.grade = r->limits_known && r->patterns > 1 && r->challenges == BTB_FIT_CHALLENGES ? 'B' : 'C';
        } else
            f.reason = r->reason     ? r->reason
                       : !found      ? "no-level"
                       : !number     ? "level-not-known"
                       : !l->left    ? "not-left"
                       : r->doubtful ? "level-in-doubt"
                                     : "several-fit";
        report(p, &f);
    }
    if (found)
        send_survivors(p, l, number);
}
