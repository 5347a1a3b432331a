#include "lib/structure/prefetch_switches.h"

#include <stdlib.h>

/* With switch number i turned off; behind the last one, with all as they were. */
static bool look_with(struct prefetch_kinds *k, struct control *control, size_t i, struct prefetch_kinds *again,
                      bool *turned)
{
    const size_t mark = control->changes.count;

    *turned = i == control->switch_count || (!control->switches[i].is_off && !control_switch(control, i, true));
    const bool good = !*turned || prefetch_kinds_again(k, again);
    if (!changes_restore(&control->changes, mark))
        return probe_skip(k->look->p, "a prefetcher switch does not go back to what it was");
    return good;
}

bool prefetch_find_switches(struct prefetch_kinds *k, struct control *control, struct prefetch_ends *out)
{
    struct prefetch_kinds *again = probe_calloc(k->look->p, 1, sizeof *again);
    size_t ends[PREFETCH_KINDS] = {0};
    bool good = again, turned;

    *out = (struct prefetch_ends){.reason = {REASON_NONE}};
    for (size_t i = 0; i <= control->switch_count && good; i++) {
        good = look_with(k, control, i, again, &turned);
        for (enum prefetch_kind kind = 0; kind < PREFETCH_KINDS && good && turned; kind++) {
            const struct prefetch_found *f = &again->found[kind];
            if (i < control->switch_count && f->text && !f->exists) {
                out->name[kind] = control->switches[i].name;
                ends[kind]++;
            } else if (!f->text || !f->exists) {
                out->reason[kind] = REASON_NOT_STEADY; /* nothing is known with this switch, or it is not found again */
            }
        }
    }
    for (enum prefetch_kind kind = 0; kind < PREFETCH_KINDS; kind++) {
        out->reason[kind] = out->reason[kind] ? out->reason[kind] : !ends[kind] ? REASON_NO_EFFECT : REASON_AMBIGUOUS;
        if (out->reason[kind] != REASON_AMBIGUOUS || ends[kind] != 1)
            out->name[kind] = NULL;
    }
    free(again);
    return good;
}
