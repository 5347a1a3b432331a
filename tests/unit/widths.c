/* The probe widths, by rates of a core's sequences: which of them count, and when they give a width. */
/* link: probes/backend/widths.c tests/unit/structure/given.c tests/unit/structure/profile.c */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/emit_fillers.h"
#include "lib/probe/sample.h"
#include "lib/probe/table.h"
#include "tests/unit/structure/given.h"

/* The section of probes, which holds this one alone; the linker makes its bounds. */
extern const struct probe_definition *const __start_probes[] __attribute__((visibility("hidden")));

/* ---- A core instead of kernels -------------------------------------------------------------------------- */

enum { ENTRIES = 320 /* of the reorder buffer */, DELAY = 120 /* cycles of all but the instructions of a sequence */ };

const unsigned emit_nop_lengths[] = {1, 0};
static const struct emit_filler zero = {.name = "zero"}, move = {.name = "move"};
static double with_nops, of_loads, of_zeros, of_moves; /* instructions that are renamed in one cycle, by sequence */
static double retired, retired_with_nops;              /* instructions a cycle */
static double bend; /* by this part the last third of the longest sequence behind a chain takes longer */
static unsigned instructions, nops, loads, zeros, moves; /* of the sequence at hand */
static bool behind_chain;

bool code_good(const struct code *c)
{
    (void)c;
    return true;
}

void emit_nop(struct code *c, unsigned bytes)
{
    (void)c;
    (void)bytes;
    instructions++;
    nops++;
}

void emit_add_constant(struct code *c, enum reg to, int32_t value)
{
    (void)c;
    (void)to;
    (void)value;
    instructions++;
}

void emit_vector_add(struct code *c, enum vreg to, enum vreg from)
{
    (void)c;
    (void)to;
    (void)from;
    instructions++;
}

void emit_load(struct code *c, enum reg to, enum reg base, int32_t offset)
{
    (void)c;
    (void)to;
    (void)base;
    (void)offset;
    instructions++;
    loads++;
}

void emit_store(struct code *c, enum reg from, enum reg base, int32_t offset)
{
    (void)c;
    (void)from;
    (void)base;
    (void)offset;
    instructions++;
}

const struct emit_filler *emit_filler_named(const char *name)
{
    return strcmp(name, "zero") ? &move : &zero;
}

void emit_filler(struct code *c, const struct emit_filler *f, size_t index)
{
    (void)c;
    (void)index;
    instructions++;
    zeros += f == &zero;
    moves += f == &move;
}

void emit_multiply(struct code *c, enum reg to, enum reg from)
{
    (void)c;
    (void)to;
    (void)from;
}

void emit_fence(struct code *c, enum fence kind)
{
    (void)c;
    (void)kind;
    behind_chain = true;
}

bool sample_loop(struct probe *p, unsigned samples, const struct loop *l, double *cycles)
{
    struct code c = {.used = 0};

    (void)p;
    (void)samples;
    instructions = nops = loads = zeros = moves = 0;
    behind_chain = false;
    l->body(&c, l->context);
    if (behind_chain) {
        const double third = ENTRIES / 4.0, last = fmax(instructions - 2 * third, 0);
        *cycles = DELAY + (instructions + bend * last) / (nops ? retired_with_nops : retired);
    } else {
        *cycles = DELAY + instructions / (loads ? of_loads : zeros ? of_zeros : moves ? of_moves : with_nops);
    }
    return true;
}

bool probe_map(struct probe *p, struct area *a, size_t bytes, size_t page_bytes)
{
    (void)p;
    *a = (struct area){.bytes = bytes, .page_bytes = page_bytes};
    return true;
}

double machine_seconds(void)
{
    return 0;
}

void record_table(const struct probe *p, struct record *r, const char *table)
{
    static struct writer nowhere;

    (void)p;
    writer_start(&nowhere);
    record_start(r, &nowhere, table);
}

void record_columns(struct record *r, const char *const *columns, size_t count)
{
    (void)columns;
    (void)count;
    record_array(r, "rows");
}

/* Runs the probe on a core whose reorder buffer holds so many NOPs; NaN: nothing is known of it; 0: only its entries. */
static void run_probe(double nops_in_flight)
{
    struct fact f = {
        .name = "backend.rob.instructions", .variants = "filler=nop", .value = nops_in_flight, .grade = 'A'};

    given_start(false);
    if (!isnan(nops_in_flight)) {
        given_fact("backend.rob.entries", 1, ENTRIES);
        assert_true(nops_in_flight < 1 || facts_set(&given_probe.run->facts, &f));
    }
    __start_probes[0]->run(&given_probe);
    facts_forget(&given_probe.run->facts);
}

static double retired_per_cycle(double rate, double rate_with_nops, double nops_in_flight)
{
    with_nops = of_loads = of_zeros = of_moves = 6;
    retired = rate;
    retired_with_nops = rate_with_nops;
    run_probe(nops_in_flight);
    return given_variant("backend.retire.per_cycle", "operations")->value;
}

/* What is found of instructions that write a register, of a core that renames and retires 8 of others. */
static const struct finding *renames(double rate_of_zeros, double rate_of_moves)
{
    with_nops = retired = retired_with_nops = 8;
    of_loads = 3;
    of_zeros = rate_of_zeros;
    of_moves = rate_of_moves;
    run_probe(ENTRIES);
    return given_finding("backend.rename.per_cycle", 0);
}

/* ---- Tests ---------------------------------------------------------------------------------------------- */

/* WHOLE: a core retires eight in a cycle, of which noise takes a hundredth; seven and a half are no width. */
static void widths_are_whole_numbers(void **state)
{
    (void)state;
    bend = 0;
    assert_true(retired_per_cycle(7.9, 7.9, ENTRIES) == 8);
    assert_true(isnan(retired_per_cycle(7.5, 7.5, ENTRIES)));
}

/* STRAIGHT: noise bends a line by a little; a resource that is full before the longest sequence, by half and more. */
static void rates_come_from_straight_lines(void **state)
{
    (void)state;
    bend = 0.08;
    assert_true(retired_per_cycle(4, 4, ENTRIES) == 4);
    bend = 0.6;
    assert_true(isnan(retired_per_cycle(4, 4, ENTRIES)));
    bend = 0;
}

/*
 * SHARED: where two NOPs share an entry, they retire twice as fast as entries do, and moves show the width. A tenth
 * more NOPs than entries is an error of the one number or the other.
 */
static void nops_that_share_entries_do_not_count(void **state)
{
    (void)state;
    bend = 0;
    assert_true(retired_per_cycle(4, 8, 2 * ENTRIES) == 4);
    assert_true(retired_per_cycle(4, 8, 1.1 * ENTRIES) == 8);
}

/* NOPS_FASTER: where it is not known whether NOPs share entries, twice as many of them a cycle show no width. */
static void nops_that_may_share_entries_do_not_count(void **state)
{
    (void)state;
    bend = 0;
    with_nops = retired_with_nops = 12;
    of_loads = of_zeros = of_moves = retired = 6;
    run_probe(0);
    const struct finding *f = given_variant("backend.rename.per_cycle", "operations");
    assert_true(isnan(f->value) && f->reason == REASON_ROB_ENTRIES_UNKNOWN);
    with_nops = 6;
    retired = retired_with_nops = 9;
    run_probe(0);
    assert_true(given_variant("backend.rename.per_cycle", "operations")->value == 6);
}

/* ALIKE: moves and zeros at nearly the same rate show the width; at two rates, one of them may be that of a unit. */
static void two_kinds_of_writers_are_equally_slow(void **state)
{
    (void)state;
    bend = 0;
    assert_true(renames(5.9, 6)->value == 6);
    const struct finding *f = renames(5.6, 6);
    assert_true(isnan(f->value) && f->reason == REASON_ONE_KIND_AS_FAST);
}

/*
 * NOPs, two to an entry, retire by eight: four entries. Where moves and zeros, which share none, retire by four, too, that
 * is the number of operations and of entries. Where fewer of them retire, as they write registers, only that is known.
 */
static void retiring_is_counted_by_kind(void **state)
{
    (void)state;
    bend = 0;
    retired_per_cycle(4, 8, 2 * ENTRIES);
    assert_true(given_variant("backend.retire.per_cycle", "entries")->value == 4);
    assert_true(given_variant("backend.retire.per_cycle", "renames")->value == 4);
    assert_true(isnan(retired_per_cycle(3, 8, 2 * ENTRIES)));
    assert_true(given_variant("backend.retire.per_cycle", "operations")->reason == REASON_EXPERIMENTS_DISAGREE);
    assert_true(isnan(given_variant("backend.retire.per_cycle", "entries")->value));
    assert_true(given_variant("backend.retire.per_cycle", "renames")->value == 3);
    assert_true(isnan(retired_per_cycle(8, 8, 2 * ENTRIES))); /* moves and zeros share entries, too */
    assert_true(retired_per_cycle(8, 8, NAN) == 8);
    assert_true(
        isnan(retired_per_cycle(8, 16, NAN))); /* NOPs may share entries, since it is not known how many there are */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widths_are_whole_numbers),
        cmocka_unit_test(rates_come_from_straight_lines),
        cmocka_unit_test(nops_that_share_entries_do_not_count),
        cmocka_unit_test(nops_that_may_share_entries_do_not_count),
        cmocka_unit_test(two_kinds_of_writers_are_equally_slow),
        cmocka_unit_test(retiring_is_counted_by_kind),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
