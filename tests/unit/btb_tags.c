/* Tags of branch target buffers from which differences of addresses collide: lib/structure/btb_tags.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/structure/btb_tags.h"

/* A level that distinguishes branches by the XORs of these address bits. */
struct level {
    const uint64_t *masks;
    size_t count;
    unsigned calls, last; /* after the call `last` the probe is over; 0: never */
};

static uint64_t bit(unsigned i)
{
    return UINT64_C(1) << i;
}

static bool collide(void *context, uint64_t difference, bool *result)
{
    struct level *l = context;

    *result = true;
    for (size_t i = 0; i < l->count; i++)
        *result &= !__builtin_parityll(l->masks[i] & difference);
    return ++l->calls != l->last;
}

static void masks_are_found(void **state)
{
    const uint64_t masks[] = {bit(12), bit(13) | bit(20), bit(14) | bit(21) | bit(23), bit(15)};
    struct level l = {.masks = masks, .count = 4};
    const struct btb_tag_trial t = {collide, &l};
    struct btb_tags found;
    char text[BTB_TAG_TEXT];

    (void)state;
    assert_true(btb_tags_find(&t, 0xfff000, &found));
    btb_tags_text(found.masks, found.count, text);
    assert_string_equal(text, "12 13^20 14^21^23 15");
    btb_tags_bits_text(found.ignored, text);
    assert_string_equal(text, "16 17 18 19 22");
    assert_true(btb_tags_collide(&found, bit(13) | bit(20) | bit(19)));
    assert_false(btb_tags_collide(&found, bit(13) | bit(21)));
}

static void nothing_is_found_where_nothing_matters(void **state)
{
    struct level l = {.count = 0};
    const struct btb_tag_trial t = {collide, &l};
    struct btb_tags found;
    char text[BTB_TAG_TEXT];

    (void)state;
    assert_true(btb_tags_find(&t, 0x3000, &found));
    assert_int_equal(found.count, 0);
    assert_int_equal(found.ignored, 0x3000);
    btb_tags_text(found.masks, found.count, text);
    assert_string_equal(text, "");
}

/* Half of the differences are to collide, and do; of the others some do not. */
static void differences_verify_what_they_should(void **state)
{
    const uint64_t masks[] = {bit(12) | bit(16), bit(13) | bit(17)};
    struct level l = {.masks = masks, .count = 2};
    const struct btb_tag_trial t = {collide, &l};
    struct btb_tags found;
    uint64_t random = 1;
    unsigned apart = 0;

    (void)state;
    assert_true(btb_tags_find(&t, 0x3f000, &found));
    for (unsigned i = 0; i < 64; i++) {
        const uint64_t d = btb_tags_draw(&found, i % 2, &random);
        assert_int_equal(d & ~UINT64_C(0x3f000), 0);
        apart += !btb_tags_collide(&found, d);
        if (i % 2)
            assert_true(btb_tags_collide(&found, d));
    }
    assert_true(apart >= 16);
}

static void a_probe_that_is_over_ends_the_search(void **state)
{
    const uint64_t masks[] = {bit(12), bit(13)};
    struct btb_tags found;

    (void)state;
    for (unsigned last = 1; last <= 3; last++) {
        struct level l = {.masks = masks, .count = 2, .last = last};
        const struct btb_tag_trial t = {collide, &l};
        assert_false(btb_tags_find(&t, 0x3000, &found));
        assert_int_equal(l.calls, last);
    }
}

/* Zen 4 in quarters of an octave, from 1,024 branches on: levels of one and of two cycles. */
static void levels_are_rows_of_equal_costs(void **state)
{
    const double cycles[] = {1, 1, 1.02, 1, 1.01, 1, 1.5, 2.02, 2.01, 2.03, 2.04, 2.05, 2.3, 4, 7.9, 8, 8, 8.1, 8};
    const size_t count = sizeof cycles / sizeof *cycles;
    size_t second[3];

    (void)state;
    assert_int_equal(btb_tags_levels(cycles, count, second, 3), 2);
    assert_int_equal(second[0], 1);
    assert_int_equal(second[1], 8);
    assert_int_equal(btb_tags_levels(cycles, count, second, 1), 1);
    /* too few points: no level; what costs as much as the last point: none either */
    assert_int_equal(btb_tags_levels(cycles + 4, count - 4, second, 3), 1);
    assert_int_equal(btb_tags_levels(cycles, 6, second, 3), 0);
    /* a disturbed last point does not make a level of those before it */
    const double disturbed[] = {1, 1, 1, 1, 8, 8, 8, 8, 20};
    assert_int_equal(btb_tags_levels(disturbed, 9, second, 3), 1);
    /* nor does one among those of a level make two levels of it */
    const double split[] = {1, 1, 1, 2, 1, 1, 1, 8, 8, 8, 8};
    assert_int_equal(btb_tags_levels(split, 11, second, 3), 1);
    /* nor is one that costs hardly less than none */
    const double near[] = {1, 1, 1, 1, 7, 7, 7, 7, 8, 8, 8, 8};
    assert_int_equal(btb_tags_levels(near, 12, second, 3), 1);
}

/* A quarter of a cycle of two and a half more is another level; a tenth of a cycle is not. */
static void levels_may_be_close(void **state)
{
    const double near[] = {2.5, 2.5, 2.5, 2.75, 2.75, 2.75, 9, 9, 9, 9};
    const double one[] = {2.5, 2.5, 2.6, 2.6, 9, 9, 9, 9};
    size_t second[3];

    (void)state;
    assert_int_equal(btb_tags_levels(near, 10, second, 3), 2);
    assert_int_equal(btb_tags_levels(one, 8, second, 3), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_are_found),
        cmocka_unit_test(nothing_is_found_where_nothing_matters),
        cmocka_unit_test(differences_verify_what_they_should),
        cmocka_unit_test(levels_are_rows_of_equal_costs),
        cmocka_unit_test(levels_may_be_close),
        cmocka_unit_test(a_probe_that_is_over_ends_the_search),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
