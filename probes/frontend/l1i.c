/*
 * Instruction cache: how much straight code does it hold, and how fast is code fetched from it and
 * from behind it?
 *
 * A loop of nothing but NOPs, one long stretch of code, over a growing footprint. While it fits, the
 * core fetches at its best; past that every pass evicts what the next one needs first, and the rate
 * falls to what the level behind delivers.
 *
 * The NOPs are long ones, few to a line, so that a cache of decoded operations holds no more of this
 * code than the instruction cache does, or little more.
 *
 * Curve: cycles per NOP over footprint, a staircase: operation cache where there is one, instruction
 * cache, second level, what lies behind. How high a stair is tells nothing: from operation cache to
 * instruction cache the rate may fall as much as from there to the second level, or from that on.
 * Answer: the last footprint before the last stair that is no second level's by its size.
 * Method: straight-line NOP loops, as Wong 2018 and clamchowder's suite.
 */
#include <math.h>

#include "lib/probe.h"

enum { LEVELS = 4, NOP_BYTES_AT_MOST = 8, ROOM_BYTES = 64 };

/* An operation cache, where there is one, feeds the core a little faster than the decoders do: two levels. */
static const double TOLERANCE = 0.08;
static const double SPAN = 1.7;

static bool build(struct probe *p, double footprint_bytes, void *context, struct kernel *k)
{
    const unsigned nop_bytes = *(const unsigned *)context;
    size_t nops = (size_t)footprint_bytes / nop_bytes;
    struct code c = probe_code(p, (size_t)footprint_bytes + ROOM_BYTES);

    for (size_t i = 0; i < nops; i++)
        emit_nop(&c, nop_bytes);
    emit_loop(&c, 0);
    emit_return(&c);
    /* long readings: the yardsticks between them take lines of the cache */
    *k = (struct kernel){.units = (double)nops, .warm_iterations = 2, .stretch = 4};
    return probe_kernel(p, &c, 0, k);
}

/*
 * Between the largest instruction cache in scope, 192 KiB (Apple's performance cores), and the smallest
 * second level of cores that have an operation cache, 256 KiB (Intel, up to Skylake).
 */
static const double SECOND_LEVEL_BYTES = 224 << 10;

/* The stair whose edge is the instruction cache's; without one the last, which is not left; NULL without any. */
static const struct stair *instruction_cache(const struct stair *stairs, size_t count)
{
    if (count == 0)
        return NULL;
    for (size_t i = count - 1; i-- > 0;)
        if (stairs[i].high < SECOND_LEVEL_BYTES) /* where frames fall at random, a second level is left early */
            return &stairs[i];
    return &stairs[count - 1];
}

static void report_rate(struct probe *p, unsigned level, double bytes_per_cycle)
{
    report(p, &(struct finding){.name = "frontend.l1i.bytes_per_cycle",
                                .variants = {{"level", .number = level}},
                                .value = bytes_per_cycle,
                                .low = NAN,
                                .high = NAN,
                                .grade = 'C',
                                .method = "median of the level",
                                .curves = {"straight_code"}});
}

static void run(struct probe *p)
{
    struct stair stairs[LEVELS];
    size_t count;
    unsigned nop_bytes = 0;
    for (const unsigned *n = emit_nop_lengths; *n && *n <= NOP_BYTES_AT_MOST; n++)
        nop_bytes = *n;
    struct sweep s = {.name = "straight_code",
                      .axis = "footprint_bytes",
                      .unit = "cycles/instruction",
                      .from = 1024,
                      .to = probe_scale(p, 1 << 16, 1 << 19, 1 << 20, 1 << 20),
                      .per_octave = probe_scale(p, 1, 8, 8, 16),
                      .grain = 1024,
                      .build = build,
                      .context = &nop_bytes,
                      .builds = (unsigned)probe_scale(p, 1, 3, 5, 9),
                      .builds_to = 1 << 20};

    if (sweep_walk(p, &s) && sweep_stairs(p, &s, TOLERANCE, SPAN, stairs, LEVELS, &count)) {
        sweep_record(p, &s);
        for (unsigned i = 0; i < count; i++)
            report_rate(p, i + 1, nop_bytes / stairs[i].height);
        report_capacity(p, &(struct finding){.name = "frontend.l1i.bytes", .grade = 'C', .curves = {"straight_code"}},
                        instruction_cache(stairs, count));
    }
    sweep_free(&s);
}

PROBE(l1i, .title = "Instruction cache", .family = "frontend", .run = run,
      .findings = FINDINGS({"frontend.l1i.bytes", "bytes", "capacity of the instruction cache"},
                           {"frontend.l1i.bytes_per_cycle", "bytes/cycle",
                            "straight code, by the level it comes from"}));
