/* The probe return_stack: how many return addresses are predicted, and what happens beyond that. */
#include <stdlib.h>
#include <string.h>

#include "lib/base/record.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/*
 * The modelled stack overwrites its oldest entry; an indirect predictor, where there is one, then knows all returns
 * but the one whose target is random. Whether the finding says which of the two it is.
 */
static bool check_overflow(const struct machine_design *m, const char *f)
{
    const char *overflow = f ? record_value(f, "overflow", 3) : NULL;
    const char *truth = m->core.indirect ? "other predictors stand in" : "the oldest are lost";

    if (overflow && strncmp(overflow, truth, strlen(truth)) != 0)
        complain(m, "beyond the return stack: reported %.40s, true is %s", overflow, truth);
    return overflow != NULL;
}

/*
 * Random return targets show the return stack. Those that repeat, fixed or changing, an indirect predictor knows up to
 * a depth of its own, which is more. Whether the overflow was reported.
 */
static bool check_return_stack(const struct machine_design *m)
{
    static const char name[] = "frontend.return_stack.entries";
    static const char *const repeating[] = {"fixed", "changing"};

    check_capacity(m, name, "target", "random", m->core.return_stack);
    const bool overflow = check_overflow(m, finding_of(name, "target", "random"));
    for (size_t i = 0; i < 2; i++) {
        const char *f = finding_of(name, "target", repeating[i]);
        if (!m->core.indirect)
            check_capacity(m, name, "target", repeating[i], m->core.return_stack);
        else if (is_decided(m, f, name, repeating[i]) && !(number(f, "low") > m->core.return_stack))
            complain(m, "%s %s: reported %g, and the return stack alone has %u", name, repeating[i], number(f, "value"),
                     m->core.return_stack);
    }
    return overflow;
}

MODEL_TEST(return_stacks_are_given_back, "return_stack")
{
    unsigned cores = 0, hidden = 0, overflows = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 1), 8); cores++) {
        struct machine_design m = draw_machine(seed);
        shorten_readings(&m);
        m.core.indirect = seed % 2;
        hidden += m.core.indirect ? 2 : 0;
        run_probes_on(&m, "return_stack", PROFILE_QUICK);
        overflows += check_return_stack(&m);
    }
    assert_true(overflows == cores || getenv("MODEL_SEED"));
    end(3 * cores - hidden, hidden);
    decides(1, 0);
}

MODEL_TEST(a_return_stack_deeper_than_the_range_is_undecided, "return_stack")
{
    for (uint64_t seed = 0; next_seed(&seed, 0, 8);) {
        struct machine_design m = draw_machine(seed);
        m.core.return_stack = 200; /* the probe nests at most 80 calls */
        shorten_readings(&m);
        run_probes_on(&m, "return_stack", PROFILE_QUICK);
        check_return_stack(&m);
    }
    end(0, 60);
    assert_int_equal(checked.decided, 0);
}

MODEL_TEST(noise_gives_right_depths_or_none, "return_stack")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 0, 8); cores++) {
        struct machine_design m = draw_noisy_machine(seed);
        run_probes_on(&m, "return_stack", PROFILE_QUICK);
        check_return_stack(&m);
    }
    end(cores, UINT32_MAX);
}
