/*
 * Core to core: how long does a line take to another core and back, and which cores are near each other?
 *
 * This core writes an odd number to a line and reads the line until it holds the next even number, which another core
 * writes there as soon as it sees the odd one (lib/kernels/round_trip.h). Many rounds are one reading. The shortest
 * reading counts, since whatever else happens to either core can only make it longer. The first reading of a window is
 * not used, as the other core may still be asleep.
 *
 * Neighbouring lines have their home in different slices of a shared cache, some nearer than others. So several lines
 * are measured, and the result is the median over them. No other pair of cores uses these lines, before or after, and
 * the core that measures is the first to touch them: on machines of several dies, lines that other cores have used may
 * go on taking the way through those cores.
 *
 * With three cores or more each of them measures in turn. Then the times of pairs fall into classes, and the pairs of a
 * class have to form clusters (lib/structure/core_clusters.h). That is decided twice: once from the times that the core
 * of the larger number has measured in each pair, and once from those of the other one, on other lines. Where both
 * agree the grade is B. Where there are more than 16 cores, or 64 but for quick runs, a part of all pairs is measured
 * that shows each cluster (lib/structure/core_sample.h): grade C.
 *
 * There is no curve. The matrices have nanoseconds by the other core and by line, and by both cores. A round trip is
 * one experiment: grade C. Under a hypervisor even which cores are neighbours may change.
 *
 * Method: docs/METHODS.md, 8.5. As core-to-core-latency (nviennot, 2023, and its issue 155, 2026), with plain loads and
 * stores instead of exchanges.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/reason.h"
#include "lib/base/statistics.h"
#include "lib/finding/report.h"
#include "lib/kernels/line_rounds.h"
#include "lib/probe/matrix.h"
#include "lib/probe/probe.h"
#include "lib/structure/core_clusters.h"
#include "lib/structure/core_sample.h"

enum { LINES = LINE_ROUNDS_LINES };

static const char name[] = "system.core_to_core.round_trip_ns";

struct round_trips {
    struct probe *probe;
    struct line_rounds rounds; /* of the core that measures, with each of the others */
    struct matrix lines, pairs;
    unsigned cores[CORE_CLUSTERS_CORES]; /* that can be used and are measured, this one first */
    size_t count, usable;
    const char *why_not; /* of the first core that cannot be used */
    /* of clusters: */
    bool samples, good;      /* not all pairs are measured; the probe is not over */
    bool silent;             /* a pair did not respond */
    const char *why_not_all; /* why a core cannot measure */
    double numbers[LINES], named[CORE_CLUSTERS_CORES], ns[CORE_CLUSTERS_CORES * CORE_CLUSTERS_CORES]; /* of matrices */
};

static void report_pair(struct probe *p, unsigned other, size_t lines, const struct line_times *l)
{
    char pair[32], spread[64] = "";

    if (l->count)
        snprintf(spread, sizeof spread, "%zu of %zu lines, %.0f to %.0f ns", l->count, lines, l->sorted[0],
                 l->sorted[l->count - 1]);
    snprintf(pair, sizeof pair, "%u and %u", machine_info()->core, other);
    report_number(p,
                  &(struct finding){.name = name,
                                    .variants = {{"pair", pair}},
                                    .reason = REASON_NO_RESPONSE,
                                    .remarks = {{"condition", l->count ? spread : NULL}},
                                    .method = "numbers written in turn to one line by both cores; median over lines"},
                  l->middle);
}

/* Measures and reports each of the other cores with this one. False: the probe is over. */
static bool measure_others(struct probe *p, struct round_trips *t)
{
    size_t count;
    const struct machine_core *all = machine_cores(&count);
    struct line_times times;
    bool good = true;

    t->cores[0] = machine_info()->core;
    t->count = t->usable = 1;
    if (!line_rounds_map(p, &t->rounds, count > 1 ? count - 1 : 1))
        return false;
    for (size_t i = 0; i < count; i++) {
        const size_t row = t->lines.row_count;
        if (all[i].index == machine_info()->core)
            continue;
        const char *why = all[i].why_not;
        if (!why)
            why = line_rounds_measure(p, &t->rounds, all[i].index, row, matrix_cell(&t->lines, row, 0), &times, &good);
        if (!good)
            return false;
        t->why_not = t->why_not ? t->why_not : why;
        if (why)
            continue;
        t->lines.rows[t->lines.row_count++] = all[i].index;
        t->usable++;
        if (t->count < CORE_CLUSTERS_CORES) {
            *matrix_cell(&t->pairs, 0, t->count) = times.middle;
            t->cores[t->count++] = all[i].index;
        }
        report_pair(p, all[i].index, t->rounds.lines, &times);
    }
    return true;
}

/* ---- Clusters ---------------------------------------------------------------------------------------------------- */

/* Measures a pair of cores, by their places in t->cores, for its cluster. False: it cannot be, or the probe is over. */
static bool measure_one(void *context, size_t by, size_t with, double *ns)
{
    struct round_trips *t = context;
    struct line_times times = {.middle = (double)NAN};

    if (machine_info()->core != t->cores[by])
        t->why_not_all = machine_use_core(t->cores[by]);
    if (!t->why_not_all)
        t->why_not_all = line_rounds_measure(t->probe, &t->rounds, t->cores[with], by * t->count + with, NULL, &times,
                                             &t->good);
    *ns = times.middle;
    t->silent |= isnan(*ns);
    return !t->why_not_all && t->good;
}

/* Each core but the first, which has measured already, measures in turn with all others. */
static void measure_from_all(struct round_trips *t)
{
    for (size_t i = 1; i < t->count; i++)
        for (size_t j = 0; j < t->count; j++)
            if (j != i && !measure_one(t, i, j, matrix_cell(&t->pairs, i, j)))
                return;
}

/* A part of all pairs; what the first core has measured already is on other lines, and not used. */
static void measure_sample(struct probe *p, struct round_trips *t)
{
    struct core_sample s = {.count = t->count,
                            .ns = t->ns,
                            .pitch = CORE_CLUSTERS_CORES,
                            .random = &p->random,
                            .context = t,
                            .measure = measure_one};

    for (size_t i = 0; i < t->count; i++)
        *matrix_cell(&t->pairs, 0, i) = (double)NAN;
    core_sample(&s);
}

static void report_clusters(struct probe *p, const struct round_trips *t, enum reason reason,
                            const struct core_clusters *c)
{
    const size_t levels = reason || !c->levels ? 1 : c->levels;

    for (size_t l = 0; l < levels; l++) {
        const double value = reason ? (double)NAN : c->levels ? (double)c->level[l].clusters : 1;
        char list[256] = "all cores are equally far from each other";
        if (!reason && c->levels)
            core_clusters_list(&c->level[l], t->cores, t->count, list, sizeof list);
        report(p, &(struct finding){.name = "system.core_to_core.clusters",
                                    .variants = {{"level", .number = (double)l + 1}},
                                    .value = value,
                                    .low = (double)NAN,
                                    .high = (double)NAN,
                                    .grade = reason       ? 'U'
                                             : t->samples ? 'C'
                                                          : 'B',
                                    .reason = reason,
                                    .detail = t->why_not_all,
                                    .remarks = {{"condition", reason ? NULL : list}},
                                    .method = t->samples ? "round trips of a part of all pairs"
                                                         : "round trips of all pairs, each measured by either core"});
    }
}

static enum reason decide(const struct round_trips *t, struct core_clusters *c)
{
    return t->why_not_all                    ? REASON_PLATFORM
           : t->usable > CORE_CLUSTERS_CORES ? REASON_CORES_LEFT_OUT
           : t->silent                       ? REASON_NO_RESPONSE
           : t->samples                      ? core_clusters_sampled(t->pairs.cells, t->count, t->pairs.pitch, c)
                                             : core_clusters_decide(t->pairs.cells, t->count, t->pairs.pitch, c);
}

static void find_clusters(struct probe *p, struct round_trips *t)
{
    struct core_clusters c = {.levels = 0};

    if (t->count < 3) {
        report_clusters(p, t, REASON_TOO_FEW_CORES, &c);
        return;
    }
    t->samples = t->count > (size_t)probe_scale(p, 3, 16, 64, 64);
    t->rounds.rounds = (uint64_t)probe_smoke(p, 16, 64); /* classes of times are far from each other */
    t->rounds.lines = (size_t)probe_scale(p, 1, 4, 8, 16);
    t->good = line_rounds_map(p, &t->rounds, t->count * t->count);
    if (t->good && t->samples)
        measure_sample(p, t);
    else if (t->good)
        measure_from_all(t);
    if (t->good && machine_info()->core != t->cores[0] && machine_use_core(t->cores[0]))
        t->good = probe_skip(p, "the core that measured could not be taken again");
    if (!t->good)
        return;
    for (size_t i = 0; i < t->count; i++)
        t->named[i] = t->cores[i];
    t->pairs.row_count = t->pairs.column_count = t->count;
    if (!t->why_not_all)
        matrix_send(p, &t->pairs);
    report_clusters(p, t, decide(t, &c), &c);
}

static void run(struct probe *p)
{
    const size_t lines = (size_t)probe_scale(p, 1, 16, LINES, LINES);
    struct round_trips *t = probe_calloc(p, 1, sizeof *t);
    size_t count;

    machine_cores(&count);
    if (!t)
        return;
    t->lines = (struct matrix){.name = "round trips",
                               .row_axis = "core",
                               .column_axis = "line",
                               .unit = "ns",
                               .column_count = lines,
                               .columns = t->numbers,
                               .pitch = lines};
    t->pairs = (struct matrix){.name = "pairs",
                               .row_axis = "core",
                               .column_axis = "other core",
                               .unit = "ns",
                               .rows = t->named,
                               .columns = t->named,
                               .cells = t->ns,
                               .pitch = CORE_CLUSTERS_CORES};
    t->probe = p;
    t->good = true;
    t->rounds.rounds = (uint64_t)probe_smoke(p, 16, 256);
    t->rounds.lines = lines;
    for (size_t i = 0; i < lines; i++)
        t->numbers[i] = (double)i;
    for (size_t i = 0; i < CORE_CLUSTERS_CORES * CORE_CLUSTERS_CORES; i++)
        t->ns[i] = (double)NAN;
    t->lines.rows = probe_calloc(p, count, sizeof *t->lines.rows);
    t->lines.cells = t->lines.rows ? probe_calloc(p, count * lines, sizeof *t->lines.cells) : NULL;
    if (t->lines.cells && line_rounds_build(p, &t->rounds) && measure_others(p, t)) {
        if (t->lines.row_count)
            matrix_send(p, &t->lines);
        else
            report_number(p,
                          &(struct finding){.name = name,
                                            .reason = count > 1 ? REASON_PLATFORM : REASON_ONE_CORE,
                                            .detail = t->why_not},
                          (double)NAN);
        find_clusters(p, t);
    }
    free(t->lines.rows);
    free(t->lines.cells);
    free(t);
}

PROBE(core_to_core, .title = "Core to core", .family = "system", .run = run,
      .findings = FINDINGS({"system.core_to_core.round_trip_ns", "ns",
                            "time of a line that two cores write in turn, there and back"},
                           {"system.core_to_core.clusters", "clusters",
                            "groups of cores that are nearer to each other than to the others"}));
