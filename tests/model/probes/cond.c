/* The probe cond: how the tables of a conditional predictor are built. */
#include <stdlib.h>
#include <string.h>

#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/footprints.h"
#include "tests/model/isa.h"
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

static void check_tables(const struct machine_design *m)
{
    const struct tage_design *t = &m->core.tage;
    char text[8];

    const char *f = finding_of("frontend.cond.tables", NULL, NULL);
    if (is_decided(m, f, "frontend.cond.tables", NULL))
        check_whole(m, f, "frontend.cond.tables", NULL, t->tables);
    for (unsigned i = 0; i < t->tables; i++) {
        snprintf(text, sizeof text, "%u", i + 1);
        check_capacity(m, "frontend.cond.history", "table", text, branches_of(&m->core, t->tables - 1 - i));
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

static void draw_tables(struct core_design *d, unsigned branches)
{
    struct tage_design *t = &d->tage;
    const struct history_register *r = &d->history_registers[0];

    t->tables = (unsigned)pick(2, 4);
    t->ways = (unsigned)pick(2, 6);
    t->index_bits = (unsigned)pick(8, 10);
    t->tag_bits = (unsigned)pick(10, 13);
    t->base_bits = (unsigned)pick(10, 13);
    t->base_low = isa.link == 0 ? 0 : 2;
    for (unsigned table = t->tables, span = branches; table-- > 0; span = (unsigned)pick(span / 3, span - 4))
        t->history[table][0] = r->shift * span - (unsigned)pick(0, r->shift - 1);
    spread_address(t, (unsigned)pick(1, 3), isa.link == 0 ? 0 : 2, (unsigned)pick(11, 17));
}

MODEL_TEST(tables_are_given_back, "cond")
{
    for (uint64_t seed = 0; next_seed(&seed, 1, 12);) {
        struct machine_design m = draw_machine_with_history(seed);
        uint64_t random = seed;
        const struct published_history h = random_history(&random, isa.link == 0);
        m.core.history = 1;
        memcpy(m.core.history_registers, h.registers, sizeof h.registers);
        for (enum history_kind kind = HISTORY_TAKEN; kind < HISTORY_KINDS; kind++)
            m.core.history_enters[kind] = seed % 2 ? kind == HISTORY_TAKEN : kind != HISTORY_NOT_TAKEN;
        draw_tables(&m.core, (m.core.history_registers[0].bits + m.core.history_registers[0].shift - 1) /
                                 m.core.history_registers[0].shift);
        shorten_readings(&m);
        run_probes_on(&m, "cond", PROFILE_QUICK);
        check_tables(&m);
    }
    end(0, 100);
}
