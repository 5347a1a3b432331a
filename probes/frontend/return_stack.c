/*
 * Return stack: how many return addresses does the core predict?
 *
 * n nested calls, then n returns. While n fits, every return is predicted. One more, and the oldest
 * return address is lost: the last return of the nest goes wrong. The nest is entered from one of two
 * call sites, so that this return has two targets. Which site is
 *
 *   fixed      always the same: an indirect predictor may stand in for the return stack past its depth
 *   changing   alternates from nest to nest
 *   random     a random bit, after eight branches that are random too: the history that an indirect
 *              predictor sees is never twice the same, and nothing but a return stack can know. All
 *              that is mispredicted on purpose is so before the nest begins, when the return stack
 *              holds nothing that a wrong path could spoil. A second experiment has a control, the same
 *              nest entered from one site after the same branches: what is left is the cost of that one
 *              return, if there is a predictor that knows it in the control
 *
 * Curve: cycles per nest over depth. A line, a few cycles a level, while all returns are predicted; past
 * the depth it leaves the line. Against the control a step from nothing to half a misprediction. Answer:
 * the last depth before that.
 * Method: Wong 2018; jia.je 2025, variant with two call sites; random history and control are our addition.
 */
#include <math.h>

#include "lib/find.h"
#include "lib/probe.h"

enum { ENTRY_BYTES = 1024, DEPTH_MAXIMUM = 128, NOISE_BRANCHES = 8 };
enum target { TARGET_FIXED, TARGET_CHANGING, TARGET_RANDOM, TARGETS };

static const char *const target_names[TARGETS] = {"fixed", "changing", "random"};

/*
 * Nests of one depth differ by a cycle or so with how their levels share lines and fetch blocks; what comes before
 * random ones makes them long.
 */
static const double RESOLUTION[TARGETS] = {0.02, 0.02, 0.004};

/* The same nest with its levels at other distances: another layout, for every table that looks at addresses. */
static const size_t LEVEL_BYTES[] = {128, 192};
enum { EXPERIMENTS = 2 };

/* Knuth's MMIX generator (TAOCP vol. 2, 3.3.4); its high bits defeat any predictor. */
static const uint64_t LCG_FACTOR = 6364136223846793005, LCG_INCREMENT = 1442695040888963407;

struct variant {
    enum target target;
    size_t level_bytes; /* from one level's code to the next one's */
    struct area state;  /* the generator goes on from nest to nest and call to call: no sequence repeats */
};

/* REG_T1 becomes bit `bit` of the generator's state in T0. */
static void emit_random_bit(struct code *c, unsigned bit)
{
    emit_move(c, REG_T1, REG_T0);
    emit_shift_right(c, REG_T1, bit);
    emit_and_constant(c, REG_T1, 1);
}

/* Branches that go either way at random, to the same place. */
static void emit_noise(struct code *c)
{
    emit_multiply(c, REG_T0, REG_T2);
    emit_add(c, REG_T0, REG_T3);
    for (unsigned i = 0; i < NOISE_BRANCHES; i++) {
        emit_random_bit(c, 62 - i);
        struct fixup over = emit_branch_if_zero_ahead(c, REG_T1);
        emit_nop(c, emit_nop_lengths[0]);
        emit_land(c, over);
    }
}

/* REG_T1 becomes zero where the second call site is to be used. */
static void emit_choice(struct code *c, enum target target)
{
    if (target == TARGET_RANDOM) {
        emit_noise(c);
        emit_random_bit(c, 63);
    } else if (target == TARGET_CHANGING) {
        emit_move(c, REG_T1, REG_COUNT);
        emit_and_constant(c, REG_T1, 1);
    } else {
        emit_constant(c, REG_T1, 1);
    }
}

static size_t level_at(const struct variant *v, size_t level)
{
    return ENTRY_BYTES + level * v->level_bytes;
}

/* One function a level, on lines of its own; the innermost one only returns. */
static bool build_nest(struct probe *p, double depth, const struct variant *v, unsigned sites, struct kernel *k)
{
    struct code c = probe_code(p, level_at(v, DEPTH_MAXIMUM + 1));
    size_t levels = (size_t)depth;
    double random_stretch = probe_scale(p, 1, 8, 8, 8); /* as many nests as average the luck of branches out */

    emit_enter(&c);
    emit_load(&c, REG_T0, REG_DATA, 0);
    emit_constant(&c, REG_T2, LCG_FACTOR);
    emit_constant(&c, REG_T3, LCG_INCREMENT);
    size_t loop = c.used;
    emit_choice(&c, v->target);
    struct fixup second = emit_branch_if_zero_ahead(&c, REG_T1);
    if (sites == 2)
        emit_call(&c, level_at(v, 1));
    struct fixup join = emit_branch_ahead(&c);
    emit_land(&c, second);
    if (sites == 2)
        emit_call(&c, level_at(v, 1));
    emit_land(&c, join);
    if (sites == 1)
        emit_call(&c, level_at(v, 1));
    emit_loop(&c, loop);
    emit_store(&c, REG_T0, REG_DATA, 0);
    emit_leave(&c);

    for (size_t level = 1; level < levels; level++) {
        emit_place(&c, level_at(v, level));
        emit_enter(&c);
        emit_call(&c, level_at(v, level + 1));
        emit_leave(&c);
    }
    emit_place(&c, level_at(v, levels));
    emit_return(&c);

    *k = (struct kernel){.data = v->state.at,
                         .units = 1,
                         .warm_iterations = probe_scale(p, 10, 300, 300, 300),
                         .stretch = v->target == TARGET_RANDOM ? random_stretch : probe_scale(p, 1, 4, 4, 4)};
    return probe_kernel(p, &c, 0, k);
}

static bool build(struct probe *p, double depth, void *context, struct kernel *k)
{
    return build_nest(p, depth, context, 2, k);
}

static bool build_control(struct probe *p, double depth, void *context, struct kernel *k)
{
    return build_nest(p, depth, context, 1, k);
}

/* What is done for one kind of target: the nest in two layouts; or by itself, and against its control. */
static bool run_variant(struct probe *p, struct variant *v)
{
    const char *name = target_names[v->target];
    const bool random = v->target == TARGET_RANDOM;
    const size_t count = p->run->config.profile == PROFILE_SMOKE ? 1 : EXPERIMENTS;
    struct sweep s[EXPERIMENTS];
    struct find_experiment e[EXPERIMENTS];
    bool good = true;

    for (size_t i = 0; i < count; i++) {
        bool control = random && i + 1 < count; /* the sharper one first */
        s[i] = (struct sweep){.name = control ? "random against control" : name,
                              .axis = "depth",
                              .unit = "cycles/nest",
                              .build = build,
                              .control = control ? build_control : NULL,
                              .context = v,
                              .search = {.kind = control ? KNEE_STEP : KNEE_SLOPE,
                                         .from = 1,
                                         .to = probe_scale(p, 40, 64, 64, 64),
                                         .limit = probe_scale(p, 40, DEPTH_MAXIMUM, DEPTH_MAXIMUM, DEPTH_MAXIMUM),
                                         .grain = 1,
                                         .resolution = RESOLUTION[v->target],
                                         .coarse = (unsigned)probe_scale(p, 6, 16, 16, 16)}};
        e[i] = (struct find_experiment){.name = s[i].name,
                                        .fooled_by = control ? "no other predictor" : "other predictors",
                                        .verdict = &s[i].search.verdict};
    }
    for (size_t i = 0; i < count && good; i++) {
        v->level_bytes = LEVEL_BYTES[i];
        good = sweep_search(p, &s[i]);
    }
    if (good)
        find_capacity(p,
                      &(struct finding){.name = "frontend.return_stack.entries",
                                        .variants = {{"target", name}},
                                        .method = "last depth before returns cost more"},
                      e, count, 1);
    for (size_t i = 0; i < count; i++)
        sweep_free(&s[i]);
    return good;
}

static void run(struct probe *p)
{
    struct variant v = {.target = TARGET_FIXED};

    if (!probe_map(p, &v.state, sizeof(uint64_t), 0))
        return;
    for (; v.target < TARGETS; v.target++)
        if (!run_variant(p, &v))
            return;
}

PROBE(return_stack, .title = "Return stack", .family = "frontend", .run = run,
      .findings = FINDINGS({"frontend.return_stack.entries", "entries", "nested calls whose returns are predicted"}));
