/* The probe mispredict, by what its branches take: penalties that agree, and patterns that are predicted. */
/* link: probes/frontend/mispredict.c tests/unit/structure/profile.c */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/finding/report.h"
#include "lib/kernels/branch_patterns.h"
#include "lib/kernels/random_branch.h"
#include "lib/probe/count.h"
#include "lib/probe/matrix.h"

/* The section of probes, which holds this one alone; the linker makes its bounds. */
extern const struct probe_definition *const __start_probes[] __attribute__((visibility("hidden")));

/* ---- A core that predicts patterns of 1024 outcomes -------------------------------------------------------- */

enum { HELD_BITS = 10, PENALTY = 15, BRANCH = 2 /* cycles of a branch that is predicted */ };

static double slower;    /* cycles by which a misprediction costs more where other instructions precede it */
static double scattered; /* cycles by which it costs more, and less, in every other layout */
static double cycles;    /* of the kernel made last */
static double penalty, outcomes;
static char penalty_grade;
static unsigned layouts; /* so far */

struct random_branch_layout random_branch_layout(struct probe *p)
{
    struct random_branch_layout l;

    (void)p;
    layouts++;
    memset(&l, 0, sizeof l);
    return l;
}

bool random_branch_build(struct probe *p, enum random_branch_kind kind, enum random_branch_filling filling,
                         const struct random_branch_layout *l, bool random, uint64_t state, struct kernel *k)
{
    (void)p;
    (void)kind;
    (void)l;
    (void)state;
    (void)k;
    const double by_layout = layouts % 2 ? scattered : -scattered;
    cycles = 100 + (random ? (PENALTY + by_layout + (filling == RANDOM_BRANCH_NOPS ? 0 : slower)) / 2 : 0);
    return true;
}

bool branch_patterns_map(struct probe *p, struct area *area)
{
    (void)p;
    *area = (struct area){.bytes = 4096};
    return true;
}

/* Of a pattern that is held one outcome in twenty is mispredicted, of others one in five. */
bool branch_patterns_build(struct probe *p, const struct branch_patterns *s, enum pattern_outcomes which,
                           const struct area *area, struct kernel *k)
{
    const double share = s->branches_bits + s->length_bits <= HELD_BITS ? 0.05 : 0.2;

    (void)p;
    (void)area;
    (void)k;
    cycles = BRANCH + PENALTY * (which == PATTERN_ZEROS ? 0 : which == PATTERN_RANDOM ? 0.5 : share);
    return true;
}

bool probe_measure(struct probe *p, const struct kernel *k, struct point *out)
{
    (void)p;
    (void)k;
    out->q20 = cycles;
    return true;
}

bool probe_count(struct probe *p, const struct kernel *k, const char *need, double *per_unit)
{
    (void)p;
    (void)k;
    (void)need;
    *per_unit = NAN;
    return true;
}

void *probe_calloc(struct probe *p, size_t count, size_t bytes)
{
    (void)p;
    return calloc(count, bytes);
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

void report(struct probe *p, const struct finding *f)
{
    (void)p;
    *(strcmp(f->name, "frontend.mispredict.cycles") ? &outcomes : &penalty) = f->value;
    if (!strcmp(f->name, "frontend.mispredict.cycles"))
        penalty_grade = f->grade;
}

static void run_probe(double more_cycles)
{
    struct probe probe = {.definition = __start_probes[0]};

    slower = more_cycles;
    penalty = outcomes = NAN;
    probe.definition->run(&probe);
}

/* ---- Tests ---------------------------------------------------------------------------------------------- */

/* STAGE: where code is fetched at another place it may take a cycle more, and not as much as four. */
static void penalties_differ_by_little(void **state)
{
    (void)state;
    run_probe(1.5);
    assert_true(penalty >= PENALTY && penalty <= PENALTY + 1.5);
    run_probe(4);
    assert_true(isnan(penalty));
}

/* A median of so few layouts is known to half a percent only where they hardly differ. */
static void layouts_that_differ_fix_no_median(void **state)
{
    (void)state;
    scattered = 0.05;
    run_probe(0);
    assert_int_equal(penalty_grade, 'A');
    scattered = 0.5;
    run_probe(0);
    assert_int_equal(penalty_grade, 'B');
    scattered = 0;
}

/* HELD */
static void patterns_are_predicted_but_for_a_twentieth(void **state)
{
    (void)state;
    run_probe(0);
    assert_true(fabs(outcomes - (1 << HELD_BITS)) < 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(penalties_differ_by_little),
        cmocka_unit_test(layouts_that_differ_fix_no_median),
        cmocka_unit_test(patterns_are_predicted_but_for_a_twentieth),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
