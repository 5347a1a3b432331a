/* Thresholds of lib/structure/tolerances_hierarchy.h at work: TLBs, whose curves are given and not measured. */
/* link: tests/unit/structure/given.c tests/unit/structure/profile.c */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/kernels/pages.h"
#include "lib/probe/proof.h"
#include "lib/structure/page_chase.h"
#include "lib/structure/tlb.h"
#include "lib/structure/tlb_coalescing.h"
#include "lib/structure/tlb_index.h"
#include "tests/unit/structure/given.h"

static bool simulated;

bool probe_is_simulated(const struct probe *p)
{
    (void)p;
    return simulated;
}

bool proof_of_knee(struct probe *p, const struct sweep *s, size_t knee, const char *const *needs, char text[PROOF_TEXT])
{
    (void)p;
    (void)s;
    (void)knee;
    (void)needs;
    text[0] = 0;
    return true;
}

/* ---- TLBs ----------------------------------------------------------------------------------------- */

enum { FIRST_LEVEL = 64, HIT = 4, PAGE_MISS = 8 };

static const struct tlb dtlb = {.entries = "entries",
                                .miss_cycles = "miss_cycles",
                                .ways = "ways",
                                .index_bits = "bits",
                                .page_bytes = PAGE_BYTES,
                                .access = "load",
                                .resolution = 0.02,
                                .fewest = 2,
                                .near_end = 4096,
                                .most = 4096};

static double measured_at;
static double (*cycles_at)(double pages, double length_factor);

static bool build_pages(struct probe *p, double pages, void *context, struct kernel *k)
{
    (void)p;
    (void)context;
    (void)k;
    measured_at = pages;
    return true;
}

bool probe_measure(struct probe *p, const struct kernel *k, struct point *out)
{
    (void)p;
    *out = (struct point){.q20 = cycles_at(measured_at, k->length_factor)};
    return true;
}

static struct verdict one_level(const struct sweep *s)
{
    (void)s;
    return given_step(HIT, HIT + PAGE_MISS, FIRST_LEVEL);
}

/* How often the near range is searched until no step is caused by the readings. */
static size_t searches_until_readings_are_long_enough(double (*cycles)(double pages, double length_factor))
{
    const struct sweep experiment = {.name = "pages", .confounder = "caches", .build = build_pages};
    struct tlb_first first;

    given_start(true);
    given_curve = one_level;
    cycles_at = cycles;
    assert_true(tlb_levels(&given_probe, &dtlb, &experiment, 1, &first));
    return given_searches;
}

/* Pages that a reading touches besides cost a quarter of the cycles in usual readings, and in longer ones less. */
static double shrinks(double pages, double length_factor)
{
    return HIT + (pages > FIRST_LEVEL ? 1 / length_factor : 0);
}

/* A step that is halved and more by longer readings, whatever the usual length is. */
static double shrinks_always(double pages, double length_factor)
{
    const double usual = given_searched[given_searches - 1].length_factor;

    return HIT + (pages <= FIRST_LEVEL ? 0 : length_factor > 1.5 * usual ? 0.1 : 1);
}

static double stays(double pages, double length_factor)
{
    (void)length_factor;
    return HIT + (pages > FIRST_LEVEL ? PAGE_MISS : 0);
}

/* READINGS_LONGER: in readings at least 13 times as long a quarter is less than the 2 % that a level may differ by. */
static void readings_that_are_made_longer_once_are_long_enough(void **state)
{
    (void)state;
    assert_int_equal(searches_until_readings_are_long_enough(stays), 1);
    assert_int_equal(searches_until_readings_are_long_enough(shrinks), 2);
}

/* READINGS_LONGEST: a step that still shrinks when readings are hundreds of times as long is not caused by them. */
static void readings_are_not_made_longer_than_twice(void **state)
{
    (void)state;
    assert_int_equal(searches_until_readings_are_long_enough(shrinks_always), 3);
}

/*
 * What jumps on other lines cost: before the rise beyond the first ones, and of the rise, near its end and behind it.
 */
static struct elsewhere {
    double before, near, beyond;
} elsewhere;
/* Cycles that a miss costs a jump. */
static double code_miss;

/* Cycles of the jumps on the first lines, by `context` NULL, or on others; those of the control for &control. */
static const void *measured;
static const char control;

static bool build_lines(struct probe *p, double pages, void *context, struct kernel *k)
{
    measured = context;
    return build_pages(p, pages, NULL, k);
}

static bool build_control(struct probe *p, double pages, void *context, struct kernel *k)
{
    (void)context;
    measured = &control;
    return build_pages(p, pages, NULL, k);
}

static double cycles_of_lines(double pages, double length_factor)
{
    const struct elsewhere *e = measured;

    (void)length_factor;
    if (measured == &control)
        return 1;
    if (pages <= FIRST_LEVEL)
        return HIT + (e ? e->before * code_miss : 0);
    return HIT + code_miss * (!e ? 1 : pages < 1.4 * FIRST_LEVEL ? e->near : e->beyond);
}

static struct verdict one_level_of_code(const struct sweep *s)
{
    (void)s;
    return given_step(HIT, HIT + code_miss, FIRST_LEVEL);
}

/* Whether the level is decided, where jumps on other lines cost that. */
static bool is_level_of_pages(double before, double near, double beyond)
{
    const struct sweep here = {.name = "pages", .confounder = "caches", .build = build_lines, .control = build_control},
                       other = {.build = build_lines, .control = build_control, .context = &elsewhere};
    struct tlb itlb = dtlb;
    struct tlb_first first;

    elsewhere = (struct elsewhere){before, near, beyond};
    itlb.elsewhere = &other;
    itlb.elsewhere_count = 1;
    given_start(true);
    given_curve = one_level_of_code;
    cycles_at = cycles_of_lines;
    assert_true(tlb_levels(&given_probe, &itlb, &here, 1, &first));
    const struct finding *f = given_finding("entries", 1);
    assert_true(isnan(f->value) ? f->reason == REASON_MASKED_BY_BTB : f->value == FIRST_LEVEL);
    assert_true(isnan(first.entries) == isnan(f->value));
    return !isnan(f->value);
}

static const double control_level = 160;

static struct verdict one_level_before_the_control_rises(const struct sweep *s)
{
    return s->search.to > control_level ? given_staircase(1, (double[]){HIT}, NULL) : one_level_of_code(s);
}

/* What branches cost may be hidden behind what pages cost: it ends a level if it is subtracted nevertheless. */
static void levels_are_looked_for_before_the_control_rises(void **state)
{
    struct sweep_sample samples[] = {{.x = FIRST_LEVEL, .y = HIT, .control = 0.1 * HIT / 3},
                                     {.x = 4 * FIRST_LEVEL, .y = HIT, .control = PAGE_MISS},
                                     {.x = control_level, .y = HIT + PAGE_MISS},
                                     {.x = 8 * FIRST_LEVEL, .y = HIT, .control = PAGE_MISS}};
    const struct sweep pages = {
        .name = "pages", .confounder = "caches", .build = build_lines, .control = build_control};
    struct tlb itlb = dtlb;
    struct tlb_first first;

    (void)state;
    itlb.resolution = 0.05;
    for (unsigned rises = 0; rises < 2; rises++) {
        given_start(true);
        given_curve = one_level_before_the_control_rises;
        given_samples = samples;
        given_sample_count = rises ? sizeof samples / sizeof samples[0] : 0;
        assert_true(tlb_levels(&given_probe, &itlb, &pages, 1, &first));
        assert_int_equal(given_searches, 1 + rises);
        assert_true(rises ? first.entries == FIRST_LEVEL : isnan(first.entries));
    }
    assert_true(given_searched[1].search.to == control_level);
}

/* Two steps: one before the end of the level, and that end. */
static double pages_before, rise_before;

static struct verdict a_step_before_the_end(const struct sweep *s)
{
    (void)s;
    return given_staircase(3, (double[]){HIT, HIT + rise_before, HIT + PAGE_MISS},
                           (double[]){FIRST_LEVEL - pages_before, FIRST_LEVEL});
}

static double cycles_do_not_shrink(double pages, double length_factor)
{
    (void)length_factor;
    return pages <= FIRST_LEVEL - pages_before ? HIT : pages <= FIRST_LEVEL ? HIT + rise_before : HIT + PAGE_MISS;
}

static double first_level_with_a_step_before(double pages, double rise)
{
    const struct sweep experiment = {.name = "pages", .confounder = "caches", .build = build_pages};
    struct tlb_first first;

    pages_before = pages;
    rise_before = rise;
    given_start(true);
    given_curve = a_step_before_the_end;
    cycles_at = cycles_do_not_shrink;
    assert_true(tlb_levels(&given_probe, &dtlb, &experiment, 1, &first));
    return first.entries;
}

/* READING_PAGES, TOUCHED_LOWER: low steps of the two or three pages of a reading belong to the end behind them. */
static void pages_that_a_reading_touches_end_no_level(void **state)
{
    (void)state;
    assert_true(first_level_with_a_step_before(2, 1) == FIRST_LEVEL);
    assert_true(first_level_with_a_step_before(3, 0.3 * PAGE_MISS) == FIRST_LEVEL);
    assert_true(first_level_with_a_step_before(3, 0.5 * PAGE_MISS) == FIRST_LEVEL - 3);
    assert_true(first_level_with_a_step_before(8, 1) == FIRST_LEVEL - 8);
}

static double half_at; /* x of the half of a ramp that begins at FIRST_LEVEL - 2 */

static struct verdict a_ramp_before_the_end(const struct sweep *s)
{
    struct verdict v = given_step(HIT, HIT + PAGE_MISS, FIRST_LEVEL - 2);

    (void)s;
    v.knees[0].ramp = true;
    v.knees[0].half_rise = v.knees[0].half_rise_low = half_at;
    v.knees[0].half_rise_high = half_at + 5;
    return v;
}

/* READING_PAGES: where half of the rise is so near, pages of the reading may be what the ramp begins with. */
static void a_ramp_may_begin_with_the_pages_of_a_reading(void **state)
{
    const struct sweep experiment = {.name = "pages", .confounder = "caches", .build = build_pages};
    struct tlb_first first;

    (void)state;
    simulated = true;
    for (unsigned far = 0; far < 2; far++) {
        given_start(true);
        given_curve = a_ramp_before_the_end;
        cycles_at = cycles_do_not_shrink;
        half_at = FIRST_LEVEL + (far ? 8 : 0);
        assert_true(tlb_levels(&given_probe, &dtlb, &experiment, 1, &first));
        assert_true(given_finding("entries", 1)->high == (far ? FIRST_LEVEL - 1 : half_at + 5));
    }
    simulated = false;
}

/* MOVED_RISE, MOVED_BEFORE: somewhat more or less is noise; what is far off depends on lines, as branches do. */
static void the_end_of_a_level_of_pages_does_not_depend_on_lines(void **state)
{
    (void)state;
    code_miss = 8;
    assert_true(is_level_of_pages(0, 1, 1));
    assert_true(is_level_of_pages(0, 1.3, 1.3));
    assert_true(is_level_of_pages(0.15, 1.15, 1.15));
    assert_false(is_level_of_pages(0, 2, 2));
    assert_false(is_level_of_pages(0, 0.5, 0.5));
    assert_false(is_level_of_pages(0.4, 1.4, 1.4));
}

/* MOVED_BEYOND, MOVED_STEP: as many branches may displace each other at the edge by chance, but not farther on. */
static void the_rise_is_looked_at_beyond_its_edge(void **state)
{
    (void)state;
    code_miss = 8;
    assert_false(is_level_of_pages(0, 1, 2));
}

/* MISS_LEAST: on Zen 4 a miss of the first level may cost 0.37 cycles; 0.2 may be a few branches that are displaced. */
static void a_low_rise_is_no_end_of_a_level_of_code(void **state)
{
    (void)state;
    code_miss = 0.37;
    assert_true(is_level_of_pages(0, 1, 1));
    code_miss = 0.2;
    assert_false(is_level_of_pages(0, 1, 1));
}

/* Counts and first heights of a level at each stride. */
static struct stride_curve {
    double count, hit;
} stride_curves[TLB_STRIDES];

static double edge_steps = 1; /* steps of the edge of each, up to one behind the count */

static struct verdict curve_of_stride(const struct sweep *s)
{
    const struct stride_curve *c = s->context;

    struct verdict v = given_step(c->hit, c->hit + PAGE_MISS, c->count);

    v.knees[0].low -= edge_steps - 1;
    v.knees[0].ramp = edge_steps > 1;
    return v;
}

/* The ways that the strides show of a level of FIRST_LEVEL entries. */
static const struct finding *ways_of_strides(const struct stride_curve curves[TLB_STRIDES])
{
    static const char *const names[TLB_STRIDES] = {"1", "2", "4", "8", "16", "32", "64"};
    struct sweep s[TLB_STRIDES];

    given_start(true);
    given_curve = curve_of_stride;
    memcpy(stride_curves, curves, sizeof stride_curves);
    for (size_t i = 0; i < TLB_STRIDES; i++)
        s[i] = (struct sweep){.name = names[i], .confounder = names[i], .context = &stride_curves[i]};
    assert_true(tlb_sets(&given_probe, &dtlb, s, FIRST_LEVEL));
    return given_finding("ways", 0);
}

/* STRIDE_RANGE: counts halve with each stride or stay the same; either needs an octave on both sides to be seen. */
static void strides_are_searched_well_beyond_what_they_may_hold(void **state)
{
    static const struct stride_curve all[TLB_STRIDES] = {{64, 4}, {64, 4}, {64, 4}, {64, 4}, {64, 4}, {64, 4}, {64, 4}};

    (void)state;
    ways_of_strides(all);
    assert_int_equal(given_searches, TLB_STRIDES);
    for (size_t i = 0; i < TLB_STRIDES; i++) {
        const double halved = FIRST_LEVEL / (double)(1U << i);
        assert_true(given_searched[i].search.from <= fmax(dtlb.fewest, halved / 2));
        assert_true(given_searched[i].search.to >= fmin(2 * FIRST_LEVEL, dtlb.most / (double)(1U << i)));
    }
}

/* ONE_SET_STRIDES: that strides up to 8 pages hold as many may still have another reason, but not up to 16 pages. */
static void as_many_pages_over_a_factor_of_sixteen_are_one_set(void **state)
{
    static const struct stride_curve eight[TLB_STRIDES] = {{64, 4}, {64, 4}, {64, 4}, {64, 4},
                                                           {50, 4}, {41, 4}, {27, 4}},
                                     sixteen[TLB_STRIDES] = {{64, 4}, {64, 4}, {64, 4}, {64, 4},
                                                             {64, 4}, {50, 4}, {41, 4}};

    (void)state;
    assert_true(isnan(ways_of_strides(eight)->value));
    assert_true(ways_of_strides(sixteen)->value == FIRST_LEVEL);
}

/* ONE_SET_EDGE: pages of the readings make an edge of two steps; with five, sets overflow one by one. */
static void a_level_of_one_set_ends_within_two_steps(void **state)
{
    static const struct stride_curve all[TLB_STRIDES] = {{64, 4}, {64, 4}, {64, 4}, {64, 4}, {64, 4}, {64, 4}, {64, 4}};

    (void)state;
    edge_steps = 2;
    assert_true(ways_of_strides(all)->value == FIRST_LEVEL);
    edge_steps = 5;
    assert_true(isnan(ways_of_strides(all)->value));
    edge_steps = 1;
}

/* SAME_HEIGHT_PART: 1 cycle that lines cost beside the 8 of a miss makes no level, half of a miss does. */
static void heights_that_differ_by_less_than_a_miss_are_one_level(void **state)
{
    static const struct stride_curve near[TLB_STRIDES] = {{64, 4}, {64, 4}, {64, 4}, {64, 5},
                                                          {64, 5}, {64, 5}, {64, 5}},
                                     far[TLB_STRIDES] = {{64, 4}, {64, 4}, {64, 4}, {64, 8}, {64, 8}, {64, 8}, {64, 8}};

    (void)state;
    assert_true(ways_of_strides(near)->value == FIRST_LEVEL);
    assert_true(isnan(ways_of_strides(far)->value));
}

/* DOUBLING_ALIKE: of 12 ways twice as many are seen as 22 to 26; 17 are neither these nor those, nor are 15 the ways of
 * pages that agree in more bits. */
static void pages_of_a_hypothesis_are_the_ways_times_a_power_of_two(void **state)
{
    const struct tlb_index h = {.slices = 1, .bits = 10};
    double resident[TLB_INDEX_BITS_MOST + 1];

    (void)state;
    for (size_t i = 0; i <= TLB_INDEX_BITS_MOST; i++)
        resident[i] = NAN;
    resident[7] = 24;
    resident[8] = 22;
    resident[9] = 26;
    assert_int_equal(tlb_index_bits(&h, resident, 12), 8);
    resident[11] = 14;
    assert_int_equal(tlb_index_bits(&h, resident, 12), 8);
    resident[11] = 15;
    assert_int_equal(tlb_index_bits(&h, resident, 12), 0);
    resident[11] = NAN;
    resident[9] = 17;
    assert_int_equal(tlb_index_bits(&h, resident, 12), 0);
}

bool pages_kernel_of(struct probe *p, const struct pages *r, const size_t *list, size_t count, size_t split,
                     struct kernel *k)
{
    (void)p;
    (void)r;
    (void)list;
    (void)count;
    (void)split;
    (void)k;
    return false;
}

const struct page_chase_kind page_chase_kinds[PAGE_CHASE_KINDS] = {{"shared lines", "way predictors"}};

struct sweep page_chase_sweep(const char *name, struct page_chase *c)
{
    return (struct sweep){.name = name, .context = c};
}

const char *pages_map(struct probe *p, struct pages *r, size_t count, size_t page_bytes, enum pages_frames kind)
{
    (void)p;
    *r = (struct pages){.kind = kind, .page_bytes = page_bytes, .count = count};
    return NULL;
}

void pages_unmap(struct probe *p, struct pages *r)
{
    (void)p;
    (void)r;
}

size_t pages_table_entries(size_t page_bytes)
{
    return page_bytes / 8;
}

static double rise;

static struct verdict four_pages_in_an_entry(const struct sweep *s)
{
    (void)s;
    return given_step(HIT, HIT + rise, 4 * FIRST_LEVEL);
}

/* MISS_ALIKE: a miss of 8 cycles is seen as 9 beside the misses of a cache, but not as 12. */
static void the_rise_at_the_end_of_a_level_is_a_miss(void **state)
{
    const struct tlb_first first = {.entries = FIRST_LEVEL, .miss_cycles = PAGE_MISS};

    (void)state;
    given_start(true);
    given_curve = four_pages_in_an_entry;
    rise = PAGE_MISS + 1;
    assert_true(tlb_coalescing(&given_probe, &dtlb, &first, PAGES_SHARED_LINES, PAGES_IN_ORDER));
    assert_true(given_finding("memory.dtlb.coalescing", 1)->value == 4);
    rise = PAGE_MISS + 4;
    assert_true(tlb_coalescing(&given_probe, &dtlb, &first, PAGES_SHARED_LINES, PAGES_IN_ORDER));
    assert_int_equal(given_finding("memory.dtlb.coalescing", 1)->reason, REASON_OTHER_LEVEL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readings_that_are_made_longer_once_are_long_enough),
        cmocka_unit_test(readings_are_not_made_longer_than_twice),
        cmocka_unit_test(a_ramp_may_begin_with_the_pages_of_a_reading),
        cmocka_unit_test(the_end_of_a_level_of_pages_does_not_depend_on_lines),
        cmocka_unit_test(levels_are_looked_for_before_the_control_rises),
        cmocka_unit_test(pages_that_a_reading_touches_end_no_level),
        cmocka_unit_test(the_rise_is_looked_at_beyond_its_edge),
        cmocka_unit_test(a_low_rise_is_no_end_of_a_level_of_code),
        cmocka_unit_test(strides_are_searched_well_beyond_what_they_may_hold),
        cmocka_unit_test(as_many_pages_over_a_factor_of_sixteen_are_one_set),
        cmocka_unit_test(a_level_of_one_set_ends_within_two_steps),
        cmocka_unit_test(heights_that_differ_by_less_than_a_miss_are_one_level),
        cmocka_unit_test(pages_of_a_hypothesis_are_the_ways_times_a_power_of_two),
        cmocka_unit_test(the_rise_at_the_end_of_a_level_is_a_miss),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
