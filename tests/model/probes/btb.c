/* The probe btb: entries of branch target buffers, and what a branch costs that none of them has. */
#include <math.h>
#include <string.h>

#include "arch/emit.h"
#include "lib/base/record.h"
#include "lib/kernels/branch_chain.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/targets.h"
#include "tests/model/test.h"

/* Branches of a chain beside those in its slots: the one that leads back, and the one that leaves the loop. */
enum others { NONE, LOOP, LOOP_AND_EXIT };

/* Where the branch that leaves the loop is, as branch_chain_last_at has that of the one that leads back. */
static uint64_t exit_at(unsigned stride)
{
    uint8_t bytes[64];
    struct code c = {.write = bytes, .at = (uintptr_t)bytes, .bytes = sizeof bytes};
    const int64_t in_slot = (int64_t)stride - emit_jump_bytes(INT16_MAX + 1, true);

    emit_compare(&c, REG_DATA, REG_DATA);
    emit_branch(&c, 0);
    return (uint64_t)(((branch_chain_last_at(BRANCH_CHAIN_UNCOND, stride) ^ in_slot) + (int64_t)c.used) ^ in_slot);
}

/*
 * The longest chain at this distance of which the levels up to number `level`, from 0, have all branches turn after
 * turn; others are looked up as well, and may be in a set that is full already.
 */
static double held_at(const struct machine_design *m, size_t level, unsigned stride, enum others others)
{
    enum { TURNS = 4, MOST = 4096 };
    const uint64_t end = (uint64_t)1 << 40, loop = (uint64_t)branch_chain_last_at(BRANCH_CHAIN_UNCOND, stride);
    size_t held = 0;

    for (size_t slots = 1; slots <= MOST && held + 1 == slots; slots++) {
        struct targets t[TARGET_LEVELS];
        bool found = true;
        for (size_t i = 0; i < TARGET_LEVELS; i++)
            t[i] = targets_new(&m->core.targets[i]);
        for (size_t turn = 0; turn < TURNS; turn++)
            for (size_t n = others == NONE; n <= slots + (others == LOOP_AND_EXIT); n++) {
                const uint64_t at = n == 0 ? loop : n <= slots ? (slots - n) * stride : exit_at(stride);
                size_t i = 0;
                while (i <= level && targets_look_up(&t[i], end - 1 - at, 1, false) != TARGET_RIGHT)
                    i++;
                found &= turn + 1 < TURNS || i <= level || n > slots;
            }
        for (size_t i = 0; i < TARGET_LEVELS; i++)
            targets_free(&t[i]);
        held += found;
    }
    return (double)(held + (others != NONE));
}

/* Each cost is that of some level: within its interval, or as near as `part` of it; at grade A within 2 %. */
static void check_cycles(const struct machine_design *m, const char *name, double part)
{
    for (const char *f = NULL; (f = next_finding(f, name));) {
        const double value = number(f, "value"), low = number(f, "low"), high = number(f, "high");
        bool right = false;
        for (size_t i = 0; i < TARGET_LEVELS; i++) {
            const double true_cycles = m->core.targets[i].cycles;
            right |= fabs(value / true_cycles - 1) <= (record_value(f, "grade", 2)[0] == 'A' ? 0.02 : part) ||
                     (low <= true_cycles && true_cycles <= high);
        }
        if (record_value(f, "grade", 2)[0] != 'U' && !right)
            complain(m, "%s: reported %g, %g to %g cycles, which no level takes", name, value, low, high);
    }
}

/*
 * One stride at a time: what the levels hold with all branches of a reading, of which a short one may be a single turn,
 * or what they would without. Where a set has one too many, its few branches alone cost more, which is no clear edge.
 */
static void check_strides(const struct machine_design *m)
{
    for (const char *f = NULL; (f = next_finding(f, "frontend.btb.entries_at_stride"));) {
        double least[TARGET_LEVELS], most[TARGET_LEVELS];
        bool right = false;
        for (size_t i = 0; i < TARGET_LEVELS; i++) {
            least[i] = held_at(m, i, (unsigned)number(f, "stride"), LOOP_AND_EXIT);
            most[i] = fmax(least[i], held_at(m, i, (unsigned)number(f, "stride"), NONE) + 1);
            right |= number(f, "low") <= most[i] && least[i] < number(f, "high");
        }
        if (is_decided(m, f, "frontend.btb.entries_at_stride", "") && !right)
            complain(m, "stride %g: reported %g, %g to %g, true are %g to %g and %g to %g", number(f, "stride"),
                     number(f, "value"), number(f, "low"), number(f, "high"), least[0], most[0], least[1], most[1]);
    }
    check_cycles(m, "frontend.btb.cycles_at_stride", 0.1); /* of one curve, which the ends of chains disturb */
}

/* A capacity may be that of any level: where a curve does not show a level, those behind it have lower numbers. */
static void check_targets(const struct machine_design *m)
{
    static const char fallback[] = "frontend.btb.fallback_cycles";
    double truths[TARGET_LEVELS];

    for (size_t i = 0; i < TARGET_LEVELS; i++)
        truths[i] = (double)(m->core.targets[i].sets * m->core.targets[i].ways);
    for (const char *f = NULL; (f = next_finding(f, "frontend.btb.entries"));)
        check_one_of(m, f, truths, TARGET_LEVELS);
    check_cycles(m, "frontend.btb.cycles", 0.05);
    for (const char *f = NULL; (f = next_finding(f, fallback));) {
        if (!is_decided(m, f, fallback, ""))
            continue;
        if (!(fabs(number(f, "value") / m->core.redirect - 1) <= 0.1))
            complain(m, "%s: reported %g, true is %g", fallback, number(f, "value"), m->core.redirect);
        const char *cause = record_value(f, "cause", 2);
        if (!cause || (strncmp(cause, "decode", 6) == 0) != m->core.decodes)
            complain(m, "%s: the reported cause is wrong", fallback);
    }
}

/* Measures a core whose levels of targets were drawn, with nothing beside them that curves could show. */
static void run_btb(struct machine_design *m)
{
    m->core.contiguous = true;
    m->core.op_cache = (struct cache_design){0};
    m->core.redirect = (double)pick(6, 14);
    m->core.decodes = pick(0, 1);
    run_probes_on(m, "btb", PROFILE_QUICK);
}

MODEL_TEST(branch_target_buffers_are_given_back, "btb")
{
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 1), 8); cores++) {
        struct machine_design m = draw_machine(seed);
        m.core.targets[0] = (struct target_design){
            .sets = (size_t)1 << pick(1, 4), .ways = 2 * pick(1, 3), .low = (unsigned)pick(3, 5), .cycles = 1};
        m.core.targets[1] = (struct target_design){.sets = (size_t)32 << pick(1, 3),
                                                   .ways = 2 * pick(2, 4),
                                                   .low = (unsigned)pick(3, 6),
                                                   .cycles = (double)pick(2, 3)};
        shorten_readings(&m);
        run_btb(&m);
        check_targets(&m);
        check_strides(&m);
    }
    print_message("# %s: %u vague\n", emit_isa, checked.vague);
    end(cores, UINT32_MAX);
    decides(12, 0);
}

/* ---- Organisation of levels that hold few branches ------------------------------------------------------ */

/* Whether no property of that level of the findings contradicts this one of the core. */
static bool is_level(const char *level, const struct target_design *t)
{
    const struct {
        const char *name;
        double truth;
    } properties[] = {{"frontend.btb.ways", (double)t->ways},
                      {"frontend.btb.sets", (double)t->sets},
                      {"frontend.btb.index_bits", log2((double)t->sets)},
                      {"frontend.btb.branches_per_entry", t->pairs ? 2 : 1}};

    for (size_t i = 0; i < sizeof properties / sizeof properties[0]; i++) {
        const char *f = finding_of(properties[i].name, "level", level);
        const double value = f ? number(f, "value") : (double)NAN, low = f ? number(f, "low") : (double)NAN;
        if (isnan(low) ? !isnan(value) && value != properties[i].truth
                       : !(low <= properties[i].truth && properties[i].truth < number(f, "high")))
            return false;
    }
    return true;
}

/* What is reported of a level is true of one of the core; levels before it that no curve shows have no number. */
static unsigned check_organisation(const struct machine_design *m)
{
    unsigned known = 0;

    for (unsigned level = 0; level < TARGET_LEVELS; level++) {
        bool right = false;
        for (size_t i = 0; i < TARGET_LEVELS; i++)
            right |= is_level(level_names[level], &m->core.targets[i]);
        const char *ways = finding_of("frontend.btb.ways", "level", level_names[level]);
        if (!right)
            complain(m, "level %s: another organisation is reported", level_names[level]);
        known += level == 0 && ways && !isnan(number(ways, "value"));
    }
    return known;
}

/* 12 to 100 branches: a single set, or a few ways, or one; one or two branches to an entry. */
static struct target_design draw_few(void)
{
    struct target_design t = {.sets = (size_t)1 << pick(1, 5), .low = (unsigned)pick(2, 6), .cycles = 1};

    if (pick(0, 2) == 0)
        t.sets = 1;
    t.pairs = pick(0, 2) == 0;
    do
        t.ways = t.sets == 1 ? pick(8, 100) : pick(0, 2) == 0 ? 1 : pick(2, 7);
    while (t.sets * t.ways * (t.pairs ? 2 : 1) < 12 || t.sets * t.ways * (t.pairs ? 2 : 1) > 100);
    t.hashed = t.sets > 1 && pick(0, 2) == 0;
    return t;
}

MODEL_TEST(first_levels_of_few_branches_are_given_back, "btb")
{
    unsigned cores = 0, known = 0;

    for (uint64_t seed = 0; next_seed(&seed, 0, 30); cores++) {
        struct machine_design m = draw_machine(seed);
        /* one in ten as Neoverse V1's: 48 entries of two branches, fully associative (jia.je 2025) */
        m.core.targets[0] = draw_few();
        if (seed % 10 == 0)
            m.core.targets[0] = (struct target_design){.sets = 1, .ways = 48, .pairs = true, .cycles = 1};
        m.core.targets[1] = (struct target_design){.sets = (size_t)128 << pick(0, 1),
                                                   .ways = pick(3, 6),
                                                   .low = (unsigned)pick(3, 6),
                                                   .cycles = (double)pick(2, 3)};
        run_btb(&m);
        known += check_organisation(&m);
    }
    print_message("# %s: the organisation of the first level is known of %u of %u cores\n", emit_isa, known, cores);
    end(0, UINT32_MAX);
}
