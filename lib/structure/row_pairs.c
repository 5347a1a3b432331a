#include "lib/structure/row_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/random.h"
#include "lib/base/statistics.h"
#include "lib/kernels/pointer_chase.h"
#include "lib/measure/list.h"
#include "lib/structure/tolerances_rows.h"

enum {
    READINGS = 16,    /* of each kind */
    TURNS = 2,        /* of a reading */
    LOADS = 2,        /* of a turn */
    CODE_BYTES = 256, /* of the kernel, at most */
    ATTEMPTS = 8,     /* at a measurement that was disturbed */
    BATCH = 256,      /* pairs, before it is looked whether enough of them conflict */
    AGAIN = 3,        /* measurements by which a conflict is confirmed */
    CONFLICTS = 8     /* that are wanted */
};

/* Turns of both lines, and of one. */
enum kind { BOTH, FIRST_ALONE, SECOND_ALONE, KINDS };

/* ---- Memory and kernel --------------------------------------------------------------------------------------- */

/* The largest page of this platform that can be mapped; in profile smoke the smallest, which is soon set to zero. */
static bool map(struct row_pairs *r)
{
    const size_t *sizes = machine_info()->page_bytes;
    size_t count = 0;

    while (count < sizeof machine_info()->page_bytes / sizeof *sizes && sizes[count])
        count++;
    for (size_t i = probe_is_smoke(r->p) ? (count > 0) : count; i-- > 0;)
        if (!machine_map(&r->area, sizes[i], sizes[i], AREA_DATA)) {
            r->page_bits = (unsigned)__builtin_ctzll(sizes[i]);
            return true;
        }
    return probe_skip(r->p, "no page of memory can be mapped");
}

/* Loads the first line and flushes it, and then the second; the fence waits for the load as well as for the flush. */
static size_t emit(struct code *c)
{
    const size_t entry = c->used;

    emit_load(c, REG_T0, REG_DATA, 0);
    emit_load(c, REG_T1, REG_DATA, sizeof(uint64_t));
    const size_t loop = c->used;
    emit_load(c, REG_T2, REG_T0, 0);
    emit_flush(c, REG_T0);
    emit_fence(c, FENCE_MEMORY);
    emit_load(c, REG_T2, REG_T1, 0);
    emit_flush(c, REG_T1);
    emit_fence(c, FENCE_MEMORY);
    emit_loop(c, loop);
    emit_return(c);
    return entry;
}

bool row_pairs_start(struct probe *p, struct row_pairs *r)
{
    r->p = p;
    r->line_bits = (unsigned)__builtin_ctz(
        (unsigned)facts_number(&p->run->facts, "memory.cache.line_bytes", "level=1", POINTER_CHASE_LINE_BYTES));
    if (!map(r) || !probe_map(p, &r->addresses, (size_t)KINDS * LOADS * sizeof(uint64_t), 0))
        return false;
    struct code c = probe_code(p, CODE_BYTES);
    const size_t entry = emit(&c);
    r->kernel = (struct kernel){.units = LOADS, .data = r->addresses.at};
    return probe_kernel(p, &c, entry, &r->kernel);
}

/* ---- Measuring ------------------------------------------------------------------------------------------------- */

/*
 * Of the readings of a kind, what a turn takes where it takes little. Requests of others make some readings longer, and
 * a refresh does, but nothing makes one shorter.
 */
static double turn_ns(const struct row_pairs *r, const struct reading *list, enum kind kind)
{
    double turns[READINGS];

    for (size_t i = 0; i < READINGS; i++)
        turns[i] = reading_ticks(&list[i * KINDS + kind]) - r->p->run->meter.harness_ticks;
    sort_numbers(turns, READINGS);
    return quantile(turns, READINGS, ROWS_QUANTILE) / TURNS / machine_info()->tick_hz * 1e9;
}

/*
 * Nanoseconds by which a turn of both lines takes longer than turns of either alone, whose row then stays open: lines
 * are not equally far from the core. NaN: all attempts were disturbed. False: the probe has ended.
 */
static bool measure(struct row_pairs *r, uint64_t base, uint64_t difference, double *ns)
{
    const uint64_t first = r->area.at + base, second = r->area.at + (base ^ difference);
    const uint64_t lines[KINDS][LOADS] = {{first, second}, {first, first}, {second, second}};

    memcpy(r->addresses.write, lines, sizeof lines);
    *ns = (double)NAN;
    for (unsigned attempt = 0; attempt < ATTEMPTS && isnan(*ns); attempt++) {
        struct meter *m = &r->p->run->meter;
        struct reading list[READINGS * KINDS];
        struct window_result result;
        for (size_t i = 0; i < READINGS * KINDS; i++) {
            list[i] = reading_of(&r->kernel, TURNS);
            list[i].argument[1] += i % KINDS * sizeof lines[0];
        }
        if (!probe_goes_on(r->p))
            return false;
        if (!activations_run(&r->activations, m, list, READINGS * KINDS, LOADS, &result))
            return probe_skip(r->p, "there is no clock by which the number of accesses to DRAM could be limited");
        if (!probe_survived(r->p, &result))
            return false;
        const bool quiet = !result.interrupts && !result.smis && !result.throttled;
        m->taken += READINGS * KINDS;
        m->rejected += quiet ? 0 : READINGS * KINDS;
        m->rejected_by[CAUSE_INTERRUPTED] += quiet ? 0 : READINGS * KINDS;
        if (quiet)
            *ns = turn_ns(r, list, BOTH) - (turn_ns(r, list, FIRST_ALONE) + turn_ns(r, list, SECOND_ALONE)) / 2;
    }
    return true;
}

/*
 * All loads of both lines conflict; of one line alone the first load does, since the reading before was of the other
 * one, or ended with it.
 */
double row_pairs_load_ns(const struct row_pairs *r)
{
    return (r->conflict_ns - r->open_ns) * TURNS / (TURNS * LOADS - 1);
}

bool row_pairs_conflict(struct row_pairs *r, uint64_t base, uint64_t difference, bool *conflict)
{
    double ns;

    *conflict = false;
    if (!measure(r, base, difference, &ns))
        return false;
    *conflict = ns > (r->open_ns + r->conflict_ns) / 2;
    return true;
}

bool row_pairs_same_bank(struct row_pairs *r, uint64_t base, uint64_t difference, bool *same)
{
    return row_pairs_conflict(r, base, difference, same) &&
           (*same || row_pairs_conflict(r, base, difference ^ r->conflict, same));
}

/* ---- What takes how long --------------------------------------------------------------------------------------- */

/* A random combination of the address bits of lines. */
static uint64_t draw(struct row_pairs *r)
{
    const uint64_t page = (UINT64_C(1) << r->page_bits) - 1, line = (UINT64_C(1) << r->line_bits) - 1;

    return random_next(&r->p->random) & page & ~line;
}

/* Measures pairs from number `from` on, up to `to`. */
static bool measure_drawn(struct row_pairs *r, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        r->differences[i] = draw(r);
        if (!measure(r, draw(r), r->differences[i], &r->times[i]))
            return false;
    }
    return true;
}

/* The times from which on a pair may conflict: more than the middle by what scatter does not explain. */
static double least_of_conflicts(struct row_pairs *r, size_t count)
{
    size_t known = 0;

    for (size_t i = 0; i < count; i++)
        if (!isnan(r->times[i]))
            r->scratch[known++] = r->times[i];
    r->open_ns = median(r->scratch, known);
    for (size_t i = 0; i < known; i++)
        r->scratch[i] = fabs(r->scratch[i] - r->open_ns);
    return r->open_ns + fmax(ROWS_APART * median(r->scratch, known), ROWS_CONFLICT_NS * LOADS);
}

/*
 * Measures again, with other bases, those of `count` pairs that took at least so long. *found: those that did so each
 * time; the middle of their times becomes conflict_ns.
 */
static bool confirm(struct row_pairs *r, size_t count, double least, size_t *found)
{
    *found = 0;
    for (size_t i = 0; i < count && *found < CONFLICTS; i++) {
        double shortest = r->times[i];
        for (unsigned again = 0; again < AGAIN && shortest >= least; again++) {
            double ns;
            if (!measure(r, draw(r), r->differences[i], &ns))
                return false;
            shortest = fmin(shortest, ns);
        }
        if (!(shortest >= least))
            continue;
        r->conflict = r->differences[i];
        r->scratch[(*found)++] = shortest;
    }
    r->conflict_ns = median(r->scratch, *found);
    return true;
}

bool row_pairs_calibrate(struct row_pairs *r, enum reason *reason)
{
    const size_t most = (size_t)probe_smoke(r->p, 8, ROW_PAIRS_DRAWN), batch = most < BATCH ? most : BATCH;
    size_t count = 0, found = 0, between = 0;

    while (count < most && found < CONFLICTS) {
        if (!measure_drawn(r, count, count + batch))
            return false;
        count += batch;
        if (!confirm(r, count, least_of_conflicts(r, count), &found))
            return false;
    }
    for (size_t i = 0; i < count && found; i++) {
        const double part = (r->times[i] - r->open_ns) / (r->conflict_ns - r->open_ns);
        between += part > 1.0 / 3 && part < 2.0 / 3;
    }
    *reason = found < CONFLICTS                                ? REASON_NO_ROW_CONFLICT
              : (double)between > ROWS_BETWEEN * (double)count ? REASON_NOISE
                                                               : REASON_NONE;
    return true;
}
