/* The probe loop_buffer: the longest loops that are replayed, of additions and of NOPs. */
#include <math.h>

#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/*
 * A finding is not more than one operation off: the last addition and the branch may be counted apart. Where nothing is
 * replayed, no loop is reported as the last one.
 */
static void check_loop(const struct machine_design *m, const char *name, unsigned truth)
{
    const char *f = finding_of(name, NULL, NULL);

    if (!f || !is_decided(m, f, name, ""))
        return;
    if (!(number(f, "low") - 1 <= truth && truth <= number(f, "high")))
        complain(m, "%s: reported %g, %g to %g, true is %u", name, number(f, "value"), number(f, "low"),
                 number(f, "high"), truth);
}

MODEL_TEST(loop_buffers_are_given_back, "loop_buffer")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 2, 30); cores++) {
        struct machine_design m = draw_machine(seed);
        m.core.op_cache = (struct cache_design){0};
        m.core.width = (unsigned)pick(4, 8);
        m.core.decoders = (unsigned)pick(2, 3);
        m.core.l1i_fetch = 64;
        m.core.units = 0;
        /* one core in four replays nothing; in half of the others loops of NOPs are shorter */
        m.core.loop_ops = seed % 4 ? (unsigned)pick(24, 192) : 0;
        m.core.loop_nops = pick(0, 1) ? m.core.loop_ops : (m.core.loop_ops + 24) / 2;
        run_probes_on(&m, "loop_buffer", PROFILE_QUICK);
        check_loop(&m, "frontend.loop_buffer.ops", m.core.loop_ops);
        check_loop(&m, "frontend.loop_buffer.nops", m.core.loop_ops ? m.core.loop_nops : 0);
    }
    end(cores, UINT32_MAX);
    decides(4, 4);
}

/* Only x86-64 counts what a loop buffer delivers. One core in four replays no loop with taken branches inside. */
MODEL_TEST(taken_branches_of_loop_buffers_are_given_back, "loop_buffer")
{
    static const char name[] = "frontend.loop_buffer.taken_per_cycle";
    static const double taken[] = {0, 0.5, 1, 2};
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 2, 24); cores++) {
        struct machine_design m = draw_machine(seed);
        m.counts = true;
        m.privileged = true;
        m.tick_hz *= 4; /* longer readings: the end of a loop is mispredicted once in each */
        m.core_hz *= 4;
        m.core.op_cache = (struct cache_design){0};
        m.core.width = (unsigned)pick(4, 8);
        m.core.decoders = (unsigned)pick(2, 3);
        m.core.l1i_fetch = 64;
        m.core.units = 0;
        m.core.loop_ops = m.core.loop_nops = (unsigned)pick(24, 192);
        m.core.loop_taken = taken[seed % 4];
        m.core.targets[0] = (struct target_design){.sets = 64, .ways = 4, .low = 4, .cycles = (double)pick(1, 3)};
        m.core.redirect = 8;
        run_probes_on(&m, "loop_buffer", PROFILE_QUICK);
        check_number(&m, name, NULL, NULL, m.core.loop_taken > 0 ? 1 / m.core.loop_taken : 0);
    }
    end(0, UINT32_MAX);
    decides(2, 0);
}
