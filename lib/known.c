#include "lib/known.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const struct known_value values[] = {
#define KNOWN(core, finding, variant, value, source) {core, finding, variant, value, source},
#include "lib/known.def"
#undef KNOWN
};

enum { VALUES = sizeof values / sizeof values[0] };

/* True when each `key=value` word of `wanted` is among those of `variant`. */
static bool covers(const char *wanted, const char *variant)
{
    while (*wanted) {
        size_t length = strcspn(wanted, " ");
        const char *word = variant;

        while (*word && (strcspn(word, " ") != length || strncmp(word, wanted, length) != 0)) {
            word += strcspn(word, " ");
            word += strspn(word, " ");
        }
        if (!*word)
            return false;
        wanted += length;
        wanted += strspn(wanted, " ");
    }
    return true;
}

const struct known_value *known_find(const char *core, const char *finding, const char *variant)
{
    for (size_t i = 0; i < VALUES; i++) {
        if (strcmp(values[i].core, core) == 0 && strcmp(values[i].finding, finding) == 0 &&
            covers(values[i].variant, variant))
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
