#include "tests/model/history.h"

uint64_t history_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

void history_enter(struct history *h, enum history_kind kind, uint64_t pc, uint64_t target)
{
    if (!h->span || !h->enters[kind])
        return;
    h->newest = (h->newest + 1) % HISTORY_MAXIMUM;
    h->entries[h->newest] = pc * 31 + target;
}

bool history_predict(struct history *h, uint64_t pc, bool taken, bool *believed)
{
    uint64_t key = history_mix(pc), keys[HISTORY_TABLES];
    unsigned looked_at = 0;
    bool known = false;

    for (unsigned t = HISTORY_TABLES; t-- > 0;) {
        for (; looked_at < h->span >> t; looked_at++)
            key = history_mix(key ^ h->entries[(h->newest - looked_at) % HISTORY_MAXIMUM]);
        keys[t] = key;
    }
    for (unsigned t = 0; t < HISTORY_TABLES; t++) {
        const unsigned i = keys[t] % HISTORY_ENTRIES;
        if (!known && h->tables[t][i].key == keys[t]) {
            known = true;
            *believed = h->tables[t][i].taken;
        }
        h->tables[t][i].key = keys[t];
        h->tables[t][i].taken = taken;
    }
    return known;
}
