/* The probe registers beside a sibling thread that holds registers; rob.c has the tests without one. */
#include <math.h>

#include "lib/structure/sharing.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/*
 * A sibling thread is awake for an eighth of the time, or is awake but for an eighth of the time. What is reported is
 * what it leaves to this thread for most of the time.
 */
MODEL_TEST(registers_beside_another_thread_are_given_back, "registers")
{
    enum { OTHERS = 16, EIGHTH = 8 };
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 0, 8); cores++) {
        struct machine_design m = draw_machine_with_window(seed);
        const bool wakes = seed % 2;
        draw_renames(&m.core.in_flight, 0);
        m.core.in_flight.most[RESOURCE_RENAME] = 0;
        m.others = m.others_then = wakes ? 0 : OTHERS;
        run_probes_on(&m, "rob registers", PROFILE_QUICK);
        const double begins = end_number("rob", "seconds"), takes = end_number("registers", "seconds");
        m.others_then = OTHERS - m.others;
        m.then_from = begins + takes * (double)pick(0, EIGHTH - 1) / EIGHTH;
        m.then_to = m.then_from + takes / EIGHTH;
        run_probes_on(&m, "rob registers", PROFILE_QUICK);
        const unsigned *most = m.core.in_flight.most;
        check_capacity(&m, "backend.registers.entries", "class", "int64", most[RESOURCE_GENERAL] - m.others);
        check_capacity(&m, "backend.registers.entries", "class", "int32", most[RESOURCE_GENERAL] - m.others);
        check_capacity(&m, "backend.registers.entries", "class", "flags", most[RESOURCE_FLAGS] - m.others);
        check_capacity(&m, "backend.registers.entries", "width", "128", most[RESOURCE_VECTOR] - m.others);
    }
    end(3 * cores, cores);
}

/* The largest number of fillers that fitted alone, from whatever pair; and whether as many fit behind others. */
MODEL_TEST(what_fitted_at_another_time_is_known, "")
{
    const struct sharing all[] = {{.a = "int64",
                                   .b = "flags",
                                   .count = 2,
                                   .trials = {{LONG_OP_LOADS, LONG_OP_LOADS, .alone = {185, 230}},
                                              {LONG_OP_ARITHMETIC, LONG_OP_ARITHMETIC, .alone = {176, 232}}}},
                                  {.a = "mask",
                                   .b = "int64",
                                   .count = 1,
                                   .trials = {{LONG_OP_ARITHMETIC, LONG_OP_ARITHMETIC, .alone = {43, 196}}}}};

    assert_true(sharing_alone(all, 2, "int64", LONG_OP_ARITHMETIC) == 196);
    assert_true(sharing_alone(all, 2, "int64", LONG_OP_LOADS) == 185);
    assert_true(isnan(sharing_alone(all, 2, "int64", LONG_OP_MISS)));
    assert_true(sharing_all_fit(6, 45, 40)); /* five wait until there is room for a sixth */
    assert_false(sharing_all_fit((double)NAN, 45, 40));
    assert_false(sharing_all_fit(6, 196, 177));
    for (double alone = 4; alone < 300; alone++)
        assert_false(sharing_all_fit(12, alone, alone / 2));
}
