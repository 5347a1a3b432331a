/* The probe load_prediction, by what chains of loads save: whether loads are predicted, or it cannot be told. */
/* link: probes/memory/load_prediction.c tests/unit/structure/profile.c */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/kernels/load_chain.h"
#include "lib/probe/sweep.h"

/* The section of probes, which holds this one alone; the linker makes its bounds. */
extern const struct probe_definition *const __start_probes[] __attribute__((visibility("hidden")));

/* ---- A core instead of kernels -------------------------------------------------------------------------- */

enum answer { NO_ANSWER, UNDECIDED, ABSENT, PRESENT };

const char *const load_chain_names[LOAD_CHAIN_KINDS] = {"random", "address-constant", "address-stride", "value"};
const char *const load_chain_layout_names[LOAD_CHAIN_LAYOUTS] = {"packed", "spread"};
static double saved_cycles; /* by predicted addresses, of a load that takes four otherwise */
static enum load_chain_kind built;
static enum answer answer;

bool load_chain_map(struct probe *p, struct load_chain_memory *m)
{
    (void)p;
    *m = (struct load_chain_memory){.words = {.bytes = 4096}};
    return true;
}

bool load_chain_build(struct probe *p, double loads, void *context, struct kernel *k)
{
    const struct load_chain *c = context;

    (void)p;
    (void)loads;
    (void)k;
    built = c->kind;
    return true;
}

bool load_chain_build_block(struct probe *p, double passes, void *context, struct kernel *k)
{
    return load_chain_build(p, passes, context, k);
}

bool load_chain_build_random_block(struct probe *p, double passes, void *context, struct kernel *k)
{
    return load_chain_build(p, passes, context, k);
}

bool probe_measure(struct probe *p, const struct kernel *k, struct point *out)
{
    (void)p;
    (void)k;
    out->q20 = built == ADDRESS_CONSTANT ? 4 - saved_cycles : 4;
    return true;
}

/* Searched is what is predicted, and nothing else. */
bool sweeps_search(struct probe *p, struct sweep *s, size_t count)
{
    const struct load_chain *c = s->context;

    (void)p;
    (void)count;
    assert_int_equal(c->kind, ADDRESS_CONSTANT);
    answer = PRESENT;
    return false;
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

void report_capacity(struct probe *p, const struct finding *f, const struct experiment *e, size_t count, double step)
{
    (void)p;
    (void)f;
    (void)e;
    (void)count;
    (void)step;
}

void report_graded_number(struct probe *p, const struct finding *f, const struct experiment_value *v, size_t count)
{
    (void)p;
    (void)count;
    if (f->variants[0].text == load_chain_names[ADDRESS_CONSTANT]) {
        assert_true(v[0].value <= 0);
        answer = ABSENT;
    }
}

void report(struct probe *p, const struct finding *f)
{
    (void)p;
    if (f->variants[0].text == load_chain_names[ADDRESS_CONSTANT])
        answer = UNDECIDED;
}

static enum answer answer_where_saved(double cycles)
{
    struct probe probe = {.definition = __start_probes[0]};

    saved_cycles = cycles;
    answer = NO_ANSWER;
    probe.definition->run(&probe);
    return answer;
}

/* ---- Tests ---------------------------------------------------------------------------------------------- */

/* SAVES: a load whose address is predicted takes two cycles of four, or none. */
static void predicted_loads_save_cycles(void **state)
{
    (void)state;
    assert_int_equal(answer_where_saved(2), PRESENT);
    assert_int_equal(answer_where_saved(4), PRESENT);
}

/* NOTHING: noise of a tenth of the latency saves nothing; what costs more is no noise either. */
static void noise_saves_nothing(void **state)
{
    (void)state;
    assert_int_equal(answer_where_saved(0.4), ABSENT);
    assert_int_equal(answer_where_saved(-0.4), ABSENT);
    assert_int_equal(answer_where_saved(-0.8), UNDECIDED);
}

/* SAVES, NOTHING */
static void less_than_a_cycle_is_undecided(void **state)
{
    (void)state;
    assert_int_equal(answer_where_saved(0.75), UNDECIDED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predicted_loads_save_cycles),
        cmocka_unit_test(noise_saves_nothing),
        cmocka_unit_test(less_than_a_cycle_is_undecided),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
