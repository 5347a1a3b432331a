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
