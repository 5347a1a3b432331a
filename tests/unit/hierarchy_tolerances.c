/* Thresholds of lib/structure/tolerances_hierarchy.h at work: data caches, whose curves are given and not
 * measured. */
/* link: tests/unit/structure/given.c probes/memory/cache_pages.c probes/memory/cache_sets.c */
/* link: tests/unit/structure/profile.c */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/kernels/pointer_chase.h"
#include "lib/probe/curve.h"
#include "lib/probe/sample.h"
#include "lib/structure/caches.h"
#include "lib/structure/eviction_sets.h"
#include "lib/structure/line_length.h"
#include "tests/unit/structure/given.h"

double curve_median(const struct sweep *s, double x, enum curve_quantity quantity)
{
    (void)s;
    (void)x;
    (void)quantity;
    return 100;
}

/* ---- Data caches ---------------------------------------------------------------------------------- */

enum { L1 = 32 * KB, L2 = 1 * MB, L3 = 16 * MB, FOOTPRINT = 64 * MB };

static double chased; /* bytes of the last chase */

bool pointer_chase_map(struct probe *p, struct pointer_chase *c, size_t bytes)
{
    (void)p;
    c->ring = (struct area){.bytes = bytes, .page_bytes = PAGE_BYTES};
    return true;
}

const char *pointer_chase_try_map(struct pointer_chase *c, size_t bytes, size_t page_bytes)
{
    c->ring = (struct area){.bytes = bytes, .page_bytes = page_bytes};
    return NULL;
}

void pointer_chase_link(struct probe *p, const struct pointer_chase *c, size_t offset, size_t lines, size_t group)
{
    (void)p;
    (void)c;
    (void)offset;
    (void)group;
    chased = (double)lines * POINTER_CHASE_LINE_BYTES;
}

void pointer_chase_link_alike(struct probe *p, const struct pointer_chase *c, size_t offset, size_t lines, size_t group)
{
    pointer_chase_link(p, c, offset, lines, group);
}

bool line_length_find(struct probe *p, const struct pointer_chase *chase, size_t *bytes)
{
    (void)p;
    (void)chase;
    *bytes = POINTER_CHASE_LINE_BYTES;
    return true;
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
    (void)unroll;
    (void)k;
    return true;
}

/* A load of a chase takes as many cycles as that has bytes. */
bool sample_cycles(struct probe *p, unsigned samples, bool (*build)(struct probe *p, void *context, struct kernel *k),
                   void *context, double *cycles)
{
    struct kernel k = {.units = 1};

    (void)samples;
    assert_true(build(p, context, &k));
    *cycles = chased;
    return true;
}

/* Order `groups` shows all three levels, `whole` none; the second one scatters where frames do. */
static struct verdict caches_by_groups(const struct sweep *s)
{
    static const double heights[] = {5, 14, 50, 300}, counts[] = {L1, L2, L3};

    if (s->name[0] != 'g')
        return given_staircase(1, heights, counts);
    if (s->search.from > L2)
        return given_staircase(2, heights + 2, counts + 2);
    struct verdict v = given_staircase(3, heights, counts);
    v.levels[1].spread = given_info.contiguous ? 0 : 0.1;
    return v;
}

static void find_caches(bool contiguous, const char *hypervisor)
{
    struct caches c = {.chase = {.ring = {.bytes = FOOTPRINT, .page_bytes = PAGE_BYTES}}, .most = FOOTPRINT};

    given_start(contiguous);
    snprintf(given_info.hypervisor, sizeof given_info.hypervisor, "%s", hypervisor);
    given_fact("memory.cache.bytes", 1, L1);
    given_fact("memory.cache.bytes", 2, L2);
    given_curve = caches_by_groups;
    assert_true(caches_levels(&given_probe, &c));
}

/* CACHE_FAR_RANGE: where the second level's rise ends is seen only if an octave behind its edge is measured. */
static void the_near_range_goes_an_octave_beyond_the_second_level(void **state)
{
    (void)state;
    find_caches(true, "");
    assert_true(given_searched[0].search.to >= 2 * L2 && given_searched[0].search.to < L3 / 2);
}

/*
 * SECOND_LEVEL_PART: of 8 ways on average 2, or 4, are filled by a quarter, or a half, of the level; then random frames
 * overfill hardly any set. Of three quarters every seventh set would be overfilled.
 */
static void the_latency_of_the_second_level_is_that_of_a_small_part(void **state)
{
    (void)state;
    find_caches(false, "");
    const double bytes = given_finding("memory.cache.latency_cycles", 2)->value;
    assert_true(bytes > 2 * L1 && bytes <= L2 / 2.0);
}

/* FIRST_SHARED_CACHE: one order alone shows the edges, which is not enough where other guests fill the level. */
static void guests_share_the_third_level(void **state)
{
    (void)state;
    find_caches(true, "");
    assert_true(given_finding("memory.cache.bytes", 3)->value == L3);
    find_caches(true, "a hypervisor");
    assert_true(given_finding("memory.cache.bytes", 1)->value == L1);
    assert_true(given_finding("memory.cache.bytes", 2)->value == L2);
    assert_int_equal(given_finding("memory.cache.bytes", 3)->reason, REASON_SHARED_LEVEL);
}

/* ---- Probes of data caches ------------------------------------------------------------------------ */

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

/* RANDOM_ORDER_PART, RANDOM_ORDER_PART_SCATTERED: most of a level, and less where some sets get more lines. */
static void loads_in_random_order_go_over_what_a_level_surely_holds(void **state)
{
    (void)state;
    for (int contiguous = 0; contiguous < 2; contiguous++) {
        given_start(contiguous);
        given_fact("memory.cache.bytes", 1, L1);
        given_fact("memory.cache.bytes", 2, L2);
        run_probe("cache_pages");
        const double first = given_finding("memory.random.latency_cycles", 1)->value,
                     second = given_finding("memory.random.latency_cycles", 2)->value;
        assert_true(first > 0.5 * L1 && first < 0.9 * L1);
        assert_true(second > (contiguous ? 0.5 : 0.25) * L2 && second < (contiguous ? 0.9 : 0.6) * L2);
    }
}

static size_t collected;

bool eviction_sets_map(struct probe *p, struct eviction_sets *e, size_t pool, size_t page_bytes)
{
    *e = (struct eviction_sets){.p = p, .pool = pool, .page_bytes = page_bytes};
    return true;
}

void eviction_sets_free(struct eviction_sets *e)
{
    (void)e;
}

bool eviction_sets_find(struct eviction_sets *e, size_t lines, double seconds, double ways[EVICTION_SETS])
{
    (void)lines;
    (void)seconds;
    e->collected_count = collected;
    for (size_t i = 0; i < EVICTION_SETS; i++)
        ways[i] = 8;
    return true;
}

static const struct finding *index_bits_of(size_t pages)
{
    given_start(false);
    given_fact("memory.cache.bytes", 2, L2);
    collected = pages;
    run_probe("cache_sets");
    return given_finding("memory.cache.index_bits", 2);
}

/* EVICTION_SETS_ALIKE: 32 colours of 8 ways are 256 pages; 6 rejected by mistake leave no doubt, 32 do. */
static void a_few_pages_rejected_by_mistake_do_not_hide_the_number_of_sets(void **state)
{
    (void)state;
    assert_true(index_bits_of(250)->value == 5 + 6);
    const struct finding *f = index_bits_of(224);
    assert_true(isnan(f->value) && f->reason == REASON_HASHED_OR_NOISY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_near_range_goes_an_octave_beyond_the_second_level),
        cmocka_unit_test(the_latency_of_the_second_level_is_that_of_a_small_part),
        cmocka_unit_test(guests_share_the_third_level),
        cmocka_unit_test(loads_in_random_order_go_over_what_a_level_surely_holds),
        cmocka_unit_test(a_few_pages_rejected_by_mistake_do_not_hide_the_number_of_sets),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
