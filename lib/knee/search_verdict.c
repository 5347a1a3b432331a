#include "lib/knee/search_verdict.h"

#include <math.h>
#include <stdlib.h>

#include "lib/knee/search_samples.h"
#include "lib/knee/tolerances.h"

/* Standard error of a median over that of a mean, of a normal sample: sqrt(pi / 2). Medians of two are means.
 * no test: it is exact for many samples. */
static const double MEDIAN_ERROR = 1.2533;

static bool decide(struct search *s, bool final)
{
    double *sigma = malloc((s->count + 1) * sizeof *sigma);
    struct knee_point *points = malloc((s->count + 1) * sizeof *points);
    struct knee_passes passes = {GRID_PASSES, malloc((GRID_PASSES * s->count + 1) * sizeof *passes.y)};
    bool good = sigma && points && passes.y && search_noise(s, sigma);

    for (size_t i = 0; good && i < s->count; i++) {
        const struct search_point *p = &s->points[i];
        double error = sigma[i] / sqrt(p->kept) * (p->kept > 2 ? MEDIAN_ERROR : 1);
        double least = s->resolution * fabs(p->y);
        points[i] = (struct knee_point){p->x, p->y, least > 0 && !(error > least) ? least : error};
        /* Where a point was disturbed in one pass, which search_settle has repaired, its first samples do not count. */
        bool both = p->on_coarse_grid && p->kept >= GRID_PASSES &&
                    fabs(p->sample[1] - p->sample[0]) <= APART * sigma[i];
        for (size_t pass = 0; pass < GRID_PASSES; pass++)
            passes.y[pass * s->count + i] = both ? p->sample[pass] : (double)NAN;
    }
    good = good && (final ? knee_decide_searched(s->kind, points, s->count, s->step, &passes, &s->verdict)
                          : knee_candidates(s->kind, points, s->count, s->step, &s->verdict));
    free(passes.y);
    free(sigma);
    free(points);
    return good;
}

bool search_find_candidates(struct search *s)
{
    return decide(s, false);
}

bool search_decide(struct search *s)
{
    return decide(s, true);
}
