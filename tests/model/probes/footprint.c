/* The probe footprint: which address bits enter the branch history, and where. */
#include <stdlib.h>
#include <string.h>

#include "lib/structure/footprint.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/footprints.h"
#include "tests/model/isa.h"
#include "tests/model/test.h"

/* A finding with this formula, at a bit of the footprint that is shifted in together with `bit`. */
static bool is_reported(const char *formula, const char *history, unsigned bit, unsigned shift)
{
    for (const char *f = NULL; (f = next_finding(f, "frontend.history.footprint"));)
        if (has_field(f, "value", formula) && has_field(f, "history", history) &&
            (unsigned)number(f, "bit") / shift == bit / shift)
            return true;
    return false;
}

static void check_register(const struct machine_design *m, const struct history_register *r, const char *name)
{
    static const char length[] = "frontend.history.bits", shift[] = "frontend.history.shift";
    size_t expected = 0, reported = 0;

    const char *f = finding_of(length, "history", name);
    if (!is_decided(m, f ? f : finding_of(length, NULL, NULL), length, name))
        return;
    check_whole(m, f, length, name, r->bits);
    check_whole(m, finding_of(shift, "history", name), shift, name, r->shift);
    for (unsigned bit = 0; bit < HISTORY_FOOTPRINT; bit++) {
        const struct footprint_bits b = {r->footprint[bit].source, r->footprint[bit].target};
        char formula[FOOTPRINT_TEXT];
        if (!(b.source | b.target))
            continue;
        footprint_text(&b, formula);
        expected++;
        if (!is_reported(formula, name, bit, r->shift))
            complain(m, "%s: footprint[%u] = %s is not reported", name, bit, formula);
    }
    for (f = NULL; (f = next_finding(f, "frontend.history.footprint"));)
        reported += has_field(f, "history", name);
    if (reported != expected)
        complain(m, "%s: %zu bits of the footprint are reported, and there are %zu", name, reported, expected);
}

static void check_inputs(const struct machine_design *m, const struct published_history *h)
{
    struct footprint_bits all = {.target = h->registers[0].gated};

    for (unsigned r = 0; r < HISTORY_REGISTERS; r++)
        for (unsigned i = 0; i < h->registers[r].width; i++) {
            all.source |= h->registers[r].footprint[i].source;
            all.target |= h->registers[r].footprint[i].target;
        }
    check_capacity(m, "frontend.history.inputs", "address", "branch",
                   all.source ? 64 - __builtin_clzll(all.source) : 0);
    check_capacity(m, "frontend.history.inputs", "address", "target",
                   all.target ? 64 - __builtin_clzll(all.target) : 0);
}

static void check_footprint(const struct published_history *h)
{
    struct machine_design m = draw_machine_with_history(1);

    m.core.history = 1;
    memcpy(m.core.history_registers, h->registers, sizeof h->registers);
    for (enum history_kind kind = HISTORY_TAKEN; kind < HISTORY_KINDS; kind++)
        m.core.history_enters[kind] = h->only_conditional ? kind == HISTORY_TAKEN : kind != HISTORY_NOT_TAKEN;
    shorten_readings(&m);
    run_probes_on(&m, "footprint", PROFILE_QUICK);
    check_inputs(&m, h);
    const bool two = h->registers[1].bits > 0;
    check_register(&m, &h->registers[0], two ? "target" : "path");
    if (two)
        check_register(&m, &h->registers[1], "source");
    if (h->registers[0].gated && !has_field(finding_of("frontend.history.bits", NULL, NULL), "open", "T[5]"))
        complain(&m, "T[5] enters with some sources only, and is not open");
}

MODEL_TEST(footprints_are_given_back, "footprint")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 1), 6); cores++) {
        uint64_t random = seed;
        struct published_history h = random_history(&random, isa.link == 0);
        h.only_conditional = seed % 2;
        check_footprint(&h);
    }
    end(5 * cores, 0);
    decides(5, 0);
}

/* Every row of the published table that is of this instruction set; they take minutes. */
MODEL_TEST(published_footprints_are_given_back, "")
{
    const char *row = getenv("MODEL_ROW");

    if (!getenv("LONG") && !row)
        return;
    for (size_t i = row ? strtoul(row, NULL, 10) : 0; i < published_histories();
         i = row ? published_histories() : i + 1) {
        const struct published_history h = published_history(i);
        if (h.of_x86_64 == (isa.link == 0))
            check_footprint(&h);
    }
    end(0, 0);
}
