/* The probes l1i and l1i_ways: size, lines, ways and sets of the instruction cache. */
#include <math.h>

#include "tests/model/cache.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

MODEL_TEST(instruction_caches_are_given_back, "l1i")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("aarch64", 3), 24); cores++) {
        struct machine_design m = draw_machine(seed);
        m.declares = true; /* the second level, which the instruction cache must not be taken for */
        run_probes_on(&m, "itlb l1i", PROFILE_QUICK);
        check_capacity(&m, "frontend.l1i.bytes", NULL, "", (double)m.core.l1i.bytes);
    }
    /*
     * Where mispredicted returns show no sharp edge, straight code alone decides nothing: its time also changes where
     * the operation cache ends.
     */
    end(cores / 3, 2 * cores / 3);
    decides(0, 2);
}

/*
 * Caches of other replacement policies, into which other code is fetched before each window. What fits must be found
 * whatever the policy; where a policy keeps some of the lines of a set that has too many, the interval may be wide.
 */
MODEL_TEST(instruction_caches_of_other_policies_are_given_back, "l1i")
{
    static const char *const policies[] = {"SRRIP", "PLRU", "RANDOM", "NRU", "MRU", "QLRU_H11_M1_R0_U0"};
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 1), 24); cores++) {
        struct machine_design m = draw_machine(seed);
        m.core.l1i.policy = policies[seed % (sizeof policies / sizeof *policies)];
        m.core.l1i.ways = (size_t)8 << pick(0, 1);
        m.core.l1i.bytes = m.core.l1i.ways * (2 * KIB) << pick(0, 1);
        m.other_lines = (unsigned)pick(32, 192);
        m.core.op_cache = (struct cache_design){0};
        m.declares = true; /* the second level, which the instruction cache must not be taken for */
        run_probes_on(&m, "l1i", PROFILE_QUICK);
        check_capacity(&m, "frontend.l1i.bytes", NULL, "", (double)m.core.l1i.bytes);
    }
    end(cores * 3 / 4, cores / 4);
    decides(1, 0);
}

/* Between two kernels the core executes the reader, its chain and its NOPs: some 25 lines of 64 bytes. */
MODEL_TEST(instruction_caches_beside_the_reader_are_given_back, "l1i")
{
    static const char *const policies[] = {NULL, NULL, "PLRU", "SRRIP", "NRU"};
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 1), 24); cores++) {
        struct machine_design m = draw_machine(seed);
        struct cache_design *l1i = &m.core.l1i;
        l1i->policy = policies[pick(0, 4)];
        l1i->ways = l1i->policy ? (size_t)4 << pick(0, 1) : pick(2, 12);
        do
            l1i->bytes = l1i->ways * CACHE_LINE_BYTES << pick(6, 9);
        while (l1i->bytes < 8 * KIB || l1i->bytes > 192 * KIB);
        m.core.op_cache = (struct cache_design){0};
        m.core.data[1] = (struct cache_design){.bytes = 2048 * KIB, .ways = 16, .latency = m.core.data[1].latency};
        m.core.data[2] = (struct cache_design){0};
        m.around = (struct around_design){.code_lines = (unsigned)pick(20, 30), .places = seed};
        m.declares = true;
        run_probes_on(&m, "l1i", PROFILE_QUICK);
        check_capacity(&m, "frontend.l1i.bytes", NULL, "", (double)l1i->bytes);
        const double first_bad = number(finding_of("frontend.l1i.bytes", NULL, ""), "high");
        if (first_bad <= (double)l1i->bytes)
            complain(&m, "frontend.l1i.bytes: %.0f bytes do not fit, though %zu do", first_bad, l1i->bytes);
    }
    /* those lines end the mispredicted curve's first level, too, and no instruction TLB is known */
    end(cores / 3, 2 * cores / 3);
}

/* Lines and sets, where frames are contiguous, so that addresses alone choose the set. */
MODEL_TEST(shapes_of_instruction_caches_are_given_back, "l1i l1i_ways")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("aarch64", 1), 16); cores++) {
        struct machine_design m = draw_machine(seed);
        m.core.contiguous = true;
        m.core.op_cache = m.core.data[2] = (struct cache_design){0};
        m.core.data[1].bytes = 512 * KIB; /* enough sets for all the lines, enough ways for those of one set */
        m.core.data[1].ways = 16;
        m.tick_hz *= 4; /* a miss costs few cycles of a reading: longer ones */
        m.core_hz *= 4;
        m.declares = true; /* the second level, which the instruction cache must not be taken for */
        run_probes_on(&m, "l1i l1i_ways", PROFILE_QUICK);
        check_capacity(&m, "frontend.l1i.line_bytes", NULL, "", CACHE_LINE_BYTES);
        check_capacity(&m, "frontend.l1i.ways", NULL, "", (double)m.core.l1i.ways);
        check_number(&m, "frontend.l1i.index_bits", NULL, "",
                     log2((double)m.core.l1i.bytes / (double)m.core.l1i.ways / CACHE_LINE_BYTES));
    }
    end(2 * cores, cores);
    decides(0, 3);
}

MODEL_TEST(an_instruction_cache_larger_than_the_range_is_undecided, "l1i")
{
    for (uint64_t seed = 0; next_seed(&seed, 2, 16);) {
        struct machine_design m = draw_machine(seed);
        m.core.l1i = (struct cache_design){.bytes = 256 * KIB, .ways = 8};
        m.core.op_cache = (struct cache_design){0};
        run_probes_on(&m, "l1i", PROFILE_SMOKE);
        if (is_decided(&m, finding_of("frontend.l1i.bytes", NULL, ""), "frontend.l1i.bytes", ""))
            complain(&m, "frontend.l1i.bytes: decided, though all code fits");
    }
    assert_int_equal(checked.wrong, 0);
}
