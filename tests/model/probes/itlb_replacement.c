/* The probe itlb_replacement: how a TLB of instructions replaces entries, and whether its misses show a saw-tooth. */
#include <math.h>

#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

static void check_replaced(const struct machine_design *m)
{
    const struct page_design *first = &m->core.pages[0];
    const char *f = finding_of("frontend.itlb.sawtooth", "level", "1");

    if (is_decided(m, f, "frontend.itlb.sawtooth", "") &&
        fabs(number(f, "value") - (first->renewed_together ? (double)first->sets : 0)) > 0)
        complain(m, "a tooth of %g pages, true are %zu sets of %zu, %s", number(f, "value"), first->sets, first->ways,
                 first->renewed_together ? "which share" : "which do not share");
    if (first->renewed_together)
        check_text(m, "frontend.itlb.replacement", "level", "1", "NRU_SHARED");
    else
        check_undecided(m, "frontend.itlb.replacement", "level", "1");
}

/*
 * Sets that share when bits of use are set again, and sets that share nothing. Half of the cores with hashed sets show
 * that the pages of a hash do not look like teeth.
 */
MODEL_TEST(replacement_of_the_instruction_tlb_is_given_back, "itlb_replacement")
{
    static const char *const policies[] = {NULL, "NRU", "PLRU", "MRU", NULL, "RANDOM", "FIFO", "SRRIP", "NRU"};
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 2, 36); cores++) {
        struct machine_design m = draw_machine(seed);
        struct page_design *first = &m.core.pages[0];
        *first = (struct page_design){
            .sets = (size_t)2 << pick(0, 2), .ways = (size_t)4 << pick(0, 1), .miss = (double)pick(6, 12)};
        first->renewed_together = seed % 2 == 0;
        first->policy = first->renewed_together ? "NRU" : policies[seed / 2 % (sizeof policies / sizeof *policies)];
        first->hashed = !first->renewed_together && pick(0, 3) == 0;
        m.core.pages[1] = (struct page_design){.sets = 128, .ways = 8, .miss = 25};
        m.declares_code_pages = true; /* entries, which other tests find */
        shorten_readings(&m);
        run_probes_on(&m, "itlb_replacement", PROFILE_QUICK);
        check_replaced(&m);
    }
    end(cores / 2, UINT32_MAX);
    decides(3, 3);
}
