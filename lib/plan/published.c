#include "lib/plan/published.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "lib/plan/facts.h"

static const struct published_value values[] = {
#define PUBLISHED(core, finding, variant, value, source) {core, finding, variant, value, 0, source},
#define PUBLISHED_RANGE(core, finding, variant, from, to, source) {core, finding, variant, from, to, source},
#include "lib/plan/published.def"
};

static const struct published_difference differences[] = {
#define PUBLISHED_DIFFERENCE(core, finding, variant, from, to, why) {core, finding, variant, from, to, why},
#include "lib/plan/published.def"
};

enum { VALUES = sizeof values / sizeof values[0], DIFFERENCES = sizeof differences / sizeof differences[0] };

/* The first row of a core, or NULL. Rows of one core follow each other, and a run asks for one core only. */
static const struct published_value *first_of(const char *core)
{
    static const struct published_value *last = values;

    for (size_t i = 0; core[0] && i < VALUES && strcmp(last->core, core) != 0; i++)
        last = &values[i];
    return strcmp(last->core, core) == 0 ? last : NULL;
}

const struct published_value *published_find(const char *core, const char *finding, const char *variant)
{
    const struct published_value *k = first_of(core);

    for (; k && k < values + VALUES && strcmp(k->core, core) == 0; k++) {
        if (strcmp(k->finding, finding) == 0 && variants_cover(k->variant, variant))
            return k;
    }
    return NULL;
}

const struct published_value *published_next(const struct published_value *k)
{
    const struct published_value *next = k + 1;

    if (next == values + VALUES || strcmp(next->core, k->core) != 0 || strcmp(next->finding, k->finding) != 0 ||
        strcmp(next->variant, k->variant) != 0)
        return NULL;
    return next;
}

const struct published_difference *published_difference(const char *core, const char *finding, const char *variant,
                                                        double value)
{
    for (size_t i = 0; i < DIFFERENCES; i++) {
        const struct published_difference *d = &differences[i];
        bool open = d->to == 0;

        if (!strcmp(d->core, core) && !strcmp(d->finding, finding) && variants_cover(d->variant, variant) &&
            (isnan(value) ? open : !open && d->from <= value && value <= d->to))
            return d;
    }
    return NULL;
}
