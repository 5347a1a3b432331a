#include "tests/model/curves/figures.h"

#include <math.h>
#include <stdio.h>

double percent(size_t part, size_t whole)
{
    return whole ? 100 * (double)part / (double)whole : NAN;
}

size_t decided(const struct tally *t)
{
    return t->inside[IDENTIFIABLE] + t->outside[IDENTIFIABLE];
}

size_t reported_truly(const struct tally *t)
{
    size_t n = 0;

    for (size_t i = 0; i < STANDINGS; i++)
        n += t->inside[i];
    return n;
}

size_t reported_falsely(const struct tally *t)
{
    return t->outside[IDENTIFIABLE] + t->extra;
}

static void print_head(FILE *to, const char *name)
{
    fprintf(
        to,
        "# %-12s truths inside%%    U%%  extra steps 50,90%%  grid%% samples agreed wrong ragged | gradual%%  off   "
        "tight%%     weak%%  hurried%%\n",
        name);
}

/* One cell of the table: "-" where there is no number. */
static void print_cell(FILE *to, int width, int precision, double value)
{
    if (isnan(value))
        fprintf(to, " %*s", width, "-");
    else
        fprintf(to, " %*.*f", width, precision, value);
}

static void print_tally(FILE *to, const char *name, struct tally *t)
{
    if (!t->trials)
        return;
    fprintf(to, "# %-12s %6zu", name, t->truths[IDENTIFIABLE]);
    print_cell(to, 7, 2, percent(t->inside[IDENTIFIABLE], decided(t)));
    print_cell(to, 5, 1, percent(t->truths[IDENTIFIABLE] - decided(t), t->truths[IDENTIFIABLE]));
    fprintf(to, " %6zu", t->extra);
    print_cell(to, 9, 0, numbers_quantile(&t->width, 0.5));
    print_cell(to, 5, 0, numbers_quantile(&t->width, 0.9));
    print_cell(to, 6, 1, 100 * numbers_quantile(&t->share, 0.5));
    print_cell(to, 7, 0, numbers_quantile(&t->samples, 0.5));
    fprintf(to, " %6zu %5zu %6zu |", t->agreed, t->misagreed, t->ragged);
    for (size_t i = GRADUAL; i < STANDINGS; i++) {
        fprintf(to, " %5zu", t->truths[i]);
        print_cell(to, 3, 0, percent(t->inside[i], t->inside[i] + t->outside[i]));
        if (i == GRADUAL)
            print_cell(to, 5, 0, numbers_quantile(&t->miss, 0.95));
    }
    fprintf(to, "\n");
}

static void print_nothing(FILE *to, const struct results *r, size_t kind, size_t ground)
{
    fprintf(to, "# nothing there, %s, %s: %zu searched, %zu numbers; %zu given, %zu numbers\n", knee_kind_names[kind],
            ground < GROUNDS ? ground_names[ground] : "all", r->nothing[kind][ground].searched,
            r->nothing[kind][ground].search_numbers, r->nothing[kind][ground].given,
            r->nothing[kind][ground].given_numbers);
}

void print_results(struct results *r)
{
    print_head(stderr, "SEARCHED");
    for (size_t i = 0; i < CLASSES; i++)
        print_tally(stderr, class_names[i], &r->searched[i]);
    print_tally(stderr, "all", &r->searched[CLASSES]);
    print_head(stderr, "GIVEN");
    for (size_t i = 0; i < CLASSES; i++)
        print_tally(stderr, class_names[i], &r->given[i]);
    print_tally(stderr, "all", &r->given[CLASSES]);
    for (size_t kind = 0; kind <= KNEE_STAIRCASE; kind++)
        print_nothing(stderr, r, kind, GROUNDS);
    fprintf(stderr, "# heights of levels: %zu searched, %.2f %% off; %zu given, %.2f %% off\n",
            r->searched[CLASSES].levels, percent(r->searched[CLASSES].off, r->searched[CLASSES].levels),
            r->given[CLASSES].levels, percent(r->given[CLASSES].off, r->given[CLASSES].levels));
    fprintf(stderr, "# exact repetition: %.2f samples at an x in the median\n", numbers_quantile(&r->exact, 0.5));

    print_head(stdout, "by noise");
    for (size_t i = 0; i < NOISES && r->noise[i]; i++)
        print_tally(stdout, r->noise[i], &r->noisy[i]);
    for (size_t kind = 0; kind <= KNEE_STAIRCASE; kind++)
        for (size_t i = 0; i < GROUNDS; i++)
            print_nothing(stdout, r, kind, i);
}

void print_grading(const struct grading *a)
{
    fprintf(stderr, "# GRADES         deserved A   right   wrong  (nothing misled)   does not exist\n");
    for (size_t i = 0; grades[i]; i++)
        fprintf(stderr, "# %c              %10zu %7zu %7zu %17zu %11zu\n", grades[i], a->sound[i], a->right[i],
                a->wrong[i], a->unmisled[i], a->absent[i]);
    fprintf(stderr, "# numbers for structures that do not exist, though nothing was misled: %zu\n", a->phantoms);
}
