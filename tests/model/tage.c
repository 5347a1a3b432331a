#include "tests/model/tage.h"

#include <stdlib.h>

#include "tests/model/changes.h"

enum {
    COUNTER_LOW = -4,
    COUNTER_HIGH = 3,
    USEFUL_MOST = 3,
    BASE_MOST = 65536,
    AGING = 8192 /* predictions after which all entries are less useful; published: 256 Ki, for far longer programs */
};

struct entry {
    uint16_t tag;
    int8_t counter; /* predicted taken from 0 on */
    uint8_t useful;
    bool valid;
};

struct tage {
    struct tage_design design;
    struct entry entries[TAGE_TABLES][TAGE_ENTRIES];
    uint8_t base[BASE_MOST]; /* predicted taken from 2 on */
    unsigned predictions;    /* since entries aged */
};

struct tage *tage_new(const struct tage_design *d)
{
    struct tage *t = d->tables ? calloc(1, sizeof *t) : NULL;

    if (d->tables && (!t || d->ways << d->index_bits > TAGE_ENTRIES || 1u << d->base_bits > BASE_MOST))
        abort();
    if (t)
        t->design = *d;
    return t;
}

void tage_free(struct tage *t)
{
    free(t);
}

static uint64_t of_address(const uint64_t masks[TAGE_BITS], unsigned bits, uint64_t pc)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < bits; i++)
        value |= (uint64_t)__builtin_parityll(masks[i] & pc) << i;
    return value;
}

/* The latest `count` bits of a register, XORed into `width` bits. */
static uint64_t fold(const uint64_t words[HISTORY_WORDS], unsigned count, unsigned width)
{
    uint64_t value = 0;

    for (unsigned from = 0; from < count; from += width) {
        const unsigned bits = count - from < width ? count - from : width, word = from / 64, bit = from % 64;
        const uint64_t above = bit + bits > 64 ? words[word + 1] << (64 - bit) : 0;
        value ^= (words[word] >> bit | above) & (((uint64_t)1 << bits) - 1);
    }
    return value;
}

uint64_t tage_set(const struct tage_design *d, const struct history *h, unsigned table, uint64_t pc, uint16_t *tag)
{
    uint64_t set = of_address(d->index_pc, d->index_bits, pc), tagged = of_address(d->tag_pc, d->tag_bits, pc);

    for (unsigned r = 0; r < HISTORY_REGISTERS; r++) {
        const unsigned bits = d->history[table][r];
        set ^= fold(h->words[r], bits, d->index_bits);
        /* a second fold of another width keeps histories apart that the first one makes equal */
        if (d->tag_bits)
            tagged ^= fold(h->words[r], bits, d->tag_bits) ^ fold(h->words[r], bits, d->tag_bits - 1) << 1;
    }
    *tag = (uint16_t)(tagged & ((1u << d->tag_bits) - 1));
    return set * d->ways;
}

static struct entry *find(struct entry *set, unsigned ways, uint16_t tag)
{
    for (unsigned way = 0; way < ways; way++)
        if (set[way].valid && set[way].tag == tag)
            return &set[way];
    return NULL;
}

/* In the shortest of the tables from `from` on with an entry that is not useful; where none is, these age. */
static void allocate(struct tage *t, struct entry *sets[TAGE_TABLES], const uint16_t tags[TAGE_TABLES], unsigned from,
                     bool taken)
{
    for (unsigned table = from; table < t->design.tables; table++)
        for (unsigned way = 0; way < t->design.ways; way++)
            if (!sets[table][way].useful) {
                sets[table][way] = (struct entry){.tag = tags[table], .counter = taken ? 0 : -1, .valid = true};
                return;
            }
    for (unsigned table = from; table < t->design.tables; table++)
        for (unsigned way = 0; way < t->design.ways; way++)
            sets[table][way].useful--;
}

static void age(struct tage *t)
{
    t->predictions = 0;
    for (unsigned table = 0; table < t->design.tables; table++)
        for (unsigned i = 0; i < t->design.ways << t->design.index_bits; i++)
            t->entries[table][i].useful /= 2;
}

bool tage_predict(struct tage *t, const struct history *h, uint64_t pc, bool taken)
{
    const struct tage_design *d = &t->design;
    struct entry *sets[TAGE_TABLES], *provider = NULL, *other = NULL;
    uint16_t tags[TAGE_TABLES];
    unsigned longer = 0;
    uint8_t *base = &t->base[(pc >> d->base_low) & ((1u << d->base_bits) - 1)];

    for (unsigned table = 0; table < d->tables; table++) {
        sets[table] = &t->entries[table][tage_set(d, h, table, pc, &tags[table])];
        struct entry *e = find(sets[table], d->ways, tags[table]);
        if (!e)
            continue;
        other = provider;
        provider = e;
        longer = table + 1;
    }
    const bool without = other ? other->counter >= 0 : *base >= 2;
    const bool believed = provider ? provider->counter >= 0 : *base >= 2;

    if (provider) {
        if (believed != without && believed == taken && provider->useful < USEFUL_MOST)
            provider->useful++;
        if (believed != without && believed != taken && provider->useful)
            provider->useful--;
        provider->counter = (int8_t)(provider->counter +
                                     (taken ? provider->counter < COUNTER_HIGH : -(provider->counter > COUNTER_LOW)));
    } else {
        *base = (uint8_t)(*base + (taken ? *base < 3 : -(*base > 0)));
    }
    changes.other = true;
    if (++t->predictions == AGING)
        age(t);
    if (believed != taken)
        allocate(t, sets, tags, longer, taken);
    return believed == taken;
}
