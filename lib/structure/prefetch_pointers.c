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
    CHAINS_PAGES = 2, /* that chains take more than pointers that lead to one line each */
    DEPTH = 3,        /* lines of a chain */
    ACCESSED_LINE = 2,
    LOOKED_FROM = 20,
    LOOKED_APART = 12, /* lines: more than a single access brings */
    WORD = 8
};

static const char *const of_line = "all of a line";

/* What is done at a place: so many pointers of an array are loaded and followed. 0: one is loaded, of a line of eight. */
struct walk {
    unsigned count;
    bool control;  /* pointers behind lead to other lines; of a chain, the one in its first line does */
    size_t view;   /* of two orders of the lines */
    uint64_t flip; /* these bits of the pointers behind are not those of an address */
    bool chains;   /* each leads to a line with a pointer that leads to another line, DEPTH of them in a row */
};

static int32_t line_at(int32_t page, int32_t line)
{
    return page * ACCESS_PAGE_BYTES + line * ACCESS_LINE_BYTES;
}

/* The lines that are looked at: those of the pointers behind the last one, or of the chain that begins with the first. */
static int32_t looked_at(const struct walk *w, unsigned i, bool other)
{
    return line_at((other ? OTHER_PAGE : LOOKED_PAGE) + (w->chains ? CHAINS_PAGES : 0),
                   LOOKED_FROM + (int32_t)i * LOOKED_APART);
}

static unsigned lines_of(const struct walk *w)
{
    return w->chains ? DEPTH : 1;
}

/* Where the pointers of an array that are followed lead: lines in an order without pattern. */
static void order_lines(const struct walk *w, int32_t to[LONGEST * DEPTH])
{
    const int32_t count = (int32_t)(LONGEST * lines_of(w));
    uint64_t random = w->view + 1;

    for (int32_t i = 0; i < count; i++) {
        const int32_t line = FOLLOWED_FROM + i * FOLLOWED_APART;
        to[i] = line_at(line / PAGE_LINES, line % PAGE_LINES);
    }
    random_shuffle(to, (size_t)count, sizeof to[0], &random);
}

static void add_pointer(struct access_list *l, struct listed_pointer *pointers, int32_t at, int32_t to)
{
    pointers[l->pointer_count++] = (struct listed_pointer){.at = at, .to = to};
}

/* A pointer that is loaded, and the lines that it leads to, which are loaded as well where there is an array. */
static void add_walked(const struct walk *w, struct access_list *l, struct listed_pointer *pointers, int32_t at,
                       const int32_t *to)
{
    const unsigned last = lines_of(w) - 1;

    add_pointer(l, pointers, at, to[0]);
    l->all[l->count++] = (struct listed_load){at, 0, LISTED_POINTER};
    for (unsigned i = 0; i < last; i++)
        add_pointer(l, pointers, to[i], to[i + 1]);
    for (unsigned i = 0; i < last && w->count; i++)
        l->all[l->count++] = (struct listed_load){0, 3 + i, LISTED_ONWARD};
    if (w->count)
        l->all[l->count++] = (struct listed_load){0, 1, LISTED_THROUGH};
}

/* Makes the list, and the pointers that it needs. */
static void make_list(const struct walk *w, struct access_list *l, struct listed_pointer *pointers)
{
    /* one of eight pointers of a line, and others of it */
    static const int32_t words[AHEAD + 1] = {3, 4, 2, 6, 0};
    const unsigned loaded = w->count ? w->count : 1;
    int32_t to[LONGEST * DEPTH];

    *l = (struct access_list){.bytes = (PAGES + (w->chains ? CHAINS_PAGES : 0)) * ACCESS_PAGE_BYTES,
                              .align = ACCESS_PAGE_BYTES,
                              .pointers = pointers};
    order_lines(w, to);
    l->all[l->count++] = (struct listed_load){looked_at(w, 0, false) / ACCESS_PAGE_BYTES * ACCESS_PAGE_BYTES +
                                                  ACCESSED_LINE * ACCESS_LINE_BYTES,
                                              2, LISTED_LOAD};
    for (unsigned i = 0; i < loaded; i++)
        add_walked(w, l, pointers, (w->count ? (int32_t)i : words[i]) * WORD, &to[i * lines_of(w)]);
    for (unsigned i = 0; i < (w->chains ? 1 : AHEAD); i++) {
        add_pointer(l, pointers, (w->count ? (int32_t)(loaded + i) : words[loaded + i]) * WORD,
                    looked_at(w, i, w->control && !w->chains));
        pointers[l->pointer_count - 1].flip = w->flip;
    }
    for (unsigned i = 1; i < lines_of(w); i++)
        add_pointer(l, pointers, looked_at(w, i - 1, w->control && i > 1), looked_at(w, i, w->control));
}

/* How many of the lines behind are brought, from the first one on. *clear: each is certain, and none follows a gap. */
static bool look(struct prefetch_kinds *k, const struct walk *w, unsigned *brought, bool *clear, enum nearness *into)
{
    struct listed_pointer pointers[(LONGEST + AHEAD) * DEPTH];
    const unsigned count = w->chains ? DEPTH : AHEAD;
    struct access_list l;
    struct looked lines[AHEAD];
    bool gap = false;

    make_list(w, &l, pointers);
    for (unsigned i = 0; i < count; i++)
        lines[i].at = looked_at(w, i, false);
    if (!prefetch_look(k->look, &l, lines, count))
        return false;
    *brought = 0;
    *clear = true;
    for (unsigned i = 0; i < count; i++) {
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
    const struct walk control = {.count = count, .control = true};
    unsigned brought[PREFETCH_VIEWS], by_control;
    enum nearness none = NEAR_UNCLEAR;
    bool clear[PREFETCH_VIEWS], control_clear;

    for (size_t view = 0; view < PREFETCH_VIEWS; view++) {
        const struct walk w = {.count = count, .view = view};
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
        const struct walk w = {.count = (no + yes) / 2, .view = view};
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

/*
 * How many lines of the chain that begins with the next pointer are brought. Control: the pointer in its first line leads
 * elsewhere, so that at most the first line is brought.
 */
static bool find_indirections(struct prefetch_kinds *k, struct prefetch_number *out, unsigned count)
{
    const struct walk control = {.count = count, .control = true, .chains = true};
    enum nearness into = NEAR_UNCLEAR;
    unsigned brought, by_control;
    bool clear, control_clear;

    if (!look(k, &control, &by_control, &control_clear, &into))
        return false;
    if (!control_clear || by_control > 1)
        return true;
    for (size_t view = 0; view < PREFETCH_VIEWS; view++) {
        const struct walk w = {.count = count, .view = view, .chains = true};
        if (!look(k, &w, &brought, &clear, &into))
            return false;
        if (clear && brought == DEPTH)
            out->reason = REASON_FIXED_RANGE_ENDS;
        else if (clear && brought)
            out->view[view] = brought;
    }
    return true;
}

/* ---- Which values are pointers ------------------------------------------------------------------------- */

/*
 * Values that are an address but for some bits: those within a word; those that address spaces of 48 bits do not have;
 * and the upper eight, which some cores let programs use for other things.
 */
static const struct {
    enum prefetch_trait trait;
    uint64_t flip;
} values[] = {
    {PREFETCH_LOW_BITS, 7}, {PREFETCH_HIGH_BITS, UINT64_C(0x55) << 48}, {PREFETCH_TOP_BITS, UINT64_C(0x55) << 56}};

/* Whether any are followed that have these bits flipped; where none is flipped, they must be. */
static bool find_value(struct prefetch_kinds *k, unsigned count, uint64_t flip, struct prefetch_word *out)
{
    bool followed[PREFETCH_VIEWS], steady = true;

    for (size_t view = 0; view < PREFETCH_VIEWS && steady; view++) {
        unsigned brought[2];
        bool clear[2];
        enum nearness into = NEAR_UNCLEAR;
        for (unsigned flipped = 0; flipped < 2; flipped++) {
            const struct walk w = {.count = count, .view = view, .flip = flipped ? flip : 0};
            if (!look(k, &w, &brought[flipped], &clear[flipped], &into))
                return false;
        }
        steady = clear[0] && clear[1] && brought[0] && (!brought[1] || brought[1] == brought[0]);
        followed[view] = brought[1] > 0;
    }
    *out = (struct prefetch_word){NULL, REASON_NOT_STEADY};
    if (steady && followed[0] == followed[1])
        *out = (struct prefetch_word){followed[0] ? "followed" : "not followed", REASON_NONE};
    return true;
}

static bool find_values(struct prefetch_kinds *k, struct prefetch_found *f, unsigned count)
{
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (!find_value(k, count, values[i].flip, &f->words[values[i].trait]))
            return false;
    return true;
}

/* ---- Deciding ------------------------------------------------------------------------------------------ */

/* So many pointers of an array as certainly train; 0 where one of a line is enough. */
static unsigned enough(const struct prefetch_found *f, bool line)
{
    enum { MORE = 2 };
    const double train = f->numbers[PREFETCH_TRAIN].view[0];

    return line ? 0 : isnan(train) || train + MORE > LONGEST ? LONGEST : (unsigned)train + MORE;
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
    f->text = line > 0 ? of_line : array > 0 ? "array" : "none";
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
    const unsigned count = enough(f, line > 0);
    return find_indirections(k, &f->numbers[PREFETCH_INDIRECTIONS], count) && find_values(k, f, count);
}

bool prefetch_look_pointers(struct prefetch_kinds *k, struct looked_bits *out)
{
    const struct prefetch_found *f = &k->found[PREFETCH_POINTERS];
    const struct walk w = {.count = f->text == of_line ? 0 : (unsigned)f->numbers[PREFETCH_TRAIN].view[0]};
    struct listed_pointer pointers[(LONGEST + AHEAD) * DEPTH];
    struct access_list l;
    struct looked lines[AHEAD];

    make_list(&w, &l, pointers);
    for (unsigned i = 0; i < AHEAD; i++)
        lines[i].at = looked_at(&w, i, false);
    if (!prefetch_look(k->look, &l, lines, AHEAD))
        return false;
    *out = looked_bits_of(lines, AHEAD);
    return true;
}
