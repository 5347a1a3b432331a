/* The probes mix and bandwidth: what the ports for loads and stores sustain. */
#include <math.h>
#include <string.h>

#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/* Accesses of a port that an access of `width` bits takes. */
static double pieces(const struct machine_design *m, double width)
{
    return ceil(width / 8 / m->core.load_store.port_bytes);
}

/* Cycles that this number of loads and stores of `width` bits takes, by their ports. */
static double group_cycles(const struct machine_design *m, double loads, double stores, double width)
{
    const struct load_store_design *d = &m->core.load_store;

    return pieces(m, width) * fmax(loads / d->loads, stores / d->stores);
}

/* Every reported mix is true, and the largest mixes of 64 bits that the core can sustain in a cycle are reported. */
static void check_mixes(const struct machine_design *m)
{
    static const char name[] = "memory.mix.per_cycle";
    const double together = 6;

    for (const char *f = NULL; (f = next_finding(f, name));) {
        const double truth = 1 / group_cycles(m, number(f, "loads"), number(f, "stores"), number(f, "width"));
        if (is_decided(m, f, name, "") && !(fabs(number(f, "value") / truth - 1) <= 0.03))
            complain(m, "%.*s: true is %g", (int)strcspn(f, "\n"), f, truth);
    }
    for (double stores = 0; stores <= 2; stores++) {
        double loads = 0;
        bool found = false;
        while (loads + 1 + stores <= together && group_cycles(m, loads + 1, stores, 64) <= 1)
            loads++;
        if (group_cycles(m, loads, stores, 64) > 1 || loads + stores < 1)
            continue;
        for (const char *f = NULL; (f = next_finding(f, name));)
            found |= fabs(number(f, "loads") - loads) + fabs(number(f, "stores") - stores) < 0.5 &&
                     fabs(number(f, "width") - 64) < 1;
        if (!found)
            complain(m, "%g loads and %g stores in a cycle: not reported", loads, stores);
    }
}

MODEL_TEST(ports_are_given_back, "mix")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 1), 8); cores++) {
        struct machine_design m = draw_machine_with_ports(seed);
        run_probes_on(&m, "mix", PROFILE_QUICK);
        check_mixes(&m);
    }
    end(20 * cores, 0);
    decides(28, 0);
}

/* Only of the first level: a modelled core does not prefetch from the levels behind it. */
static void check_bandwidth(const struct machine_design *m, const char *access,
                            double per_cycle(const struct machine_design *, double))
{
    static const char name[] = "memory.bandwidth.bytes_per_cycle";

    for (const char *f = NULL; (f = next_finding(f, name));) {
        if (!has_field(f, "level", "1") || !has_field(f, "access", access))
            continue;
        const double truth = per_cycle(m, number(f, "width"));
        if (is_decided(m, f, name, access) && !(fabs(number(f, "value") / truth - 1) <= 0.03))
            complain(m, "%.*s: true is %g", (int)strcspn(f, "\n"), f, truth);
    }
}

static double loaded_per_cycle(const struct machine_design *m, double width)
{
    return width / 8 / group_cycles(m, 1, 0, width);
}

static double stored_per_cycle(const struct machine_design *m, double width)
{
    return width / 8 / group_cycles(m, 0, 1, width);
}

static double copied_per_cycle(const struct machine_design *m, double width)
{
    return width / 8 / group_cycles(m, 1, 1, width);
}

/* Instructions for blocks: between their bytes a cycle, and those with what begins and ends a piece of 4 KiB or 2. */
static void check_blocks(const struct machine_design *m)
{
    static const char name[] = "memory.bandwidth.bytes_per_cycle", *const accesses[] = {"rep movsb", "rep stosb",
                                                                                        "dc zva"};
    const double piece = 2048, around = 16, off = 0.03, most = m->core.block_bytes;
    const double least = piece / (piece / most + around);
    size_t found = 0;

    for (const char *f = NULL; (f = next_finding(f, name));) {
        bool block = false;
        for (size_t i = 0; i < sizeof accesses / sizeof accesses[0]; i++)
            block |= has_field(f, "access", accesses[i]);
        if (!block || !has_field(f, "level", "1"))
            continue;
        found++;
        if (is_decided(m, f, name, "blocks") &&
            !(number(f, "value") >= least * (1 - off) && number(f, "value") <= most * (1 + off)))
            complain(m, "%.*s: true is %g to %g", (int)strcspn(f, "\n"), f, least, most);
    }
    if (!found)
        complain(m, "no instruction for blocks is reported");
}

MODEL_TEST(bandwidths_are_given_back, "bandwidth")
{
    for (uint64_t seed = 0; next_seed(&seed, 3, 20);) {
        struct machine_design m = draw_machine_with_ports(seed);
        if (seed % 2) /* a quarter of this cache is a page, half of which is copied to the other half */
            m.core.data[0] = (struct cache_design){.bytes = 16 * KIB, .ways = 4, .latency = 4};
        m.declares = true;
        m.memory_bytes = 128 * KIB; /* too little for the footprints of further levels */
        run_probes_on(&m, "bandwidth", PROFILE_QUICK);
        check_bandwidth(&m, "load", loaded_per_cycle);
        check_bandwidth(&m, "store", stored_per_cycle);
        check_bandwidth(&m, "copy", copied_per_cycle);
        check_blocks(&m);
    }
    end(20, 4);
    decides(41, 57);
}
