/* The probes core_to_core and line_transfer: lines between cores, on machines of several cores. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/record.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/*
 * Cores in groups inside groups: each has two to four of the one before, and a line takes at least half as long again
 * from group to group. One machine in four has no groups.
 */
static struct coherence_design pick_coherence(unsigned most)
{
    struct coherence_design d = {.owned = pick(0, 1),
                                 .migrates = pick(0, 1),
                                 .clean_part = between(0.6, 1.2),
                                 .upgrade_part = between(0.5, 1.3)};
    unsigned cores = 1;
    double cycles = (double)pick(20, 60);

    for (size_t i = 0; i < COHERENT_GROUPS && (cores < 3 || (cores * 2 <= most && pick(0, 3))); i++) {
        cores *= (unsigned)pick(2, cores * 4 <= most ? 4 : 2);
        d.groups[i] = (struct coherence_group){cores, cycles};
        cycles *= between(1.5, 4);
    }
    d.cores = cores;
    return d;
}

static struct machine_design draw_machine_with_cores(uint64_t seed, unsigned most)
{
    struct machine_design m = seed % 3 ? draw_machine(seed) : draw_noisy_machine(seed);

    m.drift = 0; /* times are no cycles: they change with the clock, and classes with them */
    m.coherence = pick_coherence(most);
    return m;
}

static const char *finding_with(const char *name, const char *const variants[][2], size_t count)
{
    const char *f = NULL;
    bool all = false;

    while (!all && (f = next_finding(f, name))) {
        all = true;
        for (size_t i = 0; i < count; i++)
            all &= has_field(f, variants[i][0], variants[i][1]);
    }
    return f;
}

/* How many times the cores of a pair have to pass a line on in a round, in parts of its way. */
static double round_of(const struct coherence_design *d)
{
    return 2 * (1 + (d->migrates ? 0 : d->upgrade_part));
}

/* Between what the ways of the line take, and that with what the loop takes besides. */
static void check_round_trip(const struct machine_design *m, unsigned other)
{
    const double loop_cycles = m->core.data[0].latency + 20;
    const double least = coherence_distance(&m->coherence, 0, other) * round_of(&m->coherence);
    const double ns = 1e9 / m->core_hz, off = 0.02;
    char pair[32];

    snprintf(pair, sizeof pair, "0 and %u", other);
    const char *f = finding_of("system.core_to_core.round_trip_ns", "pair", pair);
    if (is_decided(m, f, "round trip", pair) &&
        !(number(f, "value") >= least * ns * (1 - off) && number(f, "value") <= (least + loop_cycles) * ns * (1 + off)))
        complain(m, "round trip %s: reported %g ns, true is %g to %g", pair, number(f, "value"), least * ns,
                 (least + loop_cycles) * ns);
}

static void check_clusters(const struct machine_design *m)
{
    const struct coherence_group *g = m->coherence.groups;
    size_t levels = 0;

    while (levels < COHERENT_GROUPS && g[levels].cores)
        levels++;
    /* the last group has all cores; one of single cores or with no other of its kind is none */
    for (size_t i = 0; i < (levels > 1 ? levels - 1 : 1); i++) {
        const char *f = finding_of("system.core_to_core.clusters", "level", level_names[i]);
        check_whole(m, f, "system.core_to_core.clusters", level_names[i],
                    levels > 1 ? m->coherence.cores / g[i].cores : 1);
    }
    if (finding_of("system.core_to_core.clusters", "level", level_names[levels > 1 ? levels - 1 : 1]))
        complain(m, "clusters of more levels than there are");
}

MODEL_TEST(cores_are_found_near_each_other_as_they_are, "core_to_core")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 4, 24); cores++) {
        const struct machine_design m = draw_machine_with_cores(seed, getenv("LONG") ? 16 : 8);
        run_probes_on(&m, "core_to_core", PROFILE_QUICK);
        for (unsigned other = 1; other < m.coherence.cores; other++)
            check_round_trip(&m, other);
        check_clusters(&m);
    }
    end(4 * cores, 0);
    decides(21, 21);
}

/* More cores than a quick run measures all pairs of, in groups or not. */
MODEL_TEST(many_cores_are_sampled, "core_to_core")
{
    const unsigned all_pairs = 16;
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 2, 16); cores++) {
        struct machine_design m = draw_machine_with_cores(seed, COHERENT_CORES);
        while (m.coherence.cores <= all_pairs)
            m.coherence = pick_coherence(COHERENT_CORES);
        run_probes_on(&m, "core_to_core", PROFILE_QUICK);
        check_clusters(&m);
    }
    end(cores, cores);
    decides(4, 4);
}

static void check_transfer(const struct machine_design *m, unsigned other, const char *state, const char *access,
                           double part)
{
    const double way = coherence_distance(&m->coherence, 0, other) * 1e9 / m->core_hz;
    const double off = 0.03, held = 10 * 1e9 / m->core_hz; /* a few cycles, where it is near 0 */
    char pair[32];

    snprintf(pair, sizeof pair, "0 and %u", other);
    const char *const variants[][2] = {{"pair", pair}, {"state", state}, {"access", access}};
    const char *f = finding_with("system.line.transfer_ns", variants, 3);
    if (is_decided(m, f, state, access) && !(fabs(number(f, "value") - part * way) <= off * part * way + held * off))
        complain(m, "transfer %s, %s, %s: reported %g ns, true is %g", pair, state, access, number(f, "value"),
                 part * way);
}

MODEL_TEST(lines_in_each_state_take_what_they_do, "line_transfer")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 4, 24); cores++) {
        const struct machine_design m = draw_machine_with_cores(seed, 8);
        const struct coherence_design *c = &m.coherence;
        run_probes_on(&m, "line_transfer", PROFILE_QUICK);
        for (unsigned other = 1; other < c->cores; other++) {
            check_transfer(&m, other, "modified", "load", 1);
            check_transfer(&m, other, "modified", "store", 1);
            check_transfer(&m, other, "exclusive", "load", c->clean_part);
            check_transfer(&m, other, "exclusive", "store", 1);
            check_transfer(&m, other, "shared", "store", c->upgrade_part);
            check_transfer(&m, other, "owned", "store", c->migrates ? 0 : c->upgrade_part);
            if (!finding_of("system.line.transfer_ns", "access", "cas"))
                continue; /* the emulated core has no atomic instructions */
            check_transfer(&m, other, "modified", "add", 1);
            check_transfer(&m, other, "modified", "cas", 1);
            check_transfer(&m, other, "exclusive", "cas", 1);
            check_transfer(&m, other, "shared", "cas", c->upgrade_part);
        }
    }
    end(6 * cores, 3 * cores);
    decides(167, 102);
}
