/* The probes cache, cache_lines and cache_ways, with the clock's own findings, which every run begins with. */
#include <math.h>
#include <stdio.h>

#include "tests/model/cache.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

static void check_gates(const struct machine_design *m)
{
    check_number(m, "system.clock.multiply_cycles", NULL, "", m->core.multiply);
    check_number(m, "system.clock.load_cycles", NULL, "", m->core.data[0].latency);
}

/* Sizes and latencies of all levels, and the latency of memory; a level beyond those must not be decided. */
static void check_caches(const struct machine_design *m)
{
    const struct core_design *d = &m->core;
    size_t level = 0;

    for (; level < DATA_LEVELS && d->data[level].bytes; level++) {
        check_capacity(m, "memory.cache.bytes", "level", level_names[level], (double)d->data[level].bytes);
        check_number(m, "memory.cache.latency_cycles", "level", level_names[level], d->data[level].latency);
    }
    check_number(m, "memory.cache.latency_cycles", "level", level_names[level], d->memory_latency);
    for (const char *f = NULL; (f = next_finding(f, "memory.cache.bytes"));) {
        const size_t of = (size_t)number(f, "level") - 1;
        if (of < level && !isnan(number(f, "value")) &&
            !(number(f, "low") <= (double)d->data[of].bytes && (double)d->data[of].bytes <= number(f, "high")))
            complain(m, "memory.cache.bytes %s: reported %g, true is %zu", level_names[of], number(f, "value"),
                     d->data[of].bytes);
    }
    const char *beyond = finding_of("memory.cache.bytes", "level", level_names[level + 1]);
    if (beyond && is_decided(m, beyond, "memory.cache.bytes", level_names[level + 1]))
        complain(m, "memory.cache.bytes: there are only %zu levels and memory", level);
}

/* Lines, ways and sets of the first level. */
static void check_shape(const struct machine_design *m)
{
    const struct cache_design *first = &m->core.data[0];

    check_capacity(m, "memory.cache.line_bytes", "level", "1", CACHE_LINE_BYTES);
    check_capacity(m, "memory.cache.ways", "level", "1", (double)first->ways);
    check_number(m, "memory.cache.index_bits", "level", "1",
                 log2((double)first->bytes / (double)first->ways / CACHE_LINE_BYTES));
}

MODEL_TEST(data_caches_are_given_back, "clock cache cache_lines cache_ways")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 1, 32); cores++) {
        struct machine_design m = draw_machine(seed);
        run_probes_on(&m, "cache cache_lines cache_ways", PROFILE_QUICK);
        check_number(&m, "system.clock.hz", NULL, "", m.core_hz);
        check_gates(&m);
        check_caches(&m);
        check_shape(&m);
    }
    /* at least three findings of the clock, five of two levels and memory, three of shape; a level may be missed */
    end(10 * cores, 3 * cores);
    decides(13, 13);
}

/* Sets that a hash chooses have no ways that strides could show: whatever is decided must be true all the same. */
MODEL_TEST(hashed_sets_are_not_reported_wrong, "cache cache_lines cache_ways")
{
    for (uint64_t seed = 0; next_seed(&seed, 0, 16);) {
        struct machine_design m = draw_machine(seed);
        m.core.data[0].hashed = true;
        run_probes_on(&m, "cache cache_lines cache_ways replacement", PROFILE_QUICK);
        check_shape(&m);
    }
    end(0, UINT32_MAX);
}

/* A core that predicts addresses and values of loads has the latencies that it has. */
MODEL_TEST(predicted_loads_hide_no_latency, "cache")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("aarch64", 1), 8); cores++) {
        struct machine_design m = draw_machine(seed);
        m.core.addresses = (struct load_predictor_design){.loads = 200, .strides = true, .training = 3};
        m.core.values = (struct load_predictor_design){.loads = 200, .training = 3};
        run_probes_on(&m, "cache", PROFILE_QUICK);
        check_gates(&m);
        check_caches(&m);
    }
    end(4 * cores, UINT32_MAX);
    decides(0, 9);
}

/*
 * Between two kernels the program that measures touches lines of its stack and of its list of readings, which then
 * occupy a part of the first level.
 */
MODEL_TEST(first_levels_beside_the_reader_are_given_back, "cache")
{
    static const char *const policies[] = {NULL, "PLRU", "SRRIP", "NRU"};
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 1), 40); cores++) {
        struct machine_design m = draw_machine(seed);
        struct cache_design *first = &m.core.data[0];
        m.core.line_bytes = 32u << pick(0, 2);
        first->policy = policies[pick(0, 3)];
        first->ways = first->policy ? (size_t)4 << pick(0, 1) : pick(2, 12);
        do
            first->bytes = first->ways * m.core.line_bytes << pick(5, 9);
        while (first->bytes < 8 * KIB || first->bytes > 192 * KIB);
        m.core.data[1] = (struct cache_design){.bytes = 2048 * KIB, .ways = 16, .latency = first->latency + 10};
        m.core.data[2] = (struct cache_design){0};
        m.core.contiguous = pick(0, 1);
        m.memory_bytes = 4096 * KIB;
        m.around = (struct around_design){.lines = (unsigned)pick(2, 8), .pages = 3, .places = seed};
        run_probes_on(&m, "cache", PROFILE_QUICK);
        check_capacity(&m, "memory.cache.bytes", "level", "1", (double)first->bytes);
        const double first_bad = number(finding_of("memory.cache.bytes", "level", "1"), "high");
        if (first_bad <= (double)first->bytes)
            complain(&m, "memory.cache.bytes 1: %.0f bytes do not fit, though %zu do", first_bad, first->bytes);
    }
    end(3 * cores / 4, UINT32_MAX);
}

/* Even the largest footprint fits into the second level. */
MODEL_TEST(a_cache_larger_than_the_range_is_undecided, "cache")
{
    for (uint64_t seed = 0; next_seed(&seed, 2, 16);) {
        struct machine_design m = draw_machine(seed);
        m.core.data[1] = (struct cache_design){.bytes = 4096 * KIB, .ways = 16, .latency = m.core.data[1].latency};
        m.core.data[2] = (struct cache_design){0};
        m.memory_bytes = 4096 * KIB;
        m.core.contiguous = true; /* scattered frames would show some of it */
        run_probes_on(&m, "cache", PROFILE_QUICK);
        check_capacity(&m, "memory.cache.bytes", "level", "1", (double)m.core.data[0].bytes);
        if (is_decided(&m, finding_of("memory.cache.bytes", "level", "2"), "memory.cache.bytes", "2"))
            complain(&m, "memory.cache.bytes 2: decided, though every footprint fits");
        if (finding_of("memory.cache.bytes", "level", "3"))
            complain(&m, "memory.cache.bytes: there are only two levels");
    }
    assert_int_equal(checked.wrong, 0);
}

MODEL_TEST(noise_gives_right_answers_or_none, "cache")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 1), 24); cores++) {
        struct machine_design m = draw_noisy_machine(seed);
        run_probes_on(&m, "cache", PROFILE_QUICK);
        check_gates(&m); /* not system.clock.hz: the clock drifts, so no one frequency is true */
        check_caches(&m);
    }
    end(4 * cores, UINT32_MAX); /* half of them */
    decides(9, 0);
}
