#include "lib/structure/flag_registers.h"

#include <math.h>
#include <string.h>

#include "lib/structure/inflight_search.h"

enum reason flag_registers_divide(const struct inflight_result *spaced, unsigned every, double general, double vector,
                                  struct verdict verdicts[LONG_OPS], struct experiment e[LONG_OPS])
{
    for (size_t i = 0; i < spaced->count; i++) {
        const struct verdict *v = spaced->experiments[i].verdict;
        const double least = v->count ? floor(v->knees[0].low / every) : 0,
                     most = v->count ? floor(v->knees[0].value / every) : 0;
        verdicts[i] = *v;
        if (v->count) {
            struct knee *k = &verdicts[i].knees[0];
            k->unseen = least - floor((k->low - k->unseen) / every);
            k->low = least;
            k->high = fmax(floor(k->high / every), most + 1);
            k->value = most;
        }
        e[i] = spaced->experiments[i];
        e[i].verdict = &verdicts[i];
        e[i].holds = 0;
        if (inflight_same(most, general) || inflight_same(most, vector) || inflight_same(2 * most, general))
            return REASON_MASKED_BY_REGISTERS;
    }
    return REASON_NONE;
}

enum reason flag_registers_count(struct inflight_result *flags, double general, const char *sharing)
{
    if (sharing && !strcmp(sharing, "separate"))
        return REASON_NONE;
    if (sharing && !strcmp(sharing, "shared")) {
        for (size_t i = 0; i < flags->count; i++)
            flags->experiments[i].holds = inflight_holds(&flags->runs[i], FILLER_GENERAL);
        return REASON_NONE;
    }
    const double fitted = inflight_total(flags, FILLER_GENERAL);
    return isnan(general) || inflight_same(fitted, general) ? REASON_MASKED_BY_REGISTERS : REASON_NONE;
}
