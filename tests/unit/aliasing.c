/* The probe forwarding, by cycles of loads at a distance from a store: from which on low address bits are the same. */
/* link: probes/memory/forwarding.c tests/unit/structure/given.c tests/unit/structure/profile.c */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/kernels/access.h"
#include "lib/kernels/store_load.h"
#include "lib/probe/matrix.h"
#include "tests/unit/structure/given.h"

/* The section of probes, which holds this one alone; the linker makes its bounds. */
extern const struct probe_definition *const __start_probes[] __attribute__((visibility("hidden")));

/* ---- A core instead of kernels -------------------------------------------------------------------------- */

enum { LOAD = 4, ARITHMETIC = 4, BLOCKED = 14 /* cycles */, COMPARED = 4096 /* bytes: the core compares 12 bits */ };

const struct emit_access emit_accesses[] = {
    {.name = "64", .file = ACCESS_GENERAL, .bits = 64, .registers = 1, .has_load = true, .has_store = true}, {NULL}};
static double alias; /* cycles that a load takes longer that many bytes away from a store */

const struct emit_access *access_general(unsigned bits)
{
    assert_int_equal(bits, emit_accesses->bits);
    return emit_accesses;
}

/* A load gets its value from a store to the same address only. */
bool store_load_measure(struct probe *p, const struct store_load *s, uint64_t data, double *cycles)
{
    const bool overlaps = abs(s->load_offset) < 8;

    (void)p;
    (void)data;
    *cycles = s->chain == THROUGH_DATA ? 0 : ARITHMETIC;
    if (s->chain != THROUGH_NONE)
        *cycles += overlaps && (s->load_offset || s->stores > 1) ? BLOCKED : LOAD;
    if (s->load_offset && !(s->load_offset % COMPARED))
        *cycles += alias;
    return true;
}

bool probe_map(struct probe *p, struct area *a, size_t bytes, size_t page_bytes)
{
    (void)p;
    *a = (struct area){.bytes = bytes, .page_bytes = page_bytes};
    return true;
}

void matrix_send(struct probe *p, const struct matrix *m)
{
    (void)p;
    (void)m;
}

static const struct finding *aliasing(double cycles)
{
    given_start(false);
    alias = cycles;
    __start_probes[0]->run(&given_probe);
    return given_finding("memory.aliasing.cycles", 0);
}

/* ---- Tests ---------------------------------------------------------------------------------------------- */

/* ALIAS_CYCLES: a load that is executed again takes at least one whole cycle more; a quarter of a cycle is noise. */
static void loads_wait_whole_cycles_for_an_alias(void **state)
{
    (void)state;
    const struct finding *f = aliasing(1);
    assert_true(f->value > 0.9 && f->value < 1.1);
    assert_true(f->variants[0].text == NULL && f->variants[0].number == COMPARED);
    assert_true(aliasing(0.25)->value <= 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_wait_whole_cycles_for_an_alias),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
