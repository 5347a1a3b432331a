#include "lib/known.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "lib/facts.h"

static const struct known_value values[] = {
#define KNOWN(core, finding, variant, value, source) {core, finding, variant, value, 0, source},
#define KNOWN_RANGE(core, finding, variant, from, to, source) {core, finding, variant, from, to, source},
#define KNOWN_DIFFERENCE(core, finding, variant, from, to, why)
#include "lib/known.def"
#undef KNOWN
#undef KNOWN_RANGE
#undef KNOWN_DIFFERENCE
};

static const struct known_difference differences[] = {
#define KNOWN(core, finding, variant, value, source)
#define KNOWN_RANGE(core, finding, variant, from, to, source)
#define KNOWN_DIFFERENCE(core, finding, variant, from, to, why) {core, finding, variant, from, to, why},
#include "lib/known.def"
};

enum { VALUES = sizeof values / sizeof values[0], DIFFERENCES = sizeof differences / sizeof differences[0] };

/* The first row of a core, or NULL. Rows of one core follow each other, and a run asks for one core only. */
static const struct known_value *first_of(const char *core)
{
    static const struct known_value *last = values;

    for (size_t i = 0; i < VALUES && strcmp(last->core, core) != 0; i++)
        last = &values[i];
    return strcmp(last->core, core) == 0 ? last : NULL;
}

const struct known_value *known_find(const char *core, const char *finding, const char *variant)
{
    const struct known_value *k = first_of(core);

    for (; k && k < values + VALUES && strcmp(k->core, core) == 0; k++) {
        if (strcmp(k->finding, finding) == 0 && variants_cover(k->variant, variant))
            return k;
    }
    return NULL;
}

const struct known_value *known_next(const struct known_value *k)
{
    const struct known_value *next = k + 1;

    if (next == values + VALUES || strcmp(next->core, k->core) != 0 || strcmp(next->finding, k->finding) != 0 ||
        strcmp(next->variant, k->variant) != 0)
        return NULL;
    return next;
}

const struct known_difference *known_difference(const char *core, const char *finding, const char *variant,
                                                double value)
{
    for (size_t i = 0; i < DIFFERENCES; i++) {
        const struct known_difference *d = &differences[i];
        bool open = d->to == 0;

        if (!strcmp(d->core, core) && !strcmp(d->finding, finding) && variants_cover(d->variant, variant) &&
            (isnan(value) ? open : !open && d->from <= value && value <= d->to))
            return d;
    }
    return NULL;
}
