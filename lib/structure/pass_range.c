#include "lib/structure/pass_range.h"

#include <math.h>

#include "lib/base/statistics.h"
#include "lib/structure/tolerances_memory.h"

struct pass_range pass_range_of(const double *passes, size_t count)
{
    double v[PASSES_MAXIMUM];
    size_t used = 0;

    for (size_t i = 0; i < count; i++)
        if (!isnan(passes[i]))
            v[used++] = passes[i];
    if (!used)
        return (struct pass_range){REASON_NO_READINGS, (double)NAN, (double)NAN, (double)NAN};
    const double middle = median(v, used); /* sorts them */
    return (struct pass_range){v[used - 1] > PASSES_APART * v[0] ? REASON_NOISE : REASON_NONE, middle, v[0],
                               v[used - 1]};
}
