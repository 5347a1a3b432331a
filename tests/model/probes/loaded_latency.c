/* The probe loaded_latency: memory that another core loads as well. */
#include <math.h>

#include "lib/measure/responder.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/* Two cores, of which the other one may take anything from a small part of the memory's bandwidth to nearly all. */
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
    m.coherence = (struct coherence_design){.cores = 2,
                                            .groups = {{2, (double)pick(40, 200)}},
                                            .clean_part = 1,
                                            .upgrade_part = 1,
                                            .stream_cycles = between(2, 12),
                                            .pause_cycles = between(0.5, 2),
                                            .load_cycles = m.core.memory_latency * between(0.005, 0.08),
                                            .most_lines = between(0.1, 0.4)};
    return m;
}

static void check_knee(const struct machine_design *m, double bytes)
{
    const struct coherence_design *c = &m->coherence;
    const double rise = 0.2 * m->core.memory_latency, off = 0.03;
    const double truth = c->most_lines * rise / (c->load_cycles + rise), most = coherence_stream(c, RESPONDER_BLOCK, 0);
    const char *f = finding_of("memory.loaded.knee_bytes_per_ns", NULL, NULL);

    if (!is_decided(m, f, "knee", ""))
        return;
    if (!(number(f, "low") * (1 - off) <= truth * bytes && truth * bytes <= number(f, "high") * (1 + off)))
        complain(m, "knee: reported %g, %g to %g, true is %g; at most %g", number(f, "value"), number(f, "low"),
                 number(f, "high"), truth * bytes, most * bytes);
}

MODEL_TEST(memory_gets_slower_as_it_is_loaded, "loaded_latency")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 4, 24); cores++) {
        const struct machine_design m = draw_machine_with_traffic(seed);
        const double lines = coherence_stream(&m.coherence, RESPONDER_BLOCK, 0);
        const double ns = 1e9 / m.core_hz, bytes = 64 / ns; /* bytes a nanosecond of a line a cycle */
        run_probes_on(&m, "loaded_latency", PROFILE_QUICK);
        check_number(&m, "memory.loaded.idle_ns", NULL, NULL, m.core.memory_latency * ns);
        check_knee(&m, bytes);
        check_number(&m, "memory.loaded.most_bytes_per_ns", NULL, NULL, lines * bytes);
        check_number(&m, "memory.loaded.most_ns", NULL, NULL,
                     (m.core.memory_latency + coherence_wait(&m.coherence, lines)) * ns);
    }
    end(2 * cores, 2 * cores);
    decides(13, 13);
}
