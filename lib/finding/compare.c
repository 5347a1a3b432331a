#include "lib/finding/compare.h"

#include <math.h>
#include <string.h>

#include "lib/finding/report.h"
#include "lib/finding/tolerances.h"
#include "lib/machine.h"

bool unit_is_rate(const char *unit)
{
    return strstr(unit, "cycle") || !strcmp(unit, "ns") || !strcmp(unit, "Hz");
}

double published_miss(const struct finding *f, const char *unit, const struct published_value *k)
{
    double from = k->value, to = k->to > 0 ? k->to : k->value;
    double nearest = f->value < from ? from : f->value > to ? to : f->value;
    bool interval = isfinite(f->low) && isfinite(f->high);

    if (f->value == nearest || (interval && f->low <= nearest && nearest < f->high))
        return 0;
    if ((unit_is_rate(unit) || !interval) && fabs(f->value - nearest) <= RATES_AGREE * nearest)
        return 0;
    return f->value - nearest;
}

const struct published_difference *published_explanation(const struct finding *f, const char *unit, char grade,
                                                         const struct published_value *known, const char *variants)
{
    if (!known)
        return NULL;
    for (const struct published_value *k = known; grade != 'U' && k; k = published_next(k))
        if (published_miss(f, unit, k) == 0)
            return NULL;
    return published_difference(machine_info()->core_name, f->name, variants, grade == 'U' ? NAN : f->value);
}
