/*
 * Clock: how fast does the core run, and can the times of this platform be trusted?
 *
 * The unit of every other probe is the core cycle. Where it is determined by a chain of dependent additions, it holds
 * only if the core takes one cycle for each of them, if the time stamp is steady, and if no emulator executes the
 * instructions. Three gates decide:
 *
 *   multiply   a chain of 64-bit multiplications: a whole number of cycles, at least 2
 *   load       a chain of loads through a small random ring in the first-level cache: likewise
 *   add        where a counter gives cycles, the additions themselves: 1.00 ± 0.02
 *
 * They are measured in seven rounds, in the profiles smoke and simulated in three. The median must be whole within 3 %,
 * and all rounds but the shortest and the longest, which something else may have disturbed, must agree within 2 %.
 * Dynamic translation, a time stamp that jumps, or a clock that drifts between neighbouring readings fails at least one
 * gate. A platform that fails is untrusted, and the cause is named.
 *
 * A sibling thread breaks the gates too: on Zen 4 loads then take 4.1 to 4.2 cycles and multiplications 2.97. It may
 * fall asleep soon, so the gates are measured again, while the run may still wait, until their numbers are whole within
 * 1 %. Only the last measurement is judged. The record has the number of measurements where there was more than one.
 *
 * Method: docs/METHODS.md, 8.1. Reference chains as in uarch-bench; gates by whole numbers, since every core in scope
 * has such latencies.
 */
#include <math.h>
#include <stdio.h>

#include "lib/base/statistics.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/kernels/pointer_chase.h"
#include "lib/probe/probe.h"

enum { UNROLL = 64, RING_LINES = 64, ROUNDS_MAXIMUM = 7, CODE_BYTES = 4096 };

/*
 * Cycles of a reading on simulated cores, at least: the branch that leaves the loop costs some of the 500 cycles of the
 * shortest reading, and a part in fifty would bring a load of two cycles near the limit of WHOLE.
 */
static const double SIMULATED_CYCLES = 2000;
/* Part of its nearest whole number by which the median of a latency may differ from it, at most. */
static const double WHOLE = 0.03;
/*
 * The same where no sibling thread disturbs: measured on Zen 4, where a sibling makes multiplications take 2.97 cycles.
 */
static const double WHOLE_UNDISTURBED = 0.01;
/* Part of the median within which rounds must lie, but the shortest and the longest. */
static const double ROUNDS_AGREE = 0.02;
/* Cycles by which a counted dependent addition may differ from 1. */
static const double ADDITION = 0.02;

enum gate { GATE_ADD, GATE_MULTIPLY, GATE_LOAD, GATES };

static bool build_gate(struct probe *p, enum gate gate, const struct pointer_chase *chase, struct kernel *k)
{
    if (gate == GATE_LOAD)
        return pointer_chase_kernel(p, chase, pointer_chase_unroll(RING_LINES, UNROLL), k);
    struct code c = probe_code(p, CODE_BYTES);
    emit_constant(&c, REG_T0, 3);
    emit_constant(&c, REG_T1, 5);
    size_t loop = c.used;
    for (unsigned i = 0; i < UNROLL; i++)
        (gate == GATE_ADD ? emit_add : emit_multiply)(&c, REG_T0, REG_T1);
    emit_loop(&c, loop);
    emit_return(&c);
    k->units = UNROLL;
    return probe_kernel(p, &c, 0, k);
}

/* Whether this is nearly a whole number of cycles, at least 2. */
static bool whole(double cycles, double within)
{
    double nearest = floor(cycles + 0.5);
    return nearest >= 2 && fabs(cycles - nearest) <= within * nearest;
}

/* Results of all rounds, sorted: cycles of each gate, and the clock by two chains. */
struct rounds {
    size_t count;
    double cycles[GATES][ROUNDS_MAXIMUM], hz_by_add[ROUNDS_MAXIMUM], hz_by_multiply[ROUNDS_MAXIMUM];
};

static double median_of(const struct rounds *r, enum gate g)
{
    return r->cycles[g][r->count / 2];
}

/* NULL, or why these rounds show that times cannot be trusted. `counted`: a counter gives cycles. */
static const char *cause_of_distrust(const struct rounds *r, bool counted)
{
    if (machine_info()->emulator)
        return "an emulator executes the instructions";
    for (enum gate g = counted ? GATE_ADD : GATE_MULTIPLY; g < GATES; g++) {
        const double *round = r->cycles[g], middle = median_of(r, g);
        if (isnan(round[r->count - 1]))
            return "no two neighbouring reference chains agreed: the core clock or the time stamp is not steady";
        if (round[r->count - 2] - round[1] > ROUNDS_AGREE * middle)
            return "ratio drift: a latency changes from one moment to the next";
        if (g == GATE_ADD && fabs(middle - 1) > ADDITION)
            return "a dependent addition does not take one counted cycle";
        if (g == GATE_MULTIPLY && !whole(middle, WHOLE))
            return "a multiplication does not take a whole number of cycles";
        if (g == GATE_LOAD && !whole(middle, WHOLE))
            return "a first-level load does not take a whole number of cycles";
    }
    return NULL;
}

/* Whether the numbers are as good as where no sibling thread is awake. */
static bool undisturbed(const struct rounds *r, const char *cause)
{
    return !cause && whole(median_of(r, GATE_MULTIPLY), WHOLE_UNDISTURBED) &&
           whole(median_of(r, GATE_LOAD), WHOLE_UNDISTURBED);
}

/* Measures every gate in every round. False when the probe is over. */
static bool take_rounds(struct probe *p, const struct pointer_chase *chase, struct rounds *r)
{
    const struct meter *m = &p->run->meter;
    struct point pt;

    for (size_t round = 0; round < r->count; round++)
        for (enum gate g = 0; g < GATES; g++) {
            struct kernel k = {.units = 1};
            if (!build_gate(p, g, chase, &k))
                return false;
            k.length_factor = probe_simulated(p, SIMULATED_CYCLES / (m->span_ticks * m->cycles_per_tick), 1);
            if (!probe_measure(p, &k, &pt))
                return false;
            r->cycles[g][round] = pt.q20;
            if (g == GATE_MULTIPLY) {
                r->hz_by_add[round] = p->run->meter.core_hz;
                r->hz_by_multiply[round] = floor(pt.q20 + 0.5) / pt.ns * 1e9;
            }
        }
    sort_numbers(r->hz_by_add, r->count);
    sort_numbers(r->hz_by_multiply, r->count);
    for (enum gate g = 0; g < GATES; g++)
        sort_numbers(r->cycles[g], r->count);
    return true;
}

static void report_gate(struct probe *p, const char *name, double cycles)
{
    report_number(p, &(struct finding){.name = name, .method = "dependent chain against a chain of additions"}, cycles);
}

static void run(struct probe *p)
{
    const bool counted = machine_info()->counters != READER_TIME_ONLY;
    struct rounds r = {.count = (size_t)probe_smoke(p, 3, probe_simulated(p, 3, ROUNDS_MAXIMUM))};
    struct pointer_chase chase;
    const char *cause;
    char times[24] = "";
    unsigned taken = 0;

    if (!pointer_chase_map(p, &chase, RING_LINES * POINTER_CHASE_LINE_BYTES))
        return;
    pointer_chase_link(p, &chase, 0, RING_LINES, RING_LINES);
    do {
        if (!take_rounds(p, &chase, &r))
            return;
        cause = cause_of_distrust(&r, counted);
        taken++;
    } while (!machine_info()->emulator && !undisturbed(&r, cause) && meter_wait(&p->run->meter));
    trust(p, cause);

    const struct experiment_value hz[] = {{"additions", "folding at rename", r.hz_by_add[r.count / 2]},
                                          {"multiplications", "early results", r.hz_by_multiply[r.count / 2]}};
    if (taken > 1)
        snprintf(times, sizeof times, "%u times", taken);
    report_graded_number(p,
                         &(struct finding){.name = "system.clock.hz",
                                           .method = "chains against the time stamp",
                                           .remarks = {{taken > 1 ? "taken" : NULL, times}}},
                         hz, 2);
    if (counted)
        report_gate(p, "system.clock.add_cycles", median_of(&r, GATE_ADD));
    report_gate(p, "system.clock.multiply_cycles", median_of(&r, GATE_MULTIPLY));
    report_gate(p, "system.clock.load_cycles", median_of(&r, GATE_LOAD));
}

PROBE(clock, .title = "Core clock and gates", .family = "system", .gate = true, .run = run,
      .findings = FINDINGS({"system.clock.hz", "Hz", "core clock while measuring"},
                           {"system.clock.add_cycles", "cycles", "dependent addition, by a cycle counter"},
                           {"system.clock.multiply_cycles", "cycles", "dependent 64-bit multiplication"},
                           {"system.clock.load_cycles", "cycles", "load to load address in the first-level cache"}));
