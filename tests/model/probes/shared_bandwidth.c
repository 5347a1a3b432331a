/* The probe shared_bandwidth: levels that several cores use at the same time. */
#include <math.h>
#include <stdio.h>

#include "lib/measure/responder.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/*
 * Several cores with two levels of caches. What the others take of them is limited by the cores alone, of memory by
 * what it has.
 */
static struct machine_design draw_machine_with_streams(uint64_t seed)
{
    struct machine_design m = seed % 3 ? draw_machine(seed) : draw_noisy_machine(seed);
    const unsigned cores = (unsigned)pick(1, 7);

    m.drift = 0; /* times are no cycles: they change with the clock */
    m.declares = true;
    m.core.data[0] = (struct cache_design){16 * KIB, 4, .latency = 4};
    m.core.data[1] = (struct cache_design){256 * KIB, 8, .latency = 14};
    m.core.data[2] = (struct cache_design){0};
    m.core.load_store = (struct load_store_design){.loads = (unsigned)pick(1, 2), .stores = 1};
    m.memory_bytes = 64 * 1024 * KIB;
    m.core.memory_latency = (double)pick(150, 400);
    m.coherence = (struct coherence_design){.cores = cores > 1 ? cores : 0,
                                            .groups = {{cores, (double)pick(40, 200)}},
                                            .clean_part = 1,
                                            .upgrade_part = 1,
                                            .stream_cycles = between(2, 12),
                                            .pause_cycles = 1,
                                            .most_lines = between(0.1, 0.6),
                                            .store_weight = between(0, 1.5),
                                            .cached_bytes = m.core.data[1].bytes};
    m.one_beside = pick(0, 4) == 0;
    return m;
}

static const char *finding_for(const char *level, const char *access, unsigned cores)
{
    const char *f = NULL;

    while ((f = next_finding(f, "memory.bandwidth.shared_bytes_per_ns")))
        if (has_field(f, "level", level) && has_field(f, "access", access) && fabs(number(f, "cores") - cores) < 0.5)
            break;
    return f;
}

/* What so many cores have beyond what one has alone, which the ports and what is in flight of its core decide. */
static void check_others(const struct machine_design *m, const char *level, const char *access, unsigned cores)
{
    const struct coherence_traffic t = {cores - 1, RESPONDER_BLOCK, 0, *access == 's' ? RESPONDER_BLOCK : 0,
                                        *level == 'd' ? SIZE_MAX : 0};
    const double bytes = 64 * m->core_hz / 1e9, truth = coherence_stream(&m->coherence, &t) * bytes, off = 0.03;
    const char *alone = finding_for(level, access, 1), *f = finding_for(level, access, cores);
    char variant[48];

    snprintf(variant, sizeof variant, "%s of %s by %u cores", access, level, cores);
    if (m->one_beside && cores > 2) {
        if (f && !has_field(f, "grade", "U"))
            complain(m, "%s: the machine cannot run so many", variant);
        return;
    }
    if (!is_decided(m, alone, "alone", variant) || !is_decided(m, f, "together", variant))
        return;
    const double all = number(f, "value"), own = number(alone, "value");
    if (!(fabs(all - own - truth) <= off * (own + truth)))
        complain(m, "%s: reported %g, and %g alone; the others' true part is %g", variant, all, own, truth);
}

MODEL_TEST(cores_share_levels_as_they_do, "shared_bandwidth")
{
    unsigned machines = 0;

    for (uint64_t seed = 0; next_seed(&seed, 4, 16); machines++) {
        const struct machine_design m = draw_machine_with_streams(seed);
        const unsigned cores = m.coherence.cores;
        run_probes_on(&m, "shared_bandwidth", PROFILE_QUICK);
        for (unsigned n = 2; n < 2 * cores; n *= 2) {
            const unsigned used = n < cores ? n : cores;
            check_others(&m, "2", "load", used);
            check_others(&m, "2", "store", used);
            check_others(&m, "dram", "load", used);
            check_others(&m, "dram", "store", used);
        }
    }
    end(2 * machines, 4 * machines);
    decides(13, 15);
}
