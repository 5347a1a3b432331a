#include "lib/structure/prefetch_confirm.h"

#include <math.h>
#include <string.h>

enum {
    BEHIND = 2,  /* lines behind the farthest one that is known to be brought are looked at, too */
    ATTEMPTS = 2 /* at lines that are clear in none before */
};

void prefetch_add_levels(struct prefetch_found *f, const struct reach *r, uint32_t known)
{
    f->levels[NEAR_FIRST] |= r->first & ~known;
    f->levels[NEAR_SECOND] |= r->second & ~known;
    f->levels[NEAR_EITHER] |= r->either & ~known;
}

/* A line in the first level is taken for nothing else; one in the second may be in the first at some places. */
static enum nearness level_of(const struct prefetch_found *f)
{
    return f->levels[NEAR_FIRST]                               ? NEAR_FIRST
           : f->levels[NEAR_SECOND] && !f->levels[NEAR_EITHER] ? NEAR_SECOND
                                                               : NEAR_EITHER;
}

void prefetch_compare(struct prefetch_found *f, unsigned n, uint32_t in, uint32_t unclear, unsigned count)
{
    const uint32_t seen = ((UINT32_C(2) << count) - 2) & ~f->perhaps[n];

    f->unsteady[n] = f->unsteady[n] || (((in ^ f->in[n]) | unclear) & seen);
}

static unsigned farthest_of(const struct prefetch_found *f, unsigned n)
{
    return reach_farthest(f->in[n] | f->perhaps[n]);
}

static void take_back(struct prefetch_number *n, size_t view, enum reason reason)
{
    n->view[view] = NAN;
    n->reason = reason;
}

/* What rests on how many accesses train. */
static void take_back_words(struct prefetch_found *f)
{
    static const enum prefetch_trait traits[] = {PREFETCH_HITS,  PREFETCH_STORES, PREFETCH_UNIT,
                                                 PREFETCH_SHORT, PREFETCH_GROWTH, PREFETCH_THROTTLED};
    static const enum prefetch_parameter numbers[] = {PREFETCH_RESUMES, PREFETCH_STREAMS, PREFETCH_STRIDE_MAX,
                                                      PREFETCH_STRIDE_MIN, PREFETCH_PC_BITS};

    for (size_t i = 0; i < sizeof traits / sizeof *traits; i++)
        f->words[traits[i]] = (struct prefetch_word){NULL, REASON_NOT_STEADY};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        f->numbers[numbers[i]] = (struct prefetch_number){{NAN, NAN}, REASON_NOT_STEADY};
}

/* Measures one length again. What is clear counts at once; where some line is not, all are looked at once more. */
static bool measure_again(struct prefetch_kinds *k, const struct prefetch_found *f, const struct sequence *s,
                          uint32_t known, struct reach *r)
{
    for (unsigned i = 0; i < ATTEMPTS; i++) {
        if (!reach_measure_near(k->look, s, farthest_of(f, s->count) + BEHIND, r))
            return false;
        if (!(r->unclear & ~known))
            break;
    }
    return true;
}

/* One direction again. What it shows must begin where it did, with the lines that came then. */
static bool confirm_view(struct prefetch_kinds *k, struct prefetch_found *f, bool one, size_t view)
{
    const int stride = view ? f->other : f->stride;
    const uint32_t known = reach_by_single(k->single_up, k->single_down, stride);
    const unsigned train = (unsigned)f->numbers[PREFETCH_TRAIN].view[view];
    bool begun = false, trains = true, alike = false;

    for (unsigned n = 2; n <= f->measured; n++) {
        const struct sequence s = {.stride = stride, .count = n, .one = one};
        struct reach r;
        if (!measure_again(k, f, &s, known, &r))
            return false;
        const uint32_t in = r.in & ~known, unclear = r.unclear & ~known;
        prefetch_add_levels(f, &r, known);
        prefetch_compare(f, n, in, unclear, r.most);
        if (n == train)
            alike = in == (f->first[view] & ((UINT32_C(2) << r.most) - 1)) && !unclear;
        trains = trains && (n >= train || (!in && !unclear));
        begun = begun || (n == train && in);
    }
    if (!begun || !trains) {
        take_back(&f->numbers[PREFETCH_TRAIN], view, REASON_NOT_STEADY);
        take_back_words(f);
    }
    for (enum prefetch_parameter what = PREFETCH_DEGREE; what <= PREFETCH_DISTANCE && !(alike && trains); what++)
        take_back(&f->numbers[what], view, REASON_NOT_STEADY);
    return true;
}

void prefetch_doubt_numbers(struct prefetch_found *f)
{
    const double *train = f->numbers[PREFETCH_TRAIN].view;
    const char *growth = f->words[PREFETCH_GROWTH].text;
    const bool grows = !growth || strcmp(growth, "constant") != 0;

    for (size_t view = 0; view < PREFETCH_VIEWS; view++) {
        /* with fewer accesses all lines may have been among those; not where more accesses bring none farther ahead */
        if (f->masked[view] && grows) {
            take_back(&f->numbers[PREFETCH_TRAIN], view, REASON_AMBIGUOUS);
            take_back(&f->numbers[PREFETCH_DISTANCE], view, REASON_AMBIGUOUS);
        }
        if (!isnan(train[0]) && !isnan(train[1]) && train[0] != train[1]) {
            take_back(&f->numbers[PREFETCH_DEGREE], view, REASON_EXPERIMENTS_DISAGREE);
            take_back(&f->numbers[PREFETCH_DISTANCE], view, REASON_EXPERIMENTS_DISAGREE);
        }
    }
}

bool prefetch_confirm(struct prefetch_kinds *k)
{
    for (enum prefetch_kind kind = PREFETCH_STRIDE; kind <= PREFETCH_STREAM; kind++) {
        struct prefetch_found *f = &k->found[kind];
        const double *train = f->numbers[PREFETCH_TRAIN].view;
        if (!f->exists)
            continue;
        prefetch_doubt_numbers(f);
        for (size_t view = 0; view < PREFETCH_VIEWS; view++)
            if ((view == 0 || f->other) && !isnan(train[view]) && !confirm_view(k, f, kind == PREFETCH_STRIDE, view))
                return false;
        f->into = level_of(f);
    }
    return true;
}
