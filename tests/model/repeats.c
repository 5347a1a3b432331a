#include "tests/model/repeats.h"

#include <stdlib.h>
#include <string.h>

#include "tests/model/changes.h"

/* Longer calls are executed again: their accesses would take too much memory. */
static const size_t ACCESSES_MAXIMUM = 1 << 20;

static uint64_t word_at(const uint8_t *at, size_t bytes)
{
    uint64_t word = 0;

    memcpy(&word, at, bytes);
    return word;
}

/* Whether all that was accessed is now as it was then. */
static bool is_same_data(const struct accesses *a)
{
    for (size_t i = 0; i < a->count; i++)
        if (word_at(a->list[i].at, a->list[i].bytes) != a->list[i].value)
            return false;
    return !a->overflow;
}

struct repeat *repeats_find(struct repeats *r, uint64_t entry, const uint64_t arguments[2])
{
    if (changes.other)
        r->version++;
    changes.other = false;
    r->current.count = 0;
    r->current.overflow = false;
    for (struct repeat *k = r->known; k < r->known + REPEATS; k++)
        if (k->entry == entry && k->version == r->version && k->arguments[0] == arguments[0] &&
            k->arguments[1] == arguments[1])
            return is_same_data(&k->accesses) ? k : NULL;
    return NULL;
}

void repeats_access(struct repeats *r, const uint8_t *at, size_t bytes)
{
    struct accesses *a = &r->current;

    for (; bytes; bytes -= bytes < 8 ? bytes : 8, at += 8) {
        const size_t word = bytes < 8 ? bytes : 8;
        if (a->count == a->room && a->room < ACCESSES_MAXIMUM) {
            a->room = a->room ? 2 * a->room : 1024;
            if (!(a->list = realloc(a->list, a->room * sizeof *a->list)))
                abort();
        }
        a->overflow |= a->count == a->room;
        if (!a->overflow)
            a->list[a->count++] = (struct accessed){at, word_at(at, word), word};
    }
}

void repeats_learn(struct repeats *r, const struct repeat *call)
{
    struct repeat *k = &r->known[r->next];

    if (!is_same_data(&r->current))
        return;
    r->next = (r->next + 1) % REPEATS;
    const struct accesses old = k->accesses;
    *k = *call;
    k->version = r->version;
    k->accesses = r->current;
    r->current = (struct accesses){.list = old.list, .room = old.room};
}

void repeats_free(struct repeats *r)
{
    for (size_t i = 0; i < REPEATS; i++)
        free(r->known[i].accesses.list);
    free(r->current.list);
}
