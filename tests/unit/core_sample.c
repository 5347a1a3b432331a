/* Which pairs of cores are measured (lib/structure/core_sample.h), and that their times show each cluster. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/base/random.h"
#include "lib/structure/core_clusters.h"
#include "lib/structure/core_sample.h"

enum { CORES = 128 };

/* A machine of threads in cores, cores in clusters, clusters in dies; 0: there are no such groups. */
struct machine {
    unsigned threads, cluster, die;
    uint64_t random;
    size_t fails_at; /* pairs after which no other can be measured; 0: all can */
    size_t measured;
    size_t disturbed; /* the number of the pair that takes as long as between dies; 0: none */
};

static double ns[CORES * CORES];

static bool together(unsigned group, size_t one, size_t other)
{
    return group && one / group == other / group;
}

static bool measure(void *context, size_t by, size_t with, double *out)
{
    struct machine *m = context;
    const double one = 1 + 0.2 * (double)random_below(&m->random, 1001) / 1000;
    const double far = together(m->threads, by, with)   ? 10
                       : together(m->cluster, by, with) ? 30
                       : together(m->die, by, with)     ? 80
                                                        : 200;

    assert_true(by < CORES && with < CORES && by != with);
    m->measured++;
    *out = (m->measured == m->disturbed ? 200 : far) * one;
    return m->measured != m->fails_at;
}

static struct core_sample sample_of(struct machine *m)
{
    for (size_t i = 0; i < (size_t)CORES * CORES; i++)
        ns[i] = (double)NAN;
    return (struct core_sample){
        .count = CORES, .ns = ns, .pitch = CORES, .random = &m->random, .context = m, .measure = measure};
}

static void a_part_of_all_pairs_shows_each_cluster(void **state)
{
    struct core_clusters c;

    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct machine m = {2, 8, 32, seed, 0, 0, 0};
        struct core_sample s = sample_of(&m);
        assert_true(core_sample(&s));
        assert_true(s.pairs == m.measured && s.pairs < CORES * CORES / 4);
        assert_int_equal(core_clusters_sampled(ns, CORES, CORES, &c), REASON_NONE);
        assert_int_equal(c.levels, 3);
        for (size_t i = 0; i < CORES; i++)
            for (size_t j = 0; j < i; j++) {
                assert_true((c.level[0].of[i] == c.level[0].of[j]) == together(2, i, j));
                assert_true((c.level[1].of[i] == c.level[1].of[j]) == together(8, i, j));
                assert_true((c.level[2].of[i] == c.level[2].of[j]) == together(32, i, j));
            }
    }
}

/* One pair that takes as long as between dies, once, makes the two times contradict each other, or changes nothing. */
static void a_disturbed_pair_gives_no_wrong_clusters(void **state)
{
    struct core_clusters c;
    unsigned refused = 0;

    (void)state;
    for (size_t disturbed = 1; disturbed <= 600; disturbed += 7) {
        struct machine m = {2, 8, 32, 5, 0, 0, disturbed};
        struct core_sample s = sample_of(&m);
        assert_true(core_sample(&s));
        if (core_clusters_sampled(ns, CORES, CORES, &c) != REASON_NONE) {
            refused++;
            continue;
        }
        assert_int_equal(c.level[0].clusters, 64);
        assert_int_equal(c.level[1].clusters, 16);
        assert_int_equal(c.level[2].clusters, 4);
    }
    assert_true(refused > 20);
}

/* Where all are equally far, a few cores that are nearer to no other end it. */
static void cores_without_clusters_take_few_pairs(void **state)
{
    struct core_clusters c;

    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct machine m = {0, 0, CORES, seed, 0, 0, 0};
        struct core_sample s = sample_of(&m);
        assert_true(core_sample(&s));
        assert_true(s.pairs > 6 * (CORES - 4) && s.pairs < 10 * CORES); /* twice four cores with all others */
        assert_int_equal(core_clusters_sampled(ns, CORES, CORES, &c), REASON_NONE);
        assert_int_equal(c.levels, 0);
    }
}

static void a_pair_that_cannot_be_measured_ends_it(void **state)
{
    (void)state;
    for (size_t fails_at = 1; fails_at < 600; fails_at += 50) {
        struct machine m = {2, 8, 32, 3, fails_at, 0, 0};
        struct core_sample s = sample_of(&m);
        assert_false(core_sample(&s));
        assert_int_equal(m.measured, fails_at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_part_of_all_pairs_shows_each_cluster),
                                       cmocka_unit_test(a_disturbed_pair_gives_no_wrong_clusters),
                                       cmocka_unit_test(cores_without_clusters_take_few_pairs),
                                       cmocka_unit_test(a_pair_that_cannot_be_measured_ends_it)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
