/* The probe schedulers: how many operations wait for their operands, where, and which share a scheduler. */
#include "lib/base/record.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/*
 * Mostly, twice as many operations fit into the instruction window as can wait in a scheduler; sometimes another limit
 * comes first. In half of the cores loads stay in the scheduler until they are done.
 */
static struct machine_design draw_schedulers(uint64_t seed)
{
    struct machine_design m = draw_machine_with_window(seed);
    struct scheduler_design *d = &m.core.schedulers;

    for (enum waits which = 0; which < WAITS; which++) {
        d->entries[which] = (unsigned)pick(24, 90);
        d->queue[which] = pick(0, 1) ? (unsigned)pick(4, 24) : 0;
    }
    d->unified = pick(0, 1);
    d->loads_stay = pick(0, 1);
    for (enum resource what = RESOURCE_ENTRY; what < RESOURCES; what++)
        m.core.in_flight.most[what] = (unsigned)pick(100, 320);
    return m;
}

/* The entries of a scheduler, with those of the queue before it where the finding says that it includes both. */
static void check_scheduler(const struct machine_design *m, const char *class, enum waits which)
{
    const struct scheduler_design *d = &m->core.schedulers;
    const enum waits where = d->unified && which == WAITS_VECTOR ? WAITS_GENERAL : which;
    const char *f = finding_of("backend.scheduler.entries", "class", class);
    const bool both = f && record_value(f, "includes", 2);

    check_capacity(m, "backend.scheduler.entries", "class", class, d->entries[where] + (both ? d->queue[where] : 0));
    if (finding_of("backend.dispatch_queue.entries", "class", class))
        check_capacity(m, "backend.dispatch_queue.entries", "class", class, d->queue[where]);
}

MODEL_TEST(schedulers_are_given_back, "schedulers")
{
    static const char shared[] = "backend.scheduler.shared";
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 1), 8); cores++) {
        const struct machine_design m = draw_schedulers(seed);
        run_probes_on(&m, "schedulers", PROFILE_QUICK);
        check_scheduler(&m, "int", WAITS_GENERAL);
        check_scheduler(&m, "multiply", WAITS_GENERAL);
        check_scheduler(&m, "branch", WAITS_GENERAL);
        check_scheduler(&m, "vector", WAITS_VECTOR);
        check_scheduler(&m, "vector-int", WAITS_VECTOR);
        check_scheduler(&m, "load", WAITS_LOAD);
        check_scheduler(&m, "store-address", WAITS_STORE);
        check_scheduler(&m, "store-data", WAITS_STORE);
        check_text(&m, shared, "pair", "int and multiply", "shared");
        check_text(&m, shared, "pair", "int and vector", m.core.schedulers.unified ? "shared" : "separate");
        check_text(&m, shared, "pair", "vector and vector-int", "shared");
        check_text(&m, shared, "pair", "int and load", "separate");
        check_text(&m, shared, "pair", "load and store-address", "separate");
        check_text(&m, shared, "pair", "store-address and store-data", "shared");
    }
    end(8 * cores, 10 * cores);
    decides(13, 0);
}
