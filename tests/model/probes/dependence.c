/* The probe dependence: how the core predicts which loads may go ahead of stores whose address is not known yet. */
#include "arch/emit.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/*
 * The predictor tracks loads that must wait, or counts for each load; a core without one knows which loads must wait.
 */
static void check_dependence(const struct machine_design *m)
{
    static const char loads[] = "memory.dependence.loads", free_after[] = "memory.dependence.free_after",
                      bits[] = "memory.dependence.index_bits", counters[] = "memory.dependence.counters",
                      blocked[] = "memory.dependence.blocked_cycles";
    const struct store_design *d = &m->core.stores;

    check_undecided(m, loads, "dependence", "data"); /* the store's address is known in time */
    check_undecided(m, blocked, "dependence", "data");
    if (d->tracked)
        check_capacity(m, loads, "dependence", "address", d->tracked);
    else
        check_undecided(m, loads, "dependence", "address");
    if (d->counter_bits) {
        check_capacity(m, free_after, NULL, "", d->free_after);
        check_whole(m, finding_of(bits, NULL, ""), bits, "", d->counter_bits);
        check_whole(m, finding_of(counters, NULL, ""), counters, "", (double)(1U << d->counter_bits));
        /* when the load is executed again the store is in the cache */
        check_number(m, blocked, "dependence", "address", d->violation + m->core.data[0].latency - d->cycles);
    } else {
        if (!d->tracked)
            check_undecided(m, blocked, "dependence", "address");
        check_undecided(m, free_after, NULL, "");
        check_undecided(m, bits, NULL, "");
        check_undecided(m, counters, NULL, "");
    }
}

MODEL_TEST(dependence_is_given_back, "dependence")
{
    unsigned visible = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("aarch64", 1), 8);) {
        struct machine_design m = draw_machine_with_stores(seed);
        struct store_design *d = &m.core.stores;
        d->rule = FORWARD_CONTAINED;
        d->renames = RENAME_NONE;
        if (seed % 3 == 1) {
            d->counter_bits = (unsigned)pick(6, 9);
            d->free_after = (unsigned)pick(3, 25);
            while (emit_alignment >> (d->counter_low_bit + 1))
                d->counter_low_bit++;
        } else if (seed % 3 == 2) {
            d->tracked = (unsigned)pick(8, 120);
        }
        visible += d->counter_bits ? 4 : d->tracked ? 1 : 0;
        run_probes_on(&m, "dependence", PROFILE_QUICK);
        check_dependence(&m);
    }
    end(visible - visible / 3, UINT32_MAX);
    decides(0, 3);
}
