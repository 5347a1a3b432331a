#include "lib/structure/set_steps.h"

#include <math.h>

#include "lib/structure/set_associativity.h"

static struct sweep with_step(const struct sweep *s, size_t step)
{
    struct sweep counts = *s;

    counts.search.verdict.knees[0] = counts.search.verdict.knees[step];
    return counts;
}

static struct sweep last_step(const struct sweep *all, const struct sweep *behind)
{
    const struct sweep *s = behind->search.verdict.count ? behind : all;

    return s->search.verdict.count ? with_step(s, s->search.verdict.count - 1) : *s;
}

/* Sets *chosen to the curve that has a step at so many places. False: neither has. */
static bool take_step(const struct sweep *all, const struct sweep *behind, double places, struct sweep *chosen)
{
    const struct sweep *const curves[] = {behind, all};

    for (size_t k = 0; k < sizeof curves / sizeof curves[0]; k++)
        for (size_t n = 0; n < curves[k]->search.verdict.count; n++)
            if (set_associativity_alike(curves[k]->search.verdict.knees[n].value, places, 1)) {
                *chosen = with_step(curves[k], n);
                return true;
            }
    return false;
}

void set_steps_choose(double capacity, const struct sweep *all, const struct sweep *behind, const size_t *bytes,
                      size_t count, struct sweep *chosen)
{
    size_t most = 0;
    double span = (double)NAN;

    for (size_t h = 0; h < count; h++) {
        size_t found = 0;
        for (size_t i = 0; i < count; i++)
            found += take_step(&all[i], &behind[i], capacity / (double)bytes[i < h ? i : h], &chosen[i]);
        if (found >= most)
            span = found > most ? (double)bytes[h] : (double)NAN;
        most = found > most ? found : most;
    }
    for (size_t i = 0; i < count; i++)
        if (isnan(span) || !take_step(&all[i], &behind[i], capacity / fmin((double)bytes[i], span), &chosen[i]))
            chosen[i] = last_step(&all[i], &behind[i]);
}
