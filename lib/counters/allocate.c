/*
 * One matching does the work: events on one side, on the other a node for every slot of every run. Augmenting
 * paths (Kuhn 1955) place an event whenever it can be placed at all, moving others where they must make room.
 * The number of runs grows from a lower bound until everything has a node.
 *
 * What a mask cannot say, a shared register or two neighbouring slots, is decided before by a search over the
 * runs: each such event is tried in a run, keeps to it in the matching, and is tried elsewhere if that does not
 * fit. The lower bound counts both kinds of scarcity, slots and registers, and nearly always it is met by
 * the first attempt.
 */
#include "lib/counters/allocate.h"

#include <stdlib.h>
#include <string.h>

/* Attempts of the search for one number of runs; see allocate.h, *least. */
enum { ATTEMPTS = 20000 };

enum { SLOTS = 64, ANY_RUN = -1, NOBODY = -1 };

/* ---- Matching ------------------------------------------------------------------------------------ */

struct matching {
    size_t count;
    unsigned runs;
    uint64_t *slots; /* of each event */
    int *pinned;     /* the run it must be in, or ANY_RUN */
    bool *immovable;
    int *owner; /* of each node, run * SLOTS + slot: an event, or NOBODY */
    int *node;  /* of each event, or NOBODY */
    /* The search for a path. */
    int *reached_by; /* of each node: the event that reached it, or NOBODY */
    int *queue;      /* of events */
};

/* Room for `runs` at most. False when memory is short; matching_free is due in either case. */
static bool matching_start(struct matching *m, size_t count, unsigned runs)
{
    size_t nodes = (size_t)runs * SLOTS;

    *m = (struct matching){.count = count,
                           .slots = calloc(count, sizeof *m->slots),
                           .pinned = calloc(count, sizeof *m->pinned),
                           .immovable = calloc(count, sizeof *m->immovable),
                           .owner = calloc(nodes, sizeof *m->owner),
                           .node = calloc(count, sizeof *m->node),
                           .reached_by = calloc(nodes, sizeof *m->reached_by),
                           .queue = calloc(count, sizeof *m->queue)};
    return m->slots && m->pinned && m->immovable && m->owner && m->node && m->reached_by && m->queue;
}

static void matching_free(struct matching *m)
{
    free(m->slots);
    free(m->pinned);
    free(m->immovable);
    free(m->owner);
    free(m->node);
    free(m->reached_by);
    free(m->queue);
}

/* Empties it and gives it so many runs. */
static void matching_reset(struct matching *m, unsigned runs)
{
    m->runs = runs;
    for (size_t i = 0; i < (size_t)runs * SLOTS; i++)
        m->owner[i] = NOBODY;
    for (size_t i = 0; i < m->count; i++) {
        m->node[i] = NOBODY;
        m->pinned[i] = ANY_RUN;
        m->immovable[i] = false;
    }
}

static void put(struct matching *m, int event, int node)
{
    m->owner[node] = event;
    m->node[event] = node;
}

/* Gives a free node to the event that reached it, the node of that event to the one that reached it, and so on. */
static void follow_back(struct matching *m, int node)
{
    for (;;) {
        int event = m->reached_by[node], before = m->node[event];
        put(m, event, node);
        if (before == NOBODY)
            return;
        node = before;
    }
}

/*
 * Gives the event a node, breadth first, so that as few others move as can be. Earlier runs come first, and in each
 * the slots in order, fixed counters (32 …) before general ones, which somebody else may need. False, and nothing
 * has changed, when there is no way.
 */
static bool matching_add(struct matching *m, int event)
{
    size_t head = 0, tail = 0;

    for (size_t i = 0; i < (size_t)m->runs * SLOTS; i++)
        m->reached_by[i] = NOBODY;
    m->queue[tail++] = event;
    while (head < tail) {
        int at = m->queue[head++];
        int first = m->pinned[at] == ANY_RUN ? 0 : m->pinned[at];
        int last = m->pinned[at] == ANY_RUN ? (int)m->runs - 1 : m->pinned[at];
        for (int run = first; run <= last; run++) {
            for (int i = 0; i < SLOTS; i++) {
                int slot = (i + SLOTS / 2) % SLOTS, node = run * SLOTS + slot;
                if (!(m->slots[at] >> slot & 1) || m->reached_by[node] != NOBODY)
                    continue;
                m->reached_by[node] = at;
                if (m->owner[node] == NOBODY) {
                    follow_back(m, node);
                    return true;
                }
                if (!m->immovable[m->owner[node]])
                    m->queue[tail++] = m->owner[node];
            }
        }
    }
    return false;
}

static void matching_remove(struct matching *m, int event)
{
    m->owner[m->node[event]] = NOBODY;
    m->node[event] = NOBODY;
}

/* The least number of runs, from `runs` on, in which all of m->slots fit; 0 beyond `most`. */
static unsigned matching_least(struct matching *m, unsigned runs, unsigned most)
{
    for (; runs <= most; runs++) {
        size_t placed = 0;
        matching_reset(m, runs);
        while (placed < m->count && matching_add(m, (int)placed))
            placed++;
        if (placed == m->count)
            return runs;
    }
    return 0;
}

/* ---- Demands in an order of their own ------------------------------------------------------------- */

struct item {
    struct demand demand; /* its slots are among those available; of two, the even ones */
    const char *key;
    size_t index; /* as asked for */
    bool bound;   /* needs more than a slot: the search decides about its run */
    bool lone;    /* nobody else could share its register */
};

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static bool same_registers(const struct demand *a, const struct demand *b)
{
    return a->resource[0] == b->resource[0] && a->resource[1] == b->resource[1];
}

/* Both can have what they need of one register. */
static bool can_share(const struct demand *a, const struct demand *b)
{
    bool common = false;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            common = common || (a->resource[i] && a->resource[i] == b->resource[j]);
    return common && a->value == b->value;
}

/* Bound ones first, then those with fewest choices. */
static int compare_items(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    int order = (int)b->bound - (int)a->bound;

    if (!order)
        order = __builtin_popcountll(a->demand.slots) - __builtin_popcountll(b->demand.slots);
    if (!order)
        order = compare_numbers(a->demand.slots, b->demand.slots);
    if (!order)
        order = compare_numbers(a->demand.width, b->demand.width);
    for (int i = 0; !order && i < 2; i++)
        order = compare_numbers(a->demand.resource[i], b->demand.resource[i]);
    if (!order)
        order = (int)a->lone - (int)b->lone;
    if (!order)
        order = compare_numbers(a->demand.value, b->demand.value);
    if (!order && a->key && b->key)
        order = strcmp(a->key, b->key);
    return order ? order : compare_numbers(a->index, b->index);
}

/* Exchanging the two in a solution gives another solution, as far as the search is concerned. */
static bool alike(const struct item *a, const struct item *b)
{
    return a->demand.slots == b->demand.slots && a->demand.width == b->demand.width &&
           same_registers(&a->demand, &b->demand) && a->lone == b->lone &&
           (a->lone || a->demand.value == b->demand.value);
}

static uint64_t usable_slots(const struct demand *d, uint64_t available)
{
    const uint64_t even = 0x5555555555555555;
    return d->width < 2 ? d->slots & available : d->slots & available & available >> 1 & even;
}

/* ---- The lower bound ------------------------------------------------------------------------------ */

/* Slots alone: an event that takes two stands as two events, one on the even slots, one on the next. */
static unsigned bound_by_slots(const struct item *items, size_t count)
{
    struct matching m;
    unsigned runs = 0;

    if (matching_start(&m, 2 * count, (unsigned)count)) {
        m.count = 0;
        for (size_t i = 0; i < count; i++) {
            m.slots[m.count++] = items[i].demand.slots;
            if (items[i].demand.width > 1)
                m.slots[m.count++] = items[i].demand.slots << 1;
        }
        runs = matching_least(&m, 1, (unsigned)count);
    }
    matching_free(&m);
    return runs;
}

/* Index of a register in the list of those seen: its slot in the matching. SLOTS when the list is full, which only
 * lowers the bound. */
static unsigned register_number(uint32_t seen[SLOTS], unsigned *count, uint32_t id)
{
    unsigned i = 0;
    while (i < *count && seen[i] != id)
        i++;
    if (i == *count && i < SLOTS)
        seen[(*count)++] = id;
    return i;
}

/* Registers alone: values that cannot share need one each, in some run. At least `runs`; 0 when memory is short. */
static unsigned bound_by_registers(const struct item *items, size_t count, unsigned runs)
{
    struct matching m;
    uint32_t seen[SLOTS];
    unsigned registers = 0;

    if (matching_start(&m, count, (unsigned)count)) {
        m.count = 0;
        for (size_t i = 0; i < count; i++) {
            const struct demand *d = &items[i].demand;
            bool again = !d->resource[0];
            for (size_t j = 0; j < i && !again; j++)
                again = can_share(d, &items[j].demand);
            if (again)
                continue;
            uint64_t mask = 0;
            for (int r = 0; r < 2; r++) {
                unsigned number = d->resource[r] ? register_number(seen, &registers, d->resource[r]) : SLOTS;
                mask |= number < SLOTS ? (uint64_t)1 << number : 0;
            }
            if (mask)
                m.slots[m.count++] = mask;
        }
        runs = matching_least(&m, runs, (unsigned)count);
    } else {
        runs = 0;
    }
    matching_free(&m);
    return runs;
}

/* ---- The search over runs ------------------------------------------------------------------------- */

/* Where a bound item is tried: a run, and in it a slot for those that take two, else one of its registers. */
enum { OPTIONS = SLOTS };

struct search {
    struct matching m;
    const struct item *items;
    size_t count, bound;
    int *choice;   /* of each bound item: run * OPTIONS + option */
    unsigned *top; /* of each bound item: runs touched by it and those before it */
};

static uint32_t chosen_register(const struct search *s, size_t i)
{
    return s->items[i].demand.width > 1 ? s->items[i].demand.resource[0]
                                        : s->items[i].demand.resource[s->choice[i] % OPTIONS];
}

/* No earlier item of that run holds the register with another value. */
static bool register_is_free(const struct search *s, size_t level)
{
    uint32_t id = chosen_register(s, level);

    for (size_t i = 0; id && i < level; i++)
        if (s->choice[i] / OPTIONS == s->choice[level] / OPTIONS && chosen_register(s, i) == id &&
            s->items[i].demand.value != s->items[level].demand.value)
            return false;
    return true;
}

/* Gives an event two neighbouring slots, and moves those that had them. False when they cannot move: then the event
 * has none, and all others have a slot as before, though perhaps another one. */
static bool take_two(struct search *s, int event, int node)
{
    struct matching *m = &s->m;
    int before[2] = {m->owner[node], m->owner[node + 1]};

    for (int i = 0; i < 2; i++)
        if (before[i] != NOBODY && m->immovable[before[i]])
            return false;
    for (int i = 0; i < 2; i++)
        if (before[i] != NOBODY)
            matching_remove(m, before[i]);
    m->immovable[event] = true;
    m->owner[node + 1] = event;
    put(m, event, node);
    for (int i = 0; i < 2; i++) {
        if (before[i] == NOBODY || matching_add(m, before[i]))
            continue;
        m->owner[node] = m->owner[node + 1] = m->node[event] = NOBODY;
        m->immovable[event] = false;
        for (int j = 0; j < 2; j++)
            if (before[j] != NOBODY && m->node[before[j]] == NOBODY)
                put(m, before[j], node + j);
        return false;
    }
    return true;
}

static bool try_choice(struct search *s, size_t level)
{
    const struct demand *d = &s->items[level].demand;
    int run = s->choice[level] / OPTIONS, option = s->choice[level] % OPTIONS;

    if (d->width > 1)
        return d->slots >> option & 1 && register_is_free(s, level) && take_two(s, (int)level, run * SLOTS + option);
    if (option > 1 || !d->resource[option] || !register_is_free(s, level))
        return false;
    s->m.pinned[level] = run;
    return matching_add(&s->m, (int)level);
}

static void take_back(struct search *s, size_t level)
{
    int node = s->m.node[level];

    if (s->items[level].demand.width > 1)
        s->m.owner[node + 1] = NOBODY;
    s->m.immovable[level] = false;
    matching_remove(&s->m, (int)level);
}

/* 1: all are placed in that many runs. 0: there is no way. -1: out of attempts. */
static int search_runs(struct search *s, unsigned runs)
{
    unsigned attempts = 0;
    size_t level = 0;

    matching_reset(&s->m, runs);
    for (size_t i = s->bound; i < s->count; i++)
        if (!matching_add(&s->m, (int)i))
            return 0;
    for (bool fresh = true; level < s->bound;) {
        /*
         * Runs that no bound item has touched are all the same: one of them is enough. Of items that are alike, the
         * later one is never tried before the earlier one's place.
         */
        unsigned touched = level ? s->top[level - 1] : 0, end = touched + 1 < runs ? touched + 1 : runs;
        if (fresh)
            s->choice[level] = level && alike(&s->items[level], &s->items[level - 1]) ? s->choice[level - 1] : 0;
        else
            s->choice[level]++;
        while (s->choice[level] < (int)end * OPTIONS && !try_choice(s, level))
            s->choice[level]++;
        if (++attempts > ATTEMPTS)
            return -1;
        if (s->choice[level] < (int)end * OPTIONS) {
            unsigned run = (unsigned)(s->choice[level] / OPTIONS) + 1;
            s->top[level] = run > touched ? run : touched;
            level++;
            fresh = true;
        } else if (level == 0) {
            return 0;
        } else {
            take_back(s, --level);
            fresh = false;
        }
    }
    return 1;
}

/* Returns the least number of runs, `from` or more, in which all fit; 0 when memory is short. *least is set if fewer
 * are proven to be impossible. */
static unsigned search_least(struct search *s, unsigned from, bool *least)
{
    unsigned most = (unsigned)s->count, runs = 0;
    bool proven = true;

    s->choice = calloc(s->count, sizeof *s->choice);
    s->top = calloc(s->count, sizeof *s->top);
    if (matching_start(&s->m, s->count, most) && s->choice && s->top) {
        for (size_t i = 0; i < s->count; i++)
            s->m.slots[i] = s->items[i].demand.slots;
        for (runs = from; runs <= most; runs++) {
            int found = search_runs(s, runs);
            if (found > 0)
                break;
            proven = proven && found == 0;
        }
    }
    *least = proven;
    return runs;
}

unsigned allocate(const struct demand *demands, const char *const *order_key, size_t count, uint64_t available,
                  struct place *out, size_t *unmet, bool *least)
{
    struct item *items = count ? calloc(count, sizeof *items) : NULL;
    bool proven = false;
    unsigned runs = 0;

    *unmet = count;
    if (least)
        *least = false;
    if (!items)
        return 0;
    struct search s = {.items = items, .count = count};
    for (size_t i = 0; i < count; i++) {
        struct item *item = &items[i];
        *item = (struct item){.demand = demands[i], .key = order_key ? order_key[i] : NULL, .index = i, .lone = true};
        item->demand.slots = usable_slots(&demands[i], available);
        item->bound = demands[i].width > 1 || demands[i].resource[0];
        s.bound += item->bound;
        for (size_t j = 0; j < count && item->lone; j++)
            item->lone = j == i || !can_share(&demands[i], &demands[j]);
        if (!item->demand.slots && *unmet == count)
            *unmet = i;
    }
    if (*unmet == count) {
        qsort(items, count, sizeof *items, compare_items);
        runs = bound_by_slots(items, count);
        if (runs && s.bound)
            runs = bound_by_registers(items, count, runs);
        if (runs) {
            runs = search_least(&s, runs, &proven);
            for (size_t i = 0; runs && i < count; i++)
                out[items[i].index] = (struct place){.run = (unsigned)(s.m.node[i] / SLOTS),
                                                     .slot = (unsigned)(s.m.node[i] % SLOTS),
                                                     .resource = items[i].bound ? chosen_register(&s, i) : 0};
            matching_free(&s.m);
            free(s.choice);
            free(s.top);
        }
        if (least)
            *least = proven;
    }
    free(items);
    return runs;
}
