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
 * Method: reference chains as in uarch-bench; whole-number gates as every core in scope has them.
 */
#include <math.h>

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

static bool whole(double cycles)
{
    double nearest = floor(cycles + 0.5);
    return nearest >= 2 && fabs(cycles - nearest) <= 0.03 * nearest;
}

/* NULL, or what is wrong with these rounds, which are sorted. */
static const char *verdict(const double cycles[GATES][ROUNDS_MAXIMUM], size_t rounds, bool counted)
{
    if (machine_info()->emulator)
        return "an emulator executes the instructions";
    for (enum gate g = counted ? GATE_ADD : GATE_MULTIPLY; g < GATES; g++) {
        const double *round = cycles[g], middle = round[rounds / 2];
        if (isnan(round[rounds - 1]))
            return "no two neighbouring yardsticks agreed: the core clock or the time stamp is not steady";
        if (round[rounds - 2] - round[1] > 0.02 * middle)
            return "ratio drift: a latency changes from one moment to the next";
        if (g == GATE_ADD && fabs(middle - 1) > 0.02)
            return "a dependent addition does not take one counted cycle";
        if (g == GATE_MULTIPLY && !whole(middle))
            return "a multiplication does not take a whole number of cycles";
        if (g == GATE_LOAD && !whole(middle))
            return "a first-level load does not take a whole number of cycles";
    }
    return NULL;
}

static void report_gate(struct probe *p, const char *name, double cycles)
{
    report_number(p, &(struct finding){.name = name, .method = "dependent chain against a chain of additions"}, cycles);
}

static void run(struct probe *p)
{
    double cycles[GATES][ROUNDS_MAXIMUM], hz_by_add[ROUNDS_MAXIMUM], hz_by_multiply[ROUNDS_MAXIMUM];
    size_t rounds = (size_t)probe_smoke(p, 3, ROUNDS_MAXIMUM);
    struct chase chase;
    struct point pt;

    if (!chase_map(p, &chase, RING_LINES * CHASE_LINE_BYTES))
        return;
    chase_link(p, &chase, 0, RING_LINES, RING_LINES);
    for (size_t round = 0; round < rounds; round++)
        for (enum gate g = 0; g < GATES; g++) {
            struct kernel k = {.units = 1};
            if (!build_gate(p, g, &chase, &k) || !probe_measure(p, &k, &pt))
                return;
            cycles[g][round] = pt.q20;
            if (g == GATE_MULTIPLY) {
                hz_by_add[round] = p->run->meter.core_hz;
                hz_by_multiply[round] = floor(pt.q20 + 0.5) / pt.ns * 1e9;
            }
        }
    sort_numbers(hz_by_add, rounds);
    sort_numbers(hz_by_multiply, rounds);

    for (enum gate g = 0; g < GATES; g++)
        sort_numbers(cycles[g], rounds);
    bool counted = machine_info()->counters != READER_TIME_ONLY;
    trust(p, verdict(cycles, rounds, counted));
    const struct find_value hz[] = {{"additions", "folding at rename", hz_by_add[rounds / 2]},
                                    {"multiplications", "early results", hz_by_multiply[rounds / 2]}};
    find_number(p, &(struct finding){.name = "system.clock.hz", .method = "chains against the time stamp"}, hz, 2);
    if (counted)
        report_gate(p, "system.clock.add_cycles", cycles[GATE_ADD][rounds / 2]);
    report_gate(p, "system.clock.multiply_cycles", cycles[GATE_MULTIPLY][rounds / 2]);
    report_gate(p, "system.clock.load_cycles", cycles[GATE_LOAD][rounds / 2]);
}

PROBE(clock, .title = "Core clock and gates", .family = "system", .gate = true, .run = run,
      .findings = FINDINGS({"system.clock.hz", "Hz", "core clock while measuring"},
                           {"system.clock.add_cycles", "cycles", "dependent addition, by a cycle counter"},
                           {"system.clock.multiply_cycles", "cycles", "dependent 64-bit multiplication"},
                           {"system.clock.load_cycles", "cycles", "load to load address in the first-level cache"}));
