#include "tests/model/fused.h"

#include <stdlib.h>

enum { ROOM = 64 };

/* The key of the instruction that begins there. */
static uint64_t key_of(const struct code *c, size_t at)
{
    const uint32_t number = code_number(decode(c->write + at, c->used - at));

    if (!code_good(c) || !number)
        abort();
    return decoded[number].key;
}

void fused_add(struct fused_pairs *f, const struct emit_pair *pair)
{
    for (size_t i = 0; i < PAIR_TARGETS; i++) {
        uint8_t bytes[ROOM] = {0};
        struct code c = code_start(bytes, 0, sizeof bytes);
        emit_pair_first(&c, pair, i);
        const size_t second = c.used;
        emit_pair_second(&c, pair, i);
        if (f->count == FUSED_PAIRS)
            abort();
        f->of[f->count].first = key_of(&c, 0);
        f->of[f->count++].second = key_of(&c, second);
    }
}

bool fused_has(const struct fused_pairs *f, const struct decoded *first, const struct decoded *second)
{
    for (unsigned i = 0; i < f->count && first; i++)
        if (f->of[i].second == second->key && f->of[i].first == first->key)
            return true;
    return false;
}
