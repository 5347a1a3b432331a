/* The probe elimination, by times of sequences with moves among additions: whether moves need a unit. */
/* link: probes/backend/elimination.c tests/unit/structure/given.c tests/unit/structure/profile.c */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/probe/sample.h"
#include "tests/unit/structure/given.h"

/* The section of probes, which holds this one alone; the linker makes its bounds. */
extern const struct probe_definition *const __start_probes[] __attribute__((visibility("hidden")));

/* ---- A core instead of kernels -------------------------------------------------------------------------- */

enum { UNITS = 4 /* that add */, RENAMED = 8 /* instructions in one cycle */ };

const struct emit_idiom emit_idioms[] = {{"mov64", IDIOM_MOVE}, {NULL, IDIOM_MOVE}};
static double part_with_unit;            /* of the moves, which need a unit as additions do; the others need none */
static unsigned additions, loads, moves; /* of the sequence at hand */
static unsigned written;                 /* by the last move */
static bool chained;                     /* a move reads what the one before it wrote */

void emit_add(struct code *c, enum reg to, enum reg from)
{
    (void)c;
    (void)to;
    (void)from;
    additions++;
}

void emit_load(struct code *c, enum reg to, enum reg base, int32_t offset)
{
    (void)c;
    (void)to;
    (void)base;
    (void)offset;
    loads++;
}

void emit_idiom(struct code *c, const struct emit_idiom *i, unsigned to, unsigned from)
{
    (void)c;
    (void)i;
    chained |= moves && from == written;
    written = to;
    moves++;
}

/* A chain takes a little less than a cycle a move, as noise or as some moves without a unit make it: undecided. */
bool sample_loop(struct probe *p, unsigned samples, const struct loop *l, double *cycles)
{
    struct code c = {.used = 0};

    (void)p;
    (void)samples;
    additions = loads = moves = 0;
    chained = false;
    l->body(&c, l->context);
    assert_int_equal(additions + loads + moves, l->instructions);
    const double on_units = additions + (additions ? part_with_unit : 0) * moves;
    *cycles = chained ? 0.95 * moves : fmax(on_units / UNITS, (double)l->instructions / RENAMED);
    return true;
}

bool probe_map(struct probe *p, struct area *a, size_t bytes, size_t page_bytes)
{
    (void)p;
    *a = (struct area){.bytes = bytes, .page_bytes = page_bytes};
    return true;
}

/* What is found about moves in one cycle where so many of them, a part, need a unit. */
static double eliminated(double part)
{
    given_start(false);
    part_with_unit = part;
    __start_probes[0]->run(&given_probe);
    return given_finding("backend.elimination.per_cycle", 0)->value;
}

/* ---- Tests ---------------------------------------------------------------------------------------------- */

/* NEAR: noise makes a difference of a fifth between the controls; moves of which every second needs a unit, a half. */
static void moves_are_as_fast_as_one_of_the_controls(void **state)
{
    (void)state;
    assert_true(eliminated(0) == RENAMED);
    assert_true(eliminated(0.2) == RENAMED);
    assert_true(isnan(eliminated(0.5)));
    assert_true(eliminated(0.8) <= 0);
    assert_true(eliminated(1) <= 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_are_as_fast_as_one_of_the_controls),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
