#include "lib/known.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "lib/facts.h"

static const struct known_value values[] = {
#define KNOWN(core, finding, variant, value, source) {core, finding, variant, value, 0, source},
#define KNOWN_RANGE(core, finding, variant, from, to, source) {core, finding, variant, from, to, source},
#include "lib/known.def"
#undef KNOWN
#undef KNOWN_RANGE
};

enum { VALUES = sizeof values / sizeof values[0] };

const struct known_value *known_find(const char *core, const char *finding, const char *variant)
{
    for (size_t i = 0; i < VALUES; i++) {
        if (strcmp(values[i].core, core) == 0 && strcmp(values[i].finding, finding) == 0 &&
            variants_cover(values[i].variant, variant))
            return &values[i];
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
