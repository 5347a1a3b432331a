/* Thresholds of the probes l1i, btb and taken_branches: curves and costs of branches are given, not measured. */
/* link: tests/unit/structure/given.c probes/frontend/l1i.c probes/frontend/btb.c tests/unit/structure/no_code.c */
/* link: tests/unit/structure/profile.c probes/frontend/taken_branches.c */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/kernels/mispredicted_return.h"
#include "lib/structure/branch_lines.h"
#include "lib/structure/btb_fallback.h"
#include "lib/structure/btb_levels.h"
#include "lib/structure/btb_near.h"
#include "lib/structure/btb_report.h"
#include "lib/structure/tlb.h"
#include "tests/unit/structure/given.h"

extern const struct probe_definition *const __start_probes[], *const __stop_probes[];

static void run_probe(const char *name)
{
    for (const struct probe_definition *const *d = __start_probes; d < __stop_probes; d++)
        if (!strcmp((*d)->name, name)) {
            (*d)->run(&given_probe);
            return;
        }
    fail_msg("no probe %s", name);
}

bool sweeps_search(struct probe *p, struct sweep *s, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sweep_search(p, &s[i]);
    return true;
}

static double reach_kib; /* of the first instruction TLB; 0: not known, as that of the second */

double tlb_code_reach(const struct probe *p, unsigned level)
{
    (void)p;
    return level == 1 ? reach_kib * 1024 : 0;
}

/* ---- Instruction cache: kernels are not built ------------------------------------------------------- */

const unsigned emit_nop_lengths[] = {1, 2, 3, 4, 5, 6, 7, 8, 0}, emit_alignment = 1, emit_longest = 15;

void emit_nop_sequence(struct code *c, unsigned length, size_t count)
{
    (void)c;
    (void)length;
    (void)count;
}

void emit_place(struct code *c, size_t offset)
{
    (void)c;
    (void)offset;
}

bool mispredicted_return_map(struct probe *p, struct mispredicted_return *s)
{
    (void)p;
    (void)s;
    return true;
}

void mispredicted_return_begin(struct code *c, struct mispredicted_return *s)
{
    (void)c;
    (void)s;
}

void mispredicted_return_place(struct code *c, const struct mispredicted_return *s)
{
    (void)c;
    (void)s;
}

bool mispredicted_return_kernel(struct probe *p, const struct mispredicted_return *s, struct code *c,
                                size_t (*place)(const void *context, size_t index), const void *context, size_t count,
                                struct kernel *k)
{
    (void)p;
    (void)s;
    (void)c;
    (void)place;
    (void)context;
    (void)count;
    (void)k;
    return true;
}

/* ---- Instruction cache: tests ----------------------------------------------------------------------- */

enum { KNEES = 2 };

static double straight_kib[KNEES], mispredicted_kib[KNEES]; /* where each curve has knees; 0: no more */
static double half_kib;                                     /* where half of each rise is done; 0: at the knee */

/* The levels get slower and slower; each ends within a step of 1 KiB. */
static struct verdict curve_of_code(const struct sweep *s)
{
    static const double heights[] = {4, 8, 16};
    const double *kib = !strcmp(s->name, "straight") ? straight_kib : mispredicted_kib;
    double counts[KNEES];
    size_t knees = 0;

    for (; knees < KNEES && kib[knees] > 0; knees++)
        counts[knees] = kib[knees] * KB;
    struct verdict v = given_staircase(knees + 1, heights, counts);
    for (size_t i = 0; i < v.count; i++) {
        struct knee *k = &v.knees[i];
        k->high = k->low + KB;
        k->ramp = half_kib > 0;
        if (k->ramp)
            k->half_rise = k->half_rise_low = k->half_rise_high = half_kib * KB;
    }
    return v;
}

/* What the probe says about a core with a second level of so many KiB, 0: not known. */
static const struct finding *find_l1i(double second_level_kib, const double straight[KNEES],
                                      const double mispredicted[KNEES])
{
    given_start(true);
    if (second_level_kib > 0)
        given_fact("memory.cache.bytes", 2, second_level_kib * KB);
    memcpy(straight_kib, straight, sizeof straight_kib);
    memcpy(mispredicted_kib, mispredicted, sizeof mispredicted_kib);
    given_curve = curve_of_code;
    run_probe("l1i");
    return given_finding("frontend.l1i.bytes", 0);
}

/* Whether so many KiB are in the interval that was found. */
static bool is_l1i(const struct finding *f, double kib)
{
    return f->grade != 'U' && f->low <= kib * KB && kib * KB < f->high;
}

/*
 * SAME_EDGE: of a cache of 32 KiB straight code shows 33 KiB, and both patterns confirm each other. An operation cache
 * that holds 12 KiB of code is another cache, and confirms or contradicts nothing.
 */
static void both_patterns_see_the_same_cache_a_step_apart(void **state)
{
    (void)state;
    const struct finding *f = find_l1i(0, (double[]){12, 33}, (double[]){32, 0});
    assert_true(is_l1i(f, 32) && f->grade < 'C');
    f = find_l1i(0, (double[]){12, 0}, (double[]){32, 0});
    assert_true(is_l1i(f, 32) && f->grade == 'C');
}

/* SECOND_LEVEL_BYTES: Apple's cores have instruction caches of 192 KiB, Intel's had second levels of 256 KiB. */
static void an_unknown_second_level_is_larger_than_any_instruction_cache(void **state)
{
    (void)state;
    assert_true(is_l1i(find_l1i(0, (double[]){192, 0}, (double[]){192, 0}), 192));
    assert_true(is_l1i(find_l1i(0, (double[]){32, 256}, (double[]){32, 256}), 32));
}

/*
 * LEFT_EARLY: random frames end a level of 1 MiB at 700 KiB. An instruction cache of 64 KiB is no part of a second
 * level of 256 KiB (Cortex-A76).
 */
static void a_second_level_is_left_before_its_end(void **state)
{
    (void)state;
    assert_true(is_l1i(find_l1i(1024, (double[]){32, 700}, (double[]){32, 700}), 32));
    assert_true(is_l1i(find_l1i(256, (double[]){64, 0}, (double[]){64, 0}), 64));
}

/*
 * A cache of 32 KiB of four ways by LRU misses half of the lines of 36 KiB. One that replaces at random is left at 28
 * KiB, since it also holds other lines, and misses half of the lines of 44 KiB. The interval reaches to that half.
 */
static void the_interval_reaches_to_half_of_the_rise(void **state)
{
    (void)state;
    half_kib = 36;
    const struct finding *f = find_l1i(0, (double[]){32, 0}, (double[]){32, 0});
    assert_true(is_l1i(f, 32) && !is_l1i(f, 38));
    half_kib = 44;
    assert_true(is_l1i(find_l1i(0, (double[]){28, 0}, (double[]){28, 0}), 32));
    half_kib = 0;
}

/* A second level that is no larger than that of a small core, 128 KiB, leaves half of it to the instruction cache. */
static void an_instruction_cache_of_half_the_second_level_is_found(void **state)
{
    (void)state;
    reach_kib = 256;
    assert_true(is_l1i(find_l1i(128, (double[]){65, 131}, (double[]){64, 130}), 64));
    assert_true(is_l1i(find_l1i(128, (double[]){64, 0}, (double[]){64, 0}), 64));
    reach_kib = 0;
}

/*
 * An instruction cache of 36 KiB beside a second level of 48 KiB, which ends later, and one of 80 KiB that no end at
 * 48 KiB precedes. What lies 1.3 times behind the second level and behind another end may be both caches together.
 */
static void an_instruction_cache_about_as_large_as_the_second_level_is_found(void **state)
{
    (void)state;
    reach_kib = 256;
    assert_true(is_l1i(find_l1i(48, (double[]){36, 0}, (double[]){36, 48}), 36));
    assert_true(is_l1i(find_l1i(48, (double[]){80, 0}, (double[]){80, 0}), 80));
    assert_false(is_l1i(find_l1i(48, (double[]){80, 0}, (double[]){8, 80}), 80));
    assert_int_equal(find_l1i(48, (double[]){45, 0}, (double[]){45, 0})->grade, 'U');
    reach_kib = 0;
}

/* Of two ends one may be the second level's, or an operation cache's, where the second level's size is not known. */
static void two_ends_before_an_unknown_second_level_are_undecided(void **state)
{
    (void)state;
    reach_kib = 512;
    const struct finding *f = find_l1i(0, (double[]){64, 131}, (double[]){64, 130});
    assert_true(f->grade == 'U' && f->reason == REASON_LEVEL_NOT_KNOWN);
    assert_true(is_l1i(find_l1i(128, (double[]){64, 131}, (double[]){64, 130}), 64));
    assert_true(is_l1i(find_l1i(1024, (double[]){64, 131}, (double[]){64, 130}), 130));
    reach_kib = 0;
}

/* Straight code may fit a step more than the cache holds: the number is the mispredicted curve's. */
static void the_number_is_what_mispredicted_jumps_show(void **state)
{
    (void)state;
    const struct finding *f = find_l1i(0, (double[]){33, 0}, (double[]){32, 0});
    assert_true(is_l1i(f, 32) && f->grade < 'C');
    assert_float_equal(f->value, 32 * KB, 0);
}

/*
 * The mispredicted curve begins to rise at 64 KiB and has done half of its rise at 146 KiB, or at 118. If the knee of
 * straight code at 143 KiB were the same cache's, left early because lines are replaced at random, half of the rise
 * would lie beyond 143 * 1.31 = 187 KiB: so it is another cache's. A knee at 90 KiB may be the same cache's (118 KiB).
 */
static void straight_code_of_another_cache_contradicts(void **state)
{
    (void)state;
    half_kib = 146;
    assert_int_equal(find_l1i(0, (double[]){143, 0}, (double[]){64, 0})->grade, 'U');
    half_kib = 118;
    const struct finding *f = find_l1i(0, (double[]){90, 0}, (double[]){64, 0});
    assert_true(is_l1i(f, 64) && is_l1i(f, 90));
    half_kib = 0;
}

/* ---- Branch target buffers: a core instead of chains ------------------------------------------------ */

const char *const branch_chain_pattern_names[BRANCH_CHAIN_PATTERNS] = {"uncond", "cond", "cond-uncond", "uncond-cond"};
const char *const btb_origin_names[BTB_ORIGINS] = {NULL, "decode", "l1i"};
static double one_more;    /* cycles of one more branch among few, … */
static double lines_apart; /* … where they are lines apart, … */
static double farther;     /* … and where more bytes than this are between a target and its branch: */
static size_t two_end = SIZE_MAX;
static double together, apart; /* branches at which chains rise, without and with a line border before each branch */
static bool shared;            /* the probe has reported that branches share entries of the first level */

const char *branch_chain_try_map(struct probe *p, struct branch_chain_room *r, size_t span, size_t page_bytes,
                                 enum branch_chain_frames frames)
{
    (void)p, (void)r, (void)span, (void)page_bytes, (void)frames;
    return NULL;
}

bool branch_lines_find(struct probe *p, const struct branch_chain_room *room, size_t span, double *bytes)
{
    (void)p, (void)room, (void)span;
    *bytes = 0;
    return true;
}

bool branch_chain_map(struct probe *p, struct branch_chain_room *r, size_t span, size_t page_bytes,
                      enum branch_chain_frames frames)
{
    (void)p;
    (void)span;
    (void)page_bytes;
    *r = (struct branch_chain_room){.kind = frames};
    return true;
}

void branch_chain_unmap(struct probe *p, struct branch_chain_room *r)
{
    (void)p;
    (void)r;
}

bool btb_levels_find(struct probe *p, const struct btb_levels_request *q, struct btb_levels *out)
{
    (void)p;
    (void)q;
    *out = (struct btb_levels){.levels = 1, .measured = 1};
    return true;
}

size_t btb_least_stride(void)
{
    return 8;
}

struct sweep btb_long_sweep(struct probe *p, struct branch_curve *curve, size_t span)
{
    (void)p;
    (void)span;
    return (struct sweep){.name = curve->name};
}

bool btb_fallback_measure(struct probe *p, enum branch_chain_pattern pattern, const struct branch_chain_room *room,
                          size_t span, struct btb_fallback *out)
{
    (void)p;
    (void)pattern;
    (void)room;
    (void)span;
    *out = (struct btb_fallback){.bare = 10};
    return true;
}

enum btb_origin btb_fallback_origin(const struct btb_fallback *f, enum reason *why)
{
    (void)f;
    (void)why;
    return BTB_ORIGIN_DECODE;
}

bool branch_cost_of_one_more(struct probe *p, const struct branch_curve *curve, size_t few, struct branch_more *out)
{
    const struct branch_chain *c = &curve->chain;
    const bool behind = c->nop_bytes > two_end && c->stride == 128;
    const double cycles = c->stride == 64 ? lines_apart : behind ? farther : one_more;

    (void)p;
    (void)few;
    *out = (struct branch_more){cycles, 0.98 * cycles, 1.02 * cycles};
    return true;
}

/* Cycles that 96 bytes of NOPs between a target and its branch take. */
static double nops;

bool branch_cost(struct probe *p, const struct branch_curve *curve, size_t count, double *cycles)
{
    (void)p;
    (void)count;
    *cycles = nops * (double)curve->chain.nop_bytes / 96;
    return true;
}

unsigned emit_jump_bytes(int64_t distance, bool conditional)
{
    (void)distance;
    return conditional ? 6 : 5;
}

bool branch_cost_rises(struct probe *p, const struct branch_curve *curve, double *count)
{
    (void)p;
    *count = curve->chain.branch_end <= BRANCH_CHAIN_LINE_BYTES ? together : apart;
    return true;
}

struct btb_fit *btb_fit_start(const struct btb_limits *limits)
{
    static char no_fit;

    (void)limits;
    return (struct btb_fit *)&no_fit; /* nothing looks into it */
}

void btb_fit_free(struct btb_fit *f)
{
    (void)f;
}

bool branch_cost_fit(struct probe *p, const struct branch_chain_room *room, struct btb_fit *fit, double seconds,
                     double length_factor, struct btb_fit_result *result)
{
    (void)p;
    (void)room;
    (void)fit;
    (void)seconds;
    (void)length_factor;
    *result = (struct btb_fit_result){.level_count = 1};
    return true;
}

bool btb_near_fit(struct probe *p, const struct btb_near *near, const struct btb_limits *limits,
                  const struct branch_chain_room *room, double seconds, struct btb_fit_result *result)
{
    (void)p;
    (void)near;
    (void)limits;
    (void)room;
    (void)seconds;
    *result = (struct btb_fit_result){.level_count = 1};
    return true;
}

int branch_chain_last_at(enum branch_chain_pattern pattern, unsigned stride)
{
    (void)pattern;
    (void)stride;
    return 0;
}

unsigned btb_report_number(struct probe *p, const char *entries, const struct btb_fit_level *l, unsigned levels)
{
    (void)p;
    (void)entries;
    (void)l;
    (void)levels;
    return 1;
}

/* The fit does not report what the chains have shown already. */
void btb_report(struct probe *p, const struct btb_fit_result *r, size_t level, unsigned number,
                const struct btb_report_names *names)
{
    (void)p;
    (void)r;
    (void)level;
    (void)number;
    shared = !names->branches_per_entry;
}

/* ---- Branch target buffers: tests ------------------------------------------------------------------- */

static struct verdict flat_curve(const struct sweep *s)
{
    (void)s;
    return given_staircase(1, (double[]){1}, NULL);
}

/* The finding of taken branches in a cycle. */
static const struct finding *taken_per_cycle(double cycles_of_one_more, double cycles_lines_apart)
{
    given_start(true);
    given_curve = flat_curve;
    one_more = cycles_of_one_more;
    lines_apart = cycles_lines_apart;
    together = apart = (double)NAN;
    run_probe("taken_branches");
    return given_finding("frontend.btb.taken_per_cycle", 0);
}

/* Whether branches share entries of a first level that holds 1,024 branches. */
static bool are_shared(double in_one_line, double in_two_lines)
{
    const struct fact f = {
        .name = "frontend.btb.entries", .variants = "level=1 branch=uncond", .value = 1024, .grade = 'A'};

    given_start(true);
    assert_true(facts_set(&given_probe.run->facts, &f));
    given_curve = flat_curve;
    one_more = lines_apart = 1;
    together = in_one_line;
    apart = in_two_lines;
    run_probe("btb");
    return shared;
}

/* Any rate is an interval: half a cycle, 0.55 cycles as on Apple's M4, and one. */
static void taken_branches_a_cycle_may_be_a_fraction(void **state)
{
    static const double cycles[] = {0.5, 0.55, 1};

    (void)state;
    for (size_t i = 0; i < sizeof cycles / sizeof *cycles; i++) {
        const struct finding *f = taken_per_cycle(cycles[i], 2);
        assert_true(fabs(f->value * cycles[i] - 1) < 1e-9);
        assert_true(f->low < f->value && f->value < f->high);
    }
    /* where one placement is not known, that may be the fastest */
    assert_int_equal(taken_per_cycle(1, NAN)->reason, REASON_NOT_STEADY);
}

/* Bytes between targets and branches up to which two go in a cycle: where a branch costs 0.5, and then `behind`. */
static const struct finding *two_taken(double behind, double nop_cycles)
{
    given_start(true);
    given_curve = flat_curve;
    one_more = lines_apart = 0.5;
    two_end = 16;
    farther = behind;
    nops = nop_cycles;
    together = apart = (double)NAN;
    run_probe("taken_branches");
    two_end = SIZE_MAX;
    return given_finding("frontend.btb.two_taken_bytes", 0);
}

/* TAKEN_TWO_MOST: 0.55 cycles are two branches in a cycle, now and then one (Apple's M4); one cycle is one branch. */
static void two_a_cycle_end_at_a_distance(void **state)
{
    (void)state;
    const struct finding *f = two_taken(1, 0.5);
    assert_true(f->value == 16 && f->low == 16 && f->high == 24);
    assert_int_equal(two_taken(0.55, 0.5)->reason, REASON_FIXED_RANGE_ENDS);
    assert_int_equal(two_taken(2, 0.5)->grade, 'C');
}

/* TAKEN_TWO_CYCLES: 24 bytes and a branch are delivered in half a cycle, or in 0.27; or in 0.87, or 2.7. */
static void slow_delivery_hides_where_two_a_cycle_end(void **state)
{
    (void)state;
    assert_true(two_taken(1, 1.5)->value == 16);
    assert_true(two_taken(1, 0.8)->value == 16);
    assert_int_equal(two_taken(1, 2.6)->reason, REASON_MASKED_BY_DECODE);
    assert_int_equal(two_taken(1, 8)->reason, REASON_MASKED_BY_DECODE);
    assert_int_equal(taken_per_cycle(1, 1)->grade, 'C');
    assert_int_equal(given_finding("frontend.btb.two_taken_bytes", 0)->reason, REASON_NO_TWO_TAKEN);
}

/* TAKEN_RATE_ALIKE: two percent are noise; a seventh of a cycle is not. */
static void placements_that_are_as_fast_are_named(void **state)
{
    (void)state;
    assert_non_null(strstr(taken_per_cycle(1, 1.02)->remarks[0].text, "lines apart"));
    assert_null(strstr(taken_per_cycle(1, 1.14)->remarks[0].text, "lines apart"));
}

/*
 * SHARED_ALIKE: a count found to 2 % above the end of the level and one as far below, 1,044 and 502, have the ratio of
 * 1,024 and 512. Where three branches in five share an entry, the ratio is 1.6.
 */
static void shared_entries_hold_twice_the_branches(void **state)
{
    (void)state;
    assert_true(are_shared(1044, 502));
    assert_false(are_shared(1024, 640));
    assert_false(are_shared(1024, 1024));
}

/* SHARED_PAST: a ratio of two at four times the first level's capacity belongs to the second level. */
static void the_second_level_does_not_show_shared_entries_of_the_first(void **state)
{
    (void)state;
    assert_true(are_shared(1200, 600));
    assert_false(are_shared(4096, 2048));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_patterns_see_the_same_cache_a_step_apart),
        cmocka_unit_test(an_unknown_second_level_is_larger_than_any_instruction_cache),
        cmocka_unit_test(a_second_level_is_left_before_its_end),
        cmocka_unit_test(the_interval_reaches_to_half_of_the_rise),
        cmocka_unit_test(an_instruction_cache_of_half_the_second_level_is_found),
        cmocka_unit_test(an_instruction_cache_about_as_large_as_the_second_level_is_found),
        cmocka_unit_test(two_ends_before_an_unknown_second_level_are_undecided),
        cmocka_unit_test(the_number_is_what_mispredicted_jumps_show),
        cmocka_unit_test(straight_code_of_another_cache_contradicts),
        cmocka_unit_test(taken_branches_a_cycle_may_be_a_fraction),
        cmocka_unit_test(two_a_cycle_end_at_a_distance),
        cmocka_unit_test(slow_delivery_hides_where_two_a_cycle_end),
        cmocka_unit_test(placements_that_are_as_fast_are_named),
        cmocka_unit_test(shared_entries_hold_twice_the_branches),
        cmocka_unit_test(the_second_level_does_not_show_shared_entries_of_the_first),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
