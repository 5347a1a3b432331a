#include "lib/structure/mix_search.h"

#include <math.h>
#include <string.h>

#include "lib/base/random.h"
#include "lib/base/statistics.h"
#include "lib/probe/sample.h"
#include "lib/structure/tolerances_ports.h"

enum {
    MIXES_MOST = 4,   /* in an order that is searched */
    FRESH_OF = 3,     /* of orders tried one in so many is drawn anew, the others are changes of the best */
    CHANGES_MOST = 3, /* at once */
    SIDES = 3,        /* a kind is in even slots, in odd ones, in both alike */
    ANYWHERE_OF = 8,  /* of orders one in so many has no sides */
    PACES = 8,        /* at which the front end is held back, from the least cycles of a mix to half-way to its goal */
    FULL_OF = 4,      /* of searches one in so many is of orders without blanks */
    KEPT_TIMES = 64,  /* measurements of the order that was found, at most, … */
    KEPT_REACHED = 2, /* … until it was as fast as the quick sample so often */
    BLANK_SAMPLES = 3
};

/* ---- Measuring one order -------------------------------------------------------------------------- */

/*
 * Lowers *best to the cycles of this order where it is better. Then it must be so every time: a reading beside a
 * disturbed reference chain may be too short, one among thousands. NaN is not better.
 */
static bool measure_if_better(struct mix_search *s, double *best)
{
    double cycles = 0;

    for (unsigned n = 0; n <= s->confirmations && cycles < *best; n++) {
        double once = NAN;
        if (!sample_cycles(s->probe, 1, mixes_build, &s->mixes, &once))
            return false;
        cycles = isnan(once) ? once : fmax(cycles, once);
    }
    *best = fmin(*best, cycles); /* which NaN leaves as it is */
    return true;
}

/*
 * The same for an order that a quick sample found to be good. Some keep their pace only now and then, by how they are
 * entered: the second best of many measurements is what the ports allow.
 */
static bool measure_found(struct mix_search *s, double goal, double *best)
{
    double cycles[KEPT_TIMES];
    size_t count = 0, reached = 0;

    for (unsigned n = 0; n < KEPT_TIMES && reached < KEPT_REACHED; n++) {
        double once = NAN;
        if (!sample_cycles(s->probe, 1, mixes_build, &s->mixes, &once))
            return false;
        if (!isnan(once))
            cycles[count++] = once;
        reached += once <= goal;
    }
    sort_numbers(cycles, count);
    if (count >= KEPT_REACHED)
        *best = fmin(*best, cycles[KEPT_REACHED - 1]);
    return true;
}

static bool quick_sample(struct mix_search *s, uint64_t *iterations, double *cycles)
{
    struct kernel k = {.units = 1};

    s->quick_samples++;
    return mixes_build(s->probe, &s->mixes, &k) && probe_quick_sample(s->probe, &k, iterations, cycles);
}

bool mix_search_has_time(const struct mix_search *s)
{
    return s->quick_samples < s->quick_samples_most;
}

/* ---- Drawing and changing orders ------------------------------------------------------------------ */

static void swap(uint8_t *a, uint8_t *b)
{
    const uint8_t was = *a;

    *a = *b;
    *b = was;
}

static size_t draw(struct mix_search *s, size_t n)
{
    return (size_t)random_below(&s->probe->random, n);
}

/*
 * So many mixes, and blanks, in an order drawn at random: each kind in even slots, in odd ones, or as many in both.
 * Blanks make up for what one side has more.
 */
static void draw_order(struct mix_search *s, const struct ports_mix *mix, unsigned mixes, size_t slots)
{
    struct mix_order *o = &s->mixes.order;
    const size_t sides = draw(s, ANYWHERE_OF) ? 2 : 1, even = (slots + 1) / 2;
    uint8_t dealt[MIX_SLOTS]; /* first the even slots, then the odd ones */
    size_t left = 0, right = slots;
    bool odd = false;

    *o = (struct mix_order){.mixes = mixes, .slots = slots, .tail = draw(s, 2)};
    memset(dealt, MIX_BLANK, sizeof dealt);
    for (size_t i = 0; i < s->mixes.count; i++) {
        const size_t side = draw(s, SIDES);
        for (unsigned n = 0; n < mix->times[i] * mixes; n++) {
            odd = side < 2 ? side : !odd;
            dealt[odd ? --right : left++] = (uint8_t)i;
        }
    }
    for (size_t i = 0; i < slots; i++)
        o->kinds[i < even ? 2 * i : 2 * (i - even) + 1] = dealt[i];
    for (size_t i = slots; i-- > sides;) /* Fisher and Yates, on each side or on both */
        swap(&o->kinds[i], &o->kinds[i % sides + sides * draw(s, i / sides + 1)]);
}

/* Exchanges two slots of different kinds. */
static void change_order(struct mix_search *s)
{
    struct mix_order *o = &s->mixes.order;
    const size_t a = draw(s, o->slots);
    size_t b = a;

    while (o->kinds[b] == o->kinds[a])
        b = draw(s, o->slots);
    swap(&o->kinds[a], &o->kinds[b]);
}

struct mix_blank mix_search_blank(const struct mix_search *s, double *rate)
{
    size_t best = 0;

    for (size_t i = 1; i < s->blank_count; i++)
        if (fabs(s->blank_rates[i] - s->reached) < fabs(s->blank_rates[best] - s->reached))
            best = i;
    *rate = s->blank_rates[best];
    return s->blanks[best];
}

/* ---- One search ----------------------------------------------------------------------------------- */

/*
 * Searches orders of one or a few mixes that repeat: some drawn at random, then changes of the best of them, by a quick
 * sample each. The best one is measured, and lowers *best. `least`: cycles that no order is faster than; `goal`: cycles
 * at which the search may stop.
 */
static bool search_order(struct mix_search *s, const struct ports_mix *mix, size_t instructions, double least,
                         double goal, double *best)
{
    const size_t room = MIX_SLOTS / instructions;
    const double pace = least + (double)draw(s, PACES) / PACES * (fmin(goal, *best) - least) / 2;
    const double slots_of_pace = pace * floor(s->reached + 0.5);
    unsigned mixes = 1;
    struct mix_order kept = {.slots = 0};
    double kept_cycles = (double)INFINITY, cycles, rate;
    uint64_t iterations = 0;
    bool good = true;

    while (mixes < MIXES_MOST && mixes < room && draw(s, 2)) /* the shortest are the most often good */
        mixes++;
    size_t slots = instructions * mixes;
    if (draw(s, FULL_OF))
        slots = (size_t)fmin(MIX_SLOTS, fmax((double)slots, 2 * ceil(slots_of_pace * mixes / 2 - ORDER_SLOT_PART)));
    s->mixes.blank = mix_search_blank(s, &rate);
    for (unsigned n = 0; good && n < s->tries && kept_cycles > goal; n++) {
        if (n < s->tries / FRESH_OF || !kept.slots) {
            draw_order(s, mix, mixes, slots);
        } else {
            s->mixes.order = kept;
            for (size_t changes = 1 + draw(s, CHANGES_MOST); changes; changes--)
                change_order(s);
        }
        good = quick_sample(s, &iterations, &cycles);
        if (good && cycles < kept_cycles * (1 + ORDER_SAME)) {
            kept = s->mixes.order;
            kept_cycles = fmin(kept_cycles, cycles);
        }
    }
    s->mixes.order = kept;
    if (good && (kept_cycles <= goal || kept_cycles < *best * (1 - ORDER_SAMPLE_ERROR)))
        good = measure_found(s, goal, best);
    s->mixes.order.slots = 0;
    return good;
}

/* ---- The best order ------------------------------------------------------------------------------- */

/* Cycles that no order is faster than: those of each kind alone, and of all by the most instructions a cycle so far. */
static double least_cycles(const struct mix_search *s, const struct ports_mix *mix, double instructions)
{
    double least = instructions / s->reached;

    for (size_t i = 0; i < s->mixes.count; i++)
        least = fmax(least, mix->times[i] * s->alone[i]);
    return least;
}

bool mix_search_expected(struct mix_search *s, struct ports_mix *mix, double expected, unsigned searches, double near)
{
    double best = (double)INFINITY;
    size_t instructions = 0, kinds = 0, last = 0;

    s->mixes.mix = *mix;
    for (size_t i = 0; i < s->mixes.count; i++) {
        instructions += mix->times[i];
        kinds += mix->times[i] > 0;
        last = mix->times[i] ? i : last;
    }
    for (unsigned i = 0; i < s->orders; i++) {
        s->mixes.shuffled = i > 0;
        if (!measure_if_better(s, &best))
            return false;
    }
    s->mixes.shuffled = false;
    if (kinds > 1 && isfinite(best)) {
        const double least = expected > 0 ? expected : least_cycles(s, mix, (double)instructions);
        const double enough = expected > 0 ? expected * (1 + near) : (double)INFINITY;
        const unsigned most = searches < s->searches ? searches : s->searches;
        for (unsigned n = 0; n < most && mix_search_has_time(s); n++) {
            const double goal = n ? enough : least * (1 + PORTS_REACHED);
            if (best > goal && !search_order(s, mix, instructions, least, goal, &best))
                return false;
        }
    }
    if (kinds == 1 && isfinite(best))
        s->alone[last] = fmin(s->alone[last] > 0 ? s->alone[last] : (double)INFINITY, best / (double)instructions);
    s->reached = fmax(s->reached, (double)instructions / best);
    mix->cycles = isfinite(best) ? best : 0;
    return isfinite(best);
}

bool mix_search_measure(void *search, struct ports_mix *mix)
{
    struct mix_search *s = search;

    return mix_search_expected(s, mix, 0, s->searches, 0);
}

bool mix_search_width(struct mix_search *s, size_t nop_lengths)
{
    for (size_t i = 0; i < nop_lengths && emit_nop_lengths[i]; i++)
        s->blanks[s->blank_count++] = (struct mix_blank){.nop_bytes = emit_nop_lengths[i]};
    for (const struct emit_idiom *i = emit_idioms; i->name && s->blank_count < MIX_BLANKS; i++)
        if (i->kind == IDIOM_ZERO)
            s->blanks[s->blank_count++] = (struct mix_blank){.idiom = i};
    for (size_t i = 0; i < s->blank_count; i++) {
        double cycles = NAN;
        s->mixes.blank = s->blanks[i];
        if (!sample_cycles(s->probe, BLANK_SAMPLES, mixes_build, &s->mixes, &cycles))
            return false;
        s->blank_rates[i] = isnan(cycles) ? 0 : 1 / cycles;
        s->width = fmax(s->width, s->blank_rates[i]);
    }
    return true;
}
