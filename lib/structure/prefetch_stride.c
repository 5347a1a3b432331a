#include "lib/structure/prefetch_stride.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/structure/prefetch_confirm.h"
#include "lib/structure/prefetch_growth.h"
#include "lib/structure/prefetch_pages.h"
#include "lib/structure/prefetch_reach.h"
#include "lib/structure/prefetch_trains.h"

enum { PAGE_LINES = ACCESS_PAGE_BYTES / ACCESS_LINE_BYTES };

/* ---- Training, degree, distance --------------------------------------------------------------------- */

/*
 * After how many accesses lines are brought that a single access does not bring, and which. `from` is the first length
 * that is tried.
 */
static bool find_train(struct prefetch_kinds *k, struct prefetch_found *f, bool one, int stride, size_t view)
{
    const uint32_t known = reach_by_single(k->single_up, k->single_down, stride);
    bool unclear = false;

    /* the other view begins one access before the length that the first one found */
    const unsigned before = view ? (unsigned)f->numbers[PREFETCH_TRAIN].view[0] - 1 : 0;
    for (unsigned n = before > 2 ? before : 2; n <= PREFETCH_SEQUENCE; n++) {
        const struct sequence s = {.stride = stride, .count = n, .one = one};
        struct reach r;
        if (reach_most(&s) < 2)
            break;
        if (!reach_measure(k->look, &s, &r))
            return false;
        const uint32_t in = r.in & ~known;
        prefetch_add_levels(f, &r, known);
        if (view == 0) {
            f->in[n] = in;
            f->perhaps[n] = (r.unclear | known) & ~in;
            f->measured = n;
            f->most[n] = r.most;
            prefetch_show_sequence(&f->shown[f->shown_lists++], n, stride, in, f->perhaps[n], r.most);
        }
        if (in && isnan(f->numbers[PREFETCH_TRAIN].view[view]) && !unclear) {
            /* lines right before the nearest one that a single access may bring may be brought by this kind, too */
            const bool whole = !(r.unclear & ~known) && reach_farthest(in) < r.most &&
                               !(known >> (__builtin_ctz(in) - 1) & 1);
            f->numbers[PREFETCH_TRAIN].view[view] = n;
            f->numbers[PREFETCH_DEGREE].view[view] = whole ? (double)reach_count(in) : (double)NAN;
            /* nothing behind it is brought, not at some places either */
            if (!(r.unclear >> reach_farthest(in)) && reach_farthest(in) < r.most)
                f->numbers[PREFETCH_DISTANCE].view[view] = reach_farthest(in);
            f->first[view] = in;
            f->masked[view] = known >> (__builtin_ctz(in) - 1) & 1;
        }
        unclear = unclear || (!in && r.unclear & ~known);
        if (f->first[view] && view > 0)
            break;
    }
    return true;
}

/* ---- How many at once ------------------------------------------------------------------------------- */

/*
 * Sequences in `many` pages, an access of each in turn, the first page's last. Each by its own load instruction, or
 * all by any.
 */
static bool look_at_first(struct prefetch_kinds *k, bool one, int stride, unsigned count, unsigned many, unsigned ahead,
                          struct looked *out)
{
    const unsigned span = (count - 1 + ahead) * (unsigned)stride;
    struct access_list l = {.bytes = (int32_t)many * ACCESS_PAGE_BYTES - ACCESS_LEAD_LINES * ACCESS_LINE_BYTES,
                            .align = ACCESS_PAGE_BYTES,
                            .led = true};

    for (unsigned i = 0; i < count; i++)
        for (unsigned page = many; page-- > 0;) {
            const unsigned begin = page * 13 % (REACH_LINES + 1 - span);
            l.all[l.count++] = (struct listed_load){
                (int32_t)(page * ACCESS_PAGE_BYTES + (begin + i * (unsigned)stride) * ACCESS_LINE_BYTES),
                one ? page : (i * 37 + page * 11) % ACCESS_LOADS, LISTED_LOAD};
        }
    out->at = (int32_t)(span * ACCESS_LINE_BYTES);
    return prefetch_look(k->look, &l, out, 1);
}

/* The most sequences for which the first one is still followed. */
static bool find_streams(struct prefetch_kinds *k, struct prefetch_found *f, bool one, int stride)
{
    const unsigned count = (unsigned)f->numbers[PREFETCH_TRAIN].view[0];
    const unsigned ahead = (unsigned)__builtin_ctz(f->first[0]);
    struct prefetch_number *number = &f->numbers[PREFETCH_STREAMS];
    /* of the first level nothing is needed but the line that the last access brings */
    const size_t pages = k->look->area.data.bytes / ACCESS_PAGE_BYTES, listed = ACCESSES / count;
    size_t most = pages < listed ? pages : listed, good = 1, bad = 0;
    struct looked alone, line;
    bool sharp = true;

    *number = (struct prefetch_number){{NAN, NAN}, REASON_FIXED_RANGE_ENDS};
    if ((count - 1 + ahead) * (unsigned)stride > REACH_LINES) /* the line to look at lies in the next page */
        return true;
    most = most < ACCESS_LOADS ? most : ACCESS_LOADS;
    if (!look_at_first(k, one, stride, count, 1, ahead, &alone))
        return false;
    *number = (struct prefetch_number){{NAN, NAN}, looked_known(&alone) ? REASON_FIXED_RANGE_ENDS : REASON_NOT_STEADY};
    for (size_t many = 2; looked_known(&alone) && (!bad || bad > good + 1);) {
        if (many > most)
            return true;
        if (!look_at_first(k, one, stride, count, (unsigned)many, ahead, &line))
            return false;
        *(looked_brought(&line, alone.part) ? &good : &bad) = many;
        sharp = sharp && line.where != NEAR_UNCLEAR;
        if (!bad && many == most)
            return true;
        many = bad ? (good + bad) / 2 : 2 * many < most ? 2 * many : most;
    }
    if (bad && sharp)
        number->view[0] = (double)good;
    else if (bad)
        number->reason = REASON_NO_EDGE;
    return true;
}

bool prefetch_train(struct prefetch_kinds *k, struct prefetch_found *f, bool one, int stride, int other)
{
    f->stride = stride;
    f->other = other;
    if (!find_train(k, f, one, stride, 0))
        return false;
    if (isnan(f->numbers[PREFETCH_TRAIN].view[0])) { /* what was seen once does not come again */
        f->text = NULL;
        f->reason = REASON_NOT_STEADY;
        f->exists = false;
        return true;
    }
    if (other && !find_train(k, f, one, other, 1))
        return false;
    if (stride < 0)
        return true;
    /* these look at the line that the last access brings: it must be known well, which both directions then agree on */
    const double *train = f->numbers[PREFETCH_TRAIN].view;
    if (!other || train[0] == train[1]) {
        f->words[PREFETCH_GROWTH] = prefetch_growth(f);
        if (!prefetch_find_trains(k, f, one) || !prefetch_find_pages(k, f, one))
            return false;
    }
    /* a single look: it is done twice, and counts where both agree */
    if (!find_streams(k, f, one, stride))
        return false;
    const double streams = f->numbers[PREFETCH_STREAMS].view[0];
    if (!find_streams(k, f, one, stride))
        return false;
    if (f->numbers[PREFETCH_STREAMS].view[0] != streams) /* also where one of them is NaN */
        f->numbers[PREFETCH_STREAMS] = (struct prefetch_number){
            {NAN, NAN},
            isnan(streams) && f->numbers[PREFETCH_STREAMS].reason == REASON_FIXED_RANGE_ENDS ? REASON_FIXED_RANGE_ENDS
                                                                                             : REASON_NOT_STEADY};
    /* what the next line hides of other sequences needs no entry */
    const char *hits = f->words[PREFETCH_HITS].text;
    if (!one && k->found[PREFETCH_NEXT].exists && !(hits && !strcmp(hits, "train")))
        f->numbers[PREFETCH_STREAMS] = (struct prefetch_number){{NAN, NAN}, REASON_AMBIGUOUS};
    return true;
}

/* ---- Strides of one load instruction ---------------------------------------------------------------- */

/*
 * By which low bits of its address an instruction is known: another one, with those bits alike, continues a sequence.
 */
static bool find_pc_bits(struct prefetch_kinds *k, struct prefetch_found *f)
{
    enum { FIRST = 5, LAST = 15 };
    const unsigned count = (unsigned)f->numbers[PREFETCH_TRAIN].view[0];
    struct prefetch_number *number = &f->numbers[PREFETCH_PC_BITS];
    bool alike[LAST + 1] = {false};
    double known = NAN; /* of the line when the same instruction does the last access */

    if (count > f->measured || !f->in[count])
        return true;
    const unsigned ahead = reach_farthest(f->in[count]);
    for (unsigned bit = FIRST - 1; bit <= LAST; bit++) {
        const size_t code[2] = {0, (size_t)1 << bit};
        const struct sequence s = {.stride = f->stride, .count = count - 1, .one = true};
        struct access_list l = {.bytes = (int32_t)(count + ahead) * f->stride * ACCESS_LINE_BYTES,
                                .align = ACCESS_LINE_BYTES,
                                .led = true,
                                .code = code};
        /* the line that only the last access brings */
        struct looked line = {.at = (int32_t)(count - 1 + ahead) * f->stride * ACCESS_LINE_BYTES};
        reach_add(&l, &s, 0, 0);
        l.all[l.count++] = (struct listed_load){(int32_t)s.count * f->stride * ACCESS_LINE_BYTES, bit >= FIRST,
                                                LISTED_LOAD};
        if (!prefetch_look(k->look, &l, &line, 1))
            return false;
        known = bit < FIRST ? line.part : known;
        if (!looked_known(&line) && bit < FIRST)
            return true;
        alike[bit] = looked_brought(&line, known);
    }
    unsigned bits = FIRST;
    while (bits <= LAST && !alike[bits])
        bits++;
    for (unsigned bit = bits; bit <= LAST; bit++)
        if (!alike[bit]) {
            number->reason = REASON_NOT_LINEAR;
            return true;
        }
    number->reason = bits == FIRST ? REASON_FIXED_RANGE_ENDS : REASON_ALL_LOADS_DIFFER;
    if (bits > FIRST && bits <= LAST)
        number->view[0] = bits;
    return true;
}

/* The longest stride that is followed, by halving. Where prefetching stops at pages, all of it must fit into one. */
static bool find_stride_max(struct prefetch_kinds *k, struct prefetch_found *f)
{
    const unsigned count = (unsigned)f->numbers[PREFETCH_TRAIN].view[0], ahead = (unsigned)__builtin_ctz(f->first[0]);
    const char *border = f->words[PREFETCH_PAGE_BORDER].text;
    const bool crosses = border && border[0] == 'c';
    const int most = crosses ? PAGE_LINES : (PAGE_LINES - 1) / (int)(count - 1 + ahead);
    struct prefetch_number *number = &f->numbers[PREFETCH_STRIDE_MAX];
    const double *train = f->numbers[PREFETCH_TRAIN].view;
    int good = f->stride, bad = 0;
    double known = NAN;

    if (!isnan(train[1]) && train[0] != train[1]) { /* so many accesses may train at some places only */
        number->reason = REASON_NOT_STEADY;
        return true;
    }
    number->reason = REASON_FIXED_RANGE_ENDS;
    for (int stride = good; stride && (!bad || bad > good + 1); stride = bad             ? (good + bad) / 2
                                                                         : stride < most ? most
                                                                                         : 0) {
        const struct sequence s = {.stride = stride, .count = count, .one = true};
        const int32_t at = (int32_t)(count - 1 + ahead) * stride * ACCESS_LINE_BYTES;
        struct access_list l = {.bytes = at + ACCESS_LINE_BYTES, .align = ACCESS_LINE_BYTES};
        struct looked line = {.at = at};
        reach_add(&l, &s, 0, 0);
        if (!prefetch_look(k->look, &l, &line, 1))
            return false;
        if (isnan(known) && !looked_known(&line)) {
            number->reason = REASON_NOT_STEADY;
            return true;
        }
        known = isnan(known) ? line.part : known;
        if (line.where == NEAR_UNCLEAR) {
            number->reason = REASON_NOT_STEADY;
            return true;
        }
        *(looked_brought(&line, known) ? &good : &bad) = stride;
    }
    if (bad)
        number->view[0] = good;
    return true;
}

/*
 * Strides of which no other prefetcher brings what follows: the same addresses by many load instructions bring no more
 * than a single access does.
 */
bool prefetch_find_stride(struct prefetch_kinds *k)
{
    static const int strides[] = {3, -4, 5, -3, 7, -6};
    struct prefetch_found *f = &k->found[PREFETCH_STRIDE];
    enum { LEAST = 3 /* accesses that show a constant distance */ };
    double seen[PREFETCH_VIEWS] = {NAN, NAN};
    int usable[PREFETCH_VIEWS] = {0};
    size_t views = 0;

    for (size_t i = 0; i < sizeof strides / sizeof *strides && views < PREFETCH_VIEWS; i++) {
        struct sequence s = {.stride = strides[i], .count = PREFETCH_SEQUENCE};
        struct reach many, one;
        while (reach_most(&s) < 3)
            s.count--;
        const uint32_t known = reach_by_single(k->single_up, k->single_down, s.stride);
        s.one = true;
        if (!reach_search(k->look, &s, LEAST, known, &s.count, &one))
            return false;
        s.one = false;
        if (!reach_measure(k->look, &s, &many))
            return false;
        if ((many.in | many.unclear) & ~known)
            continue;
        seen[views] = one.in & ~known ? 1 : one.unclear & ~known ? NAN : 0;
        usable[views++] = s.stride;
    }
    if (views < PREFETCH_VIEWS || isnan(seen[0]) || isnan(seen[1]) || seen[0] != seen[1]) {
        f->reason = views < PREFETCH_VIEWS             ? REASON_AMBIGUOUS
                    : isnan(seen[0]) || isnan(seen[1]) ? REASON_NOT_STEADY
                                                       : REASON_EXPERIMENTS_DISAGREE;
        return true;
    }
    f->exists = seen[0] > 0;
    f->text = f->exists ? "up and down" : "none";
    f->grade = 'A';
    if (!f->exists || k->only)
        return true;
    if (!prefetch_train(k, f, true, usable[0], usable[1]))
        return false;
    if (isnan(f->numbers[PREFETCH_TRAIN].view[0]) || f->stride < 0)
        return true;
    return find_stride_max(k, f) && find_pc_bits(k, f);
}
