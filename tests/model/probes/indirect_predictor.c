/* The probes indirect_history and indirect_address: what a predictor of indirect branches looks at. */
#include <stdlib.h>
#include <string.h>

#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/footprints.h"
#include "tests/model/isa.h"
#include "tests/model/tage_bits.h"
#include "tests/model/test.h"

/* Branches that the longest table's history spans. */
static unsigned branches_of(const struct core_design *d)
{
    const unsigned shift = d->history_registers[0].shift;

    return (d->ittage.tables.history[d->ittage.tables.tables - 1][0] + shift - 1) / shift;
}

/* Tables of a drawn number, whose lengths are drawn, too; on one core of three a single one. */
static void draw_tables(struct tage_design *t, const struct history_register *r, bool single)
{
    unsigned span = (unsigned)pick(12, r->bits / r->shift);

    t->tables = single ? 1 : (unsigned)pick(2, 4);
    for (unsigned i = t->tables; i-- > 0;) {
        t->history[i][0] = r->shift * span - (unsigned)pick(0, r->shift - 1);
        span = (unsigned)pick(span / 3 + 1, 2 * span / 3 + 1);
    }
}

/* A core whose indirect branches are predicted by tagged tables, or by a single table without tags. */
static struct machine_design draw_core(uint64_t seed)
{
    uint64_t random = seed;
    struct machine_design m = draw_machine_with_history(seed);
    const struct published_history h = random_history(&random, isa.link == 0);
    struct tage_design *t = &m.core.ittage.tables;
    const unsigned low = isa.link == 0 ? 0 : 2, high = (unsigned)pick(9, 17);
    const bool single = seed % 3 == 0;

    m.core.history = 1;
    memcpy(m.core.history_registers, h.registers, sizeof h.registers);
    for (enum history_kind kind = HISTORY_TAKEN; kind < HISTORY_KINDS; kind++)
        m.core.history_enters[kind] = seed % 2 ? kind == HISTORY_TAKEN : kind != HISTORY_NOT_TAKEN;
    draw_tables(t, &h.registers[0], single);
    t->ways = single ? 1 : (unsigned)pick(1, 6);
    t->index_bits = (unsigned)pick(single ? 10 : 6, single ? 12 : 9);
    t->tag_bits = single ? 0 : (unsigned)pick(9, 13);
    t->base_bits = (unsigned)pick(8, 12);
    t->base_low = low;
    m.core.ittage.latest = pick(0, 1);
    for (unsigned bit = low; bit <= high; bit++) {
        const bool indexed = single || pick(0, 3) == 0;
        uint64_t *of = indexed ? t->index_pc : t->tag_pc;
        if (pick(0, 7))
            of[pick(0, (indexed ? t->index_bits : t->tag_bits) - 1)] |= UINT64_C(1) << bit;
    }
    shorten_readings(&m);
    return m;
}

MODEL_TEST(length_of_the_indirect_predictors_history_is_given_back, "indirect_history")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 1), 12); cores++) {
        struct machine_design m = draw_core(seed);
        run_probes_on(&m, "indirect_history", PROFILE_QUICK);
        check_capacity(&m, "frontend.indirect.history", NULL, NULL, branches_of(&m.core));
    }
    end(3 * cores / 4, cores); /* of a short history, some layouts leave no bit at all */
    decides(1, 0);
}

MODEL_TEST(address_bits_of_the_indirect_predictor_are_given_back, "indirect_history indirect_address")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 0, 12); cores++) {
        struct machine_design m = draw_core(seed);
        run_probes_on(&m, "indirect_history indirect_address", PROFILE_QUICK);
        check_address_bits(&m, &m.core.ittage.tables, "frontend.indirect.address_bits", NULL, UINT64_MAX);
    }
    end(cores / 2, cores);
}
