/* The probe siblings: threads of one core, and cores of their own. */
#include <stdio.h>

#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

static struct machine_design draw_machine_with_threads(uint64_t seed)
{
    struct machine_design m = seed % 3 ? draw_machine(seed) : draw_noisy_machine(seed);
    const unsigned threads = (unsigned)pick(1, 2), cores = threads * (unsigned)pick(1, 3);

    m.declares = true;
    m.core.load_store = (struct load_store_design){.loads = (unsigned)pick(1, 3), .stores = 1};
    m.coherence = (struct coherence_design){.cores = cores,
                                            .threads = threads,
                                            .groups = {{cores, (double)pick(20, 200)}},
                                            .clean_part = 1,
                                            .upgrade_part = 1,
                                            .stream_cycles = 1,
                                            .most_lines = 2,
                                            .cached_bytes = 4 * KIB};
    return m;
}

MODEL_TEST(threads_of_a_core_take_turns, "siblings")
{
    unsigned machines = 0;

    for (uint64_t seed = 0; next_seed(&seed, 4, 16); machines++) {
        const struct machine_design m = draw_machine_with_threads(seed);
        run_probes_on(&m, "siblings", PROFILE_QUICK);
        for (unsigned other = 1; other < m.coherence.cores; other++) {
            char pair[32];
            snprintf(pair, sizeof pair, "0 and %u", other);
            check_text(&m, "system.smt.siblings", "pair", pair, other < m.coherence.threads ? "siblings" : "separate");
        }
    }
    end(machines, machines);
    decides(5, 5);
}
