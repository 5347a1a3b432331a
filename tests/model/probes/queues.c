/* The probe queues where loads leave their queue early; rob.c has the tests where they do not. */
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/* Loads that give their entries back as soon as they are done never fill the load queue: another limit ends them. */
MODEL_TEST(queues_that_are_left_early_are_not_reported, "queues")
{
    for (uint64_t seed = 0; next_seed(&seed, seeds_on("aarch64", 1), 8);) {
        struct machine_design m = draw_machine_with_window(seed);
        struct in_flight_design *d = &m.core.in_flight;
        d->nops = 1;
        d->loads_leave = true;
        d->most[RESOURCE_ENTRY] = (unsigned)pick(260, 320);
        /* fewer than half, which could be entries of the reorder buffer that have two instructions each */
        d->most[RESOURCE_LOAD] = d->most[RESOURCE_STORE] = d->most[RESOURCE_ENTRY] * 5 / 12;
        run_probes_on(&m, "queues", PROFILE_QUICK);
        check_capacity(&m, "backend.store_queue.entries", "width", "64", d->most[RESOURCE_STORE]);
        check_undecided(&m, "backend.load_queue.entries", "width", "64");
    }
    end(0, UINT32_MAX);
    decides(0, 1);
}
