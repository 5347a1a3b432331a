/* The search for pairs of levels (lib/structure/btb_search.h) among classes whose mismatch with each other is given. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/structure/btb_search.h"

/*
 * Classes by their role. FIRST explains the points best by itself, and with each of DECOYS others nearly as well as
 * TRUE_FIRST does with TRUE_SECOND. The search combines FIRST, the decoys and TRUE_FIRST with all classes, whatever it
 * has seen of these with others before.
 */
enum { FIRST, DECOY, DECOYS = 8, TRUE_FIRST = DECOY + DECOYS, TRUE_SECOND, ROLES };

static struct btb_classes classes;

static size_t role_of(const struct btb_part *resident)
{
    return (size_t)(resident - classes.resident) / BTB_MISMATCH_POINTS;
}

double btb_mismatch(const struct btb_mismatch *m, const struct btb_part *one, const struct btb_part *two, double limit,
                    double costs[BRANCH_CHAIN_PATTERNS][BTB_COSTS])
{
    (void)m, (void)limit, (void)costs;
    if (!one)
        return 1e6;
    const size_t first = role_of(one);
    if (!two)
        return first == FIRST ? 1e4 : INFINITY;
    const size_t second = role_of(two);
    if (first == FIRST && second >= DECOY && second < DECOY + DECOYS)
        return (double)(10 + second);
    if (first == FIRST && second == TRUE_SECOND)
        return 1e4;
    if (first == TRUE_FIRST)
        return second == FIRST ? 20 : second == TRUE_SECOND ? 1 : (double)INFINITY;
    return INFINITY;
}

void btb_mismatch_prepare(struct btb_mismatch *m, const struct btb_point *points, size_t count, unsigned from,
                          unsigned to, const struct btb_spread *spread)
{
    (void)points, (void)from, (void)to, (void)spread;
    m->count = count;
}

double btb_mismatch_expected(const struct btb_mismatch *m)
{
    (void)m;
    return 30;
}

double btb_mismatch_worst(const struct btb_mismatch *m, const struct btb_part *one, const struct btb_part *two,
                          double costs[BRANCH_CHAIN_PATTERNS][BTB_COSTS])
{
    (void)m, (void)one, (void)two, (void)costs;
    return 0;
}

bool btb_mismatch_one_stride(const struct btb_mismatch *m, const struct btb_part *one, const struct btb_part *two)
{
    (void)m, (void)one, (void)two;
    return false;
}

bool btb_mismatch_no_step(const struct btb_mismatch *m, const struct btb_part *one, const struct btb_part *two)
{
    (void)m, (void)one, (void)two;
    return false;
}

/*
 * Replacement may be any. With the first level that was tried first, the true second one explains nothing. With the
 * true first one it is the best all the same.
 */
static void a_level_is_found_that_other_pairs_speak_against(void **state)
{
    struct btb_search s;

    (void)state;
    assert_true(btb_classes_start(&classes, 4, true) && btb_search_start(&s, &classes));
    for (unsigned count = 64; count <= 1024; count *= 2)
        assert_true(btb_classes_add(&classes, &(struct btb_point){{BRANCH_CHAIN_UNCOND, 4, count, 0}, 1, 0}));
    assert_true(classes.count >= ROLES);
    assert_int_equal(btb_search_run(&s), REASON_NONE);
    assert_int_equal(s.level_count, 2);
    assert_true(s.mismatch == 1);
    btb_search_free(&s);
    btb_classes_free(&classes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_level_is_found_that_other_pairs_speak_against),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
