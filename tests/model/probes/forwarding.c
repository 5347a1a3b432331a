/* The probes forwarding and renaming: what loads get from stores that are not in the cache yet. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/record.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/* How many offsets of a load of `load` bytes, relative to a store of `store` bytes, are forwarded to. */
static double offsets_that_forward(const struct store_design *d, int store, int load)
{
    if (d->rule == FORWARD_ANY)
        return store + load - 1;
    if (d->rule == FORWARD_SAME)
        return load <= store;
    return load <= store ? store - load + 1 : 0;
}

static void check_offsets(const struct machine_design *m)
{
    static const char name[] = "memory.forwarding.offsets";

    for (const char *f = NULL; (f = next_finding(f, name));)
        check_whole(m, f, name, "",
                    offsets_that_forward(&m->core.stores, (int)(strtol(record_value(f, "store", 3), NULL, 10) / 8),
                                         (int)(strtol(record_value(f, "load", 3), NULL, 10) / 8)));
}

/* Where both chains see the same, which they do not where `elsewhere` counts. */
static void check_gathering(const struct machine_design *m)
{
    static const char name[] = "memory.forwarding.stores_cycles";
    const struct store_design *d = &m->core.stores;

    for (const char *f = NULL; (f = next_finding(f, name));) {
        const double stores = strtod(record_value(f, "stores", 3), NULL);
        if (stores <= d->gathered && is_decided(m, f, name, "") &&
            !(fabs(number(f, "value") - d->cycles - (stores - 1) * d->each) <= 0.1))
            complain(m, "%.*s: true is %g", (int)strcspn(f, "\n"), f, d->cycles + (stores - 1) * d->each);
    }
}

static void check_overwritten(const struct machine_design *m)
{
    static const char name[] = "memory.forwarding.overwritten_cycles";

    if (m->core.stores.renames == RENAME_CONTAINED) /* of whatever width the load is */
        check_undecided(m, name, NULL, "");
    else
        check_number(m, name, NULL, "", m->core.stores.cycles + m->core.stores.older);
    check_undecided(m, name, "dependence", "data");
    check_undecided(m, name, "dependence", "address");
}

static void check_renaming(const struct machine_design *m)
{
    static const double widths[] = {[RENAME_NONE] = 0, [RENAME_EQUAL] = 4, [RENAME_CONTAINED] = 10};
    static const char pairs[] = "memory.renaming.pairs", of_widths[] = "memory.renaming.widths";

    check_whole(m, finding_of(of_widths, NULL, ""), of_widths, "", widths[m->core.stores.renames]);
    if (m->core.stores.renames == RENAME_NONE)
        check_whole(m, finding_of(pairs, NULL, ""), pairs, "", 0);
    else
        check_capacity(m, pairs, NULL, "", m->core.stores.renamed_pairs);
}

MODEL_TEST(forwarding_is_given_back, "forwarding renaming")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 1), 8); cores++) {
        struct machine_design m = draw_machine_with_stores(seed);
        struct store_design *d = &m.core.stores;
        d->older = (double)(seed % 3); /* drawn without `pick`: all else stays as it was drawn before */
        run_probes_on(&m, "forwarding renaming", PROFILE_QUICK);
        check_number(&m, "memory.forwarding.cycles", "crossing", "none", d->cycles);
        check_number(&m, "memory.forwarding.stores", NULL, "", d->gathered);
        check_offsets(&m);
        check_gathering(&m);
        check_overwritten(&m);
        check_renaming(&m);
    }
    end(17 * cores, 4 * cores); /* of 21 of each core */
    decides(21, 0);
}

/* ---- Conditions of renaming ----------------------------------------------------------------------- */

/*
 * Whether the design renames loads under one of the conditions, each by itself. At the border of two pages Unicorn
 * reports two accesses for one, so that cores which rename loads there cannot be drawn.
 */
static bool renames_under(const struct store_design *d, const char *circumstance)
{
    const bool wants_base = d->renames_base_constant;

    return strcmp(circumstance, "other-base") == 0     ? !d->renames_same_base
           : strcmp(circumstance, "moving-base") == 0  ? !wants_base
           : strcmp(circumstance, "base-changed") == 0 ? !wants_base && !d->renames_base_kept
           : strcmp(circumstance, "data-changed") == 0 ? !d->renames_data_kept
                                                       : d->renames_lines;
}

MODEL_TEST(conditions_of_renaming_are_given_back, "renaming")
{
    static const char *const circumstances[] = {"other-base", "moving-base", "base-changed", "data-changed",
                                                "line-crossed"};
    static const char name[] = "memory.renaming.condition";
    unsigned renaming = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("aarch64", 1), 16);) {
        struct machine_design m = draw_machine_with_stores(seed);
        struct store_design *d = &m.core.stores;
        d->renames_same_base = pick(0, 1);
        d->renames_base_kept = pick(0, 1);
        d->renames_base_constant = pick(0, 3) == 0;
        d->renames_data_kept = pick(0, 1);
        d->renames_lines = pick(0, 1);
        run_probes_on(&m, "renaming", PROFILE_QUICK);
        renaming += d->renames != RENAME_NONE;
        check_renaming(&m);
        for (size_t i = 0; i < sizeof circumstances / sizeof circumstances[0]; i++)
            if (d->renames == RENAME_NONE)
                check_undecided(&m, name, "circumstance", circumstances[i]);
            else
                check_text(&m, name, "circumstance", circumstances[i],
                           renames_under(d, circumstances[i]) ? "renamed" : "not renamed");
    }
    end(5 * renaming, 0);
    decides(0, 7);
}

/* A sibling thread wakes at some moment while the probe runs, and no reading counts from then on. */
MODEL_TEST(what_is_not_measured_is_not_reported, "renaming")
{
    enum { PARTS = 8 };

    for (uint64_t seed = 0; next_seed(&seed, 0, 8);) {
        struct machine_design m = draw_machine_with_stores(seed);
        const unsigned part = (unsigned)pick(1, PARTS - 1);
        run_probes_on(&m, "renaming", PROFILE_QUICK);
        const double all = end_number(NULL, "windows"), last = end_number("renaming", "windows");
        m.shared_from = (uint64_t)(all - last + last * part / PARTS);
        run_probes_on(&m, "renaming", PROFILE_QUICK);
        check_renaming(&m);
    }
    end(0, UINT32_MAX);
}
