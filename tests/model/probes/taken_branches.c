/* The probe taken_branches: how many taken branches go in a cycle, and how far they may be from each other. */
#include <math.h>
#include <stdint.h>

#include "arch/emit.h"
#include "lib/base/record.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

static bool conditional(const char *f)
{
    return has_field(f, "branch", "cond");
}

/* At a stride, each branch is the target of the one before it. */
static void check_strides(const struct machine_design *m)
{
    static const char name[] = "frontend.btb.taken_at_stride";
    const struct target_design *t = &m->core.targets[0];

    for (const char *f = NULL; (f = next_finding(f, name));) {
        const double stride = number(f, "stride");
        /* of branches in one line, the first is in another line than the one before it: the mean of both */
        const double lines = t->two_lines ? 0 : stride / 64, two = t->two_bytes ? 1 - lines : 0;
        const double truth = 1 / (1 - two / 2);
        if (stride <= emit_longest &&
            emit_alignment > 1) /* to the modelled core, a jump to the next instruction is none */
            continue;
        /* as check_number: readings as short as these time cycles to some percent */
        if (is_decided(m, f, name, "") && !(fabs(number(f, "value") / truth - 1) <= 0.03))
            complain(m, "stride %g: reported %g, %g to %g, true is %g", stride, number(f, "value"), number(f, "low"),
                     number(f, "high"), truth);
    }
}

/* The most bytes between a target and its branch, which end in the NOPs that were tried. */
static void check_bytes(const struct machine_design *m)
{
    static const char name[] = "frontend.btb.two_taken_bytes";
    const struct target_design *t = &m->core.targets[0];

    for (const char *f = NULL; (f = next_finding(f, name));) {
        const double branch = emit_jump_bytes(INT16_MAX + 1, conditional(f));
        const bool none = !t->two_bytes || !t->two_lines || (has_field(f, "crossing", "64") && !t->two_cross);
        const double truth = none ? -1 : t->two_bytes - branch;
        if (!is_decided(m, f, name, ""))
            continue;
        if (!(number(f, "low") <= truth && truth < number(f, "high")))
            complain(m, "reported %g, %g to %g bytes, true is %g", number(f, "value"), number(f, "low"),
                     number(f, "high"), truth);
    }
}

MODEL_TEST(taken_branches_in_a_cycle_are_given_back, "taken_branches")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 2, 64); cores++) {
        struct machine_design m = draw_machine(seed);
        m.core.contiguous = true;
        m.core.width = (unsigned)pick(12, 20);
        m.core.op_cache = (struct cache_design){.bytes = 64 * KIB, .ways = 8};
        m.core.targets[0] = (struct target_design){.sets = 32,
                                                   .ways = 16,
                                                   .low = 6,
                                                   .cycles = 1,
                                                   .two_bytes = pick(0, 3) ? (unsigned)pick(8, 32) : 0,
                                                   .two_cross = pick(0, 1),
                                                   .two_lines = pick(0, 3)};
        m.core.redirect = 8;
        shorten_readings(&m);
        run_probes_on(&m, "taken_branches", PROFILE_QUICK);
        check_strides(&m);
        check_bytes(&m);
    }
    end(cores, UINT32_MAX);
    decides(18, 20);
}
