/*
 * Units: which operations share execution units, and how many units does each have?
 *
 * Representatives of classes of operations (arch/catalogue.h), loads and stores, each alone and in mixes: independent of
 * each other, over and over, in random order. Operations that can run on the same ports slow each other down, others do
 * not. What mixes take says how many ports two classes have together, and which sets of ports explain all mixes
 * (lib/fit/ports.h). Ports have no names here: they are numbered from 0, those that run most classes first.
 *
 * Other limits would look like shared ports: forms read few registers, and not what others wrote, so that one that is
 * bound to a busy port keeps nothing else waiting; stores are side by side, and all code is short.
 *
 * Schedulers bind operations to ports before it is known which will be free, better in one order than in another, and
 * worse when they are full: the best of several orders counts. Where a mix takes longer than any of its instructions alone
 * would, orders of one or a few mixes are searched, over and over the same, so that each is a case of its own: with as many
 * blanks (what takes the front end's time and no unit) as hold it back to what the ports can do, or with none; some are
 * drawn by chance, then two places of the best one are changed at a time, which is kept where it is no slower. Such a
 * search ends in an order that no small change makes better, so there are many, until the mix takes what a map says. What
 * the core takes in each cycle masks ports beyond that: it is the rate of blanks, or the most instructions in a cycle of
 * any mix, where NOPs are packed.
 *
 * On Zen 4 vector operations go to one of two schedulers by whether they are in an even or an odd slot of the front end,
 * whatever is in the slots between, while there is room in both. (Measured: what additions and multiplications that all wait
 * for one load take is what the fullest port takes when each second slot goes to the other scheduler: to the cycle in 1425
 * of 1500 random orders of 8 to 32 of them, within one in 1497, and the same with zeros between them.) Each scheduler has a
 * port for additions, which can shuffle, too, and one for multiplications, of which one can. So shuffles beside as many
 * additions as two ports take have to be in even slots, say, multiplications in odd ones, additions in both, and the front
 * end must be no faster than the ports: one order in millions is so by chance. Therefore orders are drawn with kinds on one
 * side or on both, and of an even number of slots, so that a round begins as the one before. Two NOPs beside each other take
 * one slot there, so blanks are those whose rate is nearest to that of instructions, there zeros.
 *
 * Of each order there is but a glimpse, and what is found is measured until it was as fast twice: some orders keep their
 * pace only by how they are entered. Mixes that stay slower are searched again when all have been, for as long as there are
 * glimpses.
 *
 * Two kinds may be in each other's way beyond units: arch/x86_64/units.c tells of additions and moves from vectors. Pairs
 * that are slower than the map says where each is as much as its units take, however long good orders are looked for, are
 * measured in several ratios, and with others that are in the way as the first of them is (lib/fit/conflicts.h), and mixes
 * that contain them are expected to take no less. Both are told: how many mixes are predicted, and how many of those by
 * units alone.
 *
 * Answer: for each class its ports, by the best map; the record has all maps that explain what was measured. Once a map
 * is found it has to predict mixes that are drawn by chance. Grade C: one experiment. A map is not told where any mix is
 * faster than it allows, or more than one in ten is much slower, or it predicts less than nine in ten of more mixes that
 * the search has not seen; how far mixes are off is told with it, and how many of those it predicts.
 *
 * Method: conflicts of mixes, Ritter and Hack, PMEvo, 2020, and Derumigny et al., PALMED, 2022; classes as
 * Johnson, Firestorm, 2021.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/engine/statistics.h"
#include "lib/kernels/mixes.h"
#include "lib/fit/conflicts.h"
#include "lib/fit/ports.h"
#include "lib/probe.h"
#include "lib/sample.h"
#include "lib/table.h"

enum {
    ORDERS = 12,
    MIXES_MOST = 4,    /* in an order that is searched */
    FRESH_OF = 3,      /* of those tried one in so many is drawn anew, the others are changes of the best */
    CHANGES_MOST = 3,  /* at once */
    SIDES = 3,         /* a kind is in even slots, in odd ones, in both alike */
    ANYWHERE_OF = 8,   /* of orders one in so many has no sides */
    PACES = 8,         /* at which the front end is held back, from what a mix takes at least to half-way to its goal */
    FULL_OF = 4,       /* of searches one in so many is of orders without blanks */
    KEPT_TIMES = 64,   /* what was found is measured so often at most … */
    KEPT_REACHED = 2,  /* … and is as fast as it was so often */
    AGAIN = 2,         /* what is better in another order is measured so often besides */
    PREDICTED_OF = 10, /* of so many unseen mixes one may be slower than the map says */
    NOPS = 6,          /* lengths of NOPs */
    BLANKS = 12,       /* NOPs and zeros, at most */
    BLANK_SAMPLES = 3,
    CLASSES_SMOKE = 2, /* and the load */
    MAPS_SENT = 8,
    CONFLICTS = 8,
    CONFLICT_CLIMBS = 1200, /* searches for the best order of each of their mixes, at most */
    PART_CLIMBS = 300,      /* the same, with another one */
    NAME = 64,
    TEXT = 512
};

struct units {
    struct probe *probe;
    struct mixes mixes;
    unsigned orders; /* the first is the even one */
    unsigned again;  /* what is better is measured so often besides */
    unsigned climbs; /* searches for the best order of a mix that is slower than it should be, at most … */
    unsigned tries;  /* … and orders in one */
    uint64_t glimpses, glimpses_most; /* of orders: no more are searched then */
    double width;                     /* blanks in a cycle, those that are fastest */
    struct mix_blank blanks[BLANKS];
    double blank_rates[BLANKS]; /* in a cycle, each */
    size_t blank_count;
    double reached;              /* instructions in a cycle, the most so far */
    double alone[PORTS_CLASSES]; /* cycles of one; 0: not measured yet */
    double said;                 /* what the mix should take; 0: there is no map yet */
    double enough;               /* no better order is looked for this near to it, a part of it */
    struct conflict conflicts[CONFLICTS];
    size_t conflict_count;
};

/* A mix is predicted when it takes what the map says, to this part of it. */
static const double PREDICTED_PART = 0.05;

/*
 * A change that makes an order slower by no more than the best is kept: what mixes take changes in steps. And no better
 * one is looked for this near to what a mix takes at least.
 */
static const double SAME_PART = 0.002, REACHED_PART = 0.01;

/* What a glimpse may be off by. */
static const double GLIMPSE_PART = 0.01;

/* Slots are counted to this part of one. */
static const double SLOT_PART = 0.25;

/* What takes no more than the map says, to this part of it, is predicted: no better order is looked for once more. */
static const double ENOUGH_PART = 0.04;

/* Parts of a conflict below this are not told. */
static const double PART_TOLD = 0.3;

struct prediction {
    unsigned wanted, mixes, within, by_units; /* by the map alone, without conflicts of pairs */
    double fastest, slowest;                  /* parts of what was expected */
};

/*
 * The best so far, and this order's cycles where it is better. Then it has to be so every time: a reading beside disturbed
 * yardsticks may be, once among thousands. NaN is not.
 */
static bool measure_once(struct units *u, double *best)
{
    double cycles = 0;

    for (unsigned n = 0; n <= u->again && cycles < *best; n++) {
        double once = NAN;
        if (!sample_cycles(u->probe, 1, mixes_build, &u->mixes, &once))
            return false;
        cycles = isnan(once) ? once : fmax(cycles, once);
    }
    *best = fmin(*best, cycles); /* which NaN leaves as it is */
    return true;
}

/*
 * The same for an order that a glimpse found to be good. Some keep their pace only now and then, by how they are entered:
 * what was as fast twice is what ports allow.
 */
static bool measure_kept(struct units *u, double goal, double *best)
{
    double cycles[KEPT_TIMES];
    size_t count = 0, reached = 0;

    for (unsigned n = 0; n < KEPT_TIMES && reached < KEPT_REACHED; n++) {
        double once = NAN;
        if (!sample_cycles(u->probe, 1, mixes_build, &u->mixes, &once))
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

static bool glimpse(struct units *u, uint64_t *iterations, double *cycles)
{
    struct kernel k = {.units = 1};

    u->glimpses++;
    return mixes_build(u->probe, &u->mixes, &k) && probe_glimpse(u->probe, &k, iterations, cycles);
}

/* No order is faster: what the instructions of one kind take, and the core's width as far as it is known. */
static double least_cycles(const struct units *u, const struct ports_mix *mix, double instructions)
{
    double least = instructions / u->reached;

    for (size_t i = 0; i < u->mixes.count; i++)
        least = fmax(least, mix->times[i] * u->alone[i]);
    return least;
}

static void swap(uint8_t *a, uint8_t *b)
{
    const uint8_t was = *a;

    *a = *b;
    *b = was;
}

static size_t draw(struct units *u, size_t n)
{
    return (size_t)random_below(&u->probe->random, n);
}

/*
 * So many mixes, and blanks, in an order drawn by chance: each kind in even slots, in odd ones, or as many in both. Blanks
 * make up for what one side has more.
 */
static void draw_order(struct units *u, const struct ports_mix *mix, unsigned mixes, size_t slots)
{
    struct mix_order *o = &u->mixes.order;
    const size_t apart = draw(u, ANYWHERE_OF) ? 2 : 1, even = (slots + 1) / 2;
    uint8_t dealt[MIX_SLOTS]; /* first the even slots, then the odd ones */
    size_t left = 0, right = slots;
    bool odd = false;

    *o = (struct mix_order){.mixes = mixes, .slots = slots, .tail = draw(u, 2)};
    memset(dealt, MIX_BLANK, sizeof dealt);
    for (size_t i = 0; i < u->mixes.count; i++) {
        const size_t side = draw(u, SIDES);
        for (unsigned n = 0; n < mix->times[i] * mixes; n++) {
            odd = side < 2 ? side : !odd;
            dealt[odd ? --right : left++] = (uint8_t)i;
        }
    }
    for (size_t i = 0; i < slots; i++)
        o->kinds[i < even ? 2 * i : 2 * (i - even) + 1] = dealt[i];
    for (size_t i = slots; i-- > apart;) /* Fisher and Yates, on each side or on both */
        swap(&o->kinds[i], &o->kinds[i % apart + apart * draw(u, i / apart + 1)]);
}

/* Two that are different change places. */
static void change_order(struct units *u)
{
    struct mix_order *o = &u->mixes.order;
    const size_t a = draw(u, o->slots);
    size_t b = a;

    while (o->kinds[b] == o->kinds[a])
        b = draw(u, o->slots);
    swap(&o->kinds[a], &o->kinds[b]);
}

static bool has_time(const struct units *u)
{
    return u->glimpses < u->glimpses_most;
}

/* Those that take a slot each, as an instruction does: whose rate is nearest to that. */
static struct mix_blank slot_blank(const struct units *u)
{
    size_t best = 0;

    for (size_t i = 1; i < u->blank_count; i++)
        if (fabs(u->blank_rates[i] - u->reached) < fabs(u->blank_rates[best] - u->reached))
            best = i;
    return u->blanks[best];
}

/*
 * Orders of one or a few mixes that go over and over: some drawn by chance, then changes of the best of them. Most are no
 * better, so only a glimpse is had of each, and the one that is left is measured.
 */
static bool climb(struct units *u, const struct ports_mix *mix, size_t instructions, double least, double goal,
                  double *best)
{
    const size_t room = MIX_SLOTS / instructions;
    const double pace = least + (double)draw(u, PACES) / PACES * (fmin(goal, *best) - least) / 2;
    const double slots_of_pace = pace * floor(u->reached + 0.5);
    unsigned mixes = 1;
    struct mix_order kept = {.slots = 0};
    double kept_cycles = (double)INFINITY, cycles;
    uint64_t iterations = 0;
    bool good = true;

    while (mixes < MIXES_MOST && mixes < room && draw(u, 2)) /* the shortest are the most often good */
        mixes++;
    size_t slots = instructions * mixes;
    if (draw(u, FULL_OF))
        slots = (size_t)fmin(MIX_SLOTS, fmax((double)slots, 2 * ceil(slots_of_pace * mixes / 2 - SLOT_PART)));
    u->mixes.blank = slot_blank(u);
    for (unsigned n = 0; good && n < u->tries && kept_cycles > goal; n++) {
        if (n < u->tries / FRESH_OF || !kept.slots) {
            draw_order(u, mix, mixes, slots);
        } else {
            u->mixes.order = kept;
            for (size_t changes = 1 + draw(u, CHANGES_MOST); changes; changes--)
                change_order(u);
        }
        good = glimpse(u, &iterations, &cycles);
        if (good && cycles < kept_cycles * (1 + SAME_PART)) {
            kept = u->mixes.order;
            kept_cycles = fmin(kept_cycles, cycles);
        }
    }
    u->mixes.order = kept;
    if (good && (kept_cycles <= goal || kept_cycles < *best * (1 - GLIMPSE_PART)))
        good = measure_kept(u, goal, best);
    u->mixes.order.slots = 0;
    return good;
}

/* The best of several orders, and of those that are searched: none is faster than the ports allow. */
static bool measure(void *context, struct ports_mix *mix)
{
    struct units *u = context;
    double best = (double)INFINITY;
    size_t instructions = 0, kinds = 0, last = 0;

    u->mixes.mix = *mix;
    for (size_t i = 0; i < u->mixes.count; i++) {
        instructions += mix->times[i];
        kinds += mix->times[i] > 0;
        last = mix->times[i] ? i : last;
    }
    for (unsigned i = 0; i < u->orders; i++) {
        u->mixes.shuffled = i > 0;
        if (!measure_once(u, &best))
            return false;
    }
    u->mixes.shuffled = false;
    if (kinds > 1 && isfinite(best)) {
        const double least = u->said > 0 ? u->said : least_cycles(u, mix, (double)instructions);
        const double enough = u->said > 0 ? u->said * (1 + u->enough) : (double)INFINITY;
        for (unsigned n = 0; n < u->climbs && has_time(u); n++) {
            const double goal = n ? enough : least * (1 + REACHED_PART);
            if (best > goal && !climb(u, mix, instructions, least, goal, &best))
                return false;
        }
    }
    if (kinds == 1 && isfinite(best))
        u->alone[last] = fmin(u->alone[last] > 0 ? u->alone[last] : (double)INFINITY, best / (double)instructions);
    u->reached = fmax(u->reached, (double)instructions / best);
    mix->cycles = isfinite(best) ? best : 0;
    return isfinite(best);
}

/* The rate of those blanks that are fastest: what is long may be held up on its way to the core. */
static bool measure_width(struct probe *p, struct units *u)
{
    for (size_t i = 0; i < (size_t)probe_smoke(p, 1, NOPS) && emit_nop_lengths[i]; i++)
        u->blanks[u->blank_count++] = (struct mix_blank){.nop_bytes = emit_nop_lengths[i]};
    for (const struct emit_idiom *i = emit_idioms; i->name && u->blank_count < BLANKS; i++)
        if (i->kind == IDIOM_ZERO)
            u->blanks[u->blank_count++] = (struct mix_blank){.idiom = i};
    for (size_t i = 0; i < u->blank_count; i++) {
        double cycles = NAN;
        u->mixes.blank = u->blanks[i];
        if (!sample_cycles(p, BLANK_SAMPLES, mixes_build, &u->mixes, &cycles))
            return false;
        u->blank_rates[i] = isnan(cycles) ? 0 : 1 / cycles;
        u->width = fmax(u->width, u->blank_rates[i]);
    }
    return true;
}

/* What the map and conflicts of pairs say. */
static double expected_cycles(const struct units *u, const struct ports *s, const struct ports_mix *mix)
{
    double cycles = ports_cycles(&s->maps[0], s->width, mix);

    for (size_t i = 0; i < u->conflict_count; i++)
        cycles = fmax(cycles, conflict_cycles(&u->conflicts[i], mix));
    return cycles;
}

static bool is_as_said(double cycles, double said)
{
    return fabs(cycles / said - 1) <= PREDICTED_PART;
}

static bool is_slow(double said, const struct ports_mix *mix)
{
    return mix->cycles > said * (1 + PREDICTED_PART);
}

/* There are so many searches at most for the best order, and no more this near to what the mix should take. */
static bool measure_within(struct units *u, struct ports_mix *mix, unsigned climbs, double enough)
{
    const unsigned climbs_else = u->climbs;
    const double enough_else = u->enough;

    u->climbs = climbs < climbs_else ? climbs : climbs_else;
    u->enough = enough;
    const bool good = measure(u, mix);
    u->climbs = climbs_else;
    u->enough = enough_else;
    return good;
}

/*
 * What else is in the way as the first of the two is: half of those, or as many as take no longer than the two do by the
 * map, are replaced by another one.
 */
static bool measure_parts(struct units *u, const struct ports *s, struct conflict *c)
{
    for (size_t i = 0; i < s->count; i++) {
        unsigned times = c->mixes[CONFLICT_STEPS].times[c->first] / 2;
        struct ports_mix mix = conflict_with(c, i, times);
        if (i == c->first || i == c->second)
            continue;
        while (times && ports_cycles(&s->maps[0], s->width, &mix) > c->by_units[CONFLICT_STEPS])
            mix = conflict_with(c, i, --times);
        u->said = conflict_cycles(c, &mix);
        if (!(times && u->said > 0))
            continue;
        if (!measure_within(u, &mix, PART_CLIMBS, REACHED_PART))
            return false;
        c->parts[i] = conflict_part(c, i, &mix);
    }
    return true;
}

/* The pair in this ratio, as the map has it and as it is. */
static bool measure_ratio(struct units *u, struct ports *s, struct conflict *c, size_t n)
{
    u->said = c->by_units[n] = ports_cycles(&s->maps[0], s->width, &c->mixes[n]);
    if (!measure_within(u, &c->mixes[n], CONFLICT_CLIMBS, ENOUGH_PART))
        return false;
    if (s->mix_count < PORTS_MIXES)
        s->mixes[s->mix_count++] = c->mixes[n];
    return true;
}

/*
 * Pairs that are slower than the map says, whatever their order, are measured in other ratios, too. What they share beyond
 * units they want most of where each is as much as its units take in that time: a pair that is no slower there has no
 * conflict, whatever the search makes of other ratios.
 */
static bool measure_conflicts(struct units *u, struct ports *s)
{
    const size_t singles = s->count, pairs = s->count * (s->count - 1) / 2;

    for (size_t m = singles; m < singles + pairs && u->conflict_count < CONFLICTS; m++) {
        struct conflict c = conflict_of(&s->mixes[m]);
        if (s->mixes[m].cycles <= ports_cycles(&s->maps[0], s->width, &s->mixes[m]) * (1 + ENOUGH_PART))
            continue;
        if (!measure_ratio(u, s, &c, CONFLICT_STEPS))
            return false;
        if (c.mixes[CONFLICT_STEPS].cycles <= c.by_units[CONFLICT_STEPS] * (1 + ENOUGH_PART))
            continue;
        for (size_t n = 0; n < CONFLICT_MIXES; n++)
            if (n != CONFLICT_STEPS && !measure_ratio(u, s, &c, n))
                return false;
        if (!measure_parts(u, s, &c))
            return false;
        u->conflicts[u->conflict_count++] = c;
    }
    return true;
}

/* What is faster than expected has to be so twice, as when maps are searched. */
static bool measure_unseen(struct units *u, const struct ports *s, struct ports_mix *mix)
{
    struct ports_mix again = *mix;

    u->said = expected_cycles(u, s, mix);
    if (!measure(u, mix))
        return false;
    if (mix->cycles < u->said * (1 - PORTS_FAST)) {
        if (!measure(u, &again))
            return false;
        mix->cycles = fmax(mix->cycles, again.cycles);
    }
    return true;
}

/* No order makes a mix faster than ports allow: while there is time those that are slower are searched once more. */
static bool measure_slow_again(struct units *u, const struct ports *s, struct ports_mix *mixes, size_t count)
{
    for (bool slow = true; slow && has_time(u);) {
        slow = false;
        for (size_t i = 0; i < count && has_time(u); i++) {
            struct ports_mix again = mixes[i];
            if (!is_slow(expected_cycles(u, s, &mixes[i]), &mixes[i]))
                continue;
            if (!measure_unseen(u, s, &again))
                return false;
            mixes[i].cycles = fmin(mixes[i].cycles, again.cycles);
            slow |= is_slow(u->said, &mixes[i]);
        }
    }
    return true;
}

/* Mixes that neither the map nor conflicts have seen, drawn by chance, and how many of them are predicted. */
static bool predict(struct units *u, struct ports *s, struct prediction *told)
{
    struct ports_mix *mixes = &s->mixes[s->mix_count];

    for (; told->mixes < told->wanted && s->mix_count < PORTS_MIXES && has_time(u); told->mixes++) {
        struct ports_mix *mix = &s->mixes[s->mix_count++];
        *mix = ports_random_mix(s, &u->probe->random, true);
        if (!measure_unseen(u, s, mix))
            return false;
    }
    if (!measure_slow_again(u, s, mixes, told->mixes))
        return false;
    for (size_t i = 0; i < told->mixes; i++) {
        const double said = expected_cycles(u, s, &mixes[i]), off = mixes[i].cycles / said - 1;
        told->within += is_as_said(mixes[i].cycles, said);
        told->by_units += is_as_said(mixes[i].cycles, ports_cycles(&s->maps[0], s->width, &mixes[i]));
        told->slowest = fmax(told->slowest, off);
        told->fastest = fmax(told->fastest, -off);
    }
    return true;
}

/* Both kinds of operations of an instruction: "0 1 5", "0 1 + 2x 3". */
static void tell_ports(const struct ports_op ops[PORTS_OPS], char *text, size_t room)
{
    size_t at = 0;

    text[0] = 0;
    for (size_t o = 0; o < PORTS_OPS && ops[o].ports && at < room; o++) {
        if (o)
            at += (size_t)snprintf(text + at, room - at, "+ ");
        if (ops[o].times > 1 && at < room)
            at += (size_t)snprintf(text + at, room - at, "%ux ", ops[o].times);
        for (unsigned port = 0; port < PORTS_MOST && at < room; port++)
            if (ops[o].ports >> port & 1)
                at += (size_t)snprintf(text + at, room - at, "%u ", port);
    }
    if (at && at < room)
        text[at - 1] = 0;
}

static void send_maps(struct probe *p, const struct mixes *u, const struct ports *s)
{
    struct record r;

    record_table(p, &r, "maps");
    record_number(&r, "width", rounded(s->width));
    record_integer(&r, "mixes", s->mix_count);
    record_boolean(&r, "fits", s->fits);
    RECORD_COLUMNS(&r, "map", "class", "form", "ports", "alone_cycles");
    for (size_t m = 0; m < s->map_count && m < MAPS_SENT; m++)
        for (size_t i = 0; i < u->count; i++) {
            char ports[TEXT];
            tell_ports(s->maps[m].ops[i], ports, sizeof ports);
            record_array(&r, NULL);
            record_integer(&r, NULL, m);
            record_text(&r, NULL, u->classes[i]);
            record_text(&r, NULL, u->forms[i] ? form_name(u->forms[i]) : u->classes[i]);
            record_text(&r, NULL, ports);
            record_number(&r, NULL, rounded(s->mixes[i].cycles));
            record_close(&r);
        }
    record_close(&r);
    record_send(&r);
}

/* Every mix with what was measured and what was expected: the evidence. */
static void send_mixes(struct probe *p, const struct units *u, const struct ports *s)
{
    struct record r;

    record_table(p, &r, "mixes");
    record_array(&r, "columns");
    for (size_t i = 0; i < u->mixes.count; i++)
        record_text(&r, NULL, u->mixes.classes[i]);
    record_text(&r, NULL, "measured_cycles");
    record_text(&r, NULL, "predicted_cycles");
    record_close(&r);
    record_array(&r, "rows");
    for (size_t m = 0; m < s->mix_count; m++) {
        record_array(&r, NULL);
        for (size_t i = 0; i < u->mixes.count; i++)
            record_integer(&r, NULL, s->mixes[m].times[i]);
        record_number(&r, NULL, rounded(s->mixes[m].cycles));
        record_number(&r, NULL, s->map_count ? rounded(expected_cycles(u, s, &s->mixes[m])) : (double)NAN);
        record_close(&r);
    }
    record_close(&r);
    record_send(&r);
}

/* " (0.7 of multiply, 0.5 of load)": what is in the way as the first one is. */
static size_t tell_parts(const struct units *u, const struct conflict *c, char *text, size_t room)
{
    size_t at = 0;

    for (size_t i = 0; i < u->mixes.count && at < room; i++)
        if (c->parts[i] >= PART_TOLD)
            at += (size_t)snprintf(text + at, room - at, "%s%.1f of %s", at ? ", " : " (", c->parts[i],
                                   u->mixes.classes[i]);
    if (at && at < room)
        at += (size_t)snprintf(text + at, room - at, ")");
    return at;
}

/* "add (0.5 of shift) and vector to general: up to 25 % slower" */
static void tell_conflicts(const struct units *u, char *text, size_t room)
{
    size_t at = (size_t)snprintf(text, room, "%s", u->conflict_count ? "" : "none");

    for (size_t i = 0; i < u->conflict_count && at < room; i++) {
        const struct conflict *c = &u->conflicts[i];
        double most = 0;
        for (size_t n = 0; n < CONFLICT_MIXES; n++)
            most = fmax(most, c->mixes[n].cycles / c->by_units[n] - 1);
        at += (size_t)snprintf(text + at, room - at, "%s%s", i ? "; " : "", u->mixes.classes[c->first]);
        if (at < room)
            at += tell_parts(u, c, text + at, room - at);
        if (at < room)
            at += (size_t)snprintf(text + at, room - at, " and %s: up to %.0f %% slower", u->mixes.classes[c->second],
                                   100 * most);
    }
}

static void report_map(struct probe *p, const struct units *u, const struct ports *s, bool measured,
                       const struct prediction *predicted)
{
    char text[TEXT] = "", ports[TEXT], maps[NAME], off[NAME] = "", unseen[TEXT] = "none", conflicts[TEXT];
    const bool predicts = predicted->within * PREDICTED_OF >= predicted->mixes * (PREDICTED_OF - 1);
    const bool enough = predicted->mixes * 2 >= predicted->wanted; /* else readings were rejected, too many for more */
    const bool told = s->fits && s->verified && enough && predicts;
    size_t at = 0;

    if (s->map_count)
        snprintf(off, sizeof off, "%.1f %% faster to %.1f %% slower; %u of %u by more than %.0f %%",
                 100 * s->maps[0].fast, 100 * s->maps[0].slow, s->maps[0].slow_mixes, s->maps[0].mixes,
                 100 * PORTS_SLOW);
    if (predicted->mixes)
        snprintf(unseen, sizeof unseen,
                 "%u of %u within %.0f %%, %u of them by units alone; %.1f %% faster to %.1f %% slower",
                 predicted->within, predicted->mixes, 100 * PREDICTED_PART, predicted->by_units,
                 100 * predicted->fastest, 100 * predicted->slowest);
    for (size_t i = 0; told && i < u->mixes.count && at < sizeof text; i++) {
        tell_ports(s->maps[0].ops[i], ports, sizeof ports);
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s: %s", i ? "; " : "", u->mixes.classes[i], ports);
    }
    snprintf(maps, sizeof maps, "%zu", s->map_count);
    tell_conflicts(u, conflicts, sizeof conflicts);
    report(p, &(struct finding){
                  .name = "backend.unit.map",
                  .value = NAN,
                  .text = told ? text : NULL,
                  .low = NAN,
                  .high = NAN,
                  .grade = told ? 'C' : 'U',
                  .reason = !measured      ? "no-readings"
                            : !s->fits     ? "no-map-fits"
                            : !s->verified ? "not-verified"
                            : !enough      ? "too few readings are accepted to verify it"
                                           : "more than one unseen mix in ten is not predicted",
                  .method = "ports that explain what mixes take",
                  .remarks = {{"maps", maps}, {"mixes_off", off}, {"conflicts", conflicts}, {"unseen_mixes", unseen}}});
}

static void run(struct probe *p)
{
    struct units u = {.probe = p,
                      .orders = (unsigned)probe_smoke(p, 1, ORDERS),
                      .enough = ENOUGH_PART,
                      .again = (unsigned)probe_smoke(p, 0, AGAIN),
                      .climbs = (unsigned)probe_scale(p, 0, 100, 5000, 5000),
                      .tries = (unsigned)probe_scale(p, 0, 100, 100, 100),
                      .glimpses_most = (uint64_t)probe_scale(p, 0, 800000, 4000000, 12000000)};
    struct ports *s = malloc(sizeof *s);
    struct area area;

    if (!s) {
        probe_skip(p, "memory is short");
        return;
    }
    u.mixes.area = &area;
    mixes_choose(&u.mixes, (size_t)probe_smoke(p, CLASSES_SMOKE, PORTS_CLASSES), probe_smoke(p, false, true) > 0);
    if (probe_map(p, &area, MIX_AREA_BYTES, 0) && measure_width(p, &u)) {
        *s = (struct ports){.count = u.mixes.count,
                            .width = u.width > 0 ? u.width : (double)INFINITY,
                            .budget = (unsigned)probe_scale(p, 0, 80, 200, 200),
                            .measure = measure,
                            .context = &u};
        struct prediction told = {.wanted = (unsigned)probe_scale(p, 0, 100, 200, 200)};
        const bool measured = ports_solve(s) && (!s->map_count || (measure_conflicts(&u, s) && predict(&u, s, &told)));
        if (p->outcome == OUTCOME_OK) {
            send_maps(p, &u.mixes, s);
            send_mixes(p, &u, s);
            report_map(p, &u, s, measured, &told);
        }
    }
    free(s);
}

PROBE(units, .title = "Execution units", .family = "backend", .after = "widths", .run = run,
      .findings = FINDINGS({"backend.unit.map", "ports", "which classes of operations share which units"}));
