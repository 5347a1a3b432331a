#include "lib/structure/forwarding_reference.h"

#include <math.h>

#include "lib/kernels/access.h"
#include "lib/structure/tolerances_memory.h"

bool forwarding_references(struct probe *p, const struct store_load *s, uint64_t data, struct forwarding_paths *w)
{
    const struct emit_access *wide = access_general(64);
    struct store_load reference = {.store = wide, .load = wide, .chain = THROUGH_NONE};
    double arithmetic, with_load;

    if (!store_load_measure(p, &reference, data, &arithmetic))
        return false;
    reference.chain = THROUGH_LOAD;
    reference.load_offset = SEPARATE_BYTES;
    if (!store_load_measure(p, &reference, data, &with_load))
        return false;
    w->extra = s->chain != THROUGH_DATA ? arithmetic : s->changing ? 1 : 0;
    w->load = with_load - arithmetic;
    return true;
}

bool forwarding_not_renamed(struct probe *p, uint64_t data, const struct emit_access **load)
{
    const struct emit_access *store = access_general(64);
    struct store_load s = {.store = store, .load = store, .chain = THROUGH_DATA, .base = BASE_OTHER};
    struct forwarding_paths w;

    if (!forwarding_references(p, &s, data, &w))
        return false;
    for (;; s.load--) {
        double cycles;
        if (!store_load_measure(p, &s, data, &cycles))
            return false;
        if ((isnan(cycles) || isnan(w.load)) && !probe_is_smoke(p)) {
            *load = NULL;
            return true;
        }
        if (!(cycles < RENAMED_PART_ALONE * w.load) || s.load == emit_accesses)
            break;
    }
    *load = s.load;
    return true;
}
