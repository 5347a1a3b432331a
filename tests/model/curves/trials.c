#include "tests/model/curves/trials.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot/linux/gather.h"
#include "lib/base/random.h"
#include "lib/finding/grade.h"
#include "lib/knee/search.h"
#include "tests/model/curves/contract.h"
#include "tests/model/curves/show.h"

enum { SHOWN = 12 };

/* Whether a finding that rests on this curve alone would have a number. A knee that only one view shows is none. */
static bool reports_a_number(const struct verdict *v)
{
    bool reported = false;

    for (size_t i = 0; i < v->count; i++) {
        const struct experiment e = {.name = "curve", .confounder = "noise", .verdict = v, .knee = i};
        reported |= grade_capacity(&e, 1, 1).grade != 'U';
    }
    return reported;
}

/* ---- Tables ------------------------------------------------------------------------------------- */

/*
 * Measures the rows of a table one after the other, as another program might do it, and gathers them like `fathom
 * knee`.
 */
static void measure_table(struct trial *c, struct gather *g)
{
    uint64_t random = c->plan.random;
    size_t *order = malloc(c->count * sizeof *order);

    if (!order)
        abort();
    for (size_t i = 0; i < c->count; i++)
        order[i] = i;
    gather_start(g);
    for (unsigned pass = 0; pass < c->passes; pass++) {
        for (size_t i = c->count; c->shuffled && i > 1; i--) { /* Fisher and Yates 1938 */
            size_t k = random_below(&random, i), kept = order[i - 1];
            order[i - 1] = order[k];
            order[k] = kept;
        }
        for (size_t i = 0; i < c->count; i++) {
            size_t at = order[!c->shuffled && pass % 2 ? c->count - 1 - i : i];
            if (!gather_add(g, c->x[at], curve_sample(&c->curve, c->x[at])))
                abort();
        }
    }
    if (!gather_end(g))
        abort();
    free(order);
}

static struct verdict decide_table(struct trial *c, bool show)
{
    struct gather g;
    struct knee_point *points = NULL;
    struct knee_passes passes = {0};
    struct verdict v;

    measure_table(c, &g);
    if (!gather_points(&g, &points) || !gather_passes(&g, &passes) ||
        !knee_decide_passes(c->plan.kind, points, g.count, c->plan.step, &passes, &v))
        abort();
    for (size_t i = 0; show && i < g.count; i++) {
        printf("#   given %g\t%g +- %g\t", points[i].x, points[i].y, points[i].error);
        for (size_t k = 0; k < g.bins[i].kept; k++)
            printf(" %.6g", g.bins[i].samples[k]);
        printf("\n");
    }
    free(points);
    free(passes.y);
    gather_free(&g);
    return v;
}

/* ---- One trial ---------------------------------------------------------------------------------- */

static void add_marks(struct marks *sum, const struct marks *m)
{
    sum->outside += m->outside;
    sum->undecided += m->undecided;
    sum->extra += m->extra;
}

static struct tally *of_noise(struct results *r, const char *name)
{
    size_t i = 0;

    while (r->noise[i] && strcmp(r->noise[i], name))
        i++;
    r->noise[i] = name;
    return &r->noisy[i];
}

/*
 * Prints how to see a trial again: mistakes of the first two kinds must never be and go to standard error; there are
 * always some of the others, on standard output.
 */
static void report_trial(struct results *r, size_t kind, const char *what, uint64_t seed, uint64_t number,
                         const struct trial *c)
{
    bool never = kind < 2;

    if (r->shown[kind]++ < (never ? 2 * SHOWN : SHOWN))
        fprintf(never ? stderr : stdout,
                "# %s: CURVES_SEED=%llu CURVES_CASE=%llu build/tests/model_curves (%s, %s, %s, %s)\n", what,
                (unsigned long long)seed, (unsigned long long)number, class_names[c->class],
                knee_kind_names[c->plan.kind], c->curve.noise.name, ground_names[c->curve.ground]);
}

void run_trial(struct results *r, uint64_t seed, uint64_t number, bool show)
{
    struct trial c;
    struct marks sum = {0};

    trial_draw(&c, seed, number);
    if (show)
        show_trial(&c);

    struct search s = c.plan;
    struct sampled asked = {.curve = &c.curve, .plan = &c.plan};
    s.sample = trial_sample;
    s.context = &asked;
    if (!search_run(&s))
        abort(); /* the samples never end and there is memory */
    const char *wrong = asked.off                ? "a sample at an x that is none"
                        : s.taken != asked.calls ? "samples are not all counted"
                                                 : broken_search(&s);
    if (show) {
        for (size_t i = 0; i < s.count; i++) {
            printf("#   %g\t%g\t", s.points[i].x, s.points[i].y);
            for (unsigned j = 0; j < s.points[i].kept; j++)
                printf(" %.6g", s.points[i].sample[j]);
            printf("\n");
        }
        printf("#   %zu points, %u samples of %g, reached %g%s\n", s.count, s.taken, s.grid, s.reached,
               s.spent ? ", spent" : "");
        show_verdict(&s.verdict);
        show_truth(&c, c.searched);
    }
    struct marks m = tally_add(&r->searched[c.class], &c, c.searched, &s.verdict, &s);
    tally_add(&r->searched[CLASSES], &c, c.searched, &s.verdict, &s);
    tally_add(of_noise(r, c.curve.noise.name), &c, c.searched, &s.verdict, &s);
    add_marks(&sum, &m);
    if (!strcmp(c.curve.noise.name, "exact") && c.curve.structures[0].shape != SHAPE_FRAMES &&
        !(c.curve.noise.missing_share > 0) && !(c.curve.noise.missing_run_share > 0))
        numbers_add(&r->exact, (double)s.taken / (double)s.count);
    for (int i = 0; i < 2 && !c.curve.count; i++) {
        size_t ground = i ? (size_t)GROUNDS : (size_t)c.curve.ground;
        r->nothing[c.plan.kind][ground].searched++;
        r->nothing[c.plan.kind][ground].search_numbers += reports_a_number(&s.verdict);
    }
    bool number_reported = reports_a_number(&s.verdict);
    search_free(&s);

    if (c.grid) {
        struct verdict v = decide_table(&c, show);
        const char *also = broken_verdict(&v, c.plan.kind, c.x[0], c.x[c.count - 1]);
        wrong = wrong ? wrong : also;
        if (show) {
            show_verdict(&v);
            show_truth(&c, c.given);
        }
        m = tally_add(&r->given[c.class], &c, c.given, &v, NULL);
        tally_add(&r->given[CLASSES], &c, c.given, &v, NULL);
        add_marks(&sum, &m);
        for (int i = 0; i < 2 && !c.curve.count; i++) {
            size_t ground = i ? (size_t)GROUNDS : (size_t)c.curve.ground;
            r->nothing[c.plan.kind][ground].given++;
            r->nothing[c.plan.kind][ground].given_numbers += reports_a_number(&v);
        }
        number_reported |= reports_a_number(&v);
    }
    if (wrong) {
        r->broken++;
        report_trial(r, 0, wrong, seed, number, &c);
    }
    if (!c.curve.count && number_reported)
        report_trial(r, 1, "a number where nothing is", seed, number, &c);
    else if (sum.outside || sum.extra)
        report_trial(r, 2, sum.outside ? "outside its interval" : "one knee too many", seed, number, &c);
    else if (sum.undecided)
        report_trial(r, 3, "undecided", seed, number, &c);
    trial_free(&c);
}

void results_free(struct results *r)
{
    for (size_t i = 0; i <= CLASSES; i++) {
        tally_free(&r->searched[i]);
        tally_free(&r->given[i]);
    }
    for (size_t i = 0; i < NOISES; i++)
        tally_free(&r->noisy[i]);
}
