/*
 * lib/structure/table_search: lengths of histories, and what a search makes of samples that err, from tables that are
 * given and not measured.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/base/random.h"
#include "lib/structure/table_search.h"

/* Tables whose histories end behind so many branches; the longest last. */
struct tables {
    unsigned lengths[TABLES_MOST], count;
    unsigned width;   /* of a window */
    double last_seen; /* part of the layouts in which the last branch of a history shows */
    double stray;     /* part of the layouts in which the bearer shows where no table sees it */
    double wrong;     /* part of the samples that show an unpredicted branch as predicted, in any layout */
    uint64_t random;
};

static double chance(uint64_t *random)
{
    return (double)random_below(random, 1 << 20) / (1 << 20);
}

static bool sees(const struct tables *t, unsigned dummies, bool random, double layout)
{
    for (unsigned i = 0; i < t->count; i++) {
        const unsigned behind = t->lengths[i] - dummies; /* branches that the table sees from the bearer on */
        if (dummies < t->lengths[i] && (!random || behind <= t->width) && (behind > 1 || layout < t->last_seen))
            return true;
    }
    return false;
}

static bool sample(void *context, unsigned dummies, bool random, uint64_t layout, bool *predicted)
{
    struct tables *t = context;
    const double first = chance(&layout), second = chance(&layout);

    *predicted = sees(t, dummies, random, first) || second < t->stray || chance(&t->random) < t->wrong;
    return true;
}

static unsigned search(struct tables *t, struct table_window found[TABLES_MOST], unsigned *longest)
{
    uint64_t layouts = t->random;
    const struct table_search s = {.limit = 640, .random = &layouts, .sample = sample, .context = t};
    unsigned count = 0;
    bool ends;

    assert_true(table_reach(&s, longest, &ends));
    assert_true(ends);
    assert_true(table_lengths(&s, *longest, found, &count));
    return count;
}

/* All lengths are found, and no others. */
static unsigned mistakes(struct tables t, unsigned runs)
{
    unsigned wrong = 0;

    for (unsigned run = 1; run <= runs; run++) {
        struct table_window found[TABLES_MOST];
        unsigned longest = 0;
        t.random = run;
        const unsigned count = search(&t, found, &longest);
        bool right = count == t.count && longest + 1 == t.lengths[t.count - 1];
        for (unsigned i = 0; i < count && right; i++)
            right = found[i].last + 1 == t.lengths[t.count - 1 - i];
        wrong += !right;
    }
    return wrong;
}

static void published_lengths_are_found(void **state)
{
    (void)state;
    /* in branches: Skylake, Golden Cove, Firestorm, Oryon */
    assert_int_equal(mistakes((struct tables){{11, 29, 93}, 3, 2, 1, 0, 0, 0}, 20), 0);
    assert_int_equal(mistakes((struct tables){{18, 34, 66, 194}, 4, 2, 1, 0, 0, 0}, 20), 0);
    assert_int_equal(mistakes((struct tables){{6, 11, 18, 32, 57, 100}, 6, 2, 1, 0, 0, 0}, 20), 0);
    assert_int_equal(mistakes((struct tables){{4, 7, 14, 27, 52, 100}, 6, 2, 1, 0, 0, 0}, 20), 0);
}

/* A single bit at the end of a history, stray predictions, and samples that err: as on Zen 4, and worse. */
static void chance_does_not_mislead(void **state)
{
    (void)state;
    assert_in_range(mistakes((struct tables){{11, 29, 93}, 3, 2, 0.5, 0, 0, 0}, 200), 0, 4);
    assert_in_range(mistakes((struct tables){{46, 86, 158, 292}, 4, 12, 0.5, 0.05, 0.004, 0}, 100), 0, 4);
    assert_in_range(mistakes((struct tables){{46, 86, 158, 292}, 4, 12, 1, 0.05, 0.2, 0}, 100), 0, 4);
}

/* Where the bearer shows in one layout of ten by itself, a window seldom begins more than a branch earlier. */
static void windows_begin_where_they_do(void **state)
{
    (void)state;
    unsigned early = 0;

    for (unsigned run = 1; run <= 100; run++) {
        struct tables t = {{86, 158}, 2, 12, 1, 0.1, 0, run};
        struct table_window found[TABLES_MOST];
        unsigned longest = 0;
        search(&t, found, &longest);
        early += found[0].first + 1 < 146 ? 1 : 0;
    }
    assert_in_range(early, 0, 10);
}

/* Windows: of one table each, up to the first one that may be those of two. */
static void close_lengths_are_not_distinguished(void **state)
{
    (void)state;
    const struct table_window narrow[] = {{91, 92}, {26, 28}, {9, 10}}, touching[] = {{91, 92}, {25, 28}, {9, 10}};
    const struct table_window zen4[] = {{528, 539}, {281, 291}, {146, 157}, {73, 85}, {26, 45}, {0, 21}};

    assert_int_equal(table_distinct(narrow, 3), 3);
    assert_int_equal(table_distinct(touching, 3), 1);
    assert_int_equal(table_distinct(zen4, 6), 4);
    assert_int_equal(table_distinct((const struct table_window[]){{0, 29}}, 1), 0);
    assert_int_equal(table_distinct((const struct table_window[]){{16, 29}}, 1), 0);
    assert_int_equal(table_distinct((const struct table_window[]){{22, 29}}, 1), 1);
    assert_int_equal(table_distinct((const struct table_window[]){{25, 29}, {0, 3}}, 2), 1);
    assert_int_equal(table_distinct(NULL, 0), 0);
}

static void without_history_there_is_no_end(void **state)
{
    (void)state;
    struct tables none = {.count = 0, .random = 1}, long_one = {{700}, 1, 2, 1, 0, 0, 1};
    uint64_t layouts = 1;
    struct table_search s = {.limit = 640, .random = &layouts, .sample = sample, .context = &none};
    unsigned last;
    bool ends;

    assert_true(table_reach(&s, &last, &ends));
    assert_false(ends);
    assert_int_equal(last, 0);
    s.context = &long_one;
    assert_true(table_reach(&s, &last, &ends));
    assert_false(ends);
    assert_int_equal(last, 639);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_lengths_are_found),     cmocka_unit_test(chance_does_not_mislead),
        cmocka_unit_test(windows_begin_where_they_do),     cmocka_unit_test(close_lengths_are_not_distinguished),
        cmocka_unit_test(without_history_there_is_no_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
