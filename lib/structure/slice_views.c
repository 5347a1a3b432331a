#include "lib/structure/slice_views.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "lib/structure/tolerances_slices.h"

bool slice_view_average(struct slice_view *v, const struct slice_function *f)
{
    const size_t combinations = (size_t)1 << f->count;
    size_t *counts = calloc(combinations, sizeof *counts), measured = 0, least = SIZE_MAX;
    double squares = 0;

    if (!counts)
        return false;
    for (size_t i = 0; i < combinations; i++)
        v->means[i] = 0;
    for (uint64_t line = 0; line >> f->line_bits == 0; line++)
        if (!isnan(v->cycles[line])) {
            const size_t at = slice_parities(f, line);
            v->means[at] += v->cycles[line];
            counts[at]++;
            measured++;
        }
    for (size_t i = 0; i < combinations; i++) {
        v->means[i] /= (double)counts[i]; /* NaN where none was measured */
        least = counts[i] < least ? counts[i] : least;
    }
    for (uint64_t line = 0; line >> f->line_bits == 0; line++)
        if (!isnan(v->cycles[line])) {
            const double rest = v->cycles[line] - v->means[slice_parities(f, line)];
            squares += rest * rest;
        }
    v->error = measured > combinations && least ? sqrt(squares / (double)(measured - combinations) / (double)least)
                                                : INFINITY;
    free(counts);
    return true;
}

bool slice_views_alike(const struct slice_view *a, const struct slice_view *b, size_t combinations)
{
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;

    for (size_t i = 0; i < combinations; i++) {
        x += a->means[i] / (double)combinations;
        y += b->means[i] / (double)combinations;
    }
    for (size_t i = 0; i < combinations; i++) {
        xx += (a->means[i] - x) * (a->means[i] - x);
        yy += (b->means[i] - y) * (b->means[i] - y);
        xy += (a->means[i] - x) * (b->means[i] - y);
    }
    return !(fabs(xy) < SLICE_VIEWS_ALIKE * sqrt(xx) * sqrt(yy));
}

/* A combination of parities, and what is compared of it. */
struct place {
    double value;
    size_t combination;
};

static int by_value(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    return x->value < y->value ? -1 : x->value > y->value;
}

/*
 * Sorts the places and numbers classes of values that differ by more than `step`, from 0 on, of at least so many places
 * each; smaller ones belong to the class before, or to the first one. Returns how many there are.
 */
static size_t number_classes(struct place *places, size_t count, double step, size_t least, size_t *classes)
{
    size_t known = 0;

    qsort(places, count, sizeof *places, by_value);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && !(places[to].value - places[to - 1].value > step);)
            to++;
        known += to - from >= least;
        for (size_t i = from; i < to; i++)
            classes[places[i].combination] = known ? known - 1 : 0;
    }
    return known;
}

size_t slice_views_distances(const struct slice_view *views, size_t count, size_t combinations)
{
    struct place *places = calloc(combinations, sizeof *places);
    size_t *together = calloc(combinations, sizeof *together), *own = calloc(combinations, sizeof *own), known = 1;
    const size_t least = (size_t)ceil(SLICE_LEAST_PART * (double)combinations);

    for (size_t v = 0; v < count && places && together && own; v++) {
        for (size_t i = 0; i < combinations; i++)
            places[i] = (struct place){views[v].means[i], i};
        number_classes(places, combinations, fmax(SLICE_STEP, SLICE_ERRORS * views[v].error), least, own);
        for (size_t i = 0; i < combinations; i++)
            places[i] = (struct place){(double)(together[i] * combinations + own[i]), i};
        known = number_classes(places, combinations, 0.5, least, together);
    }
    known = places && together && own ? known : 0;
    free(places);
    free(together);
    free(own);
    return known;
}
