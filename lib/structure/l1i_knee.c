#include "lib/structure/l1i_knee.h"

#include "lib/structure/tlb.h"
#include "lib/structure/tolerances_frontend.h"
#include "lib/structure/tolerances_hierarchy.h"

enum { TLB_LEVELS = 2 };

/*
 * Bytes from which on an end is the second level's, where its size is not known: between the largest instruction cache,
 * 192 KiB (Apple), and the smallest second level beside an operation cache, 256 KiB (Intel, up to Skylake).
 */
static const double SECOND_LEVEL_BYTES = 224 << 10;
/*
 * Part of the second level's size beyond which a knee may be the second level's own: with frames at random addresses
 * its sets fill unevenly, and the curve rises early. No instruction cache is larger than half of its second level: AMD
 * K8 and Arm Cortex-A53 have 64 KiB beside 128 KiB.
 */
static const double LEFT_EARLY = 0.5;

/* Bytes of the second level; 0: not known. */
static double second_level(const struct probe *p)
{
    return facts_number(&p->run->facts, "memory.cache.bytes", "level=2", 0);
}

/* Whether an instruction TLB ends at this knee, to a page. */
static bool is_at_tlb_reach(const struct probe *p, const struct knee *k)
{
    const double page = (double)machine_info()->page_bytes[0];

    for (unsigned level = 1; level <= TLB_LEVELS; level++) {
        const double reach = tlb_code_reach(p, level);
        if (reach > 0 && k->low - page <= reach && reach <= k->high + page)
            return true;
    }
    return false;
}

/*
 * Whether a knee of the size of the second level or about that is not the second level's: the first one lies well
 * behind it, so that it was not left before; or, with frames in order, a later one is at its size.
 */
static bool is_beside_second(const struct verdict *v, size_t knee, double second)
{
    const struct knee *k = &v->knees[knee];
    const size_t own = knee_near(v, second, SAME_EDGE);

    if (k->value > SECOND_LEVEL_BYTES)
        return false;
    return k->low > SAME_EDGE * second
               ? knee == 0
               : SAME_EDGE * k->value < second && own > knee && own < v->count && machine_info()->contiguous;
}

/* Whether the knee is neither the second level's nor a TLB's. */
static bool may_be_cache(const struct probe *p, const struct verdict *v, size_t knee)
{
    const struct knee *k = &v->knees[knee];
    const double second = second_level(p), step = L1I_GRAIN_BYTES; /* straight code may fit a step more */

    if (is_at_tlb_reach(p, k))
        return false;
    return k->value <= (second > 0 ? LEFT_EARLY * second + step : SECOND_LEVEL_BYTES) ||
           (second > 0 && is_beside_second(v, knee, second));
}

size_t l1i_last_knee(const struct probe *p, const struct verdict *v)
{
    for (size_t i = v->count; i-- > 0;)
        if (may_be_cache(p, v, i))
            return i;
    return v->count;
}

size_t l1i_knee(const struct probe *p, const struct verdict *v, const struct verdict *straight, enum reason *why)
{
    size_t found = v->count, both = 0, all = 0;

    for (size_t i = 0; i < v->count; i++) {
        if (!may_be_cache(p, v, i))
            continue;
        const bool has = knee_near(straight, v->knees[i].value, SAME_EDGE) < straight->count;
        if (has || !both || v->knees[i].value <= SECOND_LEVEL_PART * second_level(p))
            found = i;
        both += has;
        all++;
    }
    *why = all > 1 && both > 0 && !(tlb_code_reach(p, 1) > 0) ? REASON_ITLB_LIMIT
           : all > 1 && !(second_level(p) > 0)                ? REASON_LEVEL_NOT_KNOWN
                                                              : REASON_NONE;
    return found;
}
