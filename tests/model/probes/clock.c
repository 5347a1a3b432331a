/* The probe clock: its gates notice when the unit of time is not the core's cycle. */
#include <stdio.h>
#include <string.h>

#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/*
 * No core multiplies in 2.4 cycles or loads in 4.5: the cycles are none, and all findings of the run must be of grade
 * U.
 */
MODEL_TEST(a_clock_that_lies_is_not_trusted, "clock")
{
    for (uint64_t seed = 0; next_seed(&seed, 6, 48);) {
        struct machine_design m = draw_machine(seed);
        if (seed % 2)
            m.core.multiply = 2.4;
        else
            m.core.data[0].latency = 4.5;
        run_probes_on(&m, "l1i", PROFILE_SMOKE);
        for (const char *f = NULL; (f = records_find(&records, f, "finding", NULL, NULL));)
            if (is_decided(&m, f, "a finding", "by a clock that is wrong"))
                complain(&m, "%.*s", (int)strcspn(f, "\n"), f);
    }
    assert_int_equal(checked.wrong, 0);
    assert_true(checked.undecided >= 3);
}
