#include "lib/structure/gf2.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/random.h"
#include "lib/base/reason.h"
#include "lib/structure/tolerances_gf2.h"

/* By how many calls a result has to lead before it counts: that two addresses collide, and that they do not. */
struct leads {
    unsigned equal, apart;
};

struct solver {
    const struct gf2_request *q;
    struct gf2_result *out;
    bool over; /* the experiment ended the probe */
};

static unsigned bits_of(uint64_t x)
{
    return (unsigned)__builtin_popcountll(x);
}

/* The lead that a wrong result reaches with a probability of at most `wrong`: (p / (1 - p)) ^ lead (Wald 1945). */
static unsigned lead_for(double error, double wrong)
{
    const double odds = error / (1 - error);
    unsigned lead = 1;

    for (double chance = odds; chance > wrong && lead < 1000; chance *= odds)
        lead++;
    return lead;
}

/* ---- The experiment, repeated ---------------------------------------------------------------------------------- */

/* A random combination of these bits. */
static uint64_t random_bits(const struct gf2_request *q, uint64_t bits)
{
    return random_next(q->random) & bits;
}

/* Whether addresses with this difference collide. False where the probe is over or there is too much noise (reason). */
static bool collides(struct solver *s, uint64_t difference, struct leads leads, bool *collide)
{
    const uint64_t base = random_bits(s->q, s->q->bits);
    const unsigned patience = GF2_PATIENCE * (leads.equal + leads.apart);
    unsigned equal = 0, apart = 0;

    while (equal < apart + leads.equal && apart < equal + leads.apart) {
        bool result;
        if (equal + apart == patience) {
            s->out->reason = REASON_NOISE;
            return false;
        }
        if (!s->q->collide(s->q->context, base, difference, &result)) {
            s->over = true;
            return false;
        }
        s->out->calls++;
        equal += result;
        apart += !result;
    }
    *collide = equal > apart;
    return true;
}

/* ---- Masks from collisions ---------------------------------------------------------------------- */

/* The combination of these bits, of which there are `count`, that `chosen` has a 1 for. */
static uint64_t combine(const uint64_t *bits, size_t count, uint64_t chosen)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < count; i++)
        sum ^= chosen >> i & 1 ? bits[i] : 0;
    return sum;
}

/* The next larger number of as many bits (Gosper 1972, HAKMEM 175). */
static uint64_t next_of_weight(uint64_t x)
{
    uint64_t lowest = x & -x, ripple = x + lowest;
    return ripple | ((x ^ ripple) / lowest >> 2);
}

/*
 * Finds the independent bits, `most` of them at most, that collide together with `bit`: *on has a 1 for the index of
 * each. False as above.
 */
static bool find_dependence(struct solver *s, const uint64_t *independent, size_t count, size_t most, uint64_t bit,
                            struct leads leads, bool *found, uint64_t *on)
{
    *found = false;
    for (size_t weight = 0; weight <= count && weight <= most; weight++)
        for (uint64_t chosen = (UINT64_C(1) << weight) - 1; chosen >> count == 0; chosen = next_of_weight(chosen)) {
            if (!collides(s, bit ^ combine(independent, count, chosen), leads, found))
                return false;
            *on = chosen;
            if (*found)
                return true;
            if (weight == 0)
                break;
        }
    return true;
}

/* Adds x to a basis whose highest bits differ. False where x is a combination of its elements already. */
static bool add_to_basis(uint64_t basis[GF2_MASKS], size_t *count, uint64_t x)
{
    for (size_t i = 0; i < *count; i++)
        if ((x ^ basis[i]) < x)
            x ^= basis[i];
    if (!x)
        return false;
    size_t at = (*count)++;
    for (; at > 0 && basis[at - 1] < x; at--)
        basis[at] = basis[at - 1];
    basis[at] = x;
    return true;
}

void gf2_shorten(struct gf2_result *a)
{
    uint64_t basis[GF2_MASKS] = {0}, shortest[GF2_MASKS] = {0};
    size_t count = 0;

    for (unsigned weight = 1; weight <= GF2_BITS && count < a->count; weight++) {
        uint64_t mask = 0;
        for (uint64_t i = 1; i >> a->count == 0 && count < a->count; i++) {
            mask ^= a->masks[__builtin_ctzll(
                i)]; /* in the order of the Gray code: one mask is added or removed each time */
            if (bits_of(mask) == weight && add_to_basis(basis, &count, mask))
                shortest[count - 1] = mask;
        }
    }
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        for (; at > 0 && (a->masks[at - 1] & -a->masks[at - 1]) > (shortest[i] & -shortest[i]); at--)
            a->masks[at] = a->masks[at - 1];
        a->masks[at] = shortest[i];
    }
}

/* The leads for a search that takes so many bits one after the other. */
static struct leads leads_for(const struct gf2_request *q, uint64_t bits)
{
    const double questions = (double)bits_of(bits) * (double)(UINT64_C(1) << q->most);

    return (struct leads){.equal = lead_for(q->error, GF2_WRONG_RESULTS / questions),
                          .apart = lead_for(q->error, GF2_WRONG_RESULTS / bits_of(bits))};
}

/* Fills in the masks. False where that ended early: the reason is set, or the probe is over. */
static bool find_masks(struct solver *s)
{
    const struct gf2_request *q = s->q;
    struct gf2_result *a = s->out;
    const struct leads leads = leads_for(q, q->bits);
    uint64_t independent[GF2_MASKS];

    for (uint64_t left = q->bits; left; left &= left - 1) {
        const uint64_t bit = left & -left;
        uint64_t on = 0;
        bool found;
        if (!find_dependence(s, independent, a->count, a->count, bit, leads, &found, &on))
            return false;
        if (!found && a->count == q->most) {
            a->reason = a->dependent | a->null ? REASON_TOO_MANY_MASKS : REASON_NO_COLLISION;
            return false;
        }
        if (!found) {
            a->independent |= bit;
            a->masks[a->count] = bit;
            independent[a->count++] = bit;
            continue;
        }
        *(on ? &a->dependent : &a->null) |= bit;
        for (; on; on &= on - 1)
            a->masks[__builtin_ctzll(on)] |= bit;
    }
    if (a->count && !(a->dependent | a->null))
        a->reason = REASON_NO_COLLISION;
    return !a->reason;
}

/* ---- Further bits of known masks --------------------------------------------------------------------- */

static size_t list_bits(uint64_t bits, uint64_t list[GF2_MASKS])
{
    size_t count = 0;

    for (; bits; bits &= bits - 1)
        list[count++] = bits & -bits;
    return count;
}

bool gf2_extend(const struct gf2_request *q, uint64_t further, struct gf2_result *out, uint64_t *reached)
{
    struct solver s = {.q = q, .out = out};
    const struct leads leads = leads_for(q, further);
    uint64_t independent[GF2_MASKS];
    const size_t count = list_bits(out->independent, independent);

    *reached = 0;
    for (uint64_t left = further; left; left &= left - 1) {
        const uint64_t bit = left & -left;
        uint64_t on = 0;
        bool found;
        if (!find_dependence(&s, independent, count, GF2_TOGETHER, bit, leads, &found, &on))
            return !s.over;
        if (!found)
            return true;
        const uint64_t together = combine(independent, count, on);
        *(on ? &out->dependent : &out->null) |= bit;
        *reached |= bit;
        for (size_t i = 0; i < out->count; i++)
            out->masks[i] |= __builtin_parityll(out->masks[i] & together) ? bit : 0;
    }
    return true;
}

size_t gf2_extend_differences(const struct gf2_result *known, uint64_t further, uint64_t *list, size_t room)
{
    uint64_t independent[GF2_MASKS];
    const size_t count = list_bits(known->independent, independent);
    size_t all = 0;

    for (uint64_t left = further; left; left &= left - 1)
        for (uint64_t chosen = 0; chosen >> count == 0; chosen++)
            if (bits_of(chosen) <= GF2_TOGETHER && all++ < room)
                list[all - 1] = (left & -left) ^ combine(independent, count, chosen);
    return all;
}

/* ---- Verification ----------------------------------------------------------------------------------- */

static uint64_t parities(const struct gf2_result *a, uint64_t difference)
{
    uint64_t all = 0;

    for (size_t i = 0; i < a->count; i++)
        all |= (uint64_t)__builtin_parityll(difference & a->masks[i]) << i;
    return all;
}

/* The difference in independent bits alone that has these parities; there is exactly one. */
static uint64_t with_parities(const struct gf2_result *a, uint64_t wanted)
{
    uint64_t rows[GF2_MASKS], row_parities[GF2_MASKS], difference = 0;
    size_t count = 0;

    /* Gauss and Jordan: rows are combinations of independent bits, each the only one with its leading parity. */
    for (uint64_t left = a->independent; left; left &= left - 1) {
        uint64_t row = left & -left, has = parities(a, row);
        for (size_t i = 0; i < count; i++)
            if (has & row_parities[i] & -row_parities[i]) {
                has ^= row_parities[i];
                row ^= rows[i];
            }
        for (size_t i = 0; i < count; i++)
            if (row_parities[i] & has & -has) {
                row_parities[i] ^= has;
                rows[i] ^= row;
            }
        rows[count] = row;
        row_parities[count++] = has;
    }
    for (size_t i = 0; i < count; i++)
        if (wanted & row_parities[i] & -row_parities[i])
            difference ^= rows[i];
    return difference;
}

/*
 * A random difference. kind 0: it collides; 1: it has odd parity with a single mask; 2: with at least one. Where there
 * are no masks all collide.
 */
static uint64_t draw_difference(const struct gf2_request *q, const struct gf2_result *a, unsigned kind)
{
    const uint64_t unbound = a->dependent | a->null;
    uint64_t difference = 0;

    while (!difference) {
        const uint64_t rest = random_bits(q, unbound);
        uint64_t wanted = 0;
        if (a->count && (kind == 1 || !unbound))
            wanted = UINT64_C(1) << random_below(q->random, a->count);
        else if (a->count && kind == 2)
            wanted = 1 + random_below(q->random, (UINT64_C(1) << a->count) - 1);
        difference = rest ^ with_parities(a, parities(a, rest) ^ wanted);
    }
    return difference;
}

static bool verify_masks(struct solver *s)
{
    const unsigned lead = lead_for(s->q->error, GF2_WRONG_CHECKS);
    struct gf2_result *a = s->out;
    unsigned missed = 0;

    for (unsigned i = 0; i < s->q->checks; i++) {
        const uint64_t difference = draw_difference(s->q, a, i % 2 ? i % 4 / 2 + 1 : 0);
        bool collide;
        if (!collides(s, difference, (struct leads){lead, lead}, &collide))
            return false;
        missed += collide != (parities(a, difference) == 0);
    }
    a->checked += s->q->checks;
    a->missed += missed;
    if (missed > GF2_MISSED * s->q->checks)
        a->reason = REASON_NOT_LINEAR;
    return true;
}

bool gf2_check(const struct gf2_request *q, struct gf2_result *out)
{
    struct solver s = {.q = q, .out = out};

    return verify_masks(&s) || !s.over;
}

bool gf2_find(const struct gf2_request *q, struct gf2_result *out)
{
    struct solver s = {.q = q, .out = out};

    *out = (struct gf2_result){.count = 0};
    if (!find_masks(&s))
        return !s.over;
    gf2_shorten(out);
    return verify_masks(&s) || !s.over;
}

bool gf2_few_apart(const struct gf2_request *q, bool *apart)
{
    *apart = false;
    for (uint64_t left = q->bits; left && !*apart; left &= left - 1)
        for (uint64_t other = left; other && !*apart; other &= other - 1) {
            const uint64_t one = left & -left, difference = one | (other & -other);
            bool collide = false;
            for (unsigned twice = 0; twice < 2 && !collide; twice++)
                if (!q->collide(q->context, random_bits(q, q->bits), difference, &collide))
                    return false;
            *apart = !collide;
        }
    return true;
}

void gf2_text(const struct gf2_result *a, char *out, size_t room)
{
    size_t used = 0;

    out[0] = 0;
    for (size_t i = 0; i < a->count; i++)
        for (uint64_t left = a->masks[i]; left && used < room; left &= left - 1) {
            bool first = left == a->masks[i];
            int n = snprintf(out + used, room - used, "%s%d", !first ? "^" : i ? " " : "", __builtin_ctzll(left));
            used += n > 0 ? (size_t)n : 0;
        }
}
