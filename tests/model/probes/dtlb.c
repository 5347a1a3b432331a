/* The probes dtlb, dtlb_sets and page_walk: TLBs of data, how they choose sets, and what lies behind them. */
#include <math.h>
#include <string.h>

#include "lib/base/record.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/* Stores may have a first level of their own, or share that of loads. */
static void check_store_pages(const struct machine_design *m)
{
    const struct page_design *first = m->core.store_pages[0].ways ? m->core.store_pages : m->core.data_pages;
    const double truth = (double)(first->sets * first->ways);

    for (const char *f = NULL; (f = next_finding(f, "memory.dtlb.entries"));) {
        const char *access = record_value(f, "access", 2);
        if (access && !strncmp(access, "store", 5) && number(f, "level") < 2)
            check_one_of(m, f, &truth, 1);
    }
}

static void check_data_pages(const struct machine_design *m)
{
    const struct page_design *first = &m->core.data_pages[0], *second = &m->core.data_pages[1];

    check_capacity(m, "memory.dtlb.entries", "level", "1", (double)(first->sets * first->ways));
    check_capacity(m, "memory.dtlb.entries", "level", "2", (double)(second->sets * second->ways));
    check_store_pages(m);
    check_number(m, "memory.page_walk.cycles", "level", "1", first->miss + second->miss);
    check_number(m, "memory.page_walk.cycles", "level", "2", m->core.upper_table.miss);
    check_capacity(m, "memory.page_walk.entries", "level", "2", (double)m->core.upper_table.ways);
    if (m->core.contiguous)
        check_number(m, "memory.dtlb.coalescing", "level", "1", first->neighbours);
    if (first->hinted)
        check_number(m, "memory.dtlb.hint_pages", "level", "1", first->hinted);
    check_number(m, "memory.dtlb.ways", "level", "2", (double)second->ways);
    check_number(m, "memory.dtlb.index_bits", "level", "2", log2((double)second->sets));
    const char *f = finding_of("memory.dtlb.index_bits", "level", "2"), *bits = f ? record_value(f, "bits", 2) : NULL;
    if (bits && !strncmp(bits, "VPN[6:0] ^ VPN[13:7]", 20) != second->hashed)
        complain(m, "memory.dtlb.index_bits: reported %.24s, and the index is %s", bits,
                 second->hashed ? "hashed" : "not hashed");
    check_number(m, "memory.dtlb.miss_cycles", "level", "1", first->miss);
    check_number(m, "memory.dtlb.miss_cycles", "level", "2", second->miss);
    check_number(m, "memory.dtlb.ways", "level", "1", (double)first->ways);
    check_number(m, "memory.dtlb.index_bits", "level", "1", log2((double)first->sets));
}

/*
 * The machines of the first seeds replace the least recently used entry; those that only long runs draw, by any
 * policy.
 */
MODEL_TEST(data_tlbs_are_given_back, "dtlb dtlb_sets page_walk")
{
    static const char *const policies[] = {"PLRU", "NRU", "MRU", "FIFO", "SRRIP", "QLRU_H11_M1_R0_U0"};
    enum { ALL_LRU = 2, POLICIES = sizeof policies / sizeof policies[0] };
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 1), 16); cores++) {
        struct machine_design m = draw_machine(seed);
        m.core.data[0].bytes = 64 * KIB;
        m.core.data[0].ways = 16;
        m.core.data[1] = (struct cache_design){.bytes = 512 * KIB, .ways = 16, .latency = m.core.data[1].latency};
        m.core.data_pages[0] = (struct page_design){.sets = (size_t)1 << pick(2, 5),
                                                    .ways = pick(4, 8),
                                                    .miss = (double)pick(5, 9),
                                                    .neighbours = 1U << pick(0, 2)};
        if (seed % 4 == 3) { /* as Zen 4 */
            m.core.data_pages[0].sets = 1;
            m.core.data_pages[0].ways = pick(40, 72);
        }
        m.core.data_pages[1] = (struct page_design){
            .sets = 128, .ways = pick(6, 12), .miss = (double)pick(15, 30), .hashed = pick(0, 1)};
        if (pick(0, 1))
            m.core.store_pages[0] = (struct page_design){.sets = 1, .ways = 8 * pick(1, 4), .miss = (double)pick(5, 9)};
        m.core.data_pages[0].hinted = seed % 2 ? 16 : 0;
        if (seed > ALL_LRU) { /* tree policies need a power of two of ways */
            m.core.data_pages[1].ways = 8;
            m.core.data_pages[1].policy = policies[pick(0, POLICIES - 1)];
            if (m.core.store_pages[0].ways)
                m.core.store_pages[0] = (struct page_design){
                    .sets = 1, .ways = 16, .miss = 7, .policy = policies[pick(0, POLICIES - 1)]};
        }
        m.core.upper_table = (struct page_design){.sets = 1, .ways = pick(20, 100), .miss = (double)pick(8, 30)};
        m.memory_bytes = 256 << 20;
        run_probes_on(&m, "dtlb dtlb_sets page_walk", PROFILE_QUICK);
        check_data_pages(&m);
    }
    end(3 * cores, UINT32_MAX);
    decides(13, 0);
}

/* Between two kernels the program that measures touches its stack and its list of readings, on pages of their own. */
MODEL_TEST(data_tlbs_beside_the_reader_are_given_back, "dtlb")
{
    static const char *const policies[] = {NULL, "PLRU", "SRRIP", "NRU"};
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 0, 24); cores++) {
        struct machine_design m = draw_machine(seed);
        struct page_design *first = &m.core.data_pages[0];
        m.core.data[0].bytes = 64 * KIB;
        m.core.data[0].ways = 16;
        m.core.data[1] = (struct cache_design){.bytes = 512 * KIB, .ways = 16, .latency = m.core.data[1].latency};
        first->policy = policies[pick(0, 3)];
        first->sets = pick(0, 1) ? 1 : (size_t)1 << pick(2, 5);
        first->ways = first->policy ? (first->sets == 1 ? 16 : 4) : first->sets == 1 ? pick(20, 110) : pick(3, 9);
        first->miss = (double)pick(5, 9);
        m.core.data_pages[1] = (struct page_design){.sets = 128, .ways = 8, .miss = (double)pick(15, 30)};
        m.memory_bytes = 256 << 20;
        m.around = (struct around_design){.lines = 4, .pages = (unsigned)pick(1, 4), .places = seed};
        run_probes_on(&m, "dtlb", PROFILE_QUICK);
        check_capacity(&m, "memory.dtlb.entries", "level", "1", (double)(first->sets * first->ways));
    }
    end(cores, 0);
}

/* Two sets: counts halve once, as where two neighbours share an entry. Pages an odd number apart show which. */
MODEL_TEST(two_sets_are_no_neighbours_that_share, "dtlb")
{
    enum { DECIDED = 5 }; /* at the seeds before, two views of the curves differ */

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 1), 8);) {
        struct machine_design m = draw_machine(seed + DECIDED - 1);
        struct page_design *first = &m.core.data_pages[0];
        m.core.data[0].bytes = 64 * KIB;
        m.core.data[0].ways = 16;
        m.core.data[1] = (struct cache_design){.bytes = 512 * KIB, .ways = 16, .latency = m.core.data[1].latency};
        *first = (struct page_design){.sets = 2, .ways = pick(12, 30), .miss = (double)pick(5, 9)};
        m.core.data_pages[1] = (struct page_design){.sets = 128, .ways = 8, .miss = (double)pick(15, 30)};
        m.memory_bytes = 256 << 20;
        run_probes_on(&m, "dtlb", PROFILE_QUICK);
        check_number(&m, "memory.dtlb.ways", "level", "1", (double)first->ways);
        check_number(&m, "memory.dtlb.index_bits", "level", "1", 1);
    }
    end(0, UINT32_MAX);
    decides(2, 0);
}
