/* The probe cond: how the tables of a conditional predictor are built. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/footprints.h"
#include "tests/model/isa.h"
#include "tests/model/tage_bits.h"
#include "tests/model/test.h"

/* Branches that the history of a table spans: of its registers, the one that reaches farthest. */
static unsigned branches_of(const struct core_design *d, unsigned table)
{
    unsigned most = 0;

    for (unsigned r = 0; r < HISTORY_REGISTERS && d->history_registers[r].bits; r++) {
        const unsigned shift = d->history_registers[r].shift;
        const unsigned span = (d->tage.history[table][r] + shift - 1) / shift;
        most = span > most ? span : most;
    }
    return most;
}

/* Where the number of tables is undecided, only lengths from the longest on are reported, as far as they are known. */
static void check_tables(const struct machine_design *m)
{
    static const char number_of[] = "frontend.cond.tables", length[] = "frontend.cond.history";
    const struct tage_design *t = &m->core.tage;
    const char *tables = finding_of(number_of, NULL, NULL);

    check_whole(m, tables, number_of, NULL, t->tables);
    for (unsigned i = 0; i < t->tables; i++) {
        char text[8];
        snprintf(text, sizeof text, "%u", i + 1);
        if (tables && has_field(tables, "grade", "U") && !finding_of(length, "table", text))
            checked.undecided++;
        else
            check_capacity(m, length, "table", text, branches_of(&m->core, t->tables - 1 - i));
    }
}

/* Index and tag of all address bits that enter: each in a bit of its own, as far as there are so many, then XORed. */
static void spread_address(struct tage_design *t, unsigned index, unsigned low, unsigned high)
{
    for (unsigned bit = low; bit <= high; bit++)
        t->tag_pc[(bit - low) % t->tag_bits] |= (uint64_t)1 << bit;
    for (unsigned i = 0; i < index; i++)
        t->index_pc[i] |= (uint64_t)1 << (low + pick(0, high - low));
}

/* Everything but the lengths of histories. */
static void draw_sizes(struct tage_design *t)
{
    const unsigned low = isa.link == 0 ? 0 : 2;

    t->ways = (unsigned)pick(2, 6);
    t->index_bits = (unsigned)pick(8, 10);
    t->tag_bits = (unsigned)pick(10, 13);
    t->base_bits = (unsigned)pick(10, 13);
    t->base_low = low;
    spread_address(t, (unsigned)pick(1, 3), low, (unsigned)pick(11, 17));
}

/* Lengths drawn at random, at least eight branches apart; the longest one is all of the history. */
static void draw_lengths(struct tage_design *t, const struct history_register *r)
{
    unsigned spans[TAGE_TABLES], count = 0;

    for (unsigned span = r->bits / r->shift; span >= 5 && count < 5; count++) {
        spans[count] = span;
        span = span >= 12 ? (unsigned)pick(span / 3, span - 8) : 0;
    }
    t->tables = count;
    for (unsigned i = 0; i < count; i++)
        t->history[count - 1 - i][0] = r->shift * spans[i] - (unsigned)pick(0, r->shift - 1);
}

static void give_history(struct machine_design *m, const struct published_history *h)
{
    m->core.history = 1;
    memcpy(m->core.history_registers, h->registers, sizeof h->registers);
    for (enum history_kind kind = HISTORY_TAKEN; kind < HISTORY_KINDS; kind++)
        m->core.history_enters[kind] = h->only_conditional ? kind == HISTORY_TAKEN : kind != HISTORY_NOT_TAKEN;
}

static void check_core(uint64_t seed, const struct published_history *h, const struct tage_design *lengths)
{
    struct machine_design m = draw_machine_with_history(seed);

    give_history(&m, h);
    if (lengths)
        m.core.tage = *lengths;
    else
        draw_lengths(&m.core.tage, &h->registers[0]);
    draw_sizes(&m.core.tage);
    shorten_readings(&m);
    run_probes_on(&m, "cond", PROFILE_QUICK);
    check_tables(&m);
}

MODEL_TEST(tables_are_given_back, "cond")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 1), 12); cores++) {
        uint64_t random = seed;
        struct published_history h = random_history(&random, isa.link == 0);
        h.only_conditional = seed % 2;
        check_core(seed, &h, NULL);
    }
    end(2 * cores, cores); /* shorter lengths may be too close together, and the number of tables with them */
    decides(3, 0);
}

/*
 * Lengths of published cores, in bits of each register; rows are those of tests/model/footprints.c. They take minutes.
 */
MODEL_TEST(published_tables_are_given_back, "")
{
    static const struct {
        size_t row;
        struct tage_design lengths;
    } cores[] = {
        {0, {.tables = 4, .history = {{36}, {68}, {132}, {388}}}},                                  /* Golden Cove */
        {1, {.tables = 3, .history = {{22}, {58}, {186}}}},                                         /* Skylake */
        {7, {.tables = 6, .history = {{6, 6}, {11, 11}, {18, 18}, {32, 28}, {57, 28}, {100, 28}}}}, /* Firestorm */
        {8, {.tables = 6, .history = {{4, 4}, {7, 7}, {14, 14}, {27, 27}, {52, 32}, {100, 32}}}}};  /* Oryon */

    for (size_t i = 0; i < sizeof cores / sizeof *cores && getenv("LONG"); i++) {
        const struct published_history h = published_history(cores[i].row);
        if (h.of_x86_64 == (isa.link == 0))
            check_core(i + 1, &h, &cores[i].lengths);
    }
    end(0, 0);
}

/* The longest history, from so many branches on, is long enough for many histories that only its table sees. */
static void draw_long(struct machine_design *m, struct published_history *h, unsigned from)
{
    struct history_register *r = &h->registers[0];
    struct tage_design *t = &m->core.tage;

    r->bits = r->shift * (unsigned)pick(from, 70);
    t->tables = 3;
    t->history[2][0] = r->bits;
    t->history[1][0] = r->shift * (unsigned)pick(10, 14);
    t->history[0][0] = r->shift * (unsigned)pick(2, 5);
}

/* A core with such tables of drawn sizes. */
static struct machine_design draw_core_with_tables(uint64_t seed, unsigned from)
{
    uint64_t random = seed;
    struct machine_design m = draw_machine_with_history(random);
    struct published_history h = random_history(&random, isa.link == 0);

    h.only_conditional = seed % 2;
    draw_long(&m, &h, from);
    give_history(&m, &h);
    draw_sizes(&m.core.tage);
    shorten_readings(&m);
    return m;
}

MODEL_TEST(ways_are_given_back, "cond cond_ways")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 0, 16); cores++) {
        struct machine_design m = draw_core_with_tables(seed, 44);
        struct tage_design *t = &m.core.tage;
        t->ways = (unsigned)pick(2, 8);
        t->index_bits = (unsigned)pick(3, 7);
        run_probes_on(&m, "cond cond_ways", PROFILE_QUICK);
        check_tables(&m);
        check_capacity(&m, "frontend.cond.ways", "table", "1", t->ways);
    }
    end(2 * cores, 3 * cores); /* the search without time is in tests/unit/table_ways_tage.c */
}

/* The lowest address bits are left out on some cores. */
MODEL_TEST(address_bits_are_given_back, "cond cond_address")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 0, 10); cores++) {
        struct machine_design m = draw_core_with_tables(seed, 44);
        struct tage_design *t = &m.core.tage;
        for (unsigned i = 0; i < TAGE_BITS && seed % 3 == 0; i++)
            t->tag_pc[i] &= ~UINT64_C(63);
        run_probes_on(&m, "cond cond_address", PROFILE_QUICK);
        check_address_bits(&m, &m.core.tage, "frontend.cond.address_bits", "1", UINT64_MAX);
    }
    end(cores, 0);
}

/* Longer histories than for the ways, since more bits are needed to see that there are no more sets. */
MODEL_TEST(sets_are_given_back, "cond cond_sets")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 0, 4); cores++) {
        struct machine_design m = draw_core_with_tables(seed, 62);
        struct tage_design *t = &m.core.tage;
        t->ways = (unsigned)pick(2, 6);
        t->index_bits = (unsigned)pick(3, 4);
        run_probes_on(&m, "cond cond_sets", PROFILE_QUICK);
        check_address_bits(&m, &m.core.tage, "frontend.cond.index_address_bits", "1", TAGE_OF_INDEX);
        check_capacity(&m, "frontend.cond.sets", "table", "1", (double)(1u << t->index_bits));
    }
    end(cores, cores); /* the search without time is in tests/unit/table_ways_tage.c */
}
