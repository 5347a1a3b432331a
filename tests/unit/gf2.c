/*
 * Linear hashes from collisions: published hashes are found by simulated experiments of which every tenth is wrong, for
 * every seed; hashes that are not linear are reported as such. LONG=1: a thousand seeds for each.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/random.h"
#include "lib/base/reason.h"
#include "lib/structure/gf2.h"

#define BIT(n) (UINT64_C(1) << (n))
#define BITS(from, to) (BIT((to) + 1) - BIT(from))

enum { MOST = 12, CHECKS = 500 };

struct hash {
    const char *name;
    uint64_t bits;
    size_t count;
    uint64_t masks[MOST];
    uint64_t (*other)(uint64_t address); /* a hash that is not linear; NULL: the masks */
    unsigned calls; /* at most, with one result in ten wrong, on average of all seeds; 0: no limit */
};

struct drawn_experiment {
    const struct hash *hash;
    double error;
    uint64_t random;
    unsigned answers, most_answers; /* 0: any number */
};

static uint64_t hash_of(const struct hash *h, uint64_t address)
{
    uint64_t value = 0;

    if (h->other)
        return h->other(address);
    for (size_t i = 0; i < h->count; i++)
        value |= (uint64_t)__builtin_parityll(address & h->masks[i]) << i;
    return value;
}

static bool collide(void *context, uint64_t base, uint64_t difference, bool *answer)
{
    struct drawn_experiment *e = context;

    assert_int_equal((base | difference) & ~e->hash->bits, 0);
    assert_int_not_equal(difference, 0);
    if (e->most_answers && e->answers == e->most_answers)
        return false;
    e->answers++;
    *answer = hash_of(e->hash, base) == hash_of(e->hash, base ^ difference);
    if ((double)(random_next(&e->random) >> 11) / 9007199254740992.0 < e->error)
        *answer = !*answer;
    return true;
}

static struct gf2_request question(struct drawn_experiment *e, double error)
{
    return (struct gf2_request){.bits = e->hash->bits,
                                .most = MOST,
                                .checks = CHECKS,
                                .error = error,
                                .collide = collide,
                                .context = e,
                                .random = &e->random};
}

static bool find(const struct hash *h, double error, uint64_t seed, struct gf2_result *out)
{
    struct drawn_experiment e = {.hash = h, .error = error, .random = seed};
    const struct gf2_request q = question(&e, error > 0.1 ? 0.1 : error);

    return gf2_find(&q, out);
}

/* Row echelon form, which is the same for all sets of masks that describe the same hash. */
static void canonical(uint64_t *masks, size_t count)
{
    size_t done = 0;

    for (unsigned bit = GF2_BITS; bit-- > 0 && done < count;)
        for (size_t i = done; i < count; i++)
            if (masks[i] & BIT(bit)) {
                const uint64_t pivot = masks[i];
                masks[i] = masks[done];
                masks[done] = pivot;
                for (size_t j = 0; j < count; j++)
                    if (j != done && masks[j] & BIT(bit))
                        masks[j] ^= pivot;
                done++;
                break;
            }
}

static bool same_masks(const struct gf2_result *a, const struct hash *h)
{
    uint64_t found[GF2_MASKS], truth[GF2_MASKS];

    if (a->reason || a->count != h->count)
        return false;
    memcpy(found, a->masks, sizeof a->masks);
    memcpy(truth, h->masks, sizeof h->masks);
    canonical(found, a->count);
    canonical(truth, h->count);
    return !memcmp(found, truth, a->count * sizeof *found);
}

static unsigned weight(const uint64_t *masks, size_t count)
{
    unsigned sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += (unsigned)__builtin_popcountll(masks[i]);
    return sum;
}

static size_t seeds(size_t few)
{
    return getenv("LONG") ? 1000 : few;
}

/* ---- Published hashes --------------------------------------------------------------------------- */

static const struct hash published[] = {
    {.name = "Zen to Zen 5, tags of the data cache's ways", /* Lipp et al. 2020; jia.je */
     .bits = BITS(12, 46),
     .count = 8,
     .masks = {BIT(12) | BIT(27), BIT(13) | BIT(26), BIT(14) | BIT(25), BIT(15) | BIT(20), BIT(16) | BIT(21),
               BIT(17) | BIT(22), BIT(18) | BIT(23), BIT(19) | BIT(24)},
     .calls = 7879},
    {.name = "Bulldozer, the same", /* Lipp et al. 2020 */
     .bits = BITS(12, 46),
     .count = 7,
     .masks = {BIT(12) | BIT(21), BIT(13) | BIT(22), BIT(14) | BIT(23), BIT(15) | BIT(24), BIT(16) | BIT(25),
               BIT(17) | BIT(26), BIT(18) | BIT(27)},
     .calls = 7879},
    {.name = "Apple M1, the same: bits 14 to 47 folded by 8", /* jia.je */
     .bits = BITS(14, 47),
     .count = 8,
     .masks = {BIT(14) | BIT(22) | BIT(30) | BIT(38) | BIT(46), BIT(15) | BIT(23) | BIT(31) | BIT(39) | BIT(47),
               BIT(16) | BIT(24) | BIT(32) | BIT(40), BIT(17) | BIT(25) | BIT(33) | BIT(41),
               BIT(18) | BIT(26) | BIT(34) | BIT(42), BIT(19) | BIT(27) | BIT(35) | BIT(43),
               BIT(20) | BIT(28) | BIT(36) | BIT(44), BIT(21) | BIT(29) | BIT(37) | BIT(45)},
     .calls = 7879},
    {.name = "eight slices of Intel's last-level cache", /* Maurice et al. 2015, table 2 */
     .bits = BITS(6, 37),
     .count = 3,
     .masks = {UINT64_C(0x1b5f575440), UINT64_C(0x2eb5faa880), UINT64_C(0x3cccc93100)},
     .calls = 7879},
    {.name = "sets of Skylake's second-level TLB", /* Gras et al. 2018, TLBleed: XOR-7 */
     .bits = BITS(12, 46),
     .count = 7,
     .masks = {BIT(12) | BIT(19), BIT(13) | BIT(20), BIT(14) | BIT(21), BIT(15) | BIT(22), BIT(16) | BIT(23),
               BIT(17) | BIT(24), BIT(18) | BIT(25)},
     .calls = 7879},
    {.name = "Ampere Skylark: bits folded by 12, with gaps at 42 and 45", /* jia.je; those above the gaps move down */
     .bits = BITS(12, 47),
     .count = 12,
     .masks = {BIT(12) | BIT(24) | BIT(36), BIT(13) | BIT(25) | BIT(37), BIT(14) | BIT(26) | BIT(38),
               BIT(15) | BIT(27) | BIT(39), BIT(16) | BIT(28) | BIT(40), BIT(17) | BIT(29) | BIT(41),
               BIT(18) | BIT(30) | BIT(43), BIT(19) | BIT(31) | BIT(44), BIT(20) | BIT(32) | BIT(46), BIT(21) | BIT(33),
               BIT(22) | BIT(34), BIT(23) | BIT(35)},
     .calls = 36 * 4096},
};

static void published_hashes_come_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        const struct hash *h = &published[i];
        const size_t count = seeds(h->count > 8 ? 3 : 10);
        double calls = 0;
        size_t right = 0;
        for (uint64_t seed = 1; seed <= count; seed++) {
            struct gf2_result a;
            assert_true(find(h, 0.1, seed, &a));
            calls += a.calls;
            if (same_masks(&a, h) && weight(a.masks, a.count) <= weight(h->masks, h->count))
                right++;
            else
                print_message("# %s, seed %u: %s, %zu masks\n", h->name, (unsigned)seed,
                              a.reason ? reasons[a.reason].token : "wrong", a.count);
        }
        print_message("# %s: %zu of %zu, %.0f answers\n", h->name, right, count, calls / (double)count);
        assert_int_equal(right, count);
        assert_true(calls / (double)count <= h->calls);
    }
}

static void random_hashes_come_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds(100); seed++) {
        uint64_t random = seed, null = random_next(&random) & random_next(&random);
        struct hash h = {.name = "random", .bits = BITS(12, 40)};
        struct gf2_result a;
        h.count = (size_t)random_below(&random, 6);
        for (size_t i = 0; i < h.count; i++)
            h.masks[i] = random_next(&random) & h.bits & ~null;
        uint64_t reduced[GF2_MASKS];
        memcpy(reduced, h.masks, sizeof h.masks);
        canonical(reduced, h.count);
        while (h.count && !reduced[h.count - 1])
            h.count--;
        memcpy(h.masks, reduced, sizeof h.masks);
        uint64_t used = 0;
        for (size_t i = 0; i < h.count; i++)
            used |= h.masks[i];
        assert_true(find(&h, 0.05, seed, &a));
        assert_true(same_masks(&a, &h));
        assert_int_equal(a.null, h.bits & ~used);
        assert_int_equal(a.null | a.dependent | a.independent, h.bits);
    }
}

/* ---- What has no masks -------------------------------------------------------------------------- */

static uint64_t slices_of_three(uint64_t address)
{
    return (address >> 12) % 3;
}

static uint64_t sum(uint64_t address)
{
    return ((address >> 12) + (address >> 20)) & 0xff;
}

static uint64_t gated(uint64_t address)
{
    return address >> 30 & 1 ? (address >> 12 ^ address >> 16) & 15 : (address >> 12 ^ address >> 20) & 15;
}

static uint64_t with_a_product(uint64_t address)
{
    return ((address >> 12 ^ address >> 20) & 31) ^ (address >> 13 & address >> 14 & address >> 25 & 1);
}

static uint64_t multiplied(uint64_t address)
{
    return (address >> 12) * 0x9e3779b97f4a7c15 >> 58;
}

static void hashes_that_are_not_linear_are_reported_as_such(void **state)
{
    static const struct hash hashes[] = {
        {.name = "address modulo 3", .bits = BITS(12, 31), .other = slices_of_three},
        {.name = "sum with carries", .bits = BITS(12, 31), .other = sum},
        {.name = "two hashes, chosen by a bit", .bits = BITS(12, 31), .other = gated},
        {.name = "XOR of a product of three bits", .bits = BITS(12, 31), .other = with_a_product},
        {.name = "multiplicative hash", .bits = BITS(12, 31), .other = multiplied}};

    (void)state;
    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++)
        for (uint64_t seed = 1; seed <= seeds(10); seed++) {
            struct gf2_result a;
            assert_true(find(&hashes[i], 0.1, seed, &a));
            if (a.reason != REASON_NOT_LINEAR)
                fail_msg("%s, seed %u: %s", hashes[i].name, (unsigned)seed,
                         a.reason ? reasons[a.reason].token : "masks");
        }
}

static uint64_t all_of_it(uint64_t address)
{
    return address;
}

static uint64_t low_bits_of_it(uint64_t address)
{
    return address & BITS(12, 28);
}

static void missing_information_is_reported(void **state)
{
    const struct hash apart = {.bits = BITS(12, 31), .other = all_of_it};
    const struct hash many = {.bits = BITS(10, 31), .other = low_bits_of_it};
    const struct hash none = {.bits = BITS(12, 31)};
    struct gf2_result a;

    (void)state;
    assert_true(find(&apart, 0, 1, &a));
    assert_int_equal(a.reason, REASON_NO_COLLISION);
    assert_true(find(&many, 0, 1, &a));
    assert_int_equal(a.reason, REASON_TOO_MANY_MASKS);
    assert_true(find(&none, 0.1, 1, &a));
    assert_null(a.reason);
    assert_int_equal(a.count, 0);
    assert_int_equal(a.null, none.bits);
    /* half of the results are wrong, so they contain no information */
    assert_true(find(&published[0], 0.5, 1, &a));
    assert_non_null(a.reason);
}

/* An experiment whose results alternate, but for one in `excess_every` that says once more that addresses collide. */
struct alternating {
    unsigned answers, excess_every;
};

static bool alternate(void *context, uint64_t base, uint64_t difference, bool *answer)
{
    struct alternating *e = context;

    (void)base, (void)difference;
    e->answers++;
    *answer = e->answers % e->excess_every == 0 || e->answers % 2 == 0;
    return true;
}

static enum reason reason_where_results_alternate(unsigned excess_every)
{
    struct alternating e = {.excess_every = excess_every};
    uint64_t random = 1;
    const struct gf2_request q = {.bits = BITS(12, 13),
                                  .most = MOST,
                                  .checks = 1,
                                  .error = 0.1,
                                  .collide = alternate,
                                  .context = &e,
                                  .random = &random};
    struct gf2_result a;

    assert_true(gf2_find(&q, &a));
    return a.reason;
}

/*
 * GF2_PATIENCE: one result that is more frequent than the other by a twentieth of all answers wins, here that all
 * addresses collide; by one in three hundred it is noise.
 */
static void a_small_excess_of_one_result_wins(void **state)
{
    (void)state;
    assert_int_equal(reason_where_results_alternate(21), REASON_NONE);
    assert_int_equal(reason_where_results_alternate(301), REASON_NOISE);
}

static void a_failed_measurement_ends_the_search(void **state)
{
    (void)state;
    for (unsigned most = 1; most < 4000; most = 3 * most + 1) {
        struct drawn_experiment e = {.hash = &published[0], .random = most, .most_answers = most};
        const struct gf2_request q = question(&e, 0.01);
        struct gf2_result a;
        const bool found = gf2_find(&q, &a);
        assert_int_equal(found, a.calls < most);
    }
}

static void masks_are_tested_against_another_experiment(void **state)
{
    struct hash one_less = published[0], other = published[0];
    struct gf2_result a;

    (void)state;
    assert_true(find(&published[0], 0.01, 1, &a));
    struct drawn_experiment same = {.hash = &published[0], .error = 0.01, .random = 2};
    struct gf2_request q = question(&same, 0.1);
    assert_true(gf2_check(&q, &a));
    assert_null(a.reason);
    assert_int_equal(a.checked, 2 * CHECKS);

    struct gf2_result b = a;
    one_less.count--;
    struct drawn_experiment less = {.hash = &one_less, .error = 0.01, .random = 3};
    q = question(&less, 0.1);
    assert_true(gf2_check(&q, &b));
    assert_int_equal(b.reason, REASON_NOT_LINEAR);

    b = a;
    other.masks[0] |= BIT(40);
    struct drawn_experiment more = {.hash = &other, .error = 0.01, .random = 4};
    q = question(&more, 0.1);
    assert_true(gf2_check(&q, &b));
    assert_int_equal(b.reason, REASON_NOT_LINEAR);
}

static void masks_are_written_as_xors_of_bits(void **state)
{
    char text[64], small[8];
    struct gf2_result a;

    (void)state;
    assert_true(find(&published[1], 0, 1, &a));
    gf2_text(&a, text, sizeof text);
    assert_string_equal(text, "12^21 13^22 14^23 15^24 16^25 17^26 18^27");
    gf2_text(&a, small, sizeof small);
    assert_string_equal(small, "12^21 1");
    gf2_text(&(struct gf2_result){.count = 0}, text, sizeof text);
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_hashes_come_back),
        cmocka_unit_test(random_hashes_come_back),
        cmocka_unit_test(hashes_that_are_not_linear_are_reported_as_such),
        cmocka_unit_test(missing_information_is_reported),
        cmocka_unit_test(a_small_excess_of_one_result_wins),
        cmocka_unit_test(a_failed_measurement_ends_the_search),
        cmocka_unit_test(masks_are_tested_against_another_experiment),
        cmocka_unit_test(masks_are_written_as_xors_of_bits),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
