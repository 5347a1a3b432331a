/* The probe dtlb_shared: which kinds of pages and accesses share a level of TLB. */
#include <string.h>

#include "lib/base/record.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/* What the probe found of a pair, and what the machine declares beside it. */
static void check_shared_pages(const struct machine_design *m, const char *f, bool shared)
{
    const char *declared = record_value(f, "declared", 0), *truth = shared ? "shared" : "separate";

    if (declared ? strcmp(declared, truth) != 0 : record_value(f, "page", 0) == NULL)
        complain(m, "memory.dtlb.shared: declared as %s", declared ? declared : "nothing");
    const char *pair = record_value(f, "pair", 0), *value = record_value(f, "value", 1);

    if (is_decided(m, f, "memory.dtlb.shared", pair) && !strcmp(value, "shared") != shared)
        complain(m, "memory.dtlb.shared level %g, %.12s: reported %.9s", number(f, "level"), pair, value);
}

/*
 * Large pages, and stores, may have a few entries of their own in either level, or share those of small pages and
 * loads.
 */
MODEL_TEST(sharers_of_data_tlbs_are_reported, "dtlb_shared")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 2, 24); cores++) {
        struct machine_design m = draw_machine(seed);
        m.core.contiguous = true;
        m.core.data[0] = (struct cache_design){.bytes = 64 * KIB, .ways = 16, .latency = m.core.data[0].latency};
        m.core.data[1] = (struct cache_design){.bytes = 512 * KIB, .ways = 16, .latency = m.core.data[1].latency};
        m.core.data_pages[0] = (struct page_design){
            .sets = (size_t)1 << pick(0, 3), .ways = pick(4, 6), .miss = (double)pick(5, 9)};
        while (m.core.data_pages[0].sets * m.core.data_pages[0].ways < 24)
            m.core.data_pages[0].sets *= 2;
        m.core.data_pages[1] = (struct page_design){
            .sets = 32, .ways = pick(4, 8), .miss = (double)pick(15, 30), .hashed = pick(0, 1)};
        if (pick(0, 1))
            m.core.large_pages[0] = (struct page_design){.sets = 1, .ways = 8 * pick(1, 4), .miss = 7};
        if (pick(0, 1))
            m.core.large_pages[1] = (struct page_design){.sets = 16, .ways = 4, .miss = 20};
        if (pick(0, 1))
            m.core.store_pages[0] = (struct page_design){.sets = 1, .ways = 16, .miss = (double)pick(5, 9)};
        m.core.stores_spill = pick(0, 1);
        m.declares_pages = true;
        m.memory_bytes = 4.0 * (1 << 30);
        run_probes_on(&m, "dtlb_shared", PROFILE_QUICK);
        for (const char *f = NULL; (f = next_finding(f, "memory.dtlb.shared"));) {
            const bool stores = !strncmp(record_value(f, "pair", 2), "load", 4);
            const size_t level = (size_t)number(f, "level") - 1;
            check_shared_pages(&m, f, !(stores ? m.core.store_pages : m.core.large_pages)[level].ways);
        }
    }
    end(cores, 2 * cores);
    decides(5, 5);
}
