/* The probe btb_lines: how many branches the caches of code hold, at each distance of the branches. */
#include <math.h>

#include "lib/base/numbers.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

static const char NAME[] = "frontend.btb.cached_branches";

/*
 * Frames that are not next to each other fill the sets of an instruction cache unevenly where a way is larger than a
 * page; nothing is said of such. A modelled operation cache asks the instruction cache as well, so it holds no more.
 */
static void check_branches(const struct machine_design *m)
{
    const size_t page = m->core.page_bytes ? m->core.page_bytes : 4 * KIB;
    const struct cache_design *l1i = &m->core.l1i;

    for (const char *f = NULL; (f = next_finding(f, NAME));) {
        const double truth = (double)l1i->bytes / number(f, "stride");
        if (has_field(f, "frames", "shuffled") && l1i->bytes / l1i->ways > page)
            continue;
        if (is_decided(m, f, NAME, "") && !(number(f, "low") <= truth && truth < number(f, "high")))
            complain(m, "stride %g: reported %g, %g to %g, true is %g", number(f, "stride"), number(f, "value"),
                     number(f, "low"), number(f, "high"), truth);
    }
}

/* Only where there is time: a core takes 13 s. */
MODEL_TEST(branches_that_caches_of_code_hold_are_given_back, "btb_lines")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 0, 8); cores++) {
        struct machine_design m = draw_machine(seed);
        m.core.contiguous = true;
        m.core.op_cache = (struct cache_design){0};
        m.core.l1i.ways = (size_t)4 << pick(0, 1);
        m.core.l1i.bytes = (8 * KIB) << pick(0, 3);
        if (seed % 2) { /* levels of targets that end within the range, in both chains alike */
            m.core.redirect = (double)pick(6, 14);
            m.core.decodes = pick(0, 1);
            m.core.targets[0] = (struct target_design){
                .sets = (size_t)16 << pick(0, 2), .ways = 2 * pick(2, 4), .low = (unsigned)pick(3, 5), .cycles = 1};
            m.core.targets[1] = (struct target_design){
                .sets = (size_t)128 << pick(0, 2), .ways = 2 * pick(2, 4), .low = (unsigned)pick(3, 6), .cycles = 2};
        }
        shorten_readings(&m);
        run_probes_on(&m, "btb_lines", PROFILE_STANDARD);
        check_branches(&m);
    }
    end(cores / 2, UINT32_MAX);
}
