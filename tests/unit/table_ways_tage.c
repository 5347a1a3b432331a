/* link: tests/model/changes.c tests/model/tage.c tests/model/history.c tests/model/footprints.c */
/*
 * lib/structure/table_ways and table_sets on modelled predictors with tagged tables: ways, index bits and address bits in
 * the index of the table with the longest history are found, of parameters that are drawn and of those published, from predictions alone, without the time they take. The
 * branches are those of lib/kernels/table_set.h. LONG=1: more predictors, and with more sets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/random.h"
#include "lib/structure/btb_tags.h"
#include "lib/structure/table_sets.h"
#include "lib/structure/table_ways.h"
#include "lib/structure/tolerances_tables.h"
#include "tests/model/footprints.h"
#include "tests/model/tage.h"

enum { LINE = 64, PART = 128, OCCURS = 12, SETTLED = 500, READ = 1000, PROBE_BRANCH = 0x60000, LOOP_BRANCH = 0x60040 };

static const uint64_t SEPARATING = UINT64_C(1) << 33;

struct core {
    struct published_history registers;
    struct tage_design design;
    unsigned longest, second; /* in branches */
};

struct trial {
    struct tage *tage;
    struct history *history;
    uint64_t base, random;
    uint64_t source[TABLE_ALL_BITS][2], target[TABLE_ALL_BITS];
    unsigned bits, reset, dummies;
    uint64_t difference; /* of the address of the branch that TABLE_OTHER is executed with */
    struct table_bits show;
    bool routed; /* an indirect jump leads to one of two branches */
};

static void dummies(struct trial *t, uint64_t at, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        history_enter(t->history, HISTORY_TAKEN, at + LINE * i + 8, at + LINE * (i + 1));
}

static bool missed(struct trial *t, uint32_t history, bool taken)
{
    dummies(t, t->base, t->reset);
    for (unsigned i = 0; i < t->bits; i++) {
        const unsigned one = history >> i & 1;
        history_enter(t->history, HISTORY_INDIRECT, t->target[i] - 3 * PART, t->source[i][one] - 8);
        history_enter(t->history, HISTORY_TAKEN, t->source[i][one], t->target[i]);
    }
    const uint64_t other = history & TABLE_OTHER ? SEPARATING ^ t->difference : 0;
    const uint64_t branch = PROBE_BRANCH ^ t->base ^ other;
    dummies(t, t->base + 0x20000, t->dummies);
    if (t->routed) /* bits of page numbers, which a target's differ in, do not enter here */
        history_enter(t->history, HISTORY_INDIRECT, t->base + LOOP_BRANCH - LINE, PROBE_BRANCH ^ (other & SEPARATING));
    const bool wrong = !tage_predict(t->tage, t->history, branch, taken);
    if (taken)
        history_enter(t->history, HISTORY_TAKEN, branch, branch + 4);
    history_enter(t->history, HISTORY_TAKEN, LOOP_BRANCH + t->base, t->base);
    return wrong;
}

static bool sample(void *context, const uint32_t *list, unsigned count, enum table_fit *fit)
{
    struct trial *t = context;
    const unsigned settled = SETTLED + OCCURS * count;
    unsigned wrong = 0;

    for (unsigned i = 0; i < settled + READ; i++) {
        const uint32_t one = list[random_below(&t->random, count)];
        const bool taken = !(one & TABLE_DIRECTION) != !(one & TABLE_AGAINST);
        wrong += missed(t, t->show.count ? table_bits_place(&t->show, one) : one, taken) && i >= settled;
    }
    const double part = 2.0 * wrong / READ;
    print_message("%u: %.3f\n", count, part);
    *fit = part < TABLE_FITS_BELOW ? TABLE_FITS : part > TABLE_OVERFLOWS_ABOVE ? TABLE_OVERFLOWS : TABLE_PARTLY;
    return true;
}

static uint64_t draw_place(uint64_t *random, unsigned part, unsigned step)
{
    return (uint64_t)part * PART + random_below(random, PART / 2 / step) * step + 8;
}

/* A layout with so many bearers at most. */
static struct trial layout_of(const struct core *c, uint64_t seed, unsigned most)
{
    const unsigned step = c->registers.of_x86_64 ? 1 : 4, room = (c->longest - c->second) / 2;
    struct trial t = {.random = seed, .tage = tage_new(&c->design), .history = calloc(1, sizeof *t.history)};

    t.history->span = 1;
    memcpy(t.history->registers, c->registers.registers, sizeof c->registers.registers);
    for (enum history_kind kind = HISTORY_TAKEN; kind < HISTORY_KINDS; kind++)
        t.history->enters[kind] = c->registers.only_conditional ? kind == HISTORY_TAKEN : kind != HISTORY_NOT_TAKEN;
    t.base = random_below(&t.random, 64) * LINE + (UINT64_C(1) << 30);
    t.bits = room < most ? room : most;
    for (unsigned i = 0; i < t.bits; i++) {
        const uint64_t at = t.base + 0x10000 + (uint64_t)4 * PART * i;
        t.source[i][0] = at + draw_place(&t.random, 1, step);
        t.source[i][1] = at + draw_place(&t.random, 2, step);
        t.target[i] = at + draw_place(&t.random, 3, step);
    }
    t.dummies = c->second + (unsigned)random_below(&t.random, c->longest - c->second - 2 * t.bits + 1);
    t.reset = c->longest - t.dummies;
    return t;
}

static void free_layout(struct trial *t)
{
    tage_free(t->tage);
    free(t->history);
}

static struct table_ways search_of(struct trial *t)
{
    return (struct table_ways){.bits = t->bits < TABLE_BITS_MOST ? t->bits : TABLE_BITS_MOST,
                               .samples = 400,
                               .random = &t->random,
                               .sample = sample,
                               .context = t};
}

/* The ways in one layout. */
static double ways_of(const struct core *c, uint64_t seed, enum reason *reason)
{
    struct trial t = layout_of(c, seed, TABLE_BITS_MOST);
    const struct table_ways s = search_of(&t);
    struct table_overflow set;
    double ways;

    assert_true(table_ways(&s, &ways, reason, &set));
    free_layout(&t);
    return ways;
}

/* Branches that the history of a table spans: of its registers, the one that reaches farthest. */
static unsigned branches_of(const struct core *c, unsigned table)
{
    unsigned most = 0;

    for (unsigned r = 0; r < HISTORY_REGISTERS && c->registers.registers[r].bits; r++) {
        const unsigned shift = c->registers.registers[r].shift;
        const unsigned span = (c->design.history[table][r] + shift - 1) / shift;
        most = span > most ? span : most;
    }
    return most;
}

/* Sizes that are drawn, and functions of the address; of the ways and the sets, unless they are given. */
static void draw_sizes(struct core *c, uint64_t *random, unsigned index_bits)
{
    const unsigned low = c->registers.of_x86_64 ? 0 : 2;
    struct tage_design *d = &c->design;

    d->ways = d->ways ? d->ways : 2 + (unsigned)random_below(random, 7);
    d->index_bits = d->index_bits ? d->index_bits : index_bits;
    d->tag_bits = 10 + (unsigned)random_below(random, 4);
    d->base_bits = 10;
    d->base_low = low;
    for (unsigned bit = low; bit < 14; bit++)
        d->tag_pc[(bit - low) % d->tag_bits] |= UINT64_C(1) << bit;
    d->index_pc[0] = UINT64_C(1) << (low + random_below(random, 8));
    c->longest = branches_of(c, d->tables - 1);
    c->second = branches_of(c, d->tables - 2);
}

/* No layout is wrong; returns whether one was decided of a few. */
static bool check(const struct core *c, uint64_t seed, const char *name)
{
    bool decided = false;

    for (uint64_t layout = 0; layout < 4 && !decided; layout++) {
        enum reason reason;
        const double ways = ways_of(c, seed * 64 + layout, &reason);
        decided = !reason;
        if (getenv("SHOW"))
            print_message("%s %u: %u ways, 2^%u sets: %g %s\n", name, (unsigned)seed, c->design.ways,
                          c->design.index_bits, ways, reasons[reason].token);
        if (decided && ways != c->design.ways)
            fail_msg("%s, seed %u: %g ways instead of %u", name, (unsigned)seed, ways, c->design.ways);
    }
    return decided;
}

static void drawn_ways_are_found(void **state)
{
    const unsigned cores = getenv("LONG") ? 32 : 6;
    unsigned decided = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= cores; seed++) {
        uint64_t random = seed;
        struct core c = {.registers = random_history(&random, seed % 2)};
        struct history_register *r = &c.registers.registers[0];
        c.registers.only_conditional = seed / 2 % 2;
        r->bits = r->shift * (44 + (unsigned)random_below(&random, 30));
        c.design = (struct tage_design){
            .tables = 3,
            .history = {{r->shift * 4}, {r->shift * (10 + (unsigned)random_below(&random, 5))}, {r->bits}}};
        draw_sizes(&c, &random, getenv("LONG") ? 6 + (unsigned)random_below(&random, 4) : 5);
        decided += check(&c, seed, "drawn");
    }
    assert_true(decided * 10 >= cores * 8);
}

/* Ways and sets as published (jiegec/cpu; arXiv 2411.13900), or as near as the model has them. */
static const struct {
    size_t row;
    const char *name;
    struct tage_design design;
} published[] = {
    {0, "Golden Cove", {.tables = 4, .history = {{36}, {68}, {132}, {388}}, .ways = 4, .index_bits = 9}},
    {1, "Skylake", {.tables = 3, .history = {{22}, {58}, {186}}, .ways = 4, .index_bits = 9}},
    {5, "Neoverse V2", {.tables = 3, .history = {{60}, {160}, {528}}, .ways = 2, .index_bits = 10}},
    {7, "Firestorm", {.tables = 3, .history = {{32, 28}, {57, 28}, {100, 28}}, .ways = 4, .index_bits = 10}},
    {8, "Oryon", {.tables = 3, .history = {{27, 27}, {52, 32}, {100, 32}}, .ways = 4, .index_bits = 10}}};

/* With LONG=1 only. */
static void published_ways_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof *published && getenv("LONG"); i++) {
        uint64_t random = i + 1;
        struct core c = {.registers = published_history(published[i].row), .design = published[i].design};
        draw_sizes(&c, &random, 0);
        assert_true(check(&c, i + 1, published[i].name));
    }
}

/* ---- Sets --------------------------------------------------------------------------------------- */

struct found {
    char address[BTB_TAG_TEXT];
    unsigned bits;
    enum reason reason;
};

static void choose(void *context, uint64_t difference)
{
    ((struct trial *)context)->difference = difference;
}

/* Where no answer is clear, nothing follows. */
struct asked {
    struct table_sets sets;
    struct trial *trial;
    bool unclear;
};

static bool collide(void *context, uint64_t difference, bool *result)
{
    struct asked *a = context;
    bool clear;

    choose(a->trial, difference);
    assert_true(table_sets_keep(&a->sets, TABLE_OTHER, result, &clear));
    a->unclear |= !clear;
    return true;
}

/* What the probe cond_sets finds in one layout. */
static struct found sets_of(const struct core *c, uint64_t seed)
{
    struct found found = {.bits = 0};
    struct trial t = layout_of(c, seed, TABLE_ALL_BITS);
    struct table_ways s = search_of(&t);
    struct table_overflow set;
    struct asked a = {.sets = {.ways = &s, .set = &set, .bits = t.bits, .choose = choose}, .trial = &t};
    const struct btb_tag_trial trial = {.collide = collide, .context = &a};
    struct btb_tags tags;
    uint64_t lowest[BTB_TAG_BITS];
    double ways;
    bool separates = true;

    t.routed = true;
    assert_true(table_bits_find(&s, t.bits, &t.show));
    s.bits = t.show.count < TABLE_BITS_MOST ? t.show.count : TABLE_BITS_MOST;
    a.sets.bits = t.show.count;
    assert_true(table_ways(&s, &ways, &found.reason, &set));
    if (!found.reason)
        assert_true(table_sets_start(&a.sets, &found.reason));
    if (!found.reason) {
        collide(&a, 0, &separates);
        assert_true(btb_tags_find(&trial, c->registers.of_x86_64 ? 0x3fff : 0x3ffc, &tags));
        btb_tags_text(tags.masks, tags.count, found.address);
        found.reason = a.unclear || !separates ? REASON_AMBIGUOUS : REASON_NONE;
    }
    for (size_t i = 0; i < tags.count && !found.reason; i++)
        lowest[i] = tags.masks[i] & -tags.masks[i];
    if (!found.reason)
        assert_true(table_sets_count(&a.sets, lowest, (unsigned)tags.count, &found.bits, &found.reason));
    free_layout(&t);
    return found;
}

/* The address bits in the index of the design, as the search writes them. */
static void address_of(const struct tage_design *d, char text[BTB_TAG_TEXT])
{
    uint64_t masks[TAGE_BITS], of_bit[14] = {0};
    size_t count = 0;

    for (unsigned bit = 0; bit < 14; bit++)
        for (unsigned i = 0; i < d->index_bits; i++)
            of_bit[bit] |= (d->index_pc[i] >> bit & 1) << i;
    for (unsigned bit = 0; bit < 14; bit++) {
        size_t i = 0;
        while (i < count && of_bit[__builtin_ctzll(masks[i])] != of_bit[bit])
            i++;
        if (of_bit[bit] && i == count)
            masks[count++] = 0;
        if (of_bit[bit])
            masks[i] |= UINT64_C(1) << bit;
    }
    btb_tags_text(masks, count, text);
}

/* Three layouts that agree, as in the probe, are right; returns whether there are such of a few. */
static bool check_sets(const struct core *c, uint64_t seed, const char *name)
{
    struct found one = {.bits = 0};
    char truth[BTB_TAG_TEXT];
    unsigned agree = 0;

    address_of(&c->design, truth);
    for (uint64_t layout = 0; layout < 10 && agree < 3; layout++) {
        const struct found f = sets_of(c, seed * 64 + layout);
        if (getenv("SHOW"))
            print_message("%s %u: %u index bits, of the address %s: %u, %s, %s\n", name, (unsigned)seed,
                          c->design.index_bits, truth, f.bits, f.address, reasons[f.reason].token);
        if (f.reason)
            continue;
        if (agree && (f.bits != one.bits || strcmp(f.address, one.address) != 0))
            return false;
        agree++;
        one = f;
    }
    if (agree == 3 && (one.bits != c->design.index_bits || strcmp(one.address, truth) != 0))
        fail_msg("%s, seed %u: %u index bits, of the address %s, instead of %u and %s", name, (unsigned)seed, one.bits,
                 one.address, c->design.index_bits, truth);
    return agree == 3;
}

/* With LONG=1 only: tests/unit/table_sets.c is the quick one. */
static void drawn_sets_are_found(void **state)
{
    const unsigned cores = getenv("LONG") ? 16 : 0;
    unsigned decided = 0, tried = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= cores; seed++) {
        uint64_t random = seed + 100;
        struct core c = {.registers = random_history(&random, seed % 2)};
        struct history_register *r = &c.registers.registers[0];
        c.registers.only_conditional = seed / 2 % 2;
        r->bits = r->shift * (62 + (unsigned)random_below(&random, 30));
        c.design = (struct tage_design){
            .tables = 3,
            .history = {{r->shift * 4}, {r->shift * (10 + (unsigned)random_below(&random, 5))}, {r->bits}}};
        draw_sizes(&c, &random, 3 + (unsigned)(seed - 1) % 5);
        for (uint64_t i = random_below(&random, 3); i > 0; i--)
            c.design.index_pc[i] = UINT64_C(1) << ((c.registers.of_x86_64 ? 0 : 2) + random_below(&random, 12));
        decided += check_sets(&c, seed, "drawn");
        tried++;
    }
    if (getenv("SHOW"))
        print_message("%u of %u decided\n", decided, tried);
    assert_true(decided * 10 >= tried * 7);
}

/* With LONG=1 only: ways and sets as published, the address bits drawn. */
static void published_sets_are_found(void **state)
{
    const char *only = getenv("ROW");

    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof *published && (getenv("LONG") || only); i++) {
        uint64_t random = i + 1;
        struct core c = {.registers = published_history(published[i].row), .design = published[i].design};
        if (only && strtoul(only, NULL, 10) != i)
            continue;
        draw_sizes(&c, &random, 0);
        const bool decided = check_sets(&c, i + 1, published[i].name);
        print_message("%s: %s\n", published[i].name, decided ? "decided" : "undecided");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawn_ways_are_found),
        cmocka_unit_test(published_ways_are_found),
        cmocka_unit_test(drawn_sets_are_found),
        cmocka_unit_test(published_sets_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
