#include "lib/structure/code_prefetch.h"

#include <math.h>

#include "lib/structure/tolerances_frontend.h"

static double control(const struct code_prefetch_times *t)
{
    return (t->before + t->after) / 2;
}

double code_prefetch_saved(const struct code_prefetch_times *t, unsigned distance)
{
    return control(t) - t->cycles[distance];
}

enum code_prefetch_effect code_prefetch_effect(const struct code_prefetch_times *t, enum reason *reason)
{
    const double miss = control(t) - t->reference;
    bool works = true, idle = true;

    *reason = REASON_AMBIGUOUS;
    if (!(miss > CODE_PREFETCH_CONTRAST * t->reference)) {
        *reason = REASON_NO_CONTRAST;
        return CODE_PREFETCH_UNKNOWN;
    }
    if (!(fabs(t->before - t->after) <= CODE_PREFETCH_FEW * miss)) {
        *reason = REASON_NOT_STEADY;
        return CODE_PREFETCH_UNKNOWN;
    }
    for (unsigned i = 0; i < CODE_PREFETCH_DISTANCES; i++) {
        works = works && code_prefetch_saved(t, i) >= CODE_PREFETCH_MOST * miss;
        idle = idle && code_prefetch_saved(t, i) <= CODE_PREFETCH_FEW * miss;
    }
    if (works || idle)
        *reason = REASON_NONE;
    return works ? CODE_PREFETCH_BRINGS : idle ? CODE_PREFETCH_NOTHING : CODE_PREFETCH_UNKNOWN;
}
