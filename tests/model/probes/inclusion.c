/* The probe inclusion: what the second level does about lines of the first one. */
#include <stdio.h>

#include "tests/model/cache.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/*
 * Levels of drawn size, ways and policies: inclusive, exclusive (a level of victims, LRU as the level before it), or
 * neither. Beyond the first three every second machine is noisy.
 */
MODEL_TEST(inclusion_is_given_back, "inclusion")
{
    static const char *const relations[] = {"inclusive", "exclusive", "neither"};
    static const char *const policies[] = {"LRU", "PLRU", "SRRIP", "RANDOM", "QLRU_H11_M1_R0_U0"};
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 3, 30); cores++) {
        struct machine_design m = seed > 3 && seed % 2 ? draw_noisy_machine(seed) : draw_machine(seed);
        struct cache_design *first = &m.core.data[0], *second = &m.core.data[1];
        const size_t relation = seed % 3;
        first->ways = (size_t)4 << pick(0, 1);
        first->bytes = first->ways * 4 * KIB;
        second->ways = (size_t)4 << pick(0, 2);
        second->bytes = first->bytes * ((size_t)4 << pick(0, 1));
        m.core.l1i = (struct cache_design){.bytes = first->bytes, .ways = first->ways};
        second->inclusive = relation == 0;
        second->victims = relation == 1;
        if (relation != 1) {
            first->policy = policies[pick(0, 1)];
            second->policy = policies[pick(0, 4)];
            second->hashed = pick(0, 1);
        }
        m.core.data[2] = (struct cache_design){0};
        m.core.far_fetch = m.core.l2_fetch / between(2.5, 5);
        m.core.memory_latency = second->latency * between(2.5, 5);
        m.declares = true;
        m.memory_bytes = 32 * (double)second->bytes;
        run_probes_on(&m, "inclusion", PROFILE_QUICK);
        check_text(&m, "memory.cache.inclusion", "levels", "1d-2", relations[relation]);
        /* a modelled level of victims has lines of code as any other */
        check_text(&m, "memory.cache.inclusion", "levels", "1i-2", relations[relation == 1 ? 2 : relation]);
    }
    end(cores, cores);
    decides(6, 6);
}
