/* The probe mispredict: what a misprediction costs, and how many outcomes the predictor remembers. */
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/*
 * The modelled front end waits until the branch has executed, and for the penalty. The operands of the branch are
 * ready long before. It executes in one cycle, a comparison before it in another, and up to one cycle passes from when
 * the front end delivers it. Cycles are allowed the 3 % that check_number allows.
 */
static void check_penalty(const struct machine_design *m, const char *branch)
{
    enum { EXECUTION = 3 };
    const double least = 0.97 * m->core.penalty, most = 1.03 * (m->core.penalty + EXECUTION);
    const char *f = finding_of("frontend.mispredict.cycles", "branch", branch);

    if (is_decided(m, f, "frontend.mispredict.cycles", branch) &&
        !(number(f, "value") >= least && number(f, "value") <= most))
        complain(m, "misprediction, %s: reported %g, true is %g", branch, number(f, "value"), m->core.penalty);
}

/*
 * The modelled table loses some outcomes to conflicts in its sets before it is full. Half of those are predicted right
 * by chance, and the probe takes a small share of mispredictions as none: conflicts do not hide the number of entries.
 */
MODEL_TEST(penalties_are_given_back, "mispredict")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 1, 8); cores++) {
        struct machine_design m = draw_machine_with_history(seed);
        m.core.history = 0; /* a history would remember outcomes, too */
        m.core.outcomes = (size_t)1024 << pick(0, 4);
        run_probes_on(&m, "mispredict", PROFILE_QUICK);
        check_capacity(&m, "frontend.mispredict.outcomes", NULL, "", (double)m.core.outcomes);
        check_penalty(&m, "cond");
        check_penalty(&m, "indirect");
        check_penalty(&m, "return");
    }
    end(2 * cores, UINT32_MAX);
    decides(4, 4);
}
