/* The probe fetch: how many bytes of code are fetched at once. */
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

MODEL_TEST(widths_of_fetches_are_given_back, "fetch")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 1, 16); cores++) {
        struct machine_design m = draw_machine(seed);
        m.core.l1i = (struct cache_design){.bytes = 16 * KIB, .ways = 4};
        m.core.op_cache = (struct cache_design){0};
        m.core.l1i_fetch = 256;
        m.core.fetch_bytes = 16U << pick(0, 2);
        m.declares = true; /* the second level, which the instruction cache must not be taken for */
        run_probes_on(&m, "l1i fetch", PROFILE_QUICK);
        check_capacity(&m, "frontend.fetch.instructions", NULL, "", m.core.fetch_bytes / 4.0);
    }
    end(1 + cores / 2, cores); /* more than half */
    decides(1, 1);
}
