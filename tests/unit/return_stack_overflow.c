/* The probe return_stack, by what levels behind the depth cost: how its remark says that the stack overflows. */
/* link: probes/frontend/return_stack.c tests/unit/structure/given.c arch/emit.c arch/x86_64/emit.c */
/* link: tests/unit/structure/profile.c */
/* link: tests/unit/structure/no_code.c */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/finding/grade.h"
#include "lib/probe/proof.h"
#include "tests/unit/structure/given.h"

/* The section of probes, which holds this one alone; the linker makes its bounds. */
extern const struct probe_definition *const __start_probes[] __attribute__((visibility("hidden")));

/* ---- A core instead of kernels -------------------------------------------------------------------------- */

enum {
    ENTRIES = 16,
    DEEPEST = 48,
    NEST = 100 /* cycles of a nest that fits */,
    PENALTY = 20 /* of a return, cycles */
};

static double at_first, each; /* mispredictions by the first level too many, and by each further one */
static struct search_point points[DEEPEST];
static char overflow[128]; /* the remark */

bool probe_map(struct probe *p, struct area *a, size_t bytes, size_t page_bytes)
{
    (void)p;
    *a = (struct area){.bytes = bytes, .page_bytes = page_bytes};
    return true;
}

static struct verdict step_of(const struct sweep *s)
{
    (void)s;
    return given_step(NEST, NEST + PENALTY * at_first, ENTRIES);
}

bool sweeps_search(struct probe *p, struct sweep *s, size_t count)
{
    (void)p;
    for (size_t i = 0; i < DEEPEST; i++) {
        const double depth = (double)i + 1, behind = depth - ENTRIES - 1;
        points[i] = (struct search_point){.x = depth, .y = NEST};
        if (behind >= 0)
            points[i].y += PENALTY * (at_first + behind * each);
    }
    for (size_t i = 0; i < count; i++) {
        s[i].search.verdict = step_of(&s[i]);
        s[i].search.points = points;
        s[i].search.count = DEEPEST;
    }
    return true;
}

bool proof_of_knee(struct probe *p, const struct sweep *s, size_t knee, const char *const *needs, char text[PROOF_TEXT])
{
    (void)p;
    (void)s;
    (void)knee;
    (void)needs;
    text[0] = 0;
    return true;
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
    (void)e;
    (void)count;
    (void)step;
    assert_string_equal(f->remarks[0].key, "overflow");
    snprintf(overflow, sizeof overflow, "%s", f->remarks[0].text);
}

/* Whether the remark begins with these words. */
static bool says(const char *words, double mispredictions_at_first, double mispredictions_of_each)
{
    const struct fact f = {
        .name = "frontend.mispredict.cycles", .variants = "branch=return", .value = PENALTY, .grade = 'A'};

    given_start(false);
    given_curve = step_of;
    assert_true(facts_set(&given_probe.run->facts, &f));
    at_first = mispredictions_at_first;
    each = mispredictions_of_each;
    __start_probes[0]->run(&given_probe);
    facts_forget(&given_probe.run->facts);
    return !strncmp(overflow, words, strlen(words));
}

/* ---- Tests ---------------------------------------------------------------------------------------------- */

/* MOST: each further level costs one return, or the first one nearly all; of half a return it is not clear why. */
static void returns_are_lost_one_by_one_or_all_at_once(void **state)
{
    (void)state;
    assert_true(says("the oldest are lost", 1, 1));
    assert_true(says("all are lost", ENTRIES - 2, 1));
    assert_true(says("unclear", 1, 0.5));
}

/* FEW: another predictor knows four of five returns that the stack has lost; knowing half of them may be chance. */
static void other_predictors_know_lost_returns(void **state)
{
    (void)state;
    assert_true(says("other predictors stand in", 1, 0.2));
    assert_true(says("unclear", 1, 0.5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(returns_are_lost_one_by_one_or_all_at_once),
        cmocka_unit_test(other_predictors_know_lost_returns),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
