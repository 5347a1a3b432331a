/*
 * Cores outside of what anybody tuned for (outside.h): grades A and B have to be true of them. What is decided is
 * printed by structure. Most of these tests draw cores only where LONG is set: 200 of an instruction set.
 */
#include <math.h>

#include "tests/model/cache.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/isa.h"
#include "tests/model/outside.h"
#include "tests/model/test.h"

/* How many cores a long run draws: of what takes seconds a core, a minute, and several minutes. */
enum { CORES = 200, SLOW_CORES = 40, SLOWEST_CORES = 10 };

static double entries(size_t sets, size_t ways)
{
    return (double)(sets * ways);
}

/* Timers far coarser and far finer than the clock. */
MODEL_TEST(clocks_outside_are_given_back, "clock")
{
    shares_start();
    for (uint64_t seed = 0; next_seed(&seed, 2, CORES);) {
        struct machine_design m = draw_outside(seed);
        draw_clocks_outside(&m, seed > 2 ? 6000 : 20);
        run_probes_on(&m, "clock", PROFILE_QUICK);
        share_number(&m, "system.clock.hz", NULL, NULL, m.core_hz);
        share_number(&m, "system.clock.multiply_cycles", NULL, NULL, m.core.multiply);
        share_number(&m, "system.clock.load_cycles", NULL, NULL, m.core.data[0].latency);
    }
    shares_end(0.9);
}

/*
 * A level of victims and the one before it hold more than that level alone, but less than the sum of both where the
 * evicted lines do not spread evenly over the sets of the level of victims.
 */
static void share_caches(const struct machine_design *m)
{
    const struct core_design *d = &m->core;
    size_t level = 0;

    for (; level < DATA_LEVELS && d->data[level].bytes; level++) {
        const double before = d->data[level].victims ? (double)d->data[level - 1].bytes : 0;
        share_between(m, "memory.cache.bytes", "level", level_names[level], (double)d->data[level].bytes,
                      (double)d->data[level].bytes + before);
        share_number(m, "memory.cache.latency_cycles", "level", level_names[level], d->data[level].latency);
    }
    share_nothing(m, "memory.cache.bytes", "level", level_names[level]);
    share_number(m, "memory.cache.line_bytes", "level", "1", d->line_bytes);
    share_number(m, "memory.cache.ways", "level", "1", (double)d->data[0].ways);
    share_number(m, "memory.cache.index_bits", "level", "1",
                 log2((double)d->data[0].bytes / (double)d->data[0].ways / d->line_bytes));
}

MODEL_TEST(caches_outside_are_given_back, "cache cache_lines cache_ways")
{
    shares_start();
    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 1), CORES);) {
        const struct machine_design m = draw_outside(seed);
        run_probes_on(&m, "cache cache_lines cache_ways", PROFILE_QUICK);
        share_caches(&m);
    }
    shares_end(0.5);
}

/* Lines are twice as long as usual, which nothing declares, and a miss costs little more than a hit. */
MODEL_TEST(levels_of_longer_lines_are_given_back, "cache cache_lines")
{
    struct machine_design m = draw_machine(1);
    struct core_design *d = &m.core;

    d->line_bytes = 128;
    d->contiguous = true;
    d->data[0] = (struct cache_design){.bytes = 8 * KIB, .ways = 4, .latency = 6};
    d->data[1] = (struct cache_design){.bytes = 512 * KIB, .ways = 8, .latency = 9};
    d->data[2] = (struct cache_design){0};
    d->memory_latency = 60;
    m.memory_bytes = 4096 * KIB;
    shares_start();
    run_probes_on(&m, "cache cache_lines", PROFILE_QUICK);
    share_number(&m, "memory.cache.bytes", "level", "1", (double)d->data[0].bytes);
    share_number(&m, "memory.cache.bytes", "level", "2", (double)d->data[1].bytes);
    share_number(&m, "memory.cache.line_bytes", "level", "1", d->line_bytes);
    shares_end(1);
}

/* A small TLB makes the first cache look smaller than it is: it holds one line of each block, but not two. */
MODEL_TEST(a_cache_that_holds_the_blocks_shows_no_lines, "cache cache_lines")
{
    struct machine_design m = draw_machine(1);
    struct core_design *d = &m.core;

    d->contiguous = false;
    d->data[0] = (struct cache_design){.bytes = 96 * KIB, .ways = 6, .latency = 5};
    d->data[1] = (struct cache_design){.bytes = 1024 * KIB, .ways = 16, .latency = 24};
    d->data[2] = (struct cache_design){0};
    d->data_pages[0] = (struct page_design){.sets = 1, .ways = 8, .miss = 4};
    run_probes_on(&m, "cache cache_lines", PROFILE_QUICK);
    check_capacity(&m, "memory.cache.line_bytes", "level", "1", CACHE_LINE_BYTES);
    end(0, UINT32_MAX);
}

MODEL_TEST(tlbs_outside_are_given_back, "dtlb dtlb_sets")
{
    shares_start();
    for (uint64_t seed = 0; next_seed(&seed, 0, SLOW_CORES);) {
        struct machine_design m = draw_outside(seed);
        const struct page_design *d = m.core.data_pages;
        m.memory_bytes = fmax(m.memory_bytes, 1 << 28);
        run_probes_on(&m, "dtlb dtlb_sets", PROFILE_QUICK);
        for (size_t level = 0; level < PAGE_LEVELS && d[level].ways; level++) {
            share_number(&m, "memory.dtlb.entries", "level", level_names[level], entries(d[level].sets, d[level].ways));
            share_number(&m, "memory.dtlb.miss_cycles", "level", level_names[level], d[level].miss);
            share_number(&m, "memory.dtlb.ways", "level", level_names[level], (double)d[level].ways);
            share_number(&m, "memory.dtlb.index_bits", "level", level_names[level], log2((double)d[level].sets));
        }
        if (!d[1].ways)
            share_nothing(&m, "memory.dtlb.entries", "level", "2");
    }
    shares_end(0.4);
}

/* Pages of a second level's number take more lines than a small first cache has; that is no level of a TLB. */
MODEL_TEST(a_small_cache_is_no_level_of_a_tlb, "dtlb")
{
    enum { SEED = 8005 }; /* on AArch64: 20 entries, and 15 KiB of cache */

    for (uint64_t n = 0; next_seed(&n, 0, seeds_on("aarch64", 1));) {
        struct machine_design m = draw_outside(SEED);
        m.memory_bytes = fmax(m.memory_bytes, 1 << 28);
        run_probes_on(&m, "dtlb", PROFILE_QUICK);
        check_capacity(&m, "memory.dtlb.entries", "level", "1",
                       entries(m.core.data_pages[0].sets, m.core.data_pages[0].ways));
        check_number(&m, "memory.dtlb.miss_cycles", "level", "1", m.core.data_pages[0].miss);
        check_undecided(&m, "memory.dtlb.entries", "level", "2");
    }
    end(0, UINT32_MAX);
}

static void share_window(const struct machine_design *m)
{
    const struct in_flight_design *f = &m->core.in_flight;
    const unsigned *most = f->most;

    share_number(m, "backend.rob.entries", NULL, NULL, most[RESOURCE_ENTRY]);
    share_number(m, "backend.rob.group", NULL, NULL, f->group);
    if (!isa.longest_block) {
        share_number(m, "backend.registers.entries", "class", "int64", most[RESOURCE_GENERAL]);
        share_number(m, "backend.registers.entries", "class", "flags",
                     f->flags_are_general ? fmin(most[RESOURCE_GENERAL], most[RESOURCE_FLAGS]) : most[RESOURCE_FLAGS]);
    }
    share_number(m, "backend.load_queue.entries", "width", "64", most[RESOURCE_LOAD]);
    share_number(m, "backend.store_queue.entries", "width", "64", most[RESOURCE_STORE]);
    share_number(m, "backend.branches_in_flight.entries", "branch", "not-taken", most[RESOURCE_BRANCH]);
}

MODEL_TEST(windows_outside_are_given_back, "rob queues")
{
    shares_start();
    for (uint64_t seed = 0; next_seed(&seed, 0, SLOWEST_CORES);) {
        const struct machine_design m = draw_outside(seed);
        if (m.core.in_order)
            continue;
        /* where nothing ends, curves of register writes go on to 1280 (probes/backend/registers.c) */
        run_probes_on(&m, isa.longest_block ? "rob queues" : "rob registers queues", PROFILE_QUICK);
        share_window(&m);
    }
    shares_end(0.2);
}

/* Without a reorder buffer nothing waits behind one, and the width is what comes in. */
MODEL_TEST(cores_in_order_have_no_window, "rob registers queues schedulers widths")
{
    static const char *const none[] = {"backend.rob.group",
                                       "backend.rob.instructions",
                                       "backend.registers.entries",
                                       "backend.rename_retire.entries",
                                       "backend.load_queue.entries",
                                       "backend.store_queue.entries",
                                       "backend.scheduler.entries",
                                       "backend.branches_in_flight.entries",
                                       "backend.dispatch_queue.entries",
                                       "backend.retire.per_cycle"};

    shares_start();
    for (uint64_t n = 0; next_seed(&n, 1, CORES / OUTSIDE_IN_ORDER);) {
        const struct machine_design m = draw_outside(n * OUTSIDE_IN_ORDER);
        run_probes_on(&m, "rob registers queues schedulers widths", PROFILE_QUICK);
        share_number(&m, "backend.rob.entries", NULL, NULL, 0);
        share_number(&m, "backend.rename.per_cycle", "counted", "operations", m.core.width);
        for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
            share_nothing(&m, none[i], NULL, NULL);
    }
    shares_end(0.5);
}

/*
 * The entries of a scheduler, with those of all its parts. Operations go to the parts in turn, so that the smallest part
 * is full while others have an entry left: what can be filled is as many times that.
 */
MODEL_TEST(schedulers_outside_are_given_back, "schedulers")
{
    static const struct {
        const char *class;
        enum waits waits;
    } classes[] = {{"int", WAITS_GENERAL}, {"vector", WAITS_VECTOR}, {"load", WAITS_LOAD}, {"store-data", WAITS_STORE}};

    shares_start();
    for (uint64_t seed = 0; next_seed(&seed, 0, SLOW_CORES);) {
        const struct machine_design m = draw_outside(seed);
        const struct scheduler_design *d = &m.core.schedulers;
        if (m.core.in_order)
            continue;
        run_probes_on(&m, "schedulers", PROFILE_QUICK);
        for (size_t i = 0; i < 4; i++) {
            const unsigned all = d->entries[d->single ? WAITS_GENERAL : classes[i].waits];
            share_between(&m, "backend.scheduler.entries", "class", classes[i].class, all / d->parts * d->parts, all);
        }
        share_text(&m, "backend.scheduler.shared", "pair", "int and vector", d->single ? "shared" : "separate");
        share_text(&m, "backend.scheduler.shared", "pair", "int and load", d->single ? "shared" : "separate");
    }
    shares_end(0.2);
}

/*
 * What the ports allow. NaN: the front end or the window may allow less. An access is in flight while it takes place, and
 * for some cycles before and behind that.
 */
static double mix_per_cycle(const struct machine_design *m, double loads, double stores, double width)
{
    enum { AROUND = 8 };
    const struct load_store_design *d = &m->core.load_store;
    const double pieces = ceil(width / 8 / d->port_bytes),
                 rate = 1 / fmax(pieces * loads / d->loads, pieces * stores / d->stores),
                 groups = rate * (m->core.data[0].latency + AROUND); /* in flight */
    const unsigned *most = m->core.in_flight.most;

    if ((loads + stores) * rate >= m->core.width ||
        (!m->core.in_order &&
         (fmin(fmin(most[RESOURCE_GENERAL], most[RESOURCE_VECTOR]), most[RESOURCE_LOAD]) < loads * groups ||
          most[RESOURCE_STORE] < stores * groups || most[RESOURCE_ENTRY] < (loads + stores) * groups)))
        return (double)NAN;
    return rate;
}

MODEL_TEST(widths_outside_are_given_back, "widths mix")
{
    shares_start();
    for (uint64_t seed = 0; next_seed(&seed, 0, CORES);) {
        const struct machine_design m = draw_outside(seed);
        run_probes_on(&m, "widths mix", PROFILE_QUICK);
        share_number(&m, "backend.rename.per_cycle", "counted", "operations", m.core.width);
        if (!m.core.in_order)
            share_number(&m, "backend.retire.per_cycle", "counted", "operations", m.core.retire);
        for (const char *f = NULL; (f = next_finding(f, "memory.mix.per_cycle"));) {
            const double rate = mix_per_cycle(&m, number(f, "loads"), number(f, "stores"), number(f, "width"));
            if (!isnan(rate))
                share_one(&m, f, rate);
        }
    }
    shares_end(0.3);
}

MODEL_TEST(front_ends_outside_are_given_back, "itlb l1i l1i_ways")
{
    shares_start();
    for (uint64_t seed = 0; next_seed(&seed, 0, SLOWEST_CORES);) {
        const struct machine_design m = draw_outside(seed);
        const struct cache_design *d = &m.core.l1i;
        run_probes_on(&m, "itlb l1i l1i_ways", PROFILE_QUICK);
        share_number(&m, "frontend.l1i.bytes", NULL, NULL, (double)d->bytes);
        share_number(&m, "frontend.l1i.line_bytes", NULL, NULL, m.core.line_bytes);
        share_number(&m, "frontend.l1i.ways", NULL, NULL, (double)d->ways);
        share_number(&m, "frontend.l1i.index_bits", NULL, NULL,
                     log2((double)d->bytes / (double)d->ways / m.core.line_bytes));
        share_number(&m, "frontend.itlb.entries", "level", "1", entries(m.core.pages[0].sets, m.core.pages[0].ways));
    }
    shares_end(0.2);
}

MODEL_TEST(branches_outside_are_given_back, "btb return_stack mispredict")
{
    shares_start();
    for (uint64_t seed = 0; next_seed(&seed, 0, SLOWEST_CORES);) {
        const struct machine_design m = draw_outside(seed);
        const struct target_design *d = m.core.targets;
        run_probes_on(&m, "btb return_stack mispredict", PROFILE_QUICK);
        for (size_t level = 0; level < TARGET_LEVELS && d[level].ways; level++) {
            share_number(&m, "frontend.btb.entries", "level", level_names[level],
                         entries(d[level].sets, d[level].ways));
            share_number(&m, "frontend.btb.ways", "level", level_names[level], (double)d[level].ways);
            share_number(&m, "frontend.btb.sets", "level", level_names[level], (double)d[level].sets);
        }
        share_number(&m, "frontend.return_stack.entries", "target", "random", m.core.return_stack);
    }
    shares_end(0.2);
}
