/*
 * Clock: how fast does the core run, and can the times of this place be believed?
 *
 * The unit of every other probe is the core cycle. Where it comes from a chain of dependent
 * additions, it holds only if the core really takes one cycle for each, if the time stamp is steady,
 * and if nobody emulates the instructions. Three gates tell:
 *
 *   multiply   a chain of 64-bit multiplications: a whole number of cycles, at least 2
 *   load       a chain of loads through a small random ring in the first-level cache: likewise
 *   add        where a counter gives cycles, the additions themselves: 1.00 ± 0.02
 *
 * They are taken seven times over, in smoke three times. The median must be whole within 3 %, and all rounds but one on
 * either side, which something passing may have disturbed, alike within 2 %. Dynamic translation, a
 * time stamp that jumps, or a clock that drifts between neighbours breaks at least one. A place that
 * fails is untrusted, by name of the cause.
 *
 * A hardware thread that shares the core breaks them too: on Zen 4 loads then take 4.1 to 4.2 cycles and multiplications
 * 2.97. It may sleep soon, so the gates are taken again, as long as the run has patience, until their numbers are whole
 * within 1 %. What is looked at then is the last time alone; times that nothing makes whole never are. The record says
 * how often they were taken where that was more than once.
 *
 * Method: reference chains as in uarch-bench; whole-number gates as every core in scope has them.
 */
#include <math.h>
#include <stdio.h>

#include "lib/kernels/chase.h"
#include "lib/find.h"

enum { UNROLL = 64, RING_LINES = 64, ROUNDS_MAXIMUM = 7, CODE_BYTES = 4096 };

enum gate { GATE_ADD, GATE_MULTIPLY, GATE_LOAD, GATES };

static bool build_gate(struct probe *p, enum gate gate, const struct chase *chase, struct kernel *k)
{
    if (gate == GATE_LOAD)
        return chase_kernel(p, chase, chase_unroll(RING_LINES, UNROLL), k);
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

static bool whole(double cycles, double within)
{
    double nearest = floor(cycles + 0.5);
    return nearest >= 2 && fabs(cycles - nearest) <= within * nearest;
}

/* What the rounds gave, each gate's sorted, and the clock meanwhile. */
struct rounds {
    size_t count;
    double cycles[GATES][ROUNDS_MAXIMUM], hz_by_add[ROUNDS_MAXIMUM], hz_by_multiply[ROUNDS_MAXIMUM];
};

static double middle_of(const struct rounds *r, enum gate g)
{
    return r->cycles[g][r->count / 2];
}

/* NULL, or what is wrong with these rounds. */
static const char *verdict(const struct rounds *r, bool counted)
{
    if (machine_info()->emulator)
        return "an emulator executes the instructions";
    for (enum gate g = counted ? GATE_ADD : GATE_MULTIPLY; g < GATES; g++) {
        const double *round = r->cycles[g], middle = middle_of(r, g);
        if (isnan(round[r->count - 1]))
            return "no two neighbouring yardsticks agreed: the core clock or the time stamp is not steady";
        if (round[r->count - 2] - round[1] > 0.02 * middle)
            return "ratio drift: a latency changes from one moment to the next";
        if (g == GATE_ADD && fabs(middle - 1) > 0.02)
            return "a dependent addition does not take one counted cycle";
        if (g == GATE_MULTIPLY && !whole(middle, 0.03))
            return "a multiplication does not take a whole number of cycles";
        if (g == GATE_LOAD && !whole(middle, 0.03))
            return "a first-level load does not take a whole number of cycles";
    }
    return NULL;
}

/* Better than what is asked for, as it is where nobody shares the core. */
static bool undisturbed(const struct rounds *r, const char *cause)
{
    return !cause && whole(middle_of(r, GATE_MULTIPLY), 0.01) && whole(middle_of(r, GATE_LOAD), 0.01);
}

static bool take_rounds(struct probe *p, const struct chase *chase, struct rounds *r)
{
    struct point pt;

    for (size_t round = 0; round < r->count; round++)
        for (enum gate g = 0; g < GATES; g++) {
            struct kernel k = {.units = 1};
            if (!build_gate(p, g, chase, &k) || !probe_measure(p, &k, &pt))
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
    struct rounds r = {.count = (size_t)probe_smoke(p, 3, ROUNDS_MAXIMUM)};
    struct chase chase;
    const char *cause;
    char times[24] = "";
    unsigned taken = 0;

    if (!chase_map(p, &chase, RING_LINES * CHASE_LINE_BYTES))
        return;
    chase_link(p, &chase, 0, RING_LINES, RING_LINES);
    do {
        if (!take_rounds(p, &chase, &r))
            return;
        cause = verdict(&r, counted);
        taken++;
    } while (!machine_info()->emulator && !undisturbed(&r, cause) && meter_wait(&p->run->meter));
    trust(p, cause);

    const struct find_value hz[] = {{"additions", "folding at rename", r.hz_by_add[r.count / 2]},
                                    {"multiplications", "early results", r.hz_by_multiply[r.count / 2]}};
    if (taken > 1)
        snprintf(times, sizeof times, "%u times", taken);
    find_number(p,
                &(struct finding){.name = "system.clock.hz",
                                  .method = "chains against the time stamp",
                                  .remarks = {{taken > 1 ? "taken" : NULL, times}}},
                hz, 2);
    if (counted)
        report_gate(p, "system.clock.add_cycles", middle_of(&r, GATE_ADD));
    report_gate(p, "system.clock.multiply_cycles", middle_of(&r, GATE_MULTIPLY));
    report_gate(p, "system.clock.load_cycles", middle_of(&r, GATE_LOAD));
}

PROBE(clock, .title = "Core clock and gates", .family = "system", .gate = true, .run = run,
      .findings = FINDINGS({"system.clock.hz", "Hz", "core clock while measuring"},
                           {"system.clock.add_cycles", "cycles", "dependent addition, by a cycle counter"},
                           {"system.clock.multiply_cycles", "cycles", "dependent 64-bit multiplication"},
                           {"system.clock.load_cycles", "cycles", "load to load address in the first-level cache"}));
