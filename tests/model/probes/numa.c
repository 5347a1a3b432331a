/* The probe numa: memory of nodes, by the node of the core. */
#include <math.h>
#include <stdio.h>

#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/*
 * Two to four nodes with numbers of any order of size, some without memory, some without cores; what lies between two of
 * them may be different in either direction, or nothing at all.
 */
static struct machine_design draw_machine_with_nodes(uint64_t seed, struct nodes_design *d)
{
    struct machine_design m = seed % 3 ? draw_machine(seed) : draw_noisy_machine(seed);
    uint32_t id = 0;

    m.drift = 0; /* times are no cycles: they change with the clock */
    m.declares = true;
    m.core.data[2] = (struct cache_design){0};
    if (m.core.data[1].bytes > 256 * KIB)
        m.core.data[1] = (struct cache_design){256 * KIB, 8, .latency = m.core.data[1].latency};
    m.core.load_store = (struct load_store_design){.loads = (unsigned)pick(1, 2), .stores = 1};
    m.memory_bytes = 64 * 1024 * KIB;
    m.core.memory_latency = (double)pick(150, 400);
    m.core.nodes = d;
    *d = (struct nodes_design){.count = (unsigned)pick(2, MODEL_NODES), .cores = (unsigned)pick(1, 3)};
    const unsigned cores = (unsigned)pick(1, d->count * d->cores);
    m.coherence = (struct coherence_design){.cores = cores,
                                            .groups = {{cores, (double)pick(40, 200)}},
                                            .clean_part = 1,
                                            .upgrade_part = 1,
                                            .stream_cycles = 4,
                                            .pause_cycles = 1,
                                            .most_lines = 0.5};
    for (unsigned from = 0; from < d->count; from++) {
        d->id[from] = id;
        id += (uint32_t)pick(1, pick(0, 3) ? 1 : 100000);
        d->no_memory[from] = from && pick(0, 4) == 0;
        for (unsigned to = 0; to < d->count; to++) {
            d->farther[from][to] = from == to || pick(0, 4) == 0 ? 0 : between(5, 300);
            d->line_cycles[from][to] = between(2, 20);
        }
    }
    m.unusable = cores > 1 && pick(0, 2) == 0 ? 2 : 0;
    return m;
}

static const char *cell_of(const char *name, uint32_t cpu_node, uint32_t node)
{
    const char *f = NULL;

    while ((f = next_finding(f, name)))
        if (fabs(number(f, "cpu_node") - cpu_node) < 0.5 && fabs(number(f, "node") - node) < 0.5)
            break;
    return f;
}

/* The core that has to measure for a node; the number of cores where there is none. */
static unsigned core_of(const struct machine_design *m, unsigned node)
{
    unsigned core = 0;

    while (core < m->coherence.cores && (node_of_modelled_core(m->core.nodes, core) != node || m->unusable >> core & 1))
        core++;
    return core;
}

static void check_cell(const struct machine_design *m, const char *name, unsigned from, unsigned to, double truth)
{
    const struct nodes_design *d = m->core.nodes;
    const char *f = cell_of(name, d->id[from], d->id[to]);
    const bool none = core_of(m, from) == m->coherence.cores || d->no_memory[to];
    char variant[48];

    snprintf(variant, sizeof variant, "%u to %u", d->id[from], d->id[to]);
    if (none) {
        if (f && !has_field(f, "grade", "U"))
            complain(m, "%s %s: nothing can be measured there", name, variant);
        return;
    }
    if (is_decided(m, f, name, variant) && !(fabs(number(f, "value") / truth - 1) <= 0.03))
        complain(m, "%s %s: reported %g, true is %g", name, variant, number(f, "value"), truth);
}

MODEL_TEST(memory_of_nodes_is_as_far_as_it_is, "numa")
{
    struct nodes_design d;
    unsigned machines = 0;

    for (uint64_t seed = 0; next_seed(&seed, 4, 64); machines++) {
        const struct machine_design m = draw_machine_with_nodes(seed, &d);
        const double ns = 1e9 / m.core_hz;

        run_probes_on(&m, "numa", PROFILE_QUICK);
        check_number(&m, "memory.numa.nodes", NULL, NULL, d.count);
        for (unsigned from = 0; from < d.count; from++)
            for (unsigned to = 0; to < d.count; to++) {
                check_cell(&m, "memory.numa.latency_ns", from, to, (m.core.memory_latency + d.farther[from][to]) * ns);
                check_cell(&m, "memory.numa.bytes_per_ns", from, to, 64 / (d.line_cycles[from][to] * ns));
            }
    }
    end(5 * machines, machines);
    decides(52, 52);
}

/* Where nothing lists nodes, and where one is listed, all memory is one. */
MODEL_TEST(one_node_is_one, "numa")
{
    struct nodes_design d = {.count = 1, .id = {7}, .cores = 1};

    for (uint64_t seed = 0; next_seed(&seed, 2, 2);) {
        struct machine_design m = draw_machine(seed);
        m.core.nodes = seed % 2 ? &d : NULL;
        run_probes_on(&m, "numa", PROFILE_QUICK);
        check_number(&m, "memory.numa.nodes", NULL, NULL, 1);
        if (next_finding(NULL, "memory.numa.latency_ns"))
            complain(&m, "there is nothing to compare");
    }
    end(2, 0);
}
