#include "lib/structure/table_search.h"

#include <math.h>

#include "lib/base/random.h"
#include "lib/structure/tolerances_tables.h"

/* What is looked at: this number of dummies, with chance before the bearer or without. */
struct place {
    unsigned dummies;
    bool chance;
};

/* Whether the branch is predicted there, by all samples in one of `layouts` layouts. False: the probe is over. */
static bool look(const struct table_search *s, struct place at, unsigned layouts, bool *predicted)
{
    *predicted = false;
    for (unsigned i = 0; i < layouts && !*predicted; i++) {
        const uint64_t layout = random_next(s->random);
        *predicted = true;
        for (unsigned n = 0; n < TABLE_SAMPLES && *predicted; n++)
            if (!s->sample(s->context, at.dummies, at.chance, layout, predicted))
                return false;
    }
    return true;
}

/*
 * Whether the branch is predicted there in so many layouts that a table sees the bearer, by Wald's sequential test
 * (1945). False: the probe is over.
 */
static bool confirm(const struct table_search *s, struct place at, bool *seen)
{
    int score = 0;

    while (score > -TABLE_DECIDED && score < TABLE_DECIDED) {
        bool predicted;
        if (!look(s, at, 1, &predicted))
            return false;
        score += predicted ? TABLE_FOR : -1;
    }
    *seen = score > 0;
    return true;
}

bool table_sees(const struct table_search *s, unsigned dummies, bool *seen)
{
    return confirm(s, (struct place){.dummies = dummies}, seen);
}

/* Moves on to the last number of dummies at which a table sees the bearer, as it does at at->dummies. */
static bool climb(const struct table_search *s, struct place *at)
{
    bool seen = true;

    while (seen && at->dummies + 1 < s->limit) {
        if (!confirm(s, (struct place){at->dummies + 1, at->chance}, &seen))
            return false;
        at->dummies += seen;
    }
    return true;
}

bool table_reach(const struct table_search *s, unsigned *last, bool *ends)
{
    unsigned in = 0, out = 1;
    bool seen = true;

    for (; seen && out < s->limit; out *= seen ? 2 : 1) {
        if (!confirm(s, (struct place){.dummies = out}, &seen))
            return false;
        in = seen ? out : in;
    }
    out = out < s->limit ? out : s->limit;
    while (in && out - in > 1) {
        const unsigned middle = in + (out - in) / 2;
        if (!confirm(s, (struct place){.dummies = middle}, &seen))
            return false;
        *(seen ? &in : &out) = middle;
    }
    *last = in;
    *ends = in && out < s->limit;
    return true;
}

/*
 * The branch was predicted from `first` dummies on up to at->dummies: whether a table sees the bearer there, and *at is
 * then the last place where one does.
 */
static bool find_end(const struct table_search *s, unsigned first, struct place *at, bool *seen)
{
    if (!confirm(s, *at, seen))
        return false;
    while (!*seen && at->dummies > first) {
        at->dummies--;
        if (!confirm(s, *at, seen))
            return false;
    }
    return !*seen || climb(s, at);
}

bool table_lengths(const struct table_search *s, unsigned longest, struct table_window found[TABLES_MOST],
                   unsigned *count)
{
    struct table_window up[TABLES_MOST];
    unsigned first = 0;
    bool before = false;

    *count = 0;
    for (unsigned dummies = 0; (dummies <= longest || before) && dummies < s->limit && *count < TABLES_MOST;
         dummies++) {
        struct place at = {dummies, true};
        bool predicted, seen;
        if (!look(s, at, s->narrow ? TABLE_NARROW_LAYOUTS : TABLE_LAYOUTS, &predicted))
            return false;
        if (predicted && !before)
            first = dummies;
        if (before && !predicted) {
            at.dummies--;
            if (!find_end(s, first, &at, &seen))
                return false;
            if (seen && (!*count || at.dummies > up[*count - 1].last))
                up[(*count)++] = (struct table_window){.first = first, .last = at.dummies};
            if (seen && at.dummies > dummies)
                dummies = at.dummies;
        }
        before = predicted;
    }
    for (unsigned i = 0; i < *count; i++)
        found[i] = up[*count - 1 - i];
    return true;
}

static unsigned width(const struct table_window *w)
{
    return w->last - w->first + 1;
}

unsigned table_distinct(const struct table_window *found, unsigned count)
{
    double narrowest = INFINITY;
    unsigned distinct = 0;

    for (unsigned i = 0; i < count; i++)
        if (width(&found[i]) <= TABLE_NARROW * (found[i].last + 1))
            narrowest = fmin(narrowest, width(&found[i]));
    while (distinct < count && isfinite(narrowest) && found[distinct].first &&
           width(&found[distinct]) <= TABLE_WIDER * narrowest + TABLE_WIDER_BY)
        distinct++;
    return distinct;
}
