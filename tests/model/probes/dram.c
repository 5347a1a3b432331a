/* The probe dram: banks that parities of address bits choose, rows, and what a conflict costs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

enum { LINE_BIT = 6, PAGE_BIT = 21, MASKS = 8 };

/* ---- Linear algebra over the bits of a page --------------------------------------------------------------------- */

/* Reduces x by a basis whose elements have different highest bits, in descending order; adds what is left of it. */
static bool add(uint64_t *basis, size_t *count, uint64_t x)
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

/* Whether both lists of masks describe the same banks. */
static bool same_span(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count)
{
    uint64_t basis[MASKS];
    size_t count = 0;

    for (size_t i = 0; i < a_count; i++)
        add(basis, &count, a[i]);
    const size_t rank = count;
    for (size_t i = 0; i < b_count; i++)
        if (add(basis, &count, b[i]))
            return false;
    return rank == b_count;
}

/* ---- Machines ----------------------------------------------------------------------------------------------------- */

/* Two to five parities of one to three bits; rows are the upper bits. */
static void draw_dram(struct dram_design *d, double memory_cycles)
{
    uint64_t basis[MASKS];
    size_t rank = 0, wanted = pick(2, 5);

    *d = (struct dram_design){.rows = (UINT64_C(1) << PAGE_BIT) - (UINT64_C(1) << pick(14, 17)),
                              .cycles = memory_cycles,
                              .conflict = memory_cycles * between(0.2, 0.5),
                              .farther = pick(0, 1) ? memory_cycles * 0.02 : 0};
    while (rank < wanted) {
        uint64_t mask = 0;
        for (size_t bits = pick(1, 3); bits > 0; bits--)
            mask |= UINT64_C(1) << pick(LINE_BIT, PAGE_BIT - 1);
        if ((mask & d->rows || pick(0, 1)) && add(basis, &rank, mask)) /* most have a bit of the row */
            d->functions[d->count++] = mask;
    }
}

static struct machine_design draw_machine_with_dram(uint64_t seed, struct dram_design *d)
{
    struct machine_design m = draw_machine(seed);

    m.core.contiguous = true;
    m.core.memory_latency = between(180, 400);
    m.core.dram = d;
    m.memory_bytes = (double)(8 << PAGE_BIT);
    m.core_hz = 3e9;
    m.tick_hz = between(0.5e9, 3e9);
    m.jitter = between(0, 0.003);
    m.stolen = between(0, 0.01);
    m.stolen_known = 0.5;
    draw_dram(d, m.core.memory_latency);
    return m;
}

/* ---- What is found ----------------------------------------------------------------------------------------------- */

/* Masks that a finding has as text: "6^13 14^17". */
static size_t masks_of(const char *f, uint64_t masks[MASKS])
{
    const char *at = strstr(f, "\"value\":\"");
    size_t count = 0;

    memset(masks, 0, MASKS * sizeof masks[0]);
    for (at = at ? at + strlen("\"value\":\"") : ""; count < MASKS && *at >= '0' && *at <= '9';) {
        char *end;
        masks[count] |= UINT64_C(1) << strtoul(at, &end, 10);
        count += *end != '^';
        at = *end == '^' || *end == ' ' ? end + 1 : end;
    }
    return count;
}

static void check_dram(const struct machine_design *m, const struct dram_design *d)
{
    uint64_t masks[MASKS], used = 0;
    const char *f = next_finding(NULL, "memory.dram.functions");

    for (size_t i = 0; i < d->count; i++)
        used |= d->functions[i];
    if (is_decided(m, f, "memory.dram.functions", "")) {
        const size_t count = masks_of(f, masks);
        if (!same_span(d->functions, d->count, masks, count))
            complain(m, "%.*s: other functions are true", (int)strcspn(f, "\n"), f);
    }
    f = next_finding(NULL, "memory.dram.banks");
    if (is_decided(m, f, "memory.dram.banks", ""))
        check_whole(m, f, "memory.dram.banks", "", 1 << d->count);
    f = next_finding(NULL, "memory.dram.row_bits");
    if (is_decided(m, f, "memory.dram.row_bits", "")) {
        uint64_t rows = 0;
        for (size_t i = masks_of(f, masks); i-- > 0;)
            rows |= masks[i];
        if (rows != (d->rows & ~used))
            complain(m, "%.*s: other rows are true", (int)strcspn(f, "\n"), f);
    }
    f = next_finding(NULL, "memory.dram.row_conflict_ns");
    const double truth = d->conflict / m->core_hz * 1e9;
    if (is_decided(m, f, "memory.dram.row_conflict_ns", "") && !(fabs(number(f, "value") / truth - 1) <= 0.05))
        complain(m, "%.*s: true is %g", (int)strcspn(f, "\n"), f, truth);
}

MODEL_TEST(banks_and_rows_are_given_back, "dram")
{
    struct dram_design d;
    unsigned machines = 0;

    for (uint64_t seed = 0; next_seed(&seed, 4, 64); machines++) {
        const struct machine_design m = draw_machine_with_dram(seed, &d);
        run_probes_on(&m, "dram", PROFILE_QUICK);
        check_dram(&m, &d);
    }
    end(3 * machines, machines);
}

/* Rows that are closed after each access; and addresses that are moved, so that banks are no parities of them. */
MODEL_TEST(banks_that_do_not_show_stay_undecided, "dram")
{
    struct dram_design d;
    unsigned machines = 0;

    for (uint64_t seed = 0; next_seed(&seed, 2, 16); machines++) {
        const struct machine_design m = draw_machine_with_dram(seed, &d);
        if (seed % 2)
            d.conflict = 0;
        else
            d.moved = UINT64_C(1) << LINE_BIT | UINT64_C(5) << 12;
        run_probes_on(&m, "dram", PROFILE_QUICK);
        const char *f = next_finding(NULL, "memory.dram.functions");
        if (is_decided(&m, f, "memory.dram.functions", ""))
            complain(&m, "%.*s: no functions describe these banks", (int)strcspn(f, "\n"), f);
    }
    end(0, 4 * machines);
}
