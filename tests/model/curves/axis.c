#include "tests/model/curves/axis.h"

#include <math.h>

#include "tests/model/curves/noise.h"

double on_axis(const struct search *p, double x)
{
    return fmax(1, floor(x / p->step + 0.5)) * p->step;
}

void log_axis(struct search *p, double step, double from, double to, uint64_t *random)
{
    p->step = step;
    p->per_octave = 4u << pick(random, 0, 2);
    /* far enough from zero that neighbouring coarse points differ */
    p->from = on_axis(p, fmax(from, 2 * p->per_octave * step));
    p->to = on_axis(p, fmax(to, 4 * p->from));
}

void linear_axis(struct search *p, double step, double from, double to, uint64_t *random)
{
    p->step = step;
    p->from = on_axis(p, from);
    p->to = on_axis(p, to);
    p->coarse = (unsigned)fmin(16u << pick(random, 0, 2), (p->to - p->from) / step + 1);
}

double coarse_between(const struct search *p, double from, double to)
{
    if (p->per_octave)
        return log2(to / from) * p->per_octave;
    return (to - from) / (p->to - p->from) * (p->coarse - 1);
}

double along(const struct search *p, double u)
{
    return on_axis(p, p->per_octave ? p->from * pow(p->to / p->from, u) : p->from + u * (p->to - p->from));
}
