/* The probe decode, by rates of short and long runs: which of them show how many instructions are decoded. */
/* link: probes/frontend/decode.c tests/unit/structure/profile.c */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/probe/sample.h"
#include "lib/probe/table.h"

/* The section of probes, which holds this one alone; the linker makes its bounds. */
extern const struct probe_definition *const __start_probes[] __attribute__((visibility("hidden")));

/* ---- A core instead of kernels -------------------------------------------------------------------------- */

enum { SHORT_RUN = 512 /* at most: an operation cache holds it */ };

const unsigned emit_nop_lengths[] = {1, 2, 3, 4, 5, 6, 7, 0}, emit_alignment = 1, emit_longest = 15;
static enum reason why;      /* of the width, where it is not known */
static double kept, decoded; /* instructions a cycle, of short and of long runs */
static double fetched[8];    /* the same by the bytes that are fetched in a cycle, by their length; 0: not limited */
static unsigned bytes;       /* of the instructions of a run */
static double least, most;   /* whole rates that long runs show */
static unsigned whole, not_sure; /* how many do; findings that only give a bound */

bool code_good(const struct code *c)
{
    (void)c;
    return false;
}

struct code probe_code(struct probe *p, size_t room)
{
    (void)p;
    return (struct code){.bytes = room};
}

void emit_add_constant(struct code *c, enum reg to, int32_t value)
{
    (void)to;
    (void)value;
    c->used += 4;
}

void emit_nop_sequence(struct code *c, unsigned length, size_t count)
{
    (void)c;
    (void)count;
    bytes = length;
}

bool sample_loop(struct probe *p, unsigned samples, const struct loop *l, double *cycles)
{
    struct code c = {.used = 0};

    (void)p;
    (void)samples;
    bytes = 0; /* additions */
    l->body(&c, l->context);
    double rate = l->instructions <= SHORT_RUN ? kept : decoded;
    if (l->instructions > SHORT_RUN && fetched[bytes] > 0)
        rate = fmin(rate, fetched[bytes]);
    *cycles = (double)l->instructions / rate;
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

void report_number(struct probe *p, const struct finding *f, double value)
{
    (void)p;
    (void)value;
    not_sure += !strcmp(f->name, "frontend.decode.width");
    if (!strcmp(f->name, "frontend.decode.width"))
        why = f->reason;
}

void report_graded_number(struct probe *p, const struct finding *f, const struct experiment_value *v, size_t count)
{
    (void)p;
    (void)f;
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, v[i].value);
        most = fmax(most, v[i].value);
    }
    whole += (unsigned)count;
}

/* Runs the probe on a core with an instruction cache of so many bytes; NaN: not known. */
static void run_probe_with(double l1i_bytes, double short_rate, double long_rate)
{
    struct run run = {.number = 0};
    struct probe probe = {.definition = __start_probes[0], .run = &run};
    const struct fact l1i = {.name = "frontend.l1i.bytes", .value = l1i_bytes, .grade = 'A'};

    assert_true(facts_set(&run.facts, &l1i));
    kept = short_rate;
    decoded = long_rate;
    least = INFINITY;
    most = whole = not_sure = 0;
    probe.definition->run(&probe);
    facts_forget(&run.facts);
}

static void run_probe(double short_rate, double long_rate)
{
    run_probe_with(1 << 16, short_rate, long_rate);
}

/* ---- Tests ---------------------------------------------------------------------------------------------- */

/* SLOWER: short runs that are faster by a hundredth are so by noise; by a third, since nothing decodes them. */
static void decoders_are_slower_than_what_keeps_operations(void **state)
{
    (void)state;
    run_probe(6.05, 6);
    assert_int_equal(whole, 0);
    run_probe(8, 6);
    assert_true(whole > 0 && least > 5.9 && most < 6.1);
}

/* WHOLE: calibrated time is off by a hundredth; 5.7 instructions a cycle are no whole number. */
static void rates_are_whole_up_to_calibration(void **state)
{
    (void)state;
    run_probe(8, 5.94);
    assert_true(whole > 0 && least > 5.9 && most < 6.1);
    run_probe(8, 5.7);
    assert_true(whole == 0 && not_sure == 1);
}

/* BOUND_BY_BYTES: of 26 bytes a cycle, four instructions of six bytes use 24: their rate is not that of decoding. */
static void whole_instructions_do_not_use_all_bytes(void **state)
{
    (void)state;
    fetched[5] = 26.0 / 5;
    fetched[6] = 24.0 / 6;
    fetched[7] = 26.0 / 7;
    run_probe(8, 6);
    fetched[5] = fetched[6] = fetched[7] = 0;
    assert_true(whole > 0 && least > 5.9 && most < 6.1);
}

static void the_reason_says_what_is_missing(void **state)
{
    (void)state;
    run_probe(6.05, 6);
    assert_true(not_sure == 1 && why == REASON_MASKED_BY_NOP_RATE);
    run_probe_with(1 << 13, 8, 6);
    assert_true(not_sure == 1 && why == REASON_NO_LONG_INSTRUCTION_CACHE);
    run_probe_with(NAN, 8, 6);
    assert_true(not_sure == 1 && why == REASON_CAPACITY_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decoders_are_slower_than_what_keeps_operations),
        cmocka_unit_test(rates_are_whole_up_to_calibration),
        cmocka_unit_test(whole_instructions_do_not_use_all_bytes),
        cmocka_unit_test(the_reason_says_what_is_missing),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
