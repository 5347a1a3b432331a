/* The probe frequency, on a core whose clock falls while it idles: what is a ramp, and how long it idles and warms. */
/* link: probes/system/frequency.c tests/unit/structure/profile.c tests/unit/structure/no_code.c */
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
#include "lib/probe/probe.h"

/* The section of probes, which holds this one alone; the linker makes its bounds. */
extern const struct probe_definition *const __start_probes[] __attribute__((visibility("hidden")));

/* ---- A core of 3.4 GHz ---------------------------------------------------------------------------------- */

static const double hz = 3.4e9, tick_hz = 1e9, ramp_seconds = 0.005;
static const unsigned unroll = 64, multiply_cycles = 3; /* multiplications of an iteration */
const char reader_empty_kernel[1], reader_chain_kernel[1], reader_half_chain_kernel[1], reader_width_kernel[1];
const unsigned emit_wide_bits[] = {0};
static double falls_after, falls_by; /* seconds of idling; part of the clock */
static double now, woken;            /* seconds; when the core was woken whose clock had fallen */
static double warm_seconds;          /* of the kernel measured last */
static double ramp_us;

const struct machine_info *machine_info(void)
{
    static const struct machine_info info = {.core = 0};

    return &info;
}

double machine_seconds(void)
{
    return now;
}

const char *machine_idle(double seconds)
{
    now += seconds;
    if (seconds >= falls_after)
        woken = now;
    return NULL;
}

struct window_result machine_window(struct reading *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double at = now - woken < ramp_seconds ? hz * (1 - falls_by) : hz;
        list[i].begin_ticks = (uint64_t)(now * tick_hz);
        now += (double)(list[i].argument[0] * READER_CHAIN) / at;
        list[i].end_ticks = (uint64_t)(now * tick_hz);
    }
    return (struct window_result){.end = WINDOW_RAN};
}

void emit_constant(struct code *c, enum reg to, uint64_t value)
{
    (void)c;
    (void)to;
    (void)value;
}

void emit_multiply(struct code *c, enum reg to, enum reg from)
{
    (void)c;
    (void)to;
    (void)from;
}

void emit_wide_clear(struct code *c, enum vreg r, unsigned bits)
{
    (void)c;
    (void)r;
    (void)bits;
}

void emit_wide_multiply(struct code *c, enum vreg to, enum vreg from, unsigned bits)
{
    (void)from;
    emit_wide_clear(c, to, bits);
}

void emit_wide_end(struct code *c, unsigned bits)
{
    (void)c;
    (void)bits;
}

bool probe_measure(struct probe *p, const struct kernel *k, struct point *out)
{
    (void)p;
    warm_seconds = k->warm_iterations * unroll * multiply_cycles / hz;
    out->q20 = unroll * multiply_cycles;
    return true;
}

bool probe_survived(struct probe *p, const struct window_result *result)
{
    (void)p;
    return result->end == WINDOW_RAN;
}

bool probe_skip(struct probe *p, const char *reason)
{
    (void)p;
    (void)reason;
    fail();
    return false;
}

void report(struct probe *p, const struct finding *f)
{
    (void)p;
    ramp_us = strcmp(f->name, "system.clock.ramp_us") ? ramp_us : f->value;
}

void report_graded_number(struct probe *p, const struct finding *f, const struct experiment_value *v, size_t count)
{
    (void)p;
    (void)f;
    (void)v;
    (void)count;
}

/* Microseconds of the ramp that is reported where the clock falls by that part while the core idles. */
static double ramp_where_it_falls(double part, double after)
{
    struct run run = {.meter = {.chain_iterations = 500, .tick_hz = tick_hz, .core_hz = hz, .span_ticks = 1e4}};
    struct probe probe = {.definition = __start_probes[0], .run = &run};

    now = 1;
    woken = 0;
    falls_by = part;
    falls_after = after;
    ramp_us = NAN;
    writer_start(&run.writer);
    probe.definition->run(&probe);
    writer_stop(&run.writer);
    return ramp_us;
}

/* ---- Tests ---------------------------------------------------------------------------------------------- */

/* TOLERANCE: one step of 100 MHz is no ramp, three are one. */
static void a_step_of_the_clock_is_no_ramp(void **state)
{
    (void)state;
    assert_true(fabs(ramp_where_it_falls(1 / 34.0, 0)) < 1);
    assert_true(fabs(ramp_where_it_falls(3 / 34.0, 0) - 5000) < 200);
}

/* IDLE_SECONDS: platforms lower the clock of a core that has idled for ten milliseconds. */
static void the_core_idles_until_its_clock_falls(void **state)
{
    (void)state;
    assert_true(fabs(ramp_where_it_falls(0.5, 0.01) - 5000) < 200);
}

/* SETTLE_SECONDS: a clock under vectors is chosen within ten milliseconds. */
static void vectors_are_multiplied_until_the_clock_is_theirs(void **state)
{
    (void)state;
    ramp_where_it_falls(0, 0);
    assert_true(warm_seconds > 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_of_the_clock_is_no_ramp),
        cmocka_unit_test(the_core_idles_until_its_clock_falls),
        cmocka_unit_test(vectors_are_multiplied_until_the_clock_is_theirs),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
