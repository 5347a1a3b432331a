/* Rings of lines lie beyond the cache level that they are to miss, and chains outlast what is delivered beside them. */
/* link: tests/unit/structure/profile.c */
/* libs: -lm */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/plan/facts.h"
#include "lib/structure/inflight_start.h"

enum { KIB = 1 << 10, MIB = 1 << 20 };

/* ---- A core instead of kernels -------------------------------------------------------------------------- */

static struct machine_info info = {.memory_bytes = UINT64_C(1) << 33};
static double step_cycles[LONG_OPS] = {300, 15, 20}; /* of one load or square root of a chain */
static double ring_in_cache; /* bytes of a ring, at most, that lies in a cache of 20 cycles; 0: none does */
static bool is_simulated;
static double rings[LONG_OP_ARITHMETIC]; /* bytes */
static uint8_t memory[INFLIGHT_DATA_BYTES];
static unsigned mapped;

const struct machine_info *machine_info(void)
{
    return &info;
}

const struct emit_filler *inflight_filler(const char *name)
{
    (void)name;
    return NULL;
}

int32_t inflight_cursor_offset(enum long_op kind, unsigned which)
{
    return 16 * (int32_t)kind + 8 * (int32_t)which;
}

bool inflight_cycles(struct probe *p, const struct inflight_experiment *e, double fillers, double *cycles)
{
    const bool cached = e->first == LONG_OP_MISS && rings[LONG_OP_MISS] <= ring_in_cache;
    const double chain = e->inflight->steps[e->first] * (cached ? 20 : step_cycles[e->first]);

    (void)p;
    (void)fillers;
    *cycles = e->one_chain ? 2 * chain : chain;
    return true;
}

bool inflight_delivery_cycles(struct probe *p, const struct inflight_experiment *e, double fillers, double *cycles)
{
    (void)p, (void)e, (void)fillers;
    *cycles = 0;
    return true;
}

bool probe_is_simulated(const struct probe *p)
{
    (void)p;
    return is_simulated;
}

size_t machine_map_mark(void)
{
    return 0;
}

void probe_release(struct probe *p, size_t mark)
{
    (void)p;
    (void)mark;
    mapped = 0;
}

bool issue_order_find(struct probe *p, struct issue_orders *out)
{
    (void)p;
    *out = (struct issue_orders){.order = OUT_OF_ORDER};
    return true;
}

void issue_order_report_none(struct probe *p, bool both)
{
    (void)p;
    (void)both;
}

/* Rings are mapped in the order of their kinds, two of each. */
bool pointer_chase_map(struct probe *p, struct pointer_chase *c, size_t bytes)
{
    (void)p;
    (void)c;
    rings[mapped++ / 2] = (double)bytes;
    return true;
}

void pointer_chase_link_alike(struct probe *p, const struct pointer_chase *c, size_t offset, size_t lines, size_t group)
{
    (void)p;
    (void)c;
    (void)offset;
    (void)lines;
    (void)group;
}

bool probe_map(struct probe *p, struct area *a, size_t bytes, size_t page_bytes)
{
    (void)p;
    *a = (struct area){.write = memory, .bytes = bytes, .page_bytes = page_bytes};
    return true;
}

/* Starts on a core with caches of so many bytes; 0: that level is not known. */
static struct inflight start(double level_1, double level_2, double level_3)
{
    static const char *const levels[] = {"level=1", "level=2", "level=3"};
    const double bytes[] = {level_1, level_2, level_3};
    struct run run = {.number = 0};
    struct probe probe = {.run = &run};
    struct inflight l;

    for (size_t i = 0; i < 3; i++) {
        struct fact f = {.name = "memory.cache.bytes", .value = bytes[i], .grade = 'A'};
        memcpy(f.variants, levels[i], sizeof "level=1");
        if (bytes[i] > 0)
            assert_true(facts_set(&run.facts, &f));
    }
    mapped = 0;
    assert_true(inflight_start(&probe, &l));
    facts_forget(&run.facts);
    return l;
}

/* ---- Tests ---------------------------------------------------------------------------------------------- */

/* TIMES_LEVEL_1: half of a ring at most is found in the first level, and both rings fit into the second. */
static void loads_come_from_the_second_level(void **state)
{
    (void)state;
    start(48 * KIB, 2 * MIB, 0);
    assert_true(rings[LONG_OP_LOADS] >= 2 * 48 * KIB && 2 * rings[LONG_OP_LOADS] <= 2 * MIB);
    start(32 * KIB, 256 * KIB, 0);
    assert_true(rings[LONG_OP_LOADS] >= 2 * 32 * KIB && 2 * rings[LONG_OP_LOADS] <= 256 * KIB);
}

/* TIMES_LEVEL_2, LAST_NEAR_BYTES: the last level of a server, 96 MiB, is as far away as memory. */
static void misses_go_beyond_the_second_level(void **state)
{
    (void)state;
    start(48 * KIB, 2 * MIB, 96 * MIB);
    assert_true(rings[LONG_OP_MISS] > 3 * MIB && rings[LONG_OP_MISS] < 16 * MIB);
    start(48 * KIB, 2 * MIB, 0);
    assert_true(rings[LONG_OP_MISS] > 3 * MIB && rings[LONG_OP_MISS] < 16 * MIB);
}

/* TIMES_LAST, LAST_NEAR_BYTES: the last level of a client, 16 MiB, is near. */
static void misses_go_beyond_a_near_last_level(void **state)
{
    (void)state;
    start(32 * KIB, 1 * MIB, 16 * MIB);
    assert_true(rings[LONG_OP_MISS] > 20 * MIB);
}

/* CHAIN_CYCLES: 512 fillers at four a cycle take 128 cycles, and a chain of all steps makes a longer ramp. */
static void chains_outlast_the_fillers_beside_them(void **state)
{
    (void)state;
    const struct inflight l = start(48 * KIB, 2 * MIB, 0);
    for (enum long_op kind = LONG_OP_LOADS; kind < LONG_OPS; kind++) {
        assert_true(l.steps[kind] * step_cycles[kind] >= 512.0 / 4);
        assert_true(l.steps[kind] * step_cycles[kind] < 300); /* a miss takes as long by itself */
    }
}

/*
 * MISS_CYCLES_LEAST, SIMULATED_RING: the second level of a simulated core that declares nothing has 4 MiB; memory of
 * 160 cycles is no cache, and caches of 45 cycles are no memory.
 */
static void misses_of_a_simulated_core_are_as_long_as_memory_takes(void **state)
{
    const double memory_cycles = step_cycles[LONG_OP_MISS];

    (void)state;
    is_simulated = true;
    ring_in_cache = 4 * MIB;
    start(0, 0, 0);
    assert_true(rings[LONG_OP_MISS] > ring_in_cache && rings[LONG_OP_MISS] < 16 * MIB);
    ring_in_cache = 0;
    step_cycles[LONG_OP_MISS] = 160;
    start(0, 0, 0);
    assert_true(rings[LONG_OP_MISS] <= 3 * MIB);
    step_cycles[LONG_OP_MISS] = 45;
    start(0, 0, 0);
    assert_true(rings[LONG_OP_MISS] > 4 * MIB);
    step_cycles[LONG_OP_MISS] = memory_cycles;
    is_simulated = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_come_from_the_second_level),
        cmocka_unit_test(misses_go_beyond_the_second_level),
        cmocka_unit_test(misses_go_beyond_a_near_last_level),
        cmocka_unit_test(chains_outlast_the_fillers_beside_them),
        cmocka_unit_test(misses_of_a_simulated_core_are_as_long_as_memory_takes),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
