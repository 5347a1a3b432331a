#include "lib/structure/prefetch_throttle.h"

#include <math.h>

#include "lib/structure/prefetch_pointers.h"
#include "lib/structure/prefetch_reach.h"
#include "lib/structure/prefetch_region.h"
#include "lib/structure/prefetch_repeats.h"

/* ---- Which lines a last access brings, as bits --------------------------------------------------------- */

/* The lines behind an odd line, which are none of its pair; or the other one of the pair. */
static bool look_single(struct prefetch_kinds *k, enum prefetch_kind kind, struct looked_bits *out)
{
    enum { LINE = 9 };
    const double degree = k->found[PREFETCH_NEXT].numbers[PREFETCH_DEGREE].view[0];
    const size_t count = kind == PREFETCH_PAIR ? 1 : degree > 0 ? (size_t)degree : 1;
    struct access_list l = {.all = {{LINE * ACCESS_LINE_BYTES, 0, LISTED_LOAD}},
                            .count = 1,
                            .bytes = (LINE + PREFETCH_SINGLE + 1) * ACCESS_LINE_BYTES,
                            .align = 2 * ACCESS_LINE_BYTES};
    struct looked lines[PREFETCH_SINGLE];

    for (size_t i = 0; i < count; i++)
        lines[i].at = (LINE + (kind == PREFETCH_PAIR ? -1 : 1 + (int32_t)i)) * ACCESS_LINE_BYTES;
    if (!prefetch_look(k->look, &l, lines, count))
        return false;
    *out = looked_bits_of(lines, count);
    return true;
}

/* After the sequence that just trains: those lines of it that it brings for certain. */
static bool look_sequence(struct prefetch_kinds *k, enum prefetch_kind kind, struct looked_bits *out)
{
    const struct prefetch_found *f = &k->found[kind];
    const struct sequence s = {
        .stride = f->stride, .count = (unsigned)f->numbers[PREFETCH_TRAIN].view[0], .one = kind == PREFETCH_STRIDE};
    struct reach r;

    if (!reach_measure(k->look, &s, &r))
        return false;
    *out = (struct looked_bits){.in = r.in & f->first[0], .unclear = r.unclear & f->first[0]};
    return true;
}

static bool look_kind(struct prefetch_kinds *k, enum prefetch_kind kind, struct looked_bits *out)
{
    switch (kind) {
    case PREFETCH_NEXT:
    case PREFETCH_PAIR: return look_single(k, kind, out);
    case PREFETCH_STRIDE:
    case PREFETCH_STREAM: return look_sequence(k, kind, out);
    case PREFETCH_REGION: return prefetch_look_region(k, out);
    case PREFETCH_DELTAS: return prefetch_look_deltas(k, out);
    case PREFETCH_REPLAY: return prefetch_look_replay(k, out);
    default: return prefetch_look_pointers(k, out);
    }
}

/* ---- Deciding ------------------------------------------------------------------------------------------ */

/* What the list brings where the others have arrived, compared with while they are under way. */
static bool decide_once(struct prefetch_kinds *k, enum prefetch_kind kind, struct prefetch_word *out)
{
    struct looked_bits arrived, under_way;

    *out = (struct prefetch_word){NULL, REASON_NOT_STEADY};
    k->look->aside = ASIDE_ARRIVED;
    bool good = look_kind(k, kind, &arrived);
    k->look->aside = ASIDE_UNDER_WAY;
    good = good && look_kind(k, kind, &under_way);
    k->look->aside = ASIDE_NONE;
    if (!good)
        return false;
    if (!arrived.in || arrived.unclear || under_way.unclear)
        return true;
    const bool less = arrived.in & ~under_way.in;
    /* where not all lines are known that it brings, those that are not may be the ones that are left out */
    const bool whole = (kind != PREFETCH_STRIDE && kind != PREFETCH_STREAM) ||
                       !isnan(k->found[kind].numbers[PREFETCH_DEGREE].view[0]);
    *out = less    ? (struct prefetch_word){"less", REASON_NONE}
           : whole ? (struct prefetch_word){"as much", REASON_NONE}
                   : (struct prefetch_word){NULL, REASON_AMBIGUOUS};
    return true;
}

/*
 * Whether a list is known that just trains the kind: some by a single access, or by pages of which the first access to one
 * more brings lines; a replay brings lines with each access.
 */
static bool is_trained(const struct prefetch_found *f, enum prefetch_kind kind)
{
    switch (kind) {
    case PREFETCH_NEXT:
    case PREFETCH_PAIR:
    case PREFETCH_REGION:
    case PREFETCH_REPLAY: return true;
    default: return !isnan(f->numbers[PREFETCH_TRAIN].view[0]);
    }
}

/* Single looks: all is done twice, and counts where both agree. */
bool prefetch_find_throttled(struct prefetch_kinds *k)
{
    for (enum prefetch_kind kind = 0; kind < PREFETCH_KINDS; kind++) {
        struct prefetch_found *f = &k->found[kind];
        struct prefetch_word *out = &f->words[PREFETCH_THROTTLED], again;
        if (!f->exists || !is_trained(f, kind))
            continue;
        if (!decide_once(k, kind, out) || !decide_once(k, kind, &again))
            return false;
        if (out->text != again.text)
            *out = (struct prefetch_word){NULL, REASON_NOT_STEADY};
    }
    return true;
}
