#include "tests/model/history.h"

#include <string.h>

#include "tests/model/changes.h"

uint64_t history_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

void history_shift(const struct history_register *r, uint64_t words[HISTORY_WORDS], uint64_t source, uint64_t target)
{
    uint64_t footprint = 0;

    for (unsigned i = 0; i < r->width; i++)
        footprint |= (uint64_t)(__builtin_parityll(r->footprint[i].source & source) ^
                                __builtin_parityll(r->footprint[i].target & target))
                     << i;
    if (source >> HISTORY_GATE & 1)
        footprint ^= (uint64_t)__builtin_parityll(r->gated & target);
    const unsigned last = (r->bits - 1) / 64;
    for (unsigned i = last + 1; i-- > 0;)
        words[i] = words[i] << r->shift | (i ? words[i - 1] >> (64 - r->shift) : 0);
    words[0] ^= footprint;
    words[last] &= UINT64_MAX >> (63 - (r->bits - 1) % 64);
}

void history_save(const struct history *h)
{
    changes_save(h->entries, h->span * sizeof h->entries[0]);
    changes_save(h->words, sizeof h->words);
}

void history_enter(struct history *h, enum history_kind kind, uint64_t source, uint64_t target)
{
    if (!h->span || !h->enters[kind])
        return;
    memmove(h->entries + 1, h->entries, (h->span - 1) * sizeof h->entries[0]);
    h->entries[0] = source * 31 + target;
    for (unsigned i = 0; i < HISTORY_REGISTERS && h->registers[i].bits; i++)
        history_shift(&h->registers[i], h->words[i], source, target);
}

/* Keys of the tables: hashes of the lowest bits of all registers, for table t of 1 / 2^t of them. */
static void keys_of_registers(const struct history *h, uint64_t key, uint64_t keys[HISTORY_TABLES])
{
    for (unsigned t = 0; t < HISTORY_TABLES; t++) {
        keys[t] = history_mix(key + t);
        for (unsigned r = 0; r < HISTORY_REGISTERS; r++) {
            const unsigned bits = h->registers[r].bits >> t;
            for (unsigned i = 0; i * 64 < bits; i++) {
                const uint64_t mask = bits < 64 * (i + 1) ? ((uint64_t)1 << (bits - 64 * i)) - 1 : UINT64_MAX;
                keys[t] = history_mix(keys[t] ^ (h->words[r][i] & mask));
            }
        }
    }
}

/* The same of entries: the whole history, half of it, and so on. */
static void keys_of_entries(const struct history *h, uint64_t key, uint64_t keys[HISTORY_TABLES])
{
    unsigned looked_at = 0;

    for (unsigned t = HISTORY_TABLES; t-- > 0;) {
        for (; looked_at < h->span >> t; looked_at++)
            key = history_mix(key ^ h->entries[looked_at]);
        keys[t] = key;
    }
}

bool history_predict(struct history *h, uint64_t pc, bool taken, bool *believed)
{
    uint64_t keys[HISTORY_TABLES];
    bool known = false;

    if (h->registers[0].bits)
        keys_of_registers(h, history_mix(pc), keys);
    else
        keys_of_entries(h, history_mix(pc), keys);
    for (unsigned t = 0; t < HISTORY_TABLES; t++) {
        const unsigned i = keys[t] % HISTORY_ENTRIES;
        if (!known && h->tables[t][i].key == keys[t]) {
            known = true;
            *believed = h->tables[t][i].taken;
        }
        changes.other |= h->tables[t][i].key != keys[t] || h->tables[t][i].taken != taken;
        h->tables[t][i].key = keys[t];
        h->tables[t][i].taken = taken;
    }
    return known;
}
