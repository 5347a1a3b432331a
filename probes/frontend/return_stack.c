/*
 * Return stack: how many return addresses does the core predict?
 *
 * n nested calls, then n returns. While n fits, every return is predicted. One more, and returns go
 * wrong from the oldest on: each further level costs a misprediction. Every level can call the next
 * from one of two sites. Which one is
 *
 *   fixed      always the same: another predictor may stand in for the return stack past its depth
 *   changing   alternates from nest to nest
 *   random     a random bit for each level, so that nothing but a return stack can know. The
 *              choice itself is then mispredicted half the time, at every depth alike
 *
 * Curve: cycles per nest over depth. Its slope is small and constant while all returns are
 * predicted; it grows past the depth. Answer: the last depth reached at the small slope.
 * Method: Wong 2018; jia.je 2025, variant with changing return targets.
 */
#include <math.h>

#include "lib/probe.h"

enum { LEVEL_BYTES = 128, DEPTH_MAXIMUM = 128 };
enum target { TARGET_FIXED, TARGET_CHANGING, TARGET_RANDOM, TARGETS };

static const char *const target_names[TARGETS] = {"fixed", "changing", "random"};

/* Knuth's MMIX generator (TAOCP vol. 2, 3.3.4); its top bit is random enough to defeat a predictor. */
static const uint64_t LCG_FACTOR = 6364136223846793005, LCG_INCREMENT = 1442695040888963407;

/* REG_T1 becomes zero where the second call site is to be used. T0 is the generator's state. */
static void emit_choice(struct code *c, enum target target)
{
    switch (target) {
    case TARGET_FIXED:
        emit_constant(c, REG_T1, 1);
        break;
    case TARGET_CHANGING:
        emit_move(c, REG_T1, REG_COUNT);
        emit_and_constant(c, REG_T1, 1);
        break;
    default:
        emit_multiply(c, REG_T0, REG_T2);
        emit_add(c, REG_T0, REG_T3);
        emit_move(c, REG_T1, REG_T0);
        emit_shift_right(c, REG_T1, 63);
    }
}

/* One function a level, on lines of its own; the innermost one only returns. */
static bool build(struct probe *p, double depth, void *context, struct kernel *k)
{
    const struct variant {
        enum target target;
        struct area state;
    } *v = context;
    struct code c = probe_code(p, (DEPTH_MAXIMUM + 2) * LEVEL_BYTES);
    size_t levels = (size_t)depth;

    emit_enter(&c);
    emit_load(&c, REG_T0, REG_DATA, 0); /* the generator goes on where it stopped: no sequence repeats */
    emit_constant(&c, REG_T2, LCG_FACTOR);
    emit_constant(&c, REG_T3, LCG_INCREMENT);
    size_t loop = c.used;
    emit_call(&c, LEVEL_BYTES);
    emit_loop(&c, loop);
    emit_store(&c, REG_T0, REG_DATA, 0);
    emit_leave(&c);

    for (size_t level = 1; level < levels; level++) {
        emit_place(&c, level * LEVEL_BYTES);
        emit_enter(&c);
        emit_choice(&c, v->target);
        struct fixup second = emit_branch_if_zero_ahead(&c, REG_T1);
        emit_call(&c, (level + 1) * LEVEL_BYTES);
        emit_leave(&c);
        emit_land(&c, second);
        emit_call(&c, (level + 1) * LEVEL_BYTES);
        emit_leave(&c);
    }
    emit_place(&c, levels * LEVEL_BYTES);
    emit_return(&c);

    *k = (struct kernel){.data = v->state.at, .units = 1, .warm_iterations = 1000};
    return probe_kernel(p, &c, 0, k);
}

static void run(struct probe *p)
{
    struct variant {
        enum target target;
        struct area state;
    } v;

    if (!probe_map(p, &v.state, sizeof(uint64_t), 0))
        return;
    for (v.target = 0; v.target < TARGETS; v.target++) {
        struct sweep s = {.name = target_names[v.target], .axis = "depth", .unit = "cycles/nest", .from = 1,
                          .to = probe_scale(p, 40, 96, DEPTH_MAXIMUM, DEPTH_MAXIMUM), .grain = 1,
                          .build = build, .context = &v};
        if (!sweep_walk(p, &s))
            return;
        sweep_record(p, &s);
        sweep_free(&s);
    }
}

PROBE(return_stack, .title = "Return stack", .family = "frontend", .run = run,
      .findings = FINDINGS({"frontend.return_stack.entries", "entries", "return addresses predicted"}));
