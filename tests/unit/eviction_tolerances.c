/* Eviction sets on a modelled second-level cache, and the thresholds that they need (lib/structure/eviction_sets.c). */
/* link: tests/unit/structure/given.c tests/unit/structure/profile.c */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/structure/eviction_sets.h"
#include "tests/unit/structure/given.h"

/*
 * Pages of one colour share their sets: 8 ways of 16 colours hold 128 pages. The pool is as large as probe cache_sets
 * makes it.
 */
enum {
    PAGE_LINES = PAGE_BYTES / POINTER_CHASE_LINE_BYTES,
    COLOURS = 16,
    WAYS = 8,
    HELD = COLOURS * WAYS,
    POOL = EVICTION_POOL_FACTOR * HELD,
    HIT = 14 /* cycles */
};

static unsigned colour[POOL];
static double miss; /* by which a miss takes longer than a hit, in cycles */
static double misses, loads;

bool pointer_chase_map(struct probe *p, struct pointer_chase *c, size_t bytes)
{
    (void)p;
    c->ring.bytes = bytes;
    return true;
}

/* What a round over these lines misses where the policy keeps as many lines as a set has room for. */
void pointer_chase_scatter(struct probe *p, const struct pointer_chase *c, size_t *offsets, size_t count)
{
    unsigned lines[COLOURS][PAGE_LINES] = {0};

    (void)p;
    (void)c;
    misses = 0;
    loads = (double)count;
    for (size_t i = 0; i < count; i++)
        misses += ++lines[colour[offsets[i] / PAGE_BYTES]][offsets[i] % PAGE_BYTES / POINTER_CHASE_LINE_BYTES] > WAYS;
}

unsigned pointer_chase_unroll(size_t lines, unsigned at_least)
{
    (void)lines;
    return at_least;
}

bool pointer_chase_kernel(struct probe *p, const struct pointer_chase *c, unsigned unroll, struct kernel *k)
{
    (void)p;
    (void)c;
    k->units = unroll;
    return true;
}

bool probe_measure(struct probe *p, const struct kernel *k, struct point *out)
{
    (void)p;
    (void)k;
    *out = (struct point){.q20 = HIT + miss * misses / loads};
    return true;
}

double meter_seconds(const struct meter *m)
{
    (void)m;
    return 0;
}

/* Colours in turn, but that the last page of the last colour comes behind so many pages that do not fit. */
static void deal_colours(size_t late)
{
    for (unsigned page = 0; page < POOL; page++) {
        const bool waits = page >= HELD - 1 && page < HELD - 1 + late;
        colour[page] = page == HELD - 1 + late ? COLOURS - 1 : page % (waits ? COLOURS - 1 : COLOURS);
    }
}

static enum reason find(size_t lines, double miss_cycles, size_t *collected, double ways[EVICTION_SETS])
{
    struct eviction_sets e;

    miss = miss_cycles;
    given_start(false);
    given_probe.run->meter.chain_iterations = 1;
    given_probe.random = 1;
    assert_true(eviction_sets_map(&given_probe, &e, POOL, PAGE_BYTES));
    assert_true(eviction_sets_find(&e, lines, 1, ways));
    *collected = e.collected_count;
    eviction_sets_free(&e);
    return e.reason;
}

/* The collection fills all sets although its last page comes `late`, and each set has its ways. */
static void assert_all_found(size_t lines, size_t late)
{
    double ways[EVICTION_SETS];
    size_t collected;

    deal_colours(late);
    assert_int_equal(find(lines, 30, &collected, ways), REASON_NONE);
    assert_int_equal(collected, HELD);
    for (size_t i = 0; i < EVICTION_SETS; i++)
        assert_true(ways[i] == WAYS);
}

/* EVICTION_MISS: a policy that keeps what it can misses one line in each round, not all of an overfilled set. */
static void one_miss_in_a_round_is_a_conflict(void **state)
{
    (void)state;
    assert_all_found(1, 0);
}

/* EVICTION_REJECTED: 40 pages in a row are a third of 127, and by chance none of them fits. */
static void a_page_that_fits_is_found_behind_many_that_do_not(void **state)
{
    (void)state;
    assert_all_found(1, 40);
}

/* EVICTION_REJECTED_LINES: 20 pages in a row. */
static void the_same_with_several_lines_of_each_page(void **state)
{
    (void)state;
    assert_all_found(EVICTION_LINES, 20);
}

/* LEVEL_RISES: of misses that take 20 or 150 % longer only the latter can be told from hits. */
static void misses_have_to_take_longer_than_hits(void **state)
{
    double ways[EVICTION_SETS];
    size_t collected;

    (void)state;
    deal_colours(0);
    assert_int_equal(find(1, 0.2 * HIT, &collected, ways), REASON_NO_CONTRAST);
    assert_int_equal(find(1, 1.5 * HIT, &collected, ways), REASON_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_miss_in_a_round_is_a_conflict),
        cmocka_unit_test(a_page_that_fits_is_found_behind_many_that_do_not),
        cmocka_unit_test(the_same_with_several_lines_of_each_page),
        cmocka_unit_test(misses_have_to_take_longer_than_hits),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
