/* The probe contention: accesses of several cores to one line, and each to its own. */
#include <math.h>
#include <stdio.h>

#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

static struct machine_design draw_machine_with_contention(uint64_t seed)
{
    struct machine_design m = seed % 3 ? draw_machine(seed) : draw_noisy_machine(seed);
    const unsigned cores = (unsigned)pick(2, 4);

    m.drift = 0; /* times are no cycles: they change with the clock */
    m.coherence = (struct coherence_design){.cores = cores,
                                            .groups = {{cores, (double)pick(60, 200)}},
                                            .clean_part = 1,
                                            .upgrade_part = 1,
                                            .stream_cycles = between(1, 12),
                                            .first_holds = (unsigned)pick(1, 4),
                                            .others_hold = (unsigned)pick(1, 4),
                                            .held = between(10, 20)};
    return m;
}

static const char *contended(const char *name, const char *access, const char *place, unsigned cores)
{
    const char *f = NULL;

    while ((f = next_finding(f, name)))
        if (has_field(f, "access", access) && has_field(f, "place", place) && fabs(number(f, "cores") - cores) < 0.5)
            break;
    return f;
}

static void check_near(const struct machine_design *m, const char *f, const char *access, const char *place,
                       double truth)
{
    const double off = 0.03; /* of blocks that are not counted, and of the way into the kernel and out */

    if (is_decided(m, f, access, place) && !(fabs(number(f, "value") - truth) <= off * truth))
        complain(m, "%s, %s: reported %g, true is %g", access, place, number(f, "value"), truth);
}

static void check_access(const struct machine_design *m, const char *access, unsigned cores)
{
    static const char rate[] = "system.contention.operations_per_us", fairness[] = "system.contention.fairness";
    const struct coherence_design *d = &m->coherence;
    const double first = d->first_holds, others = d->others_hold, mhz = m->core_hz / 1e6;
    const char *alone = contended(rate, access, "own", 1);

    if (!alone)
        return; /* the emulated core has no atomic instructions */
    const double own = number(alone, "value"), apart = (cores - 1) / d->stream_cycles * mhz;
    check_near(m, contended(rate, access, "own", cores), access, "own", own + apart);
    if (*access == 'l') {
        check_near(m, contended(rate, access, "word", cores), access, "word", own + apart);
        return;
    }
    const double all = (first + (cores - 1) * others) / coherence_turn(d, cores) * mhz;
    check_near(m, contended(rate, access, "word", cores), access, "word", all);
    check_near(m, contended(rate, access, "line", cores), access, "line", all);
    if (*access == 's')
        return;
    check_near(m, contended(fairness, access, "word", cores), access, "word",
               100 * fmin(first, others) / fmax(first, others));
    check_near(m, contended(fairness, access, "line", cores), access, "line",
               100 * fmin(first, others) / fmax(first, others));
}

MODEL_TEST(cores_contend_for_lines_as_they_do, "contention")
{
    unsigned machines = 0;

    for (uint64_t seed = 0; next_seed(&seed, 1, 16); machines++) {
        const struct machine_design m = draw_machine_with_contention(seed);
        run_probes_on(&m, "contention", PROFILE_QUICK);
        for (unsigned n = 2; n < 2 * m.coherence.cores; n *= 2) {
            const unsigned cores = n < m.coherence.cores ? n : m.coherence.cores;
            check_access(&m, "add", cores);
            check_access(&m, "cas", cores);
            check_access(&m, "store", cores);
            check_access(&m, "load", cores);
        }
    }
    end(2 * machines, machines);
}
