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
 * agree the grade is B.
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
#include "lib/kernels/round_trip.h"
#include "lib/probe/beside.h"
#include "lib/probe/matrix.h"
#include "lib/probe/probe.h"
#include "lib/structure/core_clusters.h"

enum {
    LINES = 64,
    READINGS = 6,
    ATTEMPTS = 3,
    STATE_AT = LINES * ROUND_TRIP_LINE,
    PAIR_BYTES = STATE_AT + 4096 /* whole pages of their own */
};

static const char name[] = "system.core_to_core.round_trip_ns";

struct round_trips {
    struct area area; /* of the core that measures: PAIR_BYTES for each of the others */
    struct kernel kernel;
    struct matrix lines, pairs;
    unsigned cores[CORE_CLUSTERS_CORES]; /* that can be used and are measured, this one first */
    size_t count, usable;
    uint64_t rounds;     /* of a reading */
    const char *why_not; /* of the first core that cannot be used */
    double numbers[LINES], named[CORE_CLUSTERS_CORES], ns[CORE_CLUSTERS_CORES * CORE_CLUSTERS_CORES]; /* of matrices */
};

/*
 * Measures nanoseconds a round over the line at that offset of the area, NaN where the other core did not respond.
 * Returns NULL, or why that core cannot be used. *good: the probe is not over.
 */
static const char *measure_line(struct probe *p, struct round_trips *t, unsigned other, size_t line, size_t state,
                                double *ns, bool *good)
{
    struct round_trip_line *shared = (struct round_trip_line *)(t->area.write + line);
    const struct round_trip_state *kept = (const struct round_trip_state *)(t->area.write + state);
    const struct responder_task task = {.word = &shared->word};
    struct reading list[READINGS];
    struct window_result result;

    *ns = (double)NAN;
    shared->state = t->area.at + state;
    for (unsigned attempt = 0; attempt < ATTEMPTS && isnan(*ns); attempt++) {
        for (size_t i = 0; i < READINGS; i++)
            list[i] = (struct reading){.kernel = t->kernel.entry, .argument = {i ? t->rounds : 1, t->area.at + line}};
        const char *why = probe_window_beside(p, other, &task, list, READINGS, &result, good);
        if (why || !*good)
            return why;
        if (result.interrupts || result.smis || kept->left)
            continue;
        for (size_t i = 1; i < READINGS; i++) { /* the first one only wakes the other core */
            const double ticks = (double)(list[i].end_ticks - list[i].begin_ticks);
            p->run->meter.kernel_seconds += ticks / machine_info()->tick_hz;
            *ns = fmin(isnan(*ns) ? INFINITY : *ns, ticks / machine_info()->tick_hz * 1e9 / (double)t->rounds);
        }
    }
    return NULL;
}

/* What the lines of one pair of cores have given. */
struct line_times {
    double sorted[LINES], middle;
    size_t count;
};

/*
 * Measures with one other core over new lines: the pair is number `pair` of the core in use. `row`: NULL, or by line.
 */
static const char *measure_pair(struct probe *p, struct round_trips *t, unsigned other, size_t pair, size_t lines,
                                double *row, struct line_times *out, bool *good)
{
    out->count = 0;
    for (size_t i = 0; i < lines; i++) {
        const size_t at = pair * PAIR_BYTES;
        double ns;
        const char *why = measure_line(p, t, other, at + i * ROUND_TRIP_LINE, at + STATE_AT, &ns, good);
        if (why || !*good)
            return why;
        if (row)
            row[i] = ns;
        if (!isnan(ns))
            out->sorted[out->count++] = ns;
    }
    sort_numbers(out->sorted, out->count);
    out->middle = quantile(out->sorted, out->count, 0.5);
    return NULL;
}

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
static bool measure_others(struct probe *p, struct round_trips *t, size_t lines)
{
    size_t count;
    const struct machine_core *all = machine_cores(&count);
    struct line_times times;
    bool good = true;

    t->cores[0] = machine_info()->core;
    t->count = t->usable = 1;
    if (!probe_map(p, &t->area, (count > 1 ? count - 1 : 1) * PAIR_BYTES, 0))
        return false;
    for (size_t i = 0; i < count; i++) {
        const size_t row = t->lines.row_count;
        if (all[i].index == machine_info()->core)
            continue;
        const char *why = all[i].why_not ? all[i].why_not
                                         : measure_pair(p, t, all[i].index, row, lines, matrix_cell(&t->lines, row, 0),
                                                        &times, &good);
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
        report_pair(p, all[i].index, lines, &times);
    }
    return true;
}

/* ---- Clusters ---------------------------------------------------------------------------------------------------- */

/* Each core but the first measures in turn. NULL, or why one cannot. */
static const char *measure_from_all(struct probe *p, struct round_trips *t, size_t lines, bool *good)
{
    const char *why = NULL;

    for (size_t i = 1; i < t->count && !why && *good; i++) {
        why = machine_use_core(t->cores[i]);
        *good = why || probe_map(p, &t->area, t->count * PAIR_BYTES, 0);
        for (size_t j = 0; j < t->count && !why && *good; j++)
            if (j != i) {
                struct line_times times = {.middle = (double)NAN};
                why = measure_pair(p, t, t->cores[j], j, lines, NULL, &times, good);
                *matrix_cell(&t->pairs, i, j) = times.middle;
            }
    }
    if (machine_info()->core != t->cores[0] && machine_use_core(t->cores[0]) && *good)
        *good = probe_skip(p, "the core that measured could not be taken again");
    return why;
}

static void report_clusters(struct probe *p, const struct round_trips *t, enum reason reason, const char *detail,
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
                                    .grade = reason ? 'U' : 'B',
                                    .reason = reason,
                                    .detail = detail,
                                    .remarks = {{"condition", reason ? NULL : list}},
                                    .method = "round trips of all pairs, each measured by either core"});
    }
}

static void find_clusters(struct probe *p, struct round_trips *t)
{
    const size_t most = (size_t)probe_scale(p, 3, 16, CORE_CLUSTERS_CORES, CORE_CLUSTERS_CORES);
    const bool all = t->usable <= most;
    struct core_clusters c = {.levels = 0};
    bool good = true;

    if (t->count < 3) {
        report_clusters(p, t, REASON_TOO_FEW_CORES, NULL, &c);
        return;
    }
    t->count = t->count < most ? t->count : most;
    t->rounds = (uint64_t)probe_smoke(p, 16, 64); /* classes of times are far from each other */
    const char *why = measure_from_all(p, t, (size_t)probe_scale(p, 1, 4, 8, 16), &good);
    if (!good)
        return;
    for (size_t i = 0; i < t->count; i++)
        t->named[i] = t->cores[i];
    t->pairs.row_count = t->pairs.column_count = t->count;
    if (!why)
        matrix_send(p, &t->pairs);
    report_clusters(p, t,
                    why    ? REASON_PLATFORM
                    : !all ? REASON_CORES_LEFT_OUT
                           : core_clusters_decide(t->pairs.cells, t->count, t->pairs.pitch, &c),
                    why, &c);
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
    t->rounds = (uint64_t)probe_smoke(p, 16, 256);
    for (size_t i = 0; i < lines; i++)
        t->numbers[i] = (double)i;
    for (size_t i = 0; i < CORE_CLUSTERS_CORES * CORE_CLUSTERS_CORES; i++)
        t->ns[i] = (double)NAN;
    t->lines.rows = probe_calloc(p, count, sizeof *t->lines.rows);
    t->lines.cells = t->lines.rows ? probe_calloc(p, count * lines, sizeof *t->lines.cells) : NULL;
    struct code c = probe_code(p, ROUND_TRIP_CODE);
    round_trip_emit(p, &c);
    if (t->lines.cells && probe_kernel(p, &c, 0, &t->kernel) && measure_others(p, t, lines)) {
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
