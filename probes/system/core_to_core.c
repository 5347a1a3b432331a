/*
 * Core to core: how long is a line on its way to another core and back?
 *
 * The core in use writes an odd number into a line, and looks at it until the even one behind it is there, which another
 * core puts there as soon as it sees the odd one (lib/answer.h): twice the line changes hands. So many rounds are one
 * reading, of which the shortest counts, since whatever else happens to either core can only add. The first reading of a
 * window is not looked at: the other core may still be asleep. Where no answer comes for long, the kernel gives up.
 *
 * Lines that follow each other have their home in different slices of a shared cache, some nearer than others. So several are
 * asked, and the answer is the median over them.
 *
 * Matrix: nanoseconds by the other core and by line; this core is the record's. One experiment, so it is grade C; where
 * cores are a hypervisor's, even which of them are neighbours may change.
 * Method: as core-to-core-latency (nviennot, 2023), with plain loads and stores instead of exchanges.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/matrix.h"
#include "lib/probe.h"

enum {
    LINE_BYTES = 256, /* of no core in scope they are longer, pairs of them that are fetched together included */
    LINES = 64,
    READINGS = 6,
    ATTEMPTS = 3,
    CODE_BYTES = 4096,
    /* In each line: */
    WORD_AT = 0,
    KEPT_IS_AT = 8, /* the address of what the kernel keeps from one call to the next, behind the lines: */
    KEPT_AT = LINES * LINE_BYTES,
    LAST_AT = 0, /* the number that was answered last */
    LEFT_AT = 8, /* rounds that were not, since it gave up */
};

static const char name[] = "system.core_to_core.round_trip_ns";

struct talk {
    struct area area;
    struct kernel kernel;
    struct matrix matrix;
};

/*
 * Looks for answers so many times before it gives up: milliseconds, more than any reading takes while both cores are at it,
 * and less than a window may.
 */
static uint64_t patience(const struct probe *p)
{
    return (uint64_t)probe_smoke(p, 1 << 16, 1 << 22);
}

static bool build(struct probe *p, struct talk *t)
{
    struct code c = probe_code(p, CODE_BYTES);

    emit_load(&c, REG_T1, REG_DATA, KEPT_IS_AT);
    emit_load(&c, REG_T0, REG_T1, LAST_AT);
    emit_constant(&c, REG_T2, patience(p));
    const size_t round = c.used;
    emit_add_constant(&c, REG_T0, 1);
    emit_store(&c, REG_T0, REG_DATA, WORD_AT);
    emit_add_constant(&c, REG_T0, 1);
    const size_t look = c.used;
    emit_load(&c, REG_T3, REG_DATA, WORD_AT);
    emit_xor(&c, REG_T3, REG_T0);
    const struct fixup answered = emit_branch_if_zero_ahead(&c, REG_T3);
    emit_add_constant(&c, REG_T2, -1);
    emit_branch_if_not_zero(&c, REG_T2, look);
    const struct fixup gives_up = emit_branch_ahead(&c);
    emit_land(&c, answered);
    emit_loop(&c, round);
    emit_land(&c, gives_up);
    emit_store(&c, REG_T0, REG_T1, LAST_AT);
    emit_store(&c, REG_COUNT, REG_T1, LEFT_AT);
    emit_return(&c);
    t->kernel.units = 1;
    return probe_kernel(p, &c, 0, &t->kernel);
}

static uint64_t *word(const struct talk *t, size_t at)
{
    return (uint64_t *)(t->area.write + at);
}

/* Nanoseconds a round, NaN where it was not answered. Returns why that core cannot be asked; *good: the probe goes on. */
static const char *ask(struct probe *p, struct talk *t, unsigned other, size_t line, double *ns, bool *good)
{
    const uint64_t rounds = (uint64_t)probe_smoke(p, 16, 256);
    struct reading list[READINGS];
    struct window_result result;

    *ns = (double)NAN;
    for (unsigned attempt = 0; attempt < ATTEMPTS && isnan(*ns); attempt++) {
        for (size_t i = 0; i < READINGS; i++)
            list[i] = (struct reading){.kernel = t->kernel.entry,
                                       .argument = {i ? rounds : 1, t->area.at + line * LINE_BYTES}};
        const char *why = machine_window_answered(other, word(t, line * LINE_BYTES + WORD_AT), list, READINGS, &result);
        if (why)
            return why;
        if (!(*good = probe_survived(p, &result)))
            return NULL;
        p->run->meter.windows++;
        p->run->meter.taken += READINGS;
        if (result.interrupts || result.smis || *word(t, KEPT_AT + LEFT_AT))
            continue;
        for (size_t i = 1; i < READINGS; i++) { /* one that gave up is the longest */
            const double ticks = (double)(list[i].end_ticks - list[i].begin_ticks);
            p->run->meter.kernel_seconds += ticks / machine_info()->tick_hz;
            *ns = fmin(isnan(*ns) ? INFINITY : *ns, ticks / machine_info()->tick_hz * 1e9 / (double)rounds);
        }
    }
    return NULL;
}

/* One other core. Returns why it cannot be asked. */
static const char *ask_core(struct probe *p, struct talk *t, unsigned other, size_t lines, bool *good)
{
    const size_t row = t->matrix.row_count;
    double sorted[LINES];
    size_t count = 0;

    for (size_t i = 0; i < lines; i++) {
        double *cell = matrix_cell(&t->matrix, row, i);
        const char *why = ask(p, t, other, i, cell, good);
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
                                    .reason = "no answer",
                                    .remarks = {{"condition", count ? spread : NULL}},
                                    .method = "numbers answered through one line; median over lines"},
                  count ? quantile(sorted, count, 0.5) : (double)NAN);
    return NULL;
}

static void ask_all(struct probe *p, struct talk *t, size_t lines)
{
    size_t count;
    const struct machine_core *all = machine_cores(&count);
    const char *why = count > 1 ? NULL : "there is one core"; /* the first reason */
    bool good = true;

    for (size_t i = 0; i < count && good; i++) {
        if (all[i].index == machine_info()->core)
            continue;
        const char *not_asked = all[i].why_not ? all[i].why_not : ask_core(p, t, all[i].index, lines, &good);
        why = why ? why : not_asked;
    }
    if (!good)
        return;
    if (t->matrix.row_count)
        matrix_send(p, &t->matrix);
    else
        report_number(p, &(struct finding){.name = name, .reason = why}, (double)NAN);
}

static void run(struct probe *p)
{
    const size_t lines = (size_t)probe_scale(p, 1, 16, LINES, LINES);
    size_t cores;
    struct talk t = {.matrix = {.name = "round trips",
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
    } else if (probe_map(p, &t.area, KEPT_AT + LINE_BYTES, 0) && build(p, &t)) {
        for (size_t i = 0; i < lines; i++) {
            t.matrix.columns[i] = (double)i;
            *word(&t, i * LINE_BYTES + KEPT_IS_AT) = t.area.at + KEPT_AT;
        }
        ask_all(p, &t, lines);
    }
    free(t.matrix.rows);
    free(t.matrix.columns);
    free(t.matrix.cells);
}

PROBE(core_to_core, .title = "Core to core", .family = "system", .run = run,
      .findings = FINDINGS({"system.core_to_core.round_trip_ns", "ns",
                            "a line that two cores write in turn: there and back"}));
