/* How many lines of few operations an operation cache holds, by what lines cost: no code is executed. */
/* link: tests/unit/structure/given.c tests/unit/structure/no_code.c tests/unit/structure/profile.c */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arch/emit.h"
#include "lib/probe/sample.h"
#include "lib/structure/op_cache_layout.h"
#include "lib/structure/op_cache_lines.h"
#include "tests/unit/structure/given.h"

const unsigned emit_nop_lengths[] = {1, 2, 3, 4, 5, 6, 7, 8, 0};

void *probe_calloc(struct probe *p, size_t count, size_t bytes)
{
    (void)p;
    return calloc(count, bytes);
}

bool code_good(const struct code *c)
{
    (void)c;
    return true;
}

void emit_nop_sequence(struct code *c, unsigned length, size_t count)
{
    (void)c;
    (void)length;
    (void)count;
}

void emit_place(struct code *c, size_t offset)
{
    (void)c;
    (void)offset;
}

void emit_jump(struct code *c, size_t target, unsigned bytes)
{
    (void)c;
    (void)target;
    (void)bytes;
}

unsigned emit_jump_bytes(int64_t distance, bool conditional)
{
    (void)distance;
    (void)conditional;
    return 5;
}

void emit_add_constant(struct code *c, enum reg r, int32_t value)
{
    (void)c;
    (void)r;
    (void)value;
}

struct fixup emit_branch_if_zero_ahead(struct code *c, enum reg r)
{
    (void)c;
    (void)r;
    return (struct fixup){0};
}

void emit_land(struct code *c, struct fixup f)
{
    (void)c;
    (void)f;
}

/* The fit of layouts, in the same file as that of lines, uses it. */
unsigned straight_begin(unsigned per_line, unsigned bytes)
{
    (void)bytes;
    return per_line;
}

bool sweeps_search(struct probe *p, struct sweep *s, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sweep_search(p, &s[i]);
    return true;
}

enum { HELD = 600, OTHER_CODE = 400 };

/* Each line costs 10 cycles; 12 where other code takes entries of full sets; 20 beyond what is held. */
bool sample_cycles(struct probe *p, unsigned samples, bool (*build)(struct probe *p, void *context, struct kernel *k),
                   void *context, double *cycles)
{
    struct kernel k = {.units = 0};

    (void)samples;
    if (!build(p, context, &k))
        return false;
    *cycles = k.units > HELD ? 20 : k.units > OTHER_CODE ? 12 : 10;
    return true;
}

/* Lines of more operations take two entries each, and three. */
static struct verdict curve_of_lines(const struct sweep *s)
{
    (void)s;
    return given_step(10, 20, given_searches == 0 ? HELD / 2 : HELD / 3);
}

/* NOT_HELD: lines that cost a fifth more beside other code are held, and those that cost twice as much are not. */
static void lines_are_held_until_they_cost_far_more_than_few(void **state)
{
    const struct finding otherwise = {
        .name = "entries", .value = NAN, .low = NAN, .high = NAN, .grade = 'U', .reason = REASON_AMBIGUOUS};

    (void)state;
    given_start(true);
    given_fact("frontend.l1i.bytes", 0, 64 * KB);
    given_curve = curve_of_lines;
    op_cache_lines_report(&given_probe, &otherwise);
    const struct finding *f = given_finding("entries", 0);
    assert_true(f->grade != 'U' && f->low <= HELD && HELD <= f->high);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines_are_held_until_they_cost_far_more_than_few)};

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
