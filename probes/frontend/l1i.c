/*
 * Instruction cache: how much straight code does it hold, and how fast is code fetched from it and
 * from behind it?
 *
 * A loop of nothing but NOPs, one long stretch of code, over a growing footprint. While it fits, the
 * core fetches at its best; past that every pass evicts what the next one needs first, and the rate
 * falls to what the level behind delivers.
 *
 * Curve: cycles per NOP over footprint. Answer: the last footprint on the flat.
 * Method: straight-line NOP loops, as Wong 2018 and clamchowder's suite.
 */
#include <math.h>

#include "lib/probe.h"

enum { LEVELS = 3 };
static const double THRESHOLD = 0.12;

/* The longest NOP of at most `context` bytes: few operations a line, so that an operation cache fills late. */
static bool build(struct probe *p, double footprint_bytes, void *context, struct kernel *k)
{
    const unsigned nop_bytes = *(const unsigned *)context;
    size_t bytes = (size_t)footprint_bytes;
    struct code c = probe_code(p, bytes + 64);
    size_t nops = bytes / nop_bytes;

    for (size_t i = 0; i < nops; i++)
        emit_nop(&c, nop_bytes);
    emit_loop(&c, 0);
    emit_return(&c);
    *k = (struct kernel){.units = (double)nops, .warm_iterations = 2};
    return probe_kernel(p, &c, 0, k);
}

static void run(struct probe *p)
{
    struct step steps[LEVELS];
    size_t count;
    unsigned nop_bytes = 0;
    for (const unsigned *n = emit_nop_lengths; *n && *n <= 8; n++)
        nop_bytes = *n;
    struct sweep s = {.name = "straight_code",
                      .axis = "footprint_bytes",
                      .unit = "cycles/instruction",
                      .from = 1024,
                      .to = probe_scale(p, 1 << 16, 1 << 19, 1 << 20, 1 << 21),
                      .per_octave = probe_scale(p, 1, 4, 8, 8),
                      .grain = 1024,
                      .build = build,
                      .context = &nop_bytes};

    if (sweep_walk(p, &s) && sweep_steps(p, &s, THRESHOLD, steps, LEVELS, &count)) {
        sweep_record(p, &s);
    }
    sweep_free(&s);
}

PROBE(l1i, .title = "Instruction cache", .family = "frontend", .run = run,
      .findings = FINDINGS({"frontend.l1i.bytes", "bytes", "capacity of the instruction cache"}));
