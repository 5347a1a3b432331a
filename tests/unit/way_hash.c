/* The probe way_hash, by what loads take: a hash that costs a cycle is found, and noise is none. */
/* link: probes/memory/way_hash.c tests/unit/structure/profile.c */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/random.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/kernels/address_pairs.h"
#include "lib/probe/matrix.h"

/* The section of probes, which holds this one alone; the linker makes its bounds. */
extern const struct probe_definition *const __start_probes[] __attribute__((visibility("hidden")));

/* ---- A core whose ways are chosen by bits 12 and 16, and by bits 13, 17 and 28 -------------------------------- */

enum { FUNCTIONS = 2 };

static const uint64_t bits = 0xff000, masks[FUNCTIONS] = {0x11000, 0x10022000};
enum { ADDRESS_BITS = 32 }; /* that pages can be mapped at */
static char reached[16];
static bool far_alias, far;
static double costs; /* cycles of an alias, and of a collision */
static double wrong; /* part of loads that take what others should */
static uint64_t state;
static bool is_alias;
static double functions; /* found; NaN: undecided */

bool address_pairs_map(struct probe *p, struct address_pairs *a, size_t pages, size_t single_every)
{
    (void)p;
    (void)pages;
    (void)single_every;
    *a = (struct address_pairs){.bits = bits};
    return true;
}

bool address_pairs_find(struct probe *p, const struct address_pairs *a, uint64_t base, uint64_t difference,
                        bool one_frame, uintptr_t *one, uintptr_t *other)
{
    (void)p;
    (void)a;
    assert_true(!far || one_frame == far_alias);
    is_alias = one_frame;
    *one = base;
    *other = base ^ difference;
    return true;
}

const char *address_pairs_map_far(struct probe *p, struct address_pairs *a, const uint64_t *differences, size_t count,
                                  unsigned address_bits, bool one_frame)
{
    (void)p;
    (void)a;
    for (size_t i = 0; i < count; i++)
        assert_true(differences[i] >> address_bits == 0);
    far = address_bits <= ADDRESS_BITS;
    far_alias = one_frame;
    return far ? NULL : "there are no such addresses";
}

void address_pairs_unmap_far(struct address_pairs *a)
{
    (void)a;
    far = false;
}

bool address_pairs_measure(struct probe *p, const struct address_pairs *a, uintptr_t one, uintptr_t other,
                           double *cycles)
{
    bool equal = true;

    (void)p;
    (void)a;
    for (size_t i = 0; i < FUNCTIONS; i++)
        equal &= __builtin_parityll((one ^ other) & masks[i]) == 0;
    bool slow = one != other && equal != is_alias;
    if (one != other && random_below(&state, 1000) < (uint64_t)(1000 * wrong))
        slow = !slow;
    *cycles = slow ? 8 + costs : 8;
    return true;
}

double *matrix_cell(const struct matrix *m, size_t row, size_t column)
{
    return &m->cells[row * m->pitch + column];
}

void matrix_send(struct probe *p, const struct matrix *m)
{
    (void)p;
    (void)m;
}

void report_number(struct probe *p, const struct finding *f, double value)
{
    (void)p;
    functions = strcmp(f->name, "memory.way_hash.functions") ? functions : value;
}

void report_graded_number(struct probe *p, const struct finding *f, const struct experiment_value *v, size_t count)
{
    (void)count;
    snprintf(reached, sizeof reached, "%s", f->remarks[1].text);
    report_number(p, f, v[0].value);
}

static double functions_found(double cycles, double part)
{
    struct probe probe = {.definition = __start_probes[0], .random = 1};

    costs = cycles;
    wrong = part;
    state = 1;
    functions = -1;
    probe.definition->run(&probe);
    return functions;
}

/* ---- Tests ---------------------------------------------------------------------------------------------- */

/* SLOWER: loads take whole cycles, and a third of one is noise. */
static void a_hash_costs_a_cycle(void **state_of_test)
{
    (void)state_of_test;
    assert_true(fabs(functions_found(1, 0) - FUNCTIONS) < 0.1);
    assert_false(fabs(functions_found(1.0 / 3, 0) - FUNCTIONS) < 0.1);
}

/* Bits above those of the area are asked for by a few pages each, as far as there are addresses. */
static void all_bits_of_addresses_are_reached(void **state_of_test)
{
    (void)state_of_test;
    functions_found(1, 0);
    assert_string_equal(reached, "12 to 31");
}

/* ERROR: two of a hundred loads are disturbed; where a quarter are, nothing can be told. */
static void a_few_loads_may_be_wrong(void **state_of_test)
{
    (void)state_of_test;
    assert_true(fabs(functions_found(1, 0.02) - FUNCTIONS) < 0.1);
    assert_false(fabs(functions_found(1, 0.23) - FUNCTIONS) < 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hash_costs_a_cycle),
        cmocka_unit_test(all_bits_of_addresses_are_reached),
        cmocka_unit_test(a_few_loads_may_be_wrong),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
