#include "lib/structure/btb_tags.h"

#include <math.h>
#include <stdio.h>

#include "lib/base/random.h"

/*
 * By how much costs on one level differ, at most, as a part. Chosen: levels of published cores differ by half a cycle
 * of two and a half at least, 1/5; a miss in the first TLB, once in 128 branches, adds 1/20 of a cycle.
 */
static const double BTB_TAGS_LEVEL = 0.07;

/* How many times as much as on a level a branch costs without one, at least. Chosen: on Zen 4 it is six times. */
static const double BTB_TAGS_WITHOUT = 1.25;

enum {
    ROW = 3,   /* points of a level, at least: half an octave */
    LAST = 4,  /* points that no level holds */
    DRAWS = 64 /* of a difference, until one is not 0 */
};

static bool alike(double a, double b)
{
    return a <= b * (1 + BTB_TAGS_LEVEL) && b <= a * (1 + BTB_TAGS_LEVEL);
}

size_t btb_tags_levels(const double *cycles, size_t count, size_t *second, size_t most)
{
    double without = INFINITY; /* any level: the least of the last points, since a disturbance only adds */
    size_t found = 0;

    for (size_t i = count > LAST ? count - LAST : 0; i < count; i++)
        without = fmin(without, cycles[i]);
    for (size_t from = 0, end; from < count && found < most; from = end) {
        for (end = from + 1; end < count && alike(cycles[end], cycles[from]);)
            end++;
        const bool dearer = !found || cycles[from] > cycles[second[found - 1]] * (1 + BTB_TAGS_LEVEL);
        if (end - from >= ROW && dearer && cycles[from] * BTB_TAGS_WITHOUT <= without)
            second[found++] = from + 1;
    }
    return found;
}

static uint64_t lowest(uint64_t bits)
{
    return bits & -bits;
}

/*
 * Places one bit: alone it does not matter, with the lowest bit of a mask it belongs to that mask, else it has its own.
 */
static bool place_bit(const struct btb_tag_trial *t, uint64_t bit, struct btb_tags *out)
{
    bool hidden;

    if (!t->collide(t->context, bit, &hidden))
        return false;
    if (hidden) {
        out->ignored |= bit;
        return true;
    }
    for (size_t i = 0; i < out->count; i++) {
        if (!t->collide(t->context, bit | lowest(out->masks[i]), &hidden))
            return false;
        if (hidden) {
            out->masks[i] |= bit;
            return true;
        }
    }
    out->masks[out->count++] = bit;
    return true;
}

bool btb_tags_find(const struct btb_tag_trial *t, uint64_t bits, struct btb_tags *out)
{
    *out = (struct btb_tags){.count = 0};
    for (; bits; bits &= bits - 1)
        if (!place_bit(t, lowest(bits), out))
            return false;
    return true;
}

bool btb_tags_collide(const struct btb_tags *a, uint64_t difference)
{
    bool shows = false;

    for (size_t i = 0; i < a->count; i++)
        shows |= __builtin_parityll(a->masks[i] & difference);
    return !shows;
}

uint64_t btb_tags_draw(const struct btb_tags *a, bool hidden, uint64_t *random)
{
    uint64_t difference = 0;

    for (unsigned draws = 0; draws < DRAWS && !difference; draws++) {
        difference = random_next(random) & a->ignored;
        for (size_t i = 0; i < a->count; i++) {
            const uint64_t bits = random_next(random) & a->masks[i];
            difference |= hidden && __builtin_parityll(bits) ? bits ^ lowest(a->masks[i]) : bits;
        }
    }
    return difference;
}

void btb_tags_bits_text(uint64_t bits, char out[BTB_TAG_TEXT])
{
    size_t used = 0;

    out[0] = '\0';
    for (; bits && used < BTB_TAG_TEXT; bits &= bits - 1)
        used += (size_t)snprintf(out + used, BTB_TAG_TEXT - used, "%s%d", used ? " " : "", __builtin_ctzll(bits));
}

void btb_tags_text(const uint64_t *masks, size_t count, char out[BTB_TAG_TEXT])
{
    size_t used = 0;

    out[0] = '\0';
    for (size_t i = 0; i < count; i++)
        for (uint64_t bits = masks[i]; bits && used < BTB_TAG_TEXT; bits &= bits - 1)
            used += (size_t)snprintf(out + used, BTB_TAG_TEXT - used, "%s%d",
                                     bits != masks[i] ? "^"
                                     : used           ? " "
                                                      : "",
                                     __builtin_ctzll(bits));
}
