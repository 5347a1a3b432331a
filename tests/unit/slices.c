/* Functions that choose slices are found from labels of lines, of which a tenth is wrong, or nothing is. */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/random.h"
#include "lib/base/reason.h"
#include "lib/structure/slice_views.h"
#include "lib/structure/slices.h"

enum { LINE_SHIFT = 6, SLICES = 64, BASE = 4096 };

/* A function of the address, linear, in McCalpin's form, or published as a circuit. */
struct function {
    const char *name;
    unsigned slices;
    uint64_t masks[4]; /* of a linear one, of the address; the first is 0: it is another one */
    unsigned (*circuit)(uint64_t address, unsigned slices);
    unsigned period;    /* in lines; 0: it is another one */
    uint64_t moves[12]; /* masks that move the places of the period */
    uint8_t base[BASE];
};

static bool odd(uint64_t address, uint64_t mask)
{
    return __builtin_parityll(address & mask);
}

/* Rainer et al. 2025, LLCSliceReversing: slice_functions.h. */
static unsigned circuit(uint64_t a, unsigned slices)
{
    const bool s0 = odd(a, 0x4e2f28c200) && (odd(a, 0x1c5e518400) || odd(a, 0x38bca30800)),
               sa = odd(a, 0x138bca3080) && s0, sb = sa && !odd(a, 0x514afe6200), sc = sa && !sb,
               sd = odd(a, 0x49c5e51840) && (odd(a, 0x2717946100) || s0);
    const unsigned c2 = odd(a, 0x47435cf7c0) ^ (odd(a, 0x41b8e95100) && sc),
                   c3 = (unsigned)(!sd && odd(a, 0x138bca3080)) | (unsigned)sd << 1,
                   c5 = (unsigned)(!sa && odd(a, 0x2717946100)) | (unsigned)(!sa && odd(a, 0x49c5e51840)) << 1 |
                        (unsigned)sa << 2,
                   c9 = (unsigned)(!sb && (odd(a, 0x514afe6200) ^ (odd(a, 0x7d3e309800) && sc))) |
                        (unsigned)(!sb && (odd(a, 0x2717946100) ^ (odd(a, 0x5bdb5d5000) && sc))) << 1 |
                        (unsigned)(!sb && (odd(a, 0x49c5e51840) ^ (odd(a, 0x386b0e0a40) && sc))) << 2 |
                        (unsigned)sb << 3;
    const unsigned l6 = odd(a, 0x54c896c740), l6f = odd(a, 0x0a57f311c0), l9 = odd(a, 0x012c6a7a00),
                   l8 = odd(a, 0x0c56ad9300);

    switch (slices) {
    case 6: return l6 | c3 << 1;
    case 10: return l6 | c5 << 1;
    case 12: return l6 | l9 << 1 | c3 << 2;
    case 18: return c2 | c9 << 1;
    case 20: return l6 | l6f << 1 | c5 << 2;
    default: return l6 | l6f << 1 | l8 << 2 | c3 << 3;
    }
}

static unsigned slice_of(const struct function *f, uint64_t line)
{
    const uint64_t address = line << LINE_SHIFT;
    unsigned slice = 0, place;

    if (f->circuit)
        return f->circuit(address, f->slices);
    if (!f->period) {
        for (unsigned i = 0; i < 4 && f->masks[i]; i++)
            slice |= (unsigned)odd(address, f->masks[i]) << i;
        return slice;
    }
    place = (unsigned)(line % f->period);
    for (unsigned i = 0; 1U << i < f->period; i++)
        place ^= (unsigned)odd(address, f->moves[i]) << i;
    return f->base[place];
}

/* What is measured of a line: a label, which is wrong with that probability; SLICES: there is none. */
struct errors {
    double wrong, missing;
};

static double chance(uint64_t *random)
{
    return (double)(random_next(random) >> 11) / 9007199254740992.0;
}

static void label(const struct function *f, unsigned bits, const struct errors *e, uint64_t *random, uint8_t *labels)
{
    for (uint64_t line = 0; line >> bits == 0; line++) {
        const unsigned slice = slice_of(f, line);
        const double x = chance(random);
        labels[line] = (uint8_t)(x < e->missing ? SLICES
                                 : x < e->missing + e->wrong
                                     ? (slice + 1 + random_below(random, f->slices - 1)) % f->slices
                                     : slice);
    }
}

/* Labels have no order, so each is a view of its own: whether a line has it. */
static void find(const struct function *f, unsigned bits, const struct errors *e, uint64_t seed,
                 struct slice_function *out)
{
    const size_t lines = (size_t)1 << bits;
    uint8_t *labels = calloc(2 * lines, 1);
    double *view = calloc(2 * lines, sizeof *view);
    struct slice_sums sums;

    assert_non_null(labels);
    assert_non_null(view);
    assert_true(slice_sums_start(&sums, bits));
    label(f, bits, e, &seed, labels);
    label(f, bits, e, &seed, labels + lines);
    for (unsigned slice = 0; slice < f->slices; slice++) {
        for (size_t i = 0; i < 2 * lines; i++)
            view[i] = labels[i] == SLICES ? (double)NAN : labels[i] == slice;
        slice_sums_add(&sums, view, view + lines);
    }
    slice_function_find(&sums, out);
    slice_sums_free(&sums);
    free(view);
    free(labels);
}

/* Whether lines of equal parities are in one slice, and no parity could be left out. */
static bool explains(const struct slice_function *a, const struct function *f, unsigned bits)
{
    unsigned *slices = calloc((size_t)1 << a->count, sizeof *slices);
    bool right = true, needed = true;

    assert_non_null(slices);
    for (uint64_t line = 0; line >> bits == 0; line++) {
        unsigned *known = &slices[slice_parities(a, line)];
        right &= !*known || *known == slice_of(f, line) + 1;
        *known = slice_of(f, line) + 1;
    }
    for (size_t d = 1; d >> a->count == 0; d++) {
        bool differ = false;
        for (size_t i = 0; i >> a->count == 0; i++)
            differ |= slices[i] != slices[i ^ d];
        needed &= differ;
    }
    free(slices);
    return right && needed;
}

static void expect(const struct function *f, unsigned bits, const struct errors *e, uint64_t seed)
{
    struct slice_function a;

    find(f, bits, e, seed, &a);
    if (a.reason)
        fail_msg("%s, seed %u: %s", f->name, (unsigned)seed, reasons[a.reason].token);
    if (!explains(&a, f, bits))
        fail_msg("%s, seed %u: another function, of %u masks", f->name, (unsigned)seed, (unsigned)a.count);
}

static const struct errors a_tenth = {.wrong = 0.1}, few_missing = {.wrong = 0.1, .missing = 0.02};

static const struct function published[] = {
    {.name = "2 slices", .slices = 2, .masks = {0x1b5f575440}},
    {.name = "4 slices", .slices = 4, .masks = {0x1b5f575440, 0x2eb5faa880}},
    {.name = "8 slices", .slices = 8, .masks = {0x1b5f575440, 0x2eb5faa880, 0x3cccc93100}},
    {.name = "16 slices", .slices = 16, .masks = {0x1b5f575440, 0x0eb5faa880, 0x1cccc93100, 0x11aeeb1200}},
    {.name = "6 slices", .slices = 6, .circuit = circuit},
    {.name = "10 slices", .slices = 10, .circuit = circuit},
    {.name = "12 slices", .slices = 12, .circuit = circuit},
    {.name = "18 slices", .slices = 18, .circuit = circuit},
    {.name = "20 slices", .slices = 20, .circuit = circuit},
    {.name = "24 slices", .slices = 24, .circuit = circuit},
};

static void circuits_are_those_that_were_published(void **state)
{
    static const uint64_t addresses[] = {0, 0x40, 0x1240, 0x12345640, 0x123456780, 0x3fffffffc0};
    static const struct {
        unsigned slices, slice[6];
    } vectors[] = {{6, {0, 1, 2, 0, 5, 1}},   {10, {0, 5, 0, 2, 7, 1}},   {12, {0, 1, 4, 0, 9, 3}},
                   {18, {0, 9, 3, 4, 15, 3}}, {20, {0, 11, 0, 4, 13, 3}}, {24, {0, 3, 8, 0, 21, 7}}};

    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        for (size_t j = 0; j < sizeof addresses / sizeof *addresses; j++)
            assert_int_equal(circuit(addresses[j], vectors[i].slices), vectors[i].slice[j]);
}

static void published_functions_come_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        for (uint64_t seed = 1; seed <= 2; seed++)
            expect(&published[i], 15, seed == 1 ? &a_tenth : &few_missing, seed);
}

static void functions_are_written_by_the_fewest_bits(void **state)
{
    struct slice_function a;
    char text[256];

    (void)state;
    find(&published[0], 15, &a_tenth, 1, &a);
    slice_function_text(&a, 64, text, sizeof text);
    assert_string_equal(text, "6^10^12^14^16^17^18^20"); /* of 1b5f575440, the bits 6 to 20 */
}

/* A base sequence in which each slice has as many places as any other, or one more, in random order. */
static void draw_base(struct function *f, uint64_t *random)
{
    for (unsigned i = 0; i < f->period; i++)
        f->base[i] = (uint8_t)(i % f->slices);
    random_shuffle(f->base, f->period, 1, random);
}

/*
 * The masks of 28 slices of Skylake-SP (McCalpin 2021, TR-2021-03). Only the beginning of their base sequence is here.
 */
static void the_published_permutation_of_a_base_sequence_comes_back(void **state)
{
    struct function f = {.name = "28 slices",
                         .slices = 28,
                         .period = 4096,
                         .moves = {0x32770c0000, 0x3433d40000, 0x39a2900000, 0x3857680000, 0x1ad2880000, 0x1a6ae40000,
                                   0x2b2fc40000, 0x24b6540000, 0x3a03500000, 0x0c7b100000, 0x0af7c80000, 0x28218c0000}};
    struct slice_function a;
    uint64_t random = 1;
    char text[256];

    (void)state;
    draw_base(&f, &random);
    expect(&f, 15, &a_tenth, 1);
    find(&f, 15, &a_tenth, 2, &a);
    assert_int_equal(a.period_bits, 12);
    slice_function_text(&a, 64, text, sizeof text);
    assert_memory_equal(text, "4096 lines by 6^18 7^18 8^20 9^19", strlen("4096 lines by 6"));
    for (unsigned i = 0; i < a.period_bits; i++) /* address bits 18 to 20 of each */
        assert_int_equal((a.masks[i] & ~UINT64_C(0xfff)) << LINE_SHIFT, f.moves[i] & 0x1fffc0);
}

/* Any number of slices, and any period at least as long: all decided functions are right, and most are decided. */
static void drawn_functions_come_back(void **state)
{
    const unsigned bits = 13;

    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct function f = {.name = "drawn"};
        uint64_t random = seed;
        if (seed % 3 == 0) {
            const unsigned masks = 1 + (unsigned)random_below(&random, 4);
            f.slices = 1U << masks;
            for (unsigned i = 0; i < masks; i++) /* independent, as each has a bit that no other has */
                f.masks[i] = (random_next(&random) & 0x7fc00) | UINT64_C(1) << (LINE_SHIFT + i);
        } else {
            f.slices = 3 + (unsigned)random_below(&random, 58);
            f.period = 64U << random_below(&random, 5);
            for (unsigned i = 0; 1U << i < f.period; i++)
                f.moves[i] = random_next(&random) & ~(((uint64_t)f.period << LINE_SHIFT) - 1);
            draw_base(&f, &random);
        }
        expect(&f, bits, seed % 2 ? &a_tenth : &few_missing, seed);
    }
}

static void without_a_pattern_nothing_is_decided(void **state)
{
    static const struct errors half = {.wrong = 0.5}, most_missing = {.wrong = 0.1, .missing = 0.95};
    struct function f = {.name = "random", .slices = 8, .period = BASE}, one = {.name = "one", .slices = 1};
    struct slice_function a;

    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        uint64_t random = seed;
        draw_base(&f, &random);
        find(&f, 12, &a_tenth, seed, &a); /* each line is drawn by itself: it repeats, but has no period */
        assert_int_equal(a.reason, REASON_NO_PERIOD);
        find(&f, 13, &a_tenth, seed, &a); /* the period is too long */
        assert_int_equal(a.reason, REASON_NO_PERIOD);
        f.slices = 2; /* all labels wrong would be all right with two */
        draw_base(&f, &random);
        find(&f, 13, &half, seed, &a);
        assert_int_equal(a.reason, REASON_NO_DIFFERENCE);
        f.slices = 8;
        find(&published[2], 8, &most_missing, seed, &a);
        assert_true(a.reason);
    }
    find(&one, 10, &(struct errors){0}, 1, &a);
    assert_int_equal(a.reason, REASON_NO_DIFFERENCE);
}

/* Measured times of 16 slices in a row, the case of SLICE_UNCHANGED: neighbours differ by one step. */
static void times_of_slices_in_a_row_decide(void **state)
{
    enum { BITS = 12, LINES = 1 << BITS };
    static double first[LINES], second[LINES];
    const struct function *f = &published[3];
    struct slice_function a;
    struct slice_sums sums;
    uint64_t random = 1;

    (void)state;
    for (int part = 0; part < 2; part++) { /* then lines have something of their own, 3 % of what steps make */
        assert_true(slice_sums_start(&sums, BITS));
        for (uint64_t i = 0; i < LINES; i++) {
            const double own = part ? chance(&random) * 2.8 : 0;
            first[i] = slice_of(f, i) + own + chance(&random);
            second[i] = slice_of(f, i) + own + chance(&random);
        }
        slice_sums_add(&sums, first, second);
        slice_function_find(&sums, &a);
        slice_sums_free(&sums);
        if (part)
            assert_true(a.reason);
        else
            assert_true(!a.reason && explains(&a, f, BITS));
    }
}

/* Cycles of 256 combinations of parities from two cores, on four slices; a core sees only whether they are even. */
static void distances_are_counted_and_views_compared(void **state)
{
    enum { COMBINATIONS = 256 };
    static double means[2][COMBINATIONS], likewise[COMBINATIONS];
    struct slice_view views[] = {{.means = means[0], .error = 0.01}, {.means = means[1], .error = 0.01}},
                      other = {.means = likewise};

    (void)state;
    for (unsigned i = 0; i < COMBINATIONS; i++) {
        means[0][i] = 40 + i % 2;
        means[1][i] = 50 - i / 2 % 2;
        likewise[i] = 90 - 3 * means[0][i] + (i % 8 ? 0 : 0.5);
    }
    assert_int_equal(slice_views_distances(views, 1, COMBINATIONS), 2);
    assert_int_equal(slice_views_distances(views, 2, COMBINATIONS), 4);
    assert_false(slice_views_alike(&views[0], &views[1], COMBINATIONS));
    assert_true(slice_views_alike(&views[0], &other, COMBINATIONS));
    means[0][7] = 60; /* one combination is less than a slice can have */
    assert_int_equal(slice_views_distances(views, 1, COMBINATIONS), 2);
    means[0][7] = 41;
    views[0].error = 0.2; /* six of them are more than what differs */
    assert_int_equal(slice_views_distances(views, 1, COMBINATIONS), 1);
    views[0].error = 0;
    for (unsigned i = 0; i < COMBINATIONS; i++)
        means[0][i] = 40 + 0.4 * (i % 2); /* less than half a cycle */
    assert_int_equal(slice_views_distances(views, 1, COMBINATIONS), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circuits_are_those_that_were_published),
        cmocka_unit_test(published_functions_come_back),
        cmocka_unit_test(functions_are_written_by_the_fewest_bits),
        cmocka_unit_test(the_published_permutation_of_a_base_sequence_comes_back),
        cmocka_unit_test(drawn_functions_come_back),
        cmocka_unit_test(without_a_pattern_nothing_is_decided),
        cmocka_unit_test(times_of_slices_in_a_row_decide),
        cmocka_unit_test(distances_are_counted_and_views_compared),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
