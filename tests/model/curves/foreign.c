#include "tests/model/curves/foreign.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "boot/linux/gather.h"
#include "lib/base/random.h"
#include "lib/finding/grade.h"
#include "lib/knee/search.h"
#include "tests/model/curves/figures.h"
#include "tests/model/curves/noise.h"
#include "tests/model/curves/show.h"

enum { LONGEST = 400, TRUTHS = 5, SHOWN = 12, BUDGET = 4000 };

static const char *const kind_names[FOREIGN_KINDS + 1] = {"climb",  "creep",   "foot", "return", "few",
                                                          "stairs", "scatter", "none", "all"};

struct foreign {
    enum foreign_kind kind;
    size_t count;
    double x[LONGEST], mean[LONGEST]; /* of a point without noise */
    struct {
        size_t last_good; /* number of the last point that fits */
        size_t first_bad; /* of the first one that surely does not: the interval must not end before */
    } truths[TRUTHS];
    size_t truth_count;
    size_t may_from;    /* further knees that begin at this point or behind it are neither right nor wrong */
    double noise, tail; /* relative to y: deviation of a reading; mean of what three in ten have on top */
    unsigned passes;
    bool by_rows; /* all readings of an x follow each other; otherwise passes do */
    uint64_t random;
};

/* ---- Shapes -------------------------------------------------------------------------------------- */

static void add_points(struct foreign *f, size_t count, double y)
{
    for (; count > 0 && f->count < LONGEST; count--)
        f->mean[f->count++] = y;
}

/* Points that differ by up to `part` on either side, the same in every pass: sets and frames are unlike. */
static void add_scattered(struct foreign *f, size_t count, double y, double part, uint64_t *random)
{
    for (; count > 0; count--)
        add_points(f, 1, y + part * between(random, -1, 1));
}

/* Ends the level at the last point so far: the next `wide` points may still be like it. */
static void add_truth(struct foreign *f, size_t wide)
{
    f->truths[f->truth_count].last_good = f->count - 1;
    f->truths[f->truth_count].first_bad = f->count + wide;
    f->truth_count++;
}

/* Draws the shape over a base of 1; returns the smallest rise just behind a truth, relative to y there. */
static double draw_shape(struct foreign *f, uint64_t *random)
{
    double least = INFINITY, y = 1, rise = 0, part, step;
    size_t wide;

    if (f->kind != FOREIGN_STAIRS && f->kind != FOREIGN_NONE) {
        add_points(f, f->kind == FOREIGN_CREEP ? pick(random, 8, 60) : pick(random, 12, 70), 1);
        add_truth(f, f->kind == FOREIGN_RETURN ? 3 : 0);
    }
    switch (f->kind) {
    case FOREIGN_CLIMB:
        y += least = magnitude(random, 0.25, 1.6);
        step = y * magnitude(random, 1.2, 4);
        wide = pick(random, 8, 70);
        for (size_t i = 0; i < wide; i++)
            add_points(f, 1, y + (step - y) * (double)i / (double)wide);
        add_points(f, pick(random, 4, 40), step * magnitude(random, 1.5, 5));
        break;
    case FOREIGN_CREEP:
        y += least = magnitude(random, 0.08, 0.35);
        for (wide = pick(random, 2, 6); wide > 0; wide--) {
            add_points(f, 1, y);
            y += least * between(random, 0.1, 0.7);
        }
        add_points(f, pick(random, 6, 40), y + magnitude(random, 0.3, 2));
        break;
    case FOREIGN_FOOT:
        wide = pick(random, 4, 10);
        rise = magnitude(random, 0.6, 4);
        step = between(random, 1, 1.8);
        least = fmax(rise * pow(1 / (double)wide, step), 0.06);
        for (size_t i = 1; i < wide; i++)
            add_points(f, 1, y + fmax(least, rise * pow((double)i / (double)wide, step)));
        add_points(f, pick(random, 6, 50), y + fmax(least, rise));
        break;
    case FOREIGN_RETURN:
        rise = magnitude(random, 0.8, 5);
        least = magnitude(random, 0.06, 0.2);
        add_points(f, 1, 1 + least);
        add_points(f, 1, 1 + least * between(random, 1.5, 3.5));
        add_points(f, 1, 1 + least * between(random, 0, 0.15));
        for (wide = pick(random, 2, 5), y = 1 + least * 3.5; wide > 0; wide--)
            add_points(f, 1, y += (1 + rise - y) / (double)wide * between(random, 0.6, 1));
        add_points(f, pick(random, 6, 40), 1 + rise);
        break;
    case FOREIGN_FEW:
        least = magnitude(random, 0.15, 4);
        add_points(f, pick(random, 2, 3), 1 + least);
        break;
    case FOREIGN_SCATTER:
        y += least = magnitude(random, 0.05, 1);
        part = chance(random, 0.5) ? least * between(random, 0.02, 0.5) : 0;
        add_scattered(f, pick(random, 6, 40), y, part, random);
        for (size_t levels = pick(random, 1, 3); levels > 0; levels--) {
            step = y * magnitude(random, 0.3, 3);
            y += step;
            add_scattered(f, pick(random, 8, 40), y, step * between(random, 0.03, 0.4), random);
        }
        break;
    case FOREIGN_STAIRS:
        for (size_t levels = pick(random, 3, TRUTHS + 1); levels > 0; levels--) {
            add_points(f, pick(random, 4, 40), y);
            if (levels == 1)
                break;
            add_truth(f, 0);
            step = magnitude(random, 0.05, 10);
            least = fmin(least, step / (1 + step));
            y *= 1 + step;
        }
        return least;
    default:
        wide = pick(random, 0, 3);
        rise = magnitude(random, 0.05, 4);
        f->count = pick(random, 8, 120);
        for (size_t i = 0; i < f->count; i++) {
            double u = (double)i / (double)f->count;
            f->mean[i] = 1 + (wide == 1 ? rise * u : wide == 2 ? rise * u * u : wide == 3 ? (double)(i % 3) / 60 : 0);
        }
        return 0.08;
    }
    return least / (1 + least);
}

/* Draws the x of the points: one apart; a fixed distance apart; ever farther apart; in groups of three. */
static void draw_x(struct foreign *f, bool plain, uint64_t *random)
{
    size_t spacing = plain ? 0 : pick(random, 0, 3);
    double x = spacing ? (double)pick(random, 1, 8) : 1, each = (double)pick(random, 2, 64);

    for (size_t i = 0; i < f->count; i++) {
        f->x[i] = x;
        x += spacing == 1   ? each
             : spacing == 2 ? ceil(x / each * between(random, 0.5, 1.5))
             : spacing == 3 ? (i % 3 == 2 ? ceil(x / 4) : 1)
                            : 1;
    }
}

static void draw_foreign(struct foreign *f, uint64_t seed, uint64_t number)
{
    static const unsigned passes[] = {1, 1, 2, 3, 5, 8};
    uint64_t state = seed ^ (number + 1) * 0xd1342543de82ef95, *random = &state;

    random_next(random);
    *f = (struct foreign){.kind = (enum foreign_kind)(number % FOREIGN_KINDS)};
    const double base = magnitude(random, 0.3, 300), least = draw_shape(f, random);
    f->passes = f->kind == FOREIGN_FEW ? 3 + (unsigned)pick(random, 0, 2) : passes[pick(random, 0, 5)];
    f->noise = fmin(magnitude(random, 0.0003, 0.012), least / (f->kind == FOREIGN_FEW ? 30 : 10));
    if (f->passes > 2 && chance(random, 0.4))
        f->tail = f->noise * between(random, 0.5, 2);
    f->by_rows = chance(random, 0.4);
    draw_x(f, chance(random, 0.5), random);
    for (size_t i = 0; i < f->count; i++)
        f->mean[i] *= base;
    if (f->passes == 1) /* what was read once and is far from its neighbours may be disturbed */
        for (size_t t = 0; t < f->truth_count; t++)
            f->truths[t].first_bad = f->truths[t].last_good + 1;
    f->may_from = f->kind == FOREIGN_STAIRS || f->kind == FOREIGN_NONE ? f->count : f->truths[0].first_bad;
    f->random = random_next(random);
}

/* ---- Measuring ------------------------------------------------------------------------------------ */

static double read_point(struct foreign *f, size_t i)
{
    double factor = 1 + f->noise * normal(&f->random);

    if (f->tail > 0 && chance(&f->random, 0.3))
        factor += f->tail * -log(between(&f->random, 1e-9, 1));
    return f->mean[i] * factor;
}

static struct verdict decide_given(struct foreign *f, bool show)
{
    struct gather g;
    struct knee_point *points = NULL;
    struct knee_passes passes = {0};
    struct verdict v;

    gather_start(&g);
    for (size_t row = 0; row < f->passes * f->count; row++) {
        size_t i = f->by_rows ? row / f->passes : row % f->count;
        if (!gather_add(&g, f->x[i], read_point(f, i)))
            abort();
    }
    if (!gather_end(&g) || !gather_points(&g, &points) || !gather_passes(&g, &passes) ||
        !knee_decide_passes(KNEE_STEP, points, g.count, 0, &passes, &v))
        abort();
    for (size_t i = 0; show && i < g.count; i++) {
        printf("#   given %g\t%.6g +- %.3g\t", points[i].x, points[i].y, points[i].error);
        for (size_t k = 0; k < g.bins[i].kept; k++)
            printf(" %.6g", g.bins[i].samples[k]);
        printf("\n");
    }
    free(points);
    free(passes.y);
    gather_free(&g);
    return v;
}

static bool sample(void *context, double x, double *y)
{
    struct foreign *f = context;

    *y = read_point(f, (size_t)x - 1);
    return true;
}

/* Searches the same points, with x from 1 on. */
static struct verdict decide_searched(struct foreign *f, bool show)
{
    struct search s = {.kind = KNEE_STEP,
                       .from = 1,
                       .to = (double)f->count,
                       .limit = (double)f->count,
                       .step = 1,
                       .coarse = f->count < 32 ? (unsigned)f->count : 32,
                       .budget = BUDGET,
                       .random = f->random,
                       .sample = sample,
                       .context = f};

    if (!search_run(&s))
        abort();
    for (size_t i = 0; show && i < s.count; i++) {
        printf("#   searched %g\t%.6g\t", s.points[i].x, s.points[i].y);
        for (unsigned k = 0; k < s.points[i].kept; k++)
            printf(" %.6g", s.points[i].sample[k]);
        printf("\n");
    }
    search_free(&s);
    return s.verdict;
}

/* ---- Scores --------------------------------------------------------------------------------------- */

/* Adds a verdict over these x; returns what is wrong with it, NULL where nothing is. */
static const char *score(struct foreign_score *s, const struct foreign *f, const double *x, const struct verdict *v)
{
    bool found[TRUTHS] = {false};
    const char *wrong = NULL;

    s->curves++;
    s->truths += f->truth_count;
    for (size_t i = 0; i < v->count; i++) {
        const struct experiment e = {.name = "x", .confounder = "", .verdict = v, .knee = i};
        const struct graded r = grade_capacity(&e, 1, 0);
        size_t best = TRUTHS;
        double nearest = INFINITY;
        if (r.grade == 'U')
            continue;
        for (size_t t = 0; t < f->truth_count; t++) {
            double last = x[f->truths[t].last_good], reach = x[f->truths[t].first_bad];
            bool holds = r.low <= last && r.high >= reach;
            double off = holds ? -1 : fabs(r.value - last);
            if (!found[t] && off < nearest) {
                nearest = off;
                best = t;
            }
        }
        if (best < TRUTHS && nearest < 0) {
            found[best] = true;
            s->inside++;
        } else if (f->may_from < f->count && found[0] && r.low >= x[f->may_from]) {
            continue;
        } else if (best < TRUTHS) {
            found[best] = true;
            s->outside++;
            wrong = "outside its interval";
        } else {
            s->extra++;
            wrong = wrong ? wrong : "a number where nothing is";
        }
    }
    for (size_t t = 0; t < f->truth_count; t++)
        if (!found[t] && !wrong)
            wrong = "undecided";
    return wrong;
}

/* Grades two experiments on the first structure, which different things could mislead. */
static bool grade_both(struct foreign_score *s, const struct foreign *f, const double *x, const struct verdict *v)
{
    const struct experiment e[2] = {{.name = "one", .confounder = "one", .verdict = &v[0]},
                                    {.name = "other", .confounder = "other", .verdict = &v[1]}};
    const struct graded r = grade_capacity(e, 2, 1);

    if (r.grade != 'A')
        return true;
    for (size_t t = 0; t < f->truth_count; t++)
        if (r.low <= x[f->truths[t].last_good] && r.high >= x[f->truths[t].last_good + 1]) {
            s->right_a++;
            return true;
        }
    s->wrong_a++;
    return false;
}

void run_foreign(struct foreign_scores *s, uint64_t seed, uint64_t number, bool show)
{
    struct foreign f;
    double from_one[LONGEST];
    struct verdict v[2];
    const char *wrong[3] = {NULL, NULL, NULL};

    draw_foreign(&f, seed, number);
    v[0] = decide_given(&f, show);
    if (show) {
        printf("# foreign, %s, %zu points, %u passes%s, noise %g, tail %g\n", kind_names[f.kind], f.count, f.passes,
               f.by_rows ? " by rows" : "", f.noise, f.tail);
        for (size_t t = 0; t < f.truth_count; t++)
            printf("#   truth %g, x %g: from %g to %g\n", (double)f.truths[t].last_good + 1, f.x[f.truths[t].last_good],
                   f.mean[f.truths[t].last_good], f.mean[f.truths[t].last_good + 1]);
        show_verdict(&v[0]);
    }
    wrong[0] = score(&s->given[f.kind], &f, f.x, &v[0]);
    score(&s->given[FOREIGN_KINDS], &f, f.x, &v[0]);
    for (size_t i = 0; i < f.count; i++)
        from_one[i] = (double)i + 1;
    for (int i = 0; i < 2; i++)
        v[i] = decide_searched(&f, show && i == 0);
    if (show)
        show_verdict(&v[0]);
    wrong[1] = score(&s->searched[f.kind], &f, from_one, &v[0]);
    score(&s->searched[FOREIGN_KINDS], &f, from_one, &v[0]);
    if (!grade_both(&s->searched[f.kind], &f, from_one, v))
        wrong[2] = "grade A, wrong";
    grade_both(&s->searched[FOREIGN_KINDS], &f, from_one, v);
    for (int i = 0; i < 3; i++)
        if (wrong[i] && (i == 2 || s->shown++ < SHOWN))
            fprintf(i == 2 ? stderr : stdout,
                    "# %s (%s): CURVES_SEED=%llu CURVES_FOREIGN=%llu build/tests/model_curves (%s)\n", wrong[i],
                    i == 0 ? "given" : "searched", (unsigned long long)seed, (unsigned long long)number,
                    kind_names[f.kind]);
}

static void print_score(const char *head, const char *name, const struct foreign_score *s)
{
    fprintf(stderr, "# %-9s %-7s %6zu curves, %6zu knees: inside %6.2f %%, U %5.2f %%, extra %4zu, A %5zu, wrong %zu\n",
            head, name, s->curves, s->truths, percent(s->inside, s->inside + s->outside),
            percent(s->truths - s->inside - s->outside, s->truths), s->extra, s->right_a, s->wrong_a);
}

void print_foreign(const struct foreign_scores *s)
{
    for (size_t i = 0; i <= FOREIGN_KINDS; i++)
        print_score("given", kind_names[i], &s->given[i]);
    for (size_t i = 0; i <= FOREIGN_KINDS; i++)
        print_score("searched", kind_names[i], &s->searched[i]);
}
