/* How many lines and operations an operation cache holds, by what lines cost: no code is executed. */
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
#include "lib/kernels/branch_chain.h"
#include "lib/probe/sample.h"
#include "lib/structure/op_cache_layout.h"
#include "lib/structure/op_cache_lines.h"
#include "tests/unit/structure/given.h"

enum { HELD = 600, OTHER_CODE = 400, ADDITION_BYTES = 3 };

/* Of the chain that was emitted last. */
static size_t emitted_additions;
/* Operations that an entry holds, and what a jump takes of them. */
static size_t entry_ops, jump_ops;

size_t branch_chain_addition_bytes(void)
{
    return ADDITION_BYTES;
}

size_t branch_chain_bytes(const struct branch_chain *chain, size_t end)
{
    (void)chain;
    return end;
}

size_t branch_chain_emit(struct code *c, const struct branch_chain *chain, size_t end, uint64_t *random)
{
    (void)c;
    (void)end;
    (void)random;
    assert_true(chain->scattered && chain->stride == 64);
    emitted_additions = chain->additions;
    return 0;
}

unsigned emit_jump_bytes(int64_t distance, bool conditional)
{
    (void)distance;
    (void)conditional;
    return 5;
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

/* Each line costs 10 cycles; 12 where other code takes entries of full sets; 20 beyond what is held. */
bool sample_cycles(struct probe *p, unsigned samples, bool (*build)(struct probe *p, void *context, struct kernel *k),
                   void *context, double *cycles)
{
    struct kernel k = {.units = 0};

    (void)samples;
    if (!build(p, context, &k))
        return false;
    const double taken = k.units * (double)((emitted_additions + jump_ops + entry_ops - 1) / entry_ops);
    *cycles = taken > HELD ? 20 : taken > OTHER_CODE ? 12 : 10;
    return true;
}

/* Lines of more operations take two entries each, and three. */
static struct verdict curve_of_lines(const struct sweep *s)
{
    (void)s;
    return given_step(10, 20, given_searches == 0 ? HELD / 2 : HELD / 3);
}

/* Asks for all three quantities; without lines they are undecided. */
static void ask(size_t ops, size_t of_jump)
{
    static const char *const names[OP_CACHE_QUANTITIES] = {"entries", "ops", "ops_per_entry"};
    struct finding otherwise[OP_CACHE_QUANTITIES];

    for (size_t q = 0; q < OP_CACHE_QUANTITIES; q++)
        otherwise[q] = (struct finding){
            .name = names[q], .value = NAN, .low = NAN, .high = NAN, .grade = 'U', .reason = REASON_AMBIGUOUS};
    entry_ops = ops;
    jump_ops = of_jump;
    given_start(true);
    given_fact("frontend.l1i.bytes", 0, 64 * KB);
    given_curve = curve_of_lines;
    op_cache_lines_report(&given_probe, otherwise);
}

/* NOT_HELD: lines that cost a fifth more beside other code are held, and those that cost twice as much are not. */
static void lines_are_held_until_they_cost_far_more_than_few(void **state)
{
    (void)state;
    ask(9, 1);
    const struct finding *f = given_finding("entries", 0);
    assert_true(f->grade != 'U' && f->low <= HELD && HELD <= f->high);
}

/* Operations that fill one entry, and two; PART_OF_ONE and PART_OF_TWO lie between what is held. */
static void operations_of_an_entry_are_counted(void **state)
{
    (void)state;
    for (size_t ops = 6; ops <= 9; ops++) {
        ask(ops, 1);
        const struct finding *f = given_finding("ops_per_entry", 0);
        assert_true(f->grade == 'C' && fabs(f->value - (double)ops) <= 0);
        f = given_finding("ops", 0);
        assert_true(f->grade == 'C' && f->low <= (double)(HELD * ops) && (double)(HELD * ops) <= f->high);
    }
}

/* A jump that takes no place, and an entry of which two do not fit into a line: nothing is said of operations. */
static void what_does_not_add_up_is_undecided(void **state)
{
    (void)state;
    ask(8, 0);
    assert_int_equal(given_finding("ops_per_entry", 0)->reason, REASON_EXPERIMENTS_DISAGREE);
    assert_int_equal(given_finding("ops", 0)->grade, 'U');
    ask(12, 1);
    assert_int_equal(given_finding("ops_per_entry", 0)->reason, REASON_TOO_FEW_RISES);
    assert_true(given_finding("entries", 0)->grade != 'U');
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines_are_held_until_they_cost_far_more_than_few),
                                       cmocka_unit_test(operations_of_an_entry_are_counted),
                                       cmocka_unit_test(what_does_not_add_up_is_undecided)};

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
