/*
 * Core to core: how long does a line take to another core and back?
 *
 * This core writes an odd number to a line and reads the line until it holds the next even number, which another core
 * writes there as soon as it sees the odd one (lib/measure/responder.h): the line changes hands twice. Many rounds are
 * one reading. The shortest reading counts, since whatever else happens to either core can only make it longer. The
 * first reading of a window is not used, as the other core may still be asleep. Where no response comes for long, the
 * kernel gives up.
 *
 * Neighbouring lines have their home in different slices of a shared cache, some nearer than others. So several lines
 * are measured, and the result is the median over them.
 *
 * There is no curve. The matrix has nanoseconds by the other core and by line; this core is the key `core` of the
 * record. It is one experiment, so the grade is C. Under a hypervisor even which cores are neighbours may change.
 *
 * Method: docs/METHODS.md, 8.5. As core-to-core-latency (nviennot, 2023), with plain loads and stores instead of
 * exchanges.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/reason.h"
#include "lib/base/statistics.h"
#include "lib/finding/report.h"
#include "lib/probe/matrix.h"
#include "lib/probe/probe.h"

enum {
    LINE_BYTES = 256, /* at least a line of any core in scope, pairs of lines that are fetched together included */
    LINES = 64,
    READINGS = 6,
    ATTEMPTS = 3,
    CODE_BYTES = 4096,
    /* In each line: */
    WORD_AT = 0,     /* the number that both cores write */
    STATE_IS_AT = 8, /* the address of the state that the kernel keeps from one call to the next */
    STATE_AT = LINES * LINE_BYTES,
    /* In the state: */
    LAST_AT = 0, /* the last number of the other core */
    LEFT_AT = 8, /* rounds that were not made: 0 unless the kernel gave up */
};

static const char name[] = "system.core_to_core.round_trip_ns";

struct round_trips {
    struct area area;
    struct kernel kernel;
    struct matrix matrix;
};

/*
 * Number of times that the kernel reads the line in vain before it gives up: milliseconds, longer than any reading
 * takes while both cores run, and shorter than a window may last.
 */
static uint64_t reads_before_giving_up(const struct probe *p)
{
    return (uint64_t)probe_smoke(p, 1 << 16, 1 << 22);
}

static bool build(struct probe *p, struct round_trips *t)
{
    struct code c = probe_code(p, CODE_BYTES);

    emit_load(&c, REG_T1, REG_DATA, STATE_IS_AT);
    emit_load(&c, REG_T0, REG_T1, LAST_AT);
    emit_constant(&c, REG_T2, reads_before_giving_up(p));
    const size_t round = c.used;
    emit_add_constant(&c, REG_T0, 1);
    emit_store(&c, REG_T0, REG_DATA, WORD_AT);
    emit_add_constant(&c, REG_T0, 1);
    const size_t read_again = c.used;
    emit_load(&c, REG_T3, REG_DATA, WORD_AT);
    emit_xor(&c, REG_T3, REG_T0);
    const struct fixup returned = emit_branch_if_zero_ahead(&c, REG_T3);
    emit_add_constant(&c, REG_T2, -1);
    emit_branch_if_not_zero(&c, REG_T2, read_again);
    const struct fixup gives_up = emit_branch_ahead(&c);
    emit_land(&c, returned);
    emit_loop(&c, round);
    emit_land(&c, gives_up);
    emit_store(&c, REG_T0, REG_T1, LAST_AT);
    emit_store(&c, REG_COUNT, REG_T1, LEFT_AT);
    emit_return(&c);
    t->kernel.units = 1;
    return probe_kernel(p, &c, 0, &t->kernel);
}

static uint64_t *word(const struct round_trips *t, size_t at)
{
    return (uint64_t *)(t->area.write + at);
}

/*
 * Measures nanoseconds a round over one line, NaN where the other core did not respond. Returns NULL, or why that core
 * cannot be used. *good: the probe is not over.
 */
static const char *measure_line(struct probe *p, struct round_trips *t, unsigned other, size_t line, double *ns,
                                bool *good)
{
    const uint64_t rounds = (uint64_t)probe_smoke(p, 16, 256);
    struct reading list[READINGS];
    struct window_result result;

    *ns = (double)NAN;
    for (unsigned attempt = 0; attempt < ATTEMPTS && isnan(*ns); attempt++) {
        for (size_t i = 0; i < READINGS; i++)
            list[i] = (struct reading){.kernel = t->kernel.entry,
                                       .argument = {i ? rounds : 1, t->area.at + line * LINE_BYTES}};
        const char *why = machine_window_with_responder(other, word(t, line * LINE_BYTES + WORD_AT), list, READINGS,
                                                        &result);
        if (why)
            return why;
        if (!(*good = probe_survived(p, &result)))
            return NULL;
        p->run->meter.windows++;
        p->run->meter.taken += READINGS;
        if (result.interrupts || result.smis || *word(t, STATE_AT + LEFT_AT))
            continue;
        for (size_t i = 1; i < READINGS; i++) { /* the first one only wakes the other core */
            const double ticks = (double)(list[i].end_ticks - list[i].begin_ticks);
            p->run->meter.kernel_seconds += ticks / machine_info()->tick_hz;
            *ns = fmin(isnan(*ns) ? INFINITY : *ns, ticks / machine_info()->tick_hz * 1e9 / (double)rounds);
        }
    }
    return NULL;
}

/* Measures all lines with one other core, and reports. Returns NULL, or why that core cannot be used. */
static const char *measure_core(struct probe *p, struct round_trips *t, unsigned other, size_t lines, bool *good)
{
    const size_t row = t->matrix.row_count;
    double sorted[LINES];
    size_t count = 0;

    for (size_t i = 0; i < lines; i++) {
        double *cell = matrix_cell(&t->matrix, row, i);
        const char *why = measure_line(p, t, other, i, cell, good);
        if (why || !*good)
            return why;
        if (!isnan(*cell))
            sorted[count++] = *cell;
    }
    sort_numbers(sorted, count);
    t->matrix.rows[row] = other;
    t->matrix.row_count++;

    char pair[32], spread[64] = "";
    if (count)
        snprintf(spread, sizeof spread, "%zu of %zu lines, %.0f to %.0f ns", count, lines, sorted[0],
                 sorted[count - 1]);
    snprintf(pair, sizeof pair, "%u and %u", machine_info()->core, other);
    report_number(p,
                  &(struct finding){.name = name,
                                    .variants = {{"pair", pair}},
                                    .reason = REASON_NO_RESPONSE,
                                    .remarks = {{"condition", count ? spread : NULL}},
                                    .method = "numbers written in turn to one line by both cores; median over lines"},
                  count ? quantile(sorted, count, 0.5) : (double)NAN);
    return NULL;
}

static void measure_all(struct probe *p, struct round_trips *t, size_t lines)
{
    size_t count;
    const struct machine_core *all = machine_cores(&count);
    const char *why = NULL; /* of the first core that cannot be used */
    bool good = true;

    for (size_t i = 0; i < count && good; i++) {
        if (all[i].index == machine_info()->core)
            continue;
        const char *unusable = all[i].why_not ? all[i].why_not : measure_core(p, t, all[i].index, lines, &good);
        why = why ? why : unusable;
    }
    if (!good)
        return;
    if (t->matrix.row_count)
        matrix_send(p, &t->matrix);
    else
        report_number(
            p, &(struct finding){.name = name, .reason = count > 1 ? REASON_PLATFORM : REASON_ONE_CORE, .detail = why},
            (double)NAN);
}

static void run(struct probe *p)
{
    const size_t lines = (size_t)probe_scale(p, 1, 16, LINES, LINES);
    size_t cores;
    struct round_trips t = {.matrix = {.name = "round trips",
                                       .row_axis = "core",
                                       .column_axis = "line",
                                       .unit = "ns",
                                       .column_count = lines,
                                       .pitch = lines}};

    machine_cores(&cores);
    t.matrix.rows = malloc(cores * sizeof *t.matrix.rows);
    t.matrix.columns = malloc(lines * sizeof *t.matrix.columns);
    t.matrix.cells = malloc(cores * lines * sizeof *t.matrix.cells);
    if (!t.matrix.rows || !t.matrix.columns || !t.matrix.cells) {
        probe_skip(p, "out of memory");
    } else if (probe_map(p, &t.area, STATE_AT + LINE_BYTES, 0) && build(p, &t)) {
        for (size_t i = 0; i < lines; i++) {
            t.matrix.columns[i] = (double)i;
            *word(&t, i * LINE_BYTES + STATE_IS_AT) = t.area.at + STATE_AT;
        }
        measure_all(p, &t, lines);
    }
    free(t.matrix.rows);
    free(t.matrix.columns);
    free(t.matrix.cells);
}

PROBE(core_to_core, .title = "Core to core", .family = "system", .run = run,
      .findings = FINDINGS({"system.core_to_core.round_trip_ns", "ns",
                            "time of a line that two cores write in turn, there and back"}));
