/* The probes indirect_history and indirect_address: what a predictor of indirect branches looks at. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/footprints.h"
#include "tests/model/isa.h"
#include "tests/model/tage_bits.h"
#include "tests/model/test.h"

/* Branches that the history of that table spans. */
static unsigned branches_of(const struct core_design *d, unsigned table)
{
    const unsigned shift = d->history_registers[0].shift;

    return (d->ittage.tables.history[table][0] + shift - 1) / shift;
}

static unsigned longest_of(const struct core_design *d)
{
    return branches_of(d, d->ittage.tables.tables - 1);
}

static void check_kinds(const struct machine_design *m)
{
    static const struct {
        const char *name;
        enum history_kind one, other; /* the branches of a dummy */
    } kinds[] = {{"unconditional", HISTORY_UNCONDITIONAL, HISTORY_UNCONDITIONAL},
                 {"indirect", HISTORY_INDIRECT, HISTORY_INDIRECT},
                 {"call-return", HISTORY_CALL, HISTORY_RETURN}};
    const bool *enters = m->core.history_enters;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const double part = (enters[kinds[i].one] + enters[kinds[i].other]) / 2.0;
        check_capacity(m, "frontend.indirect.history", "kind", kinds[i].name,
                       part > 0 ? longest_of(&m->core) / part : 0);
    }
}

/* Each length that is reported is that of a table. */
static void check_lengths(const struct machine_design *m, unsigned *found, unsigned *tables)
{
    static const char name[] = "frontend.indirect.histories";
    const struct tage_design *t = &m->core.ittage.tables;
    const char *f = finding_of(name, NULL, NULL), *text = f ? strstr(f, "\"value\":\"") : NULL;

    *tables += t->tables;
    if (!is_decided(m, f, name, ""))
        return;
    for (text += strlen("\"value\":\""); *text != '"'; text += *text == ' ') {
        char *end;
        const unsigned long length = strtoul(text, &end, 10);
        bool true_one = false;
        for (unsigned i = 0; i < t->tables; i++)
            true_one |= branches_of(&m->core, i) == length;
        if (!true_one || end == text)
            complain(m, "%lu is no length of a table", length);
        if (end == text)
            return;
        text = end;
        ++*found;
    }
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
        m.core.history_enters[kind] = kind == HISTORY_TAKEN || (kind != HISTORY_NOT_TAKEN && pick(0, 1));
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
        check_capacity(&m, "frontend.indirect.history", "kind", "conditional-taken", longest_of(&m.core));
    }
    end(3 * cores / 4, cores); /* of a short history, some layouts leave no bit at all */
    decides(1, 0);
}

MODEL_TEST(lengths_of_the_indirect_predictors_histories_are_given_back, "indirect_history")
{
    unsigned cores = 0, found = 0, tables = 0;

    for (uint64_t seed = 0; next_seed(&seed, 0, 8); cores++) {
        struct machine_design m = draw_core(seed);
        run_probes_on(&m, "indirect_history", PROFILE_STANDARD);
        check_kinds(&m);
        check_lengths(&m, &found, &tables);
    }
    fprintf(stderr, "# %u of %u tables are found\n", found, tables);
    end(3 * cores, cores);
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
