#include "lib/probe/proof.h"

#include <math.h>
#include <stdio.h>

#include "lib/base/numbers.h"
#include "lib/base/record.h"
#include "lib/probe/count.h"
#include "lib/probe/probe.h"
#include "lib/probe/table.h"

/* A value on both sides of the knee: x, or events per unit. */
struct sides {
    double before, after;
};

static bool count_side(struct probe *p, const struct sweep *s, double x, const char *need, double *per_unit)
{
    struct kernel k = {.units = 1};

    if (!s->build) { /* it measures by itself, and has no kernel that could be counted */
        *per_unit = NAN;
        return true;
    }
    return s->build(p, x, s->context, &k) && probe_count(p, &k, need, per_unit);
}

static void send(struct probe *p, const struct sweep *s, const struct sides at, const char *const *needs,
                 const struct sides *counts)
{
    struct record r;

    record_table(p, &r, "proof");
    record_text(&r, "curve", s->name);
    record_text(&r, "unit", s->unit);
    record_number(&r, "before", at.before);
    record_number(&r, "after", at.after);
    record_array(&r, "rows");
    for (size_t i = 0; i < PROOF_NEEDS && needs[i]; i++) {
        record_array(&r, NULL);
        record_text(&r, NULL, needs[i]);
        record_number(&r, NULL, rounded(counts[i].before));
        record_number(&r, NULL, rounded(counts[i].after));
        record_close(&r);
    }
    record_close(&r);
    record_send(&r);
}

bool proof_of_knee(struct probe *p, const struct sweep *s, size_t knee, const char *const *needs, char text[PROOF_TEXT])
{
    const struct verdict *v = &s->search.verdict;
    struct sides counts[PROOF_NEEDS];
    size_t used = 0;

    text[0] = 0;
    if (machine_counters()->why_not || knee >= v->count)
        return true;
    const struct sides at = {v->knees[knee].low, v->knees[knee].ramp ? v->knees[knee].end : v->knees[knee].high};
    for (size_t i = 0; i < PROOF_NEEDS && needs[i]; i++) {
        if (!count_side(p, s, at.before, needs[i], &counts[i].before) ||
            !count_side(p, s, at.after, needs[i], &counts[i].after))
            return false;
        if (!isnan(counts[i].before) && !isnan(counts[i].after) && used < PROOF_TEXT)
            used += (size_t)snprintf(text + used, PROOF_TEXT - used, "%s%s %.2f, then %.2f", used ? "; " : "", needs[i],
                                     counts[i].before, counts[i].after);
    }
    send(p, s, at, needs, counts);
    return true;
}
