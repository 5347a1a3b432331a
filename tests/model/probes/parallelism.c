/* The probe parallelism: how many misses are under way at once. */
#include <math.h>
#include <stdio.h>

#include "arch/emit.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/* The buffers of the first level limit the misses that any level behind it serves. */
MODEL_TEST(parallel_misses_are_given_back, "parallelism")
{
    static const char name[] = "memory.parallel_misses";
    unsigned exact = 0;

    for (uint64_t seed = 0; next_seed(&seed, 1, 8);) {
        struct machine_design m = draw_machine(seed);
        m.core.load_store = (struct load_store_design){.misses = (unsigned)pick(4, 20), .forward = (double)pick(1, 6)};
        m.core.data[0] = (struct cache_design){.bytes = 16 * KIB, .ways = 4, .latency = 4};
        m.core.data[1] = (struct cache_design){.bytes = 128 * KIB, .ways = 8, .latency = (double)pick(14, 30)};
        m.core.data[2] = (struct cache_design){.bytes = 0};
        m.core.memory_latency = (double)pick(60, 120);
        m.declares = true;
        m.memory_bytes = 4096 * KIB;
        run_probes_on(&m, "parallelism", PROFILE_QUICK);
        for (size_t level = 0; level < DATA_LEVELS && m.core.data[level].bytes; level++) {
            const char *f = finding_of(name, "level", level_names[level]);
            check_capacity(&m, name, "level", level_names[level], m.core.load_store.misses);
            exact += f && fabs(number(f, "value") - m.core.load_store.misses) < 0.5;
        }
    }
    fprintf(stderr, "# %s: %u numbers of buffers are exact\n", emit_isa, exact);
    end(2, 0);
    decides(2, 2);
}
