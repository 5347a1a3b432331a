#include "lib/structure/prefetch_pointers.h"

#include <math.h>

#include "lib/base/random.h"

enum {
    PAGE_LINES = ACCESS_PAGE_BYTES / ACCESS_LINE_BYTES,
    AHEAD = 4,          /* pointers behind the last one that is loaded; the lines that they lead to are looked at */
    LONGEST = 24,       /* pointers that are loaded, … */
    SMOKE_LONGEST = 2,  /* … and in the profile smoke */
    FOLLOWED_FROM = 16, /* line that the first of them may lead to: the array has no more than eight */
    FOLLOWED_APART = 3,
    LOOKED_PAGE = 2, /* of the place; in it one other line is accessed, so that its translation is near */
    OTHER_PAGE = 3,  /* where pointers of controls lead */
    PAGES,
    ACCESSED_LINE = 2,
    LOOKED_FROM = 20,
    LOOKED_APART = 12, /* lines: more than a single access brings */
    WORD = 8
};

/* What is done at a place: so many pointers of an array are loaded and followed. 0: one is loaded, of a line of eight. */
struct walk {
    unsigned count;
    bool control; /* pointers behind lead to other lines */
    size_t view;  /* of two orders of the lines */
};

static int32_t line_at(int32_t page, int32_t line)
{
    return page * ACCESS_PAGE_BYTES + line * ACCESS_LINE_BYTES;
}

/* The line that is looked at for the i-th pointer behind the last one. */
static int32_t looked_at(const struct walk *w, unsigned i)
{
    return line_at(w->control ? OTHER_PAGE : LOOKED_PAGE, LOOKED_FROM + (int32_t)i * LOOKED_APART);
}

/* Where the pointers of an array that are followed lead: lines in an order without pattern. */
static void order_lines(const struct walk *w, int32_t to[LONGEST])
{
    uint64_t random = w->view + 1;

    for (int32_t i = 0; i < LONGEST; i++) {
        const int32_t line = FOLLOWED_FROM + i * FOLLOWED_APART;
        to[i] = line_at(line / PAGE_LINES, line % PAGE_LINES);
    }
    random_shuffle(to, LONGEST, sizeof to[0], &random);
}

/* Makes the list, and the pointers that it needs. */
static void make_list(const struct walk *w, struct access_list *l, struct listed_pointer pointers[LONGEST + AHEAD])
{
    /* one of eight pointers of a line, and others of it */
    static const int32_t words[AHEAD + 1] = {3, 4, 2, 6, 0};
    const unsigned loaded = w->count ? w->count : 1;
    int32_t to[LONGEST];

    *l = (struct access_list){
        .bytes = PAGES * ACCESS_PAGE_BYTES, .align = ACCESS_PAGE_BYTES, .pointers = pointers, .pointer_count = 0};
    order_lines(w, to);
    l->all[l->count++] = (struct listed_load){line_at(LOOKED_PAGE, ACCESSED_LINE), 2, LISTED_LOAD};
    for (unsigned i = 0; i < loaded + AHEAD; i++) {
        const int32_t at = (w->count ? (int32_t)i : words[i]) * WORD;
        pointers[l->pointer_count++] = (struct listed_pointer){at, i < loaded ? to[i] : looked_at(w, i - loaded)};
        if (i < loaded)
            l->all[l->count++] = (struct listed_load){at, 0, LISTED_POINTER};
        if (i < w->count)
            l->all[l->count++] = (struct listed_load){0, 1, LISTED_THROUGH};
    }
}

/* How many of the lines behind are brought, from the first one on. *clear: each is certain, and none follows a gap. */
static bool look(struct prefetch_kinds *k, const struct walk *w, unsigned *brought, bool *clear, enum nearness *into)
{
    const struct walk there = {.count = w->count};
    struct listed_pointer pointers[LONGEST + AHEAD];
    struct access_list l;
    struct looked lines[AHEAD];
    bool gap = false;

    make_list(w, &l, pointers);
    for (unsigned i = 0; i < AHEAD; i++)
        lines[i].at = looked_at(&there, i);
    if (!prefetch_look(k->look, &l, lines, AHEAD))
        return false;
    *brought = 0;
    *clear = true;
    for (unsigned i = 0; i < AHEAD; i++) {
        const bool near = lines[i].where >= NEAR_EITHER;
        *clear = *clear && lines[i].where != NEAR_UNCLEAR && !(near && gap);
        gap = gap || !near;
        *brought += near;
        *into = near ? lines[i].where : *into;
    }
    return true;
}

/* Whether pointers are followed in both views and not in the control, and how many. *seen: 0 or 1, NaN: not certain. */
static bool find(struct prefetch_kinds *k, unsigned count, double *seen, double degree[PREFETCH_VIEWS],
                 enum nearness *into)
{
    const struct walk control = {count, true, 0};
    unsigned brought[PREFETCH_VIEWS], by_control;
    enum nearness none = NEAR_UNCLEAR;
    bool clear[PREFETCH_VIEWS], control_clear;

    for (size_t view = 0; view < PREFETCH_VIEWS; view++) {
        const struct walk w = {count, false, view};
        if (!look(k, &w, &brought[view], &clear[view], into))
            return false;
        degree[view] = brought[view] < AHEAD ? brought[view] : (double)NAN;
    }
    if (!look(k, &control, &by_control, &control_clear, &none))
        return false;
    const bool certain = clear[0] && clear[1] && control_clear && !by_control && !brought[0] == !brought[1];
    *seen = certain ? brought[0] > 0 : (double)NAN;
    return true;
}

/* The fewest pointers of an array after which the next one is followed. */
static bool find_train(struct prefetch_kinds *k, size_t view, double *train)
{
    unsigned no = 0, yes = LONGEST;

    while (no + 1 < yes) {
        const struct walk w = {(no + yes) / 2, false, view};
        enum nearness into = NEAR_UNCLEAR;
        unsigned brought;
        bool clear;
        if (!look(k, &w, &brought, &clear, &into))
            return false;
        if (!clear)
            return true;
        *(brought ? &yes : &no) = w.count;
    }
    *train = yes;
    return true;
}

bool prefetch_find_pointers(struct prefetch_kinds *k)
{
    struct prefetch_found *f = &k->found[PREFETCH_POINTERS];
    const unsigned longest = (unsigned)probe_smoke(k->look->p, SMOKE_LONGEST, LONGEST);
    double array, line = 0, degree[PREFETCH_VIEWS], others[PREFETCH_VIEWS];

    if (!find(k, longest, &array, degree, &f->into) ||
        (!probe_is_smoke(k->look->p) && !find(k, 0, &line, others, &f->into)))
        return false;
    f->reason = REASON_NOT_STEADY;
    if (isnan(array) || isnan(line))
        return true;
    f->exists = array > 0 || line > 0;
    f->text = line > 0 ? "all of a line" : array > 0 ? "array" : "none";
    f->grade = 'C';
    if (!f->exists || k->only)
        return true;
    f->numbers[PREFETCH_DEGREE].reason = REASON_FIXED_RANGE_ENDS;
    for (size_t view = 0; view < PREFETCH_VIEWS; view++) {
        f->numbers[PREFETCH_DEGREE].view[view] = line > 0 ? (double)NAN : degree[view];
        if (line > 0)
            f->numbers[PREFETCH_TRAIN].view[view] = 1;
        else if (!find_train(k, view, &f->numbers[PREFETCH_TRAIN].view[view]))
            return false;
    }
    return true;
}
