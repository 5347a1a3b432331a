/* The probe itlb: entries, ways, sets and miss costs of TLBs of instructions. */
#include <math.h>

#include "arch/emit.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

static void check_pages(const struct machine_design *m)
{
    const struct page_design *first = &m->core.pages[0];
    double truths[PAGE_LEVELS];

    for (size_t i = 0; i < PAGE_LEVELS; i++)
        truths[i] = (double)(m->core.pages[i].sets * m->core.pages[i].ways);
    for (const char *f = NULL; (f = next_finding(f, "frontend.itlb.entries"));)
        check_one_of(m, f, truths, PAGE_LEVELS);
    check_number(m, "frontend.itlb.miss_cycles", "level", "1", first->miss);
    check_number(m, "frontend.itlb.ways", "level", "1", (double)first->ways);
    if (first->sets > 1)
        check_number(m, "frontend.itlb.index_bits", "level", "1", log2((double)first->sets));
}

MODEL_TEST(instruction_tlbs_are_given_back, "itlb")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("aarch64", 1), 16); cores++) {
        struct machine_design m = draw_machine(seed);
        m.core.pages[0] = (struct page_design){
            .sets = (size_t)1 << pick(0, 5), .ways = (size_t)4 << pick(0, 1), .miss = (double)pick(5, 9)};
        if (m.core.pages[0].sets == 1)
            m.core.pages[0].ways = 8 * pick(4, 8);
        m.core.pages[1] = (struct page_design){.sets = 128, .ways = 4 * pick(3, 4), .miss = (double)pick(15, 30)};
        run_probes_on(&m, "itlb", PROFILE_QUICK);
        check_pages(&m);
    }
    print_message("# %s: %u vague\n", emit_isa, checked.vague);
    end(cores, UINT32_MAX);
    decides(0, 3);
}

/* Jumps displace each other in branch target buffers with hashed indices long before the TLB is full. */
MODEL_TEST(hashed_branch_targets_are_no_level_of_a_tlb, "itlb")
{
    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 1), 8);) {
        struct machine_design m = draw_machine(seed);
        m.core.pages[0] = (struct page_design){.sets = 1, .ways = 70 + seed, .miss = 9};
        m.core.pages[1] = (struct page_design){.sets = 128, .ways = 8, .miss = 20};
        m.core.targets[0] = (struct target_design){.sets = 64, .ways = 7, .low = 4, .cycles = 1, .hashed = true};
        m.core.targets[1] = (struct target_design){0};
        m.core.redirect = 12;
        run_probes_on(&m, "itlb", PROFILE_QUICK);
        check_undecided(&m, "frontend.itlb.entries", "level", "2");
        check_capacity(&m, "frontend.itlb.entries", "level", "1", (double)m.core.pages[0].ways);
    }
    end(0, UINT32_MAX);
}
