#include "lib/structure/prefetch_foresee.h"

#include <math.h>
#include <string.h>

#include "lib/base/random.h"
#include "lib/structure/prefetch_reach.h"

enum { SEQUENCES = 3, LOOKS = 6, CONTROLS = 2, LONGEST = 7, PAGE_LINES = ACCESS_PAGE_BYTES / ACCESS_LINE_BYTES };

struct drawn {
    struct sequence all[SEQUENCES];
    int begin[SEQUENCES]; /* line of the first access in its page */
    size_t count;
};

enum forecast { NOTHING, STAYS, COMES };

static int below(struct prefetch_kinds *k, int bound)
{
    return (int)random_below(&k->look->p->random, (uint64_t)bound);
}

/* Draws the sequences: distances that no experiment used are among them. */
static void draw(struct prefetch_kinds *k, struct drawn *d)
{
    d->count = 1 + (size_t)below(k, SEQUENCES);
    for (size_t i = 0; i < d->count; i++) {
        struct sequence *s = &d->all[i];
        s->one = below(k, 2);
        s->count = 1 + (unsigned)below(k, LONGEST);
        s->stride = (s->one ? 3 + below(k, 6) : 1) * (below(k, 2) ? 1 : -1);
        const int span = (int)(s->count - 1) * (s->stride < 0 ? -s->stride : s->stride);
        d->begin[i] = below(k, PAGE_LINES - span) + (s->stride < 0 ? span : 0);
    }
}

/* The sequences of one list take turns at random, each in its order. */
static void make_list(struct prefetch_kinds *k, const struct drawn *d, struct access_list *l)
{
    unsigned done[SEQUENCES] = {0};
    bool left = true;

    *l = (struct access_list){.bytes = (int32_t)d->count * ACCESS_PAGE_BYTES, .align = ACCESS_PAGE_BYTES};
    while (left) {
        const size_t i = (size_t)below(k, (int)d->count);
        const struct sequence *s = &d->all[i];
        if (!done[i] && s->one)
            reach_forget(l, (uint32_t)i * PREFETCH_SEQUENCE);
        if (done[i] < s->count) {
            const int line = d->begin[i] + (int)done[i] * s->stride;
            l->all[l->count++] = (struct listed_load){(int32_t)i * ACCESS_PAGE_BYTES + line * ACCESS_LINE_BYTES,
                                                      (uint32_t)i * PREFETCH_SEQUENCE + (s->one ? 0 : done[i]),
                                                      LISTED_LOAD};
            done[i]++;
        }
        left = false;
        for (size_t n = 0; n < d->count; n++)
            left |= done[n] < d->all[n].count;
    }
}

/* What a prefetcher of that kind does with the line `ahead` strides behind the last access of a sequence. */
static enum forecast by_sequence(const struct prefetch_found *f, const struct sequence *s, int ahead)
{
    const bool up = f->text && !strncmp(f->text, "up", 2), down = f->text && strstr(f->text, "down");

    if (!f->text)
        return NOTHING;
    if (!f->exists || s->count < 2 || (s->stride > 0 ? !up : !down))
        return STAYS;
    const struct sequence measured = {.stride = f->stride, .count = s->count, .one = s->one};
    if (s->count > f->measured || f->unsteady[s->count] || ahead > (int)reach_most(&measured))
        return NOTHING;
    return f->in[s->count] >> ahead & 1 ? COMES : f->perhaps[s->count] >> ahead & 1 ? NOTHING : STAYS;
}

/* What a single access to `line` does with another line, if it is the first one to its page or not. */
static enum forecast by_access(const struct prefetch_kinds *k, int line, int other, bool first)
{
    const struct prefetch_found *next = &k->found[PREFETCH_NEXT], *pair = &k->found[PREFETCH_PAIR];
    const double degree = next->numbers[PREFETCH_DEGREE].view[0];

    if (other - line < -PREFETCH_SINGLE || other - line > PREFETCH_SINGLE)
        return STAYS;
    if (!next->text || !pair->text || (next->exists && !(degree > 0)))
        return NOTHING;
    if (next->exists && other > line && other - line <= (int)degree)
        return first || next->text[1] == 'l' /* always */ ? COMES : NOTHING;
    if (pair->exists && other == (line ^ 1))
        return first || pair->text[1] == 'l' ? COMES : NOTHING;
    return STAYS;
}

/* One that says that the line comes counts; else one that says nothing. */
static enum forecast together(enum forecast a, enum forecast b)
{
    return a == COMES || b == COMES ? COMES : a == NOTHING || b == NOTHING ? NOTHING : STAYS;
}

static enum forecast forecast_of(const struct prefetch_kinds *k, const struct sequence *s, int begin, int line,
                                 bool *accessed)
{
    const int last = begin + (int)(s->count - 1) * s->stride, away = line - last;
    enum forecast f = STAYS;

    *accessed = false;
    for (unsigned i = 0; i < s->count; i++) {
        const int at = begin + (int)i * s->stride;
        *accessed |= at == line;
        f = together(f, by_access(k, at, line, i == 0));
    }
    if (*accessed)
        return COMES;
    if (away % s->stride == 0 && away / s->stride > 0)
        f = together(f, by_sequence(&k->found[s->one ? PREFETCH_STRIDE : PREFETCH_STREAM], s, away / s->stride));
    /* of what regions are remembered as nothing is said */
    return f == STAYS && k->found[PREFETCH_REGION].exists ? NOTHING : f;
}

/* A line of a sequence's page: accessed, one that would follow, or any. */
static int choose_line(struct prefetch_kinds *k, const struct sequence *s, int begin)
{
    const int last = begin + (int)(s->count - 1) * s->stride;
    int line = below(k, PAGE_LINES);

    switch (below(k, 4)) {
    case 0: line = begin + below(k, (int)s->count) * s->stride; break;
    case 1: break;
    default: line = last + (1 + below(k, 10)) * s->stride;
    }
    return line >= 0 && line < PAGE_LINES ? line : below(k, PAGE_LINES);
}

bool prefetch_foresee(struct prefetch_kinds *k, unsigned lists, struct prefetch_foreseen *out)
{
    *out = (struct prefetch_foreseen){0};
    for (unsigned n = 0; n < lists; n++) {
        struct drawn d;
        struct access_list l;
        struct looked lines[LOOKS + CONTROLS];
        enum forecast says[LOOKS];
        bool accessed[LOOKS];
        draw(k, &d);
        make_list(k, &d, &l);
        for (size_t i = 0; i < LOOKS; i++) {
            const size_t which = (size_t)below(k, (int)d.count);
            const int line = choose_line(k, &d.all[which], d.begin[which]);
            says[i] = forecast_of(k, &d.all[which], d.begin[which], line, &accessed[i]);
            lines[i].at = (int32_t)which * ACCESS_PAGE_BYTES + line * ACCESS_LINE_BYTES;
        }
        size_t first = 0;
        while (l.all[first].kind != LISTED_LOAD)
            first++;
        lines[LOOKS].at = l.all[first].at;
        lines[LOOKS + 1].at = l.all[l.count - 1].at;
        if (!prefetch_look(k->look, &l, lines, LOOKS + CONTROLS))
            return false;
        /* what was accessed is near: where the first or last line is not, something else uses the levels as well */
        if (lines[LOOKS].where < NEAR_EITHER || lines[LOOKS + 1].where < NEAR_EITHER) {
            out->disturbed++;
            continue;
        }
        for (size_t i = 0; i < LOOKS; i++) {
            if (isnan(lines[i].part)) /* where it is could not be seen */
                continue;
            const bool right = says[i] == COMES ? lines[i].where >= NEAR_EITHER : lines[i].where == NEAR_HOME;
            out->lines++;
            out->known += says[i] != NOTHING;
            out->right += says[i] != NOTHING && right;
            out->brought += says[i] == COMES && !accessed[i];
            out->brought_right += says[i] == COMES && !accessed[i] && right;
        }
    }
    return true;
}
