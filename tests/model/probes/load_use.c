/* The probe load_use: latencies of loads by addressing mode, width and alignment. */
#include <math.h>
#include <string.h>

#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/* In a modelled core all addressing modes take the same time, and loads that cross from line to line take longer. */
MODEL_TEST(latencies_of_loads_are_given_back, "load_use")
{
    unsigned reported = 0;

    for (uint64_t seed = 0; next_seed(&seed, 4, 32);) {
        struct machine_design m = draw_machine(seed);
        m.core.load_store.split = (double)pick(0, 10);
        run_probes_on(&m, "load_use", PROFILE_QUICK);
        for (const char *f = NULL; (f = next_finding(f, "memory.load_use.cycles")); reported++) {
            const bool split = has_field(f, "crossing", "64") || has_field(f, "crossing", "page");
            const double truth = m.core.data[0].latency + (split ? m.core.load_store.split : 0);
            if (is_decided(&m, f, "memory.load_use.cycles", "") && !(fabs(number(f, "value") / truth - 1) <= 0.03))
                complain(&m, "%.*s: true is %g", (int)strcspn(f, "\n"), f, truth);
        }
    }
    end(reported, 0);
    decides(92, 100);
}
