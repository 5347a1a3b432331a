#include <math.h>

#include "lib/structure/renaming_conditions.h"
#include "lib/structure/tolerances_memory.h"

enum renaming_answer renaming_condition_decide(const struct renaming_conditions *r, enum renaming_condition condition)
{
    unsigned renamed = 0;

    for (size_t i = 0; i < RENAMING_EXPERIMENTS; i++) {
        if (isnan(r->cycles[i][condition]) || !(r->load > 0))
            return RENAMING_UNKNOWN;
        renamed += r->cycles[i][condition] < RENAMED_PART * r->load;
    }
    return renamed == RENAMING_EXPERIMENTS ? RENAMING_YES : renamed ? RENAMING_DIFFER : RENAMING_NO;
}
