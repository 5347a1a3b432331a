/* Clusters of cores (lib/structure/core_clusters.h), from times of pairs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/base/random.h"
#include "lib/structure/core_clusters.h"

enum { CORES = 16 };

/*
 * Times of pairs in groups of `small` cores inside groups of `large`: 20, `ratio` times that, and its square; each
 * longer by up to a part `spread`.
 */
static void draw(double *ns, unsigned small, unsigned large, double ratio, double spread, uint64_t seed)
{
    for (unsigned i = 0; i < CORES; i++)
        for (unsigned j = 0; j < CORES; j++) {
            const double one = (double)random_below(&seed, 1001) / 1000;
            const double far = i / small == j / small ? 1 : i / large == j / large ? ratio : ratio * ratio;
            ns[i * CORES + j] = i == j ? (double)NAN : 20 * far * (1 + spread * one);
        }
}

static void groups_inside_groups_are_found(void **state)
{
    double ns[CORES * CORES];
    struct core_clusters c;

    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        draw(ns, 2, 8, 2, 0.25, seed);
        assert_int_equal(core_clusters_decide(ns, CORES, CORES, &c), REASON_NONE);
        assert_int_equal(c.levels, 2);
        assert_int_equal(c.level[0].clusters, 8);
        assert_int_equal(c.level[1].clusters, 2);
        assert_int_equal(c.level[1].smallest, 8);
        assert_int_equal(c.level[1].largest, 8);
        for (unsigned i = 0; i < CORES; i++) {
            assert_int_equal(c.level[0].of[i], i / 2 * 2);
            assert_int_equal(c.level[1].of[i], i / 8 * 8);
        }
    }
}

/* On either side of CLUSTER_GAP: times a quarter apart are of one class, times half as long again of two. */
static void a_gap_separates_classes(void **state)
{
    double ns[CORES * CORES];
    struct core_clusters c;

    (void)state;
    draw(ns, 4, CORES, 1.25, 0, 1);
    assert_int_equal(core_clusters_of(ns, CORES, CORES, &c), REASON_NONE);
    assert_int_equal(c.levels, 0);
    draw(ns, 4, CORES, 1.5, 0, 1);
    assert_int_equal(core_clusters_of(ns, CORES, CORES, &c), REASON_NONE);
    assert_int_equal(c.levels, 1);
    assert_int_equal(c.level[0].clusters, 4);
}

static void cores_of_unequal_clusters_are_counted(void **state)
{
    double ns[5 * 5];
    struct core_clusters c;
    char list[64];
    const unsigned names[] = {0, 2, 4, 6, 11};

    (void)state;
    for (unsigned i = 0; i < 5; i++)
        for (unsigned j = 0; j < 5; j++)
            ns[i * 5 + j] = i == 3 || j == 3 ? 90 : 20;
    assert_int_equal(core_clusters_decide(ns, 5, 5, &c), REASON_NONE);
    assert_int_equal(c.levels, 1);
    assert_int_equal(c.level[0].clusters, 2);
    assert_int_equal(c.level[0].smallest, 1);
    assert_int_equal(c.level[0].largest, 4);
    core_clusters_list(&c.level[0], names, 5, list, sizeof list);
    assert_string_equal(list, "0 2 4 11, 6");
    core_clusters_list(&c.level[0], names, 5, list, 18); /* room for two cores, and what follows one */
    assert_string_equal(list, "0 2");
}

/* One pair that was disturbed, in one of the two measurements or in both; one that is missing. */
static void what_contradicts_itself_is_not_decided(void **state)
{
    double ns[CORES * CORES];
    struct core_clusters c;

    (void)state;
    draw(ns, 4, CORES, 3, 0.1, 1);
    ns[1 * CORES + 0] = 300;
    assert_int_equal(core_clusters_decide(ns, CORES, CORES, &c), REASON_CLUSTERS_OVERLAP);
    assert_int_equal(c.levels, 0);
    draw(ns, 4, CORES, 3, 0.1, 1);
    ns[4 * CORES + 0] = ns[0 * CORES + 4] = 20;
    assert_int_equal(core_clusters_decide(ns, CORES, CORES, &c), REASON_CLUSTERS_OVERLAP);
    draw(ns, 4, CORES, 3, 0.1, 1);
    ns[0 * CORES + 4] = (double)NAN;
    assert_int_equal(core_clusters_decide(ns, CORES, CORES, &c), REASON_NO_RESPONSE);
    for (unsigned i = 0; i < CORES; i++) /* both are clusters, but not the same ones */
        for (unsigned j = 0; j < CORES; j++)
            ns[i * CORES + j] = i / (i > j ? 4 : 2) == j / (i > j ? 4 : 2) ? 20 : 90;
    assert_int_equal(core_clusters_decide(ns, CORES, CORES, &c), REASON_EXPERIMENTS_DISAGREE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups_inside_groups_are_found),
                                       cmocka_unit_test(a_gap_separates_classes),
                                       cmocka_unit_test(cores_of_unequal_clusters_are_counted),
                                       cmocka_unit_test(what_contradicts_itself_is_not_decided)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
