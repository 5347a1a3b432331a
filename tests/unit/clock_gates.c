/* The gates of the probe clock, by what their chains take: which latencies make times trusted. */
/* link: probes/system/clock.c tests/unit/structure/profile.c tests/unit/structure/no_code.c */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/kernels/pointer_chase.h"
#include "lib/probe/probe.h"

/* The section of probes, which holds this one alone; the linker makes its bounds. */
extern const struct probe_definition *const __start_probes[] __attribute__((visibility("hidden")));

/* ---- A core instead of kernels -------------------------------------------------------------------------- */

enum gate { ADD, MULTIPLY, LOAD, GATES };

static double cycles[GATES], varied; /* of each chain; `varied` more of loads in three rounds of seven */
static enum gate built;
static unsigned loads, waits;
static const char *distrust;
static struct machine_info info;

const struct machine_info *machine_info(void)
{
    return &info;
}

void emit_constant(struct code *c, enum reg to, uint64_t value)
{
    (void)c;
    (void)to;
    (void)value;
}

void emit_add(struct code *c, enum reg to, enum reg from)
{
    (void)c;
    (void)to;
    (void)from;
    built = ADD;
}

void emit_multiply(struct code *c, enum reg to, enum reg from)
{
    (void)c;
    (void)to;
    (void)from;
    built = MULTIPLY;
}

bool pointer_chase_map(struct probe *p, struct pointer_chase *c, size_t bytes)
{
    (void)p;
    *c = (struct pointer_chase){.ring = {.bytes = bytes}};
    return true;
}

void pointer_chase_link(struct probe *p, const struct pointer_chase *c, size_t offset, size_t lines, size_t group)
{
    (void)p;
    (void)c;
    (void)offset;
    (void)lines;
    (void)group;
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
    built = LOAD;
    return true;
}

bool probe_measure(struct probe *p, const struct kernel *k, struct point *out)
{
    (void)p;
    (void)k;
    out->q20 = cycles[built] + (built == LOAD && loads++ % 7 > 3 ? varied : 0);
    out->ns = out->q20;
    return true;
}

bool meter_wait(struct meter *m)
{
    (void)m;
    waits++;
    return false;
}

void trust(struct probe *p, const char *untrusted_cause)
{
    (void)p;
    distrust = untrusted_cause;
}

void report_number(struct probe *p, const struct finding *f, double value)
{
    (void)p;
    (void)f;
    (void)value;
}

void report_graded_number(struct probe *p, const struct finding *f, const struct experiment_value *v, size_t count)
{
    (void)p;
    (void)f;
    (void)v;
    (void)count;
}

/* Runs the gates; `addition` 0: no counter gives cycles. */
static void run_gates(double addition, double multiplication, double load, double more)
{
    struct run run = {.number = 0};
    struct probe probe = {.definition = __start_probes[0], .run = &run};

    info = (struct machine_info){.counters = addition > 0 ? READER_TIME_ONLY + 1 : READER_TIME_ONLY};
    cycles[ADD] = addition;
    cycles[MULTIPLY] = multiplication;
    cycles[LOAD] = load;
    varied = more;
    waits = loads = 0;
    distrust = "it did not run";
    probe.definition->run(&probe);
}

static bool trusted(double addition, double multiplication, double load, double more)
{
    run_gates(addition, multiplication, load, more);
    return !distrust;
}

/* Whether the probe waits for a quiet moment. */
static bool waits_for(double multiplication)
{
    run_gates(0, multiplication, 5, 0);
    assert_null(distrust);
    return waits > 0;
}

/* ---- Tests ---------------------------------------------------------------------------------------------- */

/* WHOLE: a calibrated latency of five cycles is off by a fiftieth, and not by a sixteenth. */
static void latencies_are_whole_numbers(void **state)
{
    (void)state;
    assert_true(trusted(0, 3, 5.1, 0));
    assert_false(trusted(0, 3, 5.3, 0));
}

/* WHOLE_UNDISTURBED: half a percent is noise, more than one percent a sibling's doing. */
static void a_sibling_shows_in_a_percent(void **state)
{
    (void)state;
    assert_false(waits_for(2.985));
    assert_true(waits_for(2.96));
}

/* ROUNDS_AGREE: rounds differ by a percent; where the clock ramps, by more. */
static void rounds_that_differ_are_not_trusted(void **state)
{
    (void)state;
    assert_true(trusted(0, 3, 5, 0.05));
    assert_false(trusted(0, 3, 5, 0.2));
}

/* ADDITION: a counter of another clock, a twentieth faster, counts something else. */
static void an_addition_takes_one_counted_cycle(void **state)
{
    (void)state;
    assert_true(trusted(1.01, 3, 5, 0));
    assert_false(trusted(1.05, 3, 5, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latencies_are_whole_numbers),
        cmocka_unit_test(a_sibling_shows_in_a_percent),
        cmocka_unit_test(rounds_that_differ_are_not_trusted),
        cmocka_unit_test(an_addition_takes_one_counted_cycle),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
