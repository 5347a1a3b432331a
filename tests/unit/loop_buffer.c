/* The probe loop_buffer, by what is counted and where curves rise: whether a loop buffer is found, and in what. */
/* link: probes/frontend/loop_buffer.c tests/unit/structure/profile.c tests/unit/structure/no_code.c */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/reason.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/probe/count.h"
#include "lib/probe/sample.h"
#include "lib/probe/sweep.h"

/* The section of probes, which holds this one alone; the linker makes its bounds. */
extern const struct probe_definition *const __start_probes[] __attribute__((visibility("hidden")));

/* ---- A core instead of kernels -------------------------------------------------------------------------- */

enum answer { NO_ANSWER, NONE, MASKED, FOUND };

static double delivered; /* operations of a short loop that a loop buffer delivers, a part; NaN: not counted */
static double step;      /* operations at which loops become slower */
static const struct sweep *searched;
static enum answer answer;
static double taken; /* what is reported of taken branches in a cycle */

const unsigned emit_nop_lengths[] = {4, 0};

void emit_nop(struct code *c, unsigned bytes)
{
    (void)c;
    (void)bytes;
}

void emit_nops(struct code *c, size_t bytes)
{
    (void)c;
    (void)bytes;
}

void emit_add_constant(struct code *c, enum reg to, int32_t value)
{
    (void)c;
    (void)to;
    (void)value;
}

bool probe_count(struct probe *p, const struct kernel *k, const char *need, double *per_unit)
{
    (void)p;
    (void)k;
    *per_unit = strcmp(need, "loop_buffer_ops") ? (double)NAN : delivered;
    return true;
}

bool sweeps_search(struct probe *p, struct sweep *s, size_t count)
{
    (void)p;
    for (size_t i = 0; i < count; i++) {
        s[i].search.verdict.count = 1;
        s[i].search.verdict.knees[0].value = step;
    }
    searched = s;
    return true;
}

void sweeps_free(struct sweep *s, size_t count)
{
    (void)s;
    (void)count;
}

void experiments_of_sweeps(const struct sweep *s, size_t count, struct experiment *out)
{
    (void)s;
    (void)count;
    (void)out;
}

void report_capacity(struct probe *p, const struct finding *f, const struct experiment *e, size_t count, double grain)
{
    (void)p;
    (void)f;
    (void)e;
    (void)count;
    (void)grain;
    answer = searched->search.verdict.reason == REASON_MASKED_BY_OP_CACHE ? MASKED : FOUND;
}

void report_number(struct probe *p, const struct finding *f, double value)
{
    (void)p;
    assert_true(value <= 0);
    if (!strcmp(f->name, "frontend.loop_buffer.taken_per_cycle"))
        taken = 0;
    else
        answer = NONE;
}

unsigned emit_jump_bytes(int64_t distance, bool conditional)
{
    (void)distance;
    (void)conditional;
    return 4;
}

void emit_jump(struct code *c, size_t to, unsigned bytes)
{
    (void)c;
    (void)to;
    (void)bytes;
}

/* A loop of jumps takes half a cycle for each, and two cycles more. */
bool sample_cycles(struct probe *p, unsigned samples, bool (*build)(struct probe *p, void *context, struct kernel *k),
                   void *context, double *cycles)
{
    static unsigned calls;

    (void)p;
    (void)samples;
    (void)build;
    (void)context;
    *cycles = calls++ % 2 ? 6 : 4;
    return true;
}

void report_graded_number(struct probe *p, const struct finding *f, const struct experiment_value *v, size_t count)
{
    (void)p;
    (void)f;
    (void)count;
    taken = v[0].value;
}

/* What the probe finds on a core whose operation cache holds 1000 operations. */
static enum answer run_probe(double part, double at)
{
    struct run run = {.number = 0};
    struct probe probe = {.definition = __start_probes[0], .run = &run};
    const struct fact op_cache = {.name = "frontend.op_cache.ops", .value = 1000, .grade = 'A'};

    assert_true(facts_set(&run.facts, &op_cache));
    delivered = part;
    step = at;
    answer = NO_ANSWER;
    probe.definition->run(&probe);
    facts_forget(&run.facts);
    return answer;
}

/* ---- Tests ---------------------------------------------------------------------------------------------- */

/* DELIVERS: nearly all of a short loop comes from a loop buffer, or a few operations that are counted by mistake. */
static void a_loop_buffer_delivers_most_of_a_short_loop(void **state)
{
    (void)state;
    assert_int_equal(run_probe(0.95, 64), FOUND);
    assert_int_equal(run_probe(0.25, 64), NONE);
    assert_int_equal(run_probe(0, 64), NONE);
}

/* SAME_STEP: loops leave an operation cache a little before or behind its capacity, and not at half of it. */
static void the_operation_cache_is_no_loop_buffer(void **state)
{
    (void)state;
    assert_int_equal(run_probe((double)NAN, 950), MASKED);
    assert_int_equal(run_probe((double)NAN, 1050), MASKED);
    assert_int_equal(run_probe((double)NAN, 500), FOUND);
}

/* Loops of four and of eight jumps: all of their five and nine operations are delivered, none is, or nothing is counted. */
static void jumps_are_timed_where_they_are_delivered(void **state)
{
    (void)state;
    run_probe(9, 64);
    assert_true(taken >= 2 && taken <= 2);
    run_probe(0.5, 64);
    assert_true(taken <= 0);
    run_probe((double)NAN, 64);
    assert_true(isnan(taken));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_buffer_delivers_most_of_a_short_loop),
        cmocka_unit_test(the_operation_cache_is_no_loop_buffer),
        cmocka_unit_test(jumps_are_timed_where_they_are_delivered),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
