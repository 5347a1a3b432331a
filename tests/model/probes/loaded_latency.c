/* The probe loaded_latency: memory that another core loads as well. */
#include <math.h>

#include "lib/measure/responder.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/* Several cores, of which the others may take anything from a small part of the memory's bandwidth to nearly all. */
static struct machine_design draw_machine_with_traffic(uint64_t seed)
{
    struct machine_design m = seed % 3 ? draw_machine(seed) : draw_noisy_machine(seed);

    m.drift = 0; /* times are no cycles: they change with the clock */
    m.declares = true;
    m.core.data[2] = (struct cache_design){0};
    if (m.core.data[1].bytes > 256 * KIB)
        m.core.data[1] = (struct cache_design){256 * KIB, 8, .latency = m.core.data[1].latency};
    m.memory_bytes = 64 * 1024 * KIB;
    m.core.memory_latency = (double)pick(150, 400);
    const unsigned cores = (unsigned)pick(2, 6);
    m.coherence = (struct coherence_design){.cores = cores,
                                            .groups = {{cores, (double)pick(40, 200)}},
                                            .clean_part = 1,
                                            .upgrade_part = 1,
                                            .stream_cycles = between(2, 12),
                                            .pause_cycles = between(0.5, 2),
                                            .load_cycles = m.core.memory_latency * between(0.005, 0.08),
                                            .most_lines = between(0.1, 0.4),
                                            .store_weight = between(0, 1.5)};
    m.one_beside = pick(0, 3) == 0;
    return m;
}

/* Lines a cycle of memory by what the other cores do, where their latency is `wait` cycles above the idle one. */
static double lines_at(const struct coherence_design *c, size_t stores, double wait)
{
    const double weight = 1 + c->store_weight * (double)stores / RESPONDER_BLOCK;

    return c->most_lines * wait / (c->load_cycles + wait) / weight;
}

static void check_ratio(const struct machine_design *m, const char *ratio, size_t stores)
{
    const struct coherence_design *c = &m->coherence;
    const struct coherence_traffic t = {m->one_beside ? 1 : c->cores - 1, RESPONDER_BLOCK, 0, stores, SIZE_MAX};
    const double ns = 1e9 / m->core_hz, bytes = 64 / ns, off = 0.03; /* bytes a nanosecond of a line a cycle */
    const double truth = lines_at(c, stores, 0.2 * m->core.memory_latency) * bytes;
    const char *f = finding_of("memory.loaded_latency.knee", "ratio", ratio);

    if (is_decided(m, f, "knee", ratio) &&
        !(number(f, "low") * (1 - off) <= truth && truth <= number(f, "high") * (1 + off)))
        complain(m, "knee %s: reported %g, %g to %g, true is %g", ratio, number(f, "value"), number(f, "low"),
                 number(f, "high"), truth);
    check_number(m, "memory.loaded_latency.saturation", "ratio", ratio, coherence_stream(c, &t) * bytes);
    check_number(m, "memory.loaded_latency.saturated_ns", "ratio", ratio,
                 (m->core.memory_latency + coherence_wait(c, &t)) * ns);
}

MODEL_TEST(memory_gets_slower_as_it_is_loaded, "loaded_latency")
{
    static const char *const ratios[] = {"1:0", "3:1", "1:1", "1:3", "0:1"};
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 4, 24); cores++) {
        const struct machine_design m = draw_machine_with_traffic(seed);
        run_probes_on(&m, "loaded_latency", PROFILE_QUICK);
        check_number(&m, "memory.loaded_latency.idle_ns", NULL, NULL, m.core.memory_latency * 1e9 / m.core_hz);
        for (size_t i = 0; i < 5; i++)
            check_ratio(&m, ratios[i], 4 * i);
    }
    end(6 * cores, 6 * cores);
    decides(61, 61);
}
