/* A level that is left before the rise to it has ended is found at its slope change; a single level has none. */
/* link: tests/model/curves/noise.c */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/structure/slope_change.h"
#include "tests/model/curves/noise.h"

/* family.c and find.c also report findings, which this test does not use. */
void report(struct probe *p, const struct finding *f)
{
    (void)p;
    (void)f;
}

enum { SPACINGS = 6, FEW = 8, MANY = 200 /* with LONG=1 */, MOST = 32768 };

/*
 * Branch target buffers of one or two levels, measured at several strides. This is how a level is left: which share of
 * the branches is not resident.
 */
enum curve_form {
    AT_RANDOM, /* a miss replaces a random entry */
    HASHED,    /* a hash fills the sets unevenly; the oldest entry of a set is replaced */
    SETS       /* the sets fill evenly, one after the other */
};

struct core {
    enum curve_form form[2];
    double holds[2]; /* entries of each level; the second is 0 where there is one level */
    double cycles[3];
    double index_spacing; /* at larger strides only every second, fourth, ... set is reached */
    struct noise noise;
    uint64_t random;
};

struct row {
    struct core *core;
    double reached; /* share of the sets */
    double time;
};

/* Each miss replaces one of `holds`: a branch survives the misses of a round with exp(-misses / holds). */
static double misses_at_random(double count, double holds)
{
    double share = 1;

    for (int i = 0; i < 200; i++)
        share = 1 - exp(-share * count / holds);
    return count > holds ? share : 0;
}

/* A branch misses when WAYS other branches or more are in its set; their number has a Poisson distribution. */
static double misses_hashed(double count, double holds)
{
    enum { WAYS = 8 };
    const double others = count * WAYS / holds;
    double term = exp(-others), fewer = 0;

    for (int i = 0; i < WAYS; i++) {
        fewer += term;
        term *= others / (i + 1);
    }
    return 1 - fewer;
}

static double misses_in_sets(double count, double holds)
{
    enum { WAYS = 4 };

    return fmin(1, fmax(0, (count - holds) * (WAYS + 1) / count));
}

static double misses(enum curve_form form, double count, double holds)
{
    return form == AT_RANDOM ? misses_at_random(count, holds)
           : form == HASHED  ? misses_hashed(count, holds)
                             : misses_in_sets(count, holds);
}

static bool sample(void *context, double x, double *y)
{
    struct row *r = context;
    struct core *c = r->core;

    *y = c->cycles[0];
    for (int i = 0; i < 2 && c->holds[i] > 0; i++)
        *y += (c->cycles[i + 1] - c->cycles[i]) * misses(c->form[i], x, c->holds[i] * r->reached);
    *y = noise_apply(&c->noise, *y, r->time++, &c->random);
    return true;
}

static void search(struct row *r, struct search *s, enum knee_kind kind, double from, double to)
{
    *s = (struct search){.kind = kind,
                         .from = from,
                         .to = to,
                         .step = 1,
                         .per_octave = 4,
                         .resolution = 0.02,
                         .budget = 1200,
                         .random = 1,
                         .sample = sample,
                         .context = r};
    assert_true(search_run(s));
}

static void decide(struct core *core, struct stride_verdict *out)
{
    struct verdict curve[SPACINGS], bend[SPACINGS];
    const struct verdict *curves[SPACINGS];
    struct stride_member members[SPACINGS];

    for (size_t i = 0; i < SPACINGS; i++) {
        const double spacing = (double)(8U << i), least = 0.2 * core->cycles[0];
        struct row row = {.core = core, .reached = fmin(1, core->index_spacing / spacing)};
        struct search whole, part;
        double from, to;
        search(&row, &whole, KNEE_STEP, 256, MOST);
        curve[i] = whole.verdict;
        curves[i] = &curve[i];
        bend[i] = (struct verdict){.reason = REASON_NO_RISE};
        if (slope_change_range(&whole, least, &from, &to)) {
            search(&row, &part, KNEE_SLOPE, from, to);
            slope_change_verdict(&part.verdict, whole.reached, &bend[i]);
            search_free(&part);
        }
        members[i] = (struct stride_member){.name = "a row", .stride = spacing, .verdict = &bend[i]};
        search_free(&whole);
    }
    const struct stride_family f = {
        .members = members, .count = SPACINGS, .step = 1, .smallest = 4, .footprints = {INFINITY}};
    slope_change_decide(&f, curves, out);
}

static struct core draw(uint64_t seed)
{
    struct core c = {.random = seed * 0x9e3779b97f4a7c15};

    c.holds[0] = floor(between(&c.random, 2000, 6000));
    c.cycles[0] = between(&c.random, 1, 3);
    c.index_spacing = (double)(8U << (seed % 3 + 1));
    c.noise = (struct noise){.white = between(&c.random, 0.0005, 0.004), .tail_share = 0.1, .tail = 0.01, .seed = seed};
    return c;
}

static unsigned cases(void)
{
    return getenv("LONG") ? MANY : FEW;
}

static bool is_determined(const struct stride_verdict *v)
{
    return v->level_count > 0 && !isnan(v->levels[0].value);
}

static void a_level_that_is_left_within_a_rise_is_found_at_its_slope_change(void **state)
{
    unsigned decided_cases = 0, inside = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= cases(); seed++) {
        struct core c = draw(seed);
        struct stride_verdict v;
        c.holds[1] = floor(c.holds[0] * between(&c.random, 1.6, 2.4));
        c.cycles[1] = c.cycles[0] + between(&c.random, 0.8, 1.5);
        c.cycles[2] = c.cycles[1] * between(&c.random, 3, 5);
        decide(&c, &v);
        if (!is_determined(&v))
            continue;
        const struct stride_level *l = &v.levels[0];
        assert_int_equal(l->grade, 'C');
        assert_true(fabs(l->value - c.holds[1]) < 0.05 * c.holds[1]);
        inside += l->low <= c.holds[1] && c.holds[1] < l->high;
        decided_cases++;
    }
    print_message("# %u of %u decided, %u inside\n", decided_cases, cases(), inside);
    assert_true(decided_cases >= cases() / 2);
    assert_true(inside >= decided_cases * 9 / 10);
}

static void a_rise_to_the_next_level_has_no_slope_change(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= cases(); seed++)
        for (enum curve_form form = AT_RANDOM; form <= SETS; form++) {
            struct core c = draw(seed);
            struct stride_verdict v;
            c.form[0] = form;
            c.cycles[1] = c.cycles[0] * between(&c.random, 3, 8);
            decide(&c, &v);
            if (is_determined(&v))
                print_message("# form %d, seed %u: %g of %g\n", form, (unsigned)seed, v.levels[0].value, c.holds[0]);
            assert_false(is_determined(&v));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_level_that_is_left_within_a_rise_is_found_at_its_slope_change),
        cmocka_unit_test(a_rise_to_the_next_level_has_no_slope_change),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
