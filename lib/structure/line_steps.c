#include "lib/structure/line_steps.h"

#include <math.h>

#include "lib/finding/grade.h"
#include "lib/structure/tolerances_frontend.h"

/* The last step of a curve that is about as high as the first; v->count without a step. */
static size_t last_step(const struct verdict *v)
{
    size_t last = v->count ? 0 : v->count;

    for (size_t i = 1; i < v->count; i++)
        if (v->knees[i].after - v->knees[i].before > ANOTHER_STEP * (v->knees[0].after - v->knees[0].before))
            last = i;
    return last;
}

double line_steps_report(struct probe *p, const struct finding *f, const struct sweep *s, size_t count)
{
    struct experiment e[EXPERIMENTS_MAXIMUM];
    struct finding filled = *f;
    double first = INFINITY;
    bool several = false;

    experiments_of_sweeps(s, count, e);
    for (size_t i = 0; i < count; i++) {
        const struct verdict *v = e[i].verdict;
        e[i].knee = last_step(v);
        several |= e[i].knee > 0 && e[i].knee < v->count;
        first = fmin(first, v->count ? v->knees[0].low : INFINITY);
        filled.curves[i] = e[i].name;
    }
    const struct graded g = grade_capacity(e, count, s->search.step);
    filled.value = g.value;
    filled.low = fmin(g.low, first);
    filled.high = g.high;
    filled.grade = several && g.grade < 'C' ? 'C' : g.grade;
    filled.reason = g.reason;
    filled.agreement = g.agreement[0] ? g.agreement : NULL;
    if (g.grade == 'U')
        filled.value = filled.low = filled.high = (double)NAN;
    report(p, &filled);
    return g.value;
}
