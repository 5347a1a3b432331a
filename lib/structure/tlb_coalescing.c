#include "lib/structure/tlb_coalescing.h"

#include <math.h>

#include "lib/base/numbers.h"
#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/probe/sweep.h"
#include "lib/structure/page_chase.h"
#include "lib/structure/tolerances_hierarchy.h"

enum {
    NEIGHBOURS = 16, /* pages in one entry, at most: no core is known to have more */
    HINTED = 128     /* the same with the contiguous hint, for the granule that has most */
};

/*
 * The pages of an entry are the only power of two within the interval of the quotient. The rise must be as high as a
 * miss of the first level is expensive: otherwise a cache or another level ends there.
 */
static void report_quotient(struct probe *p, struct finding *f, const struct verdict *v, const struct tlb_first *first)
{
    const struct knee *k = v->knees;
    unsigned possible = 0;

    for (double pages = 1; v->count && pages <= HINTED; pages *= 2)
        if (k->low <= pages * first->entries && pages * first->entries < k->high) {
            f->value = pages;
            possible++;
        }
    f->reason = !v->count       ? v->reason
                : possible == 0 ? REASON_NOT_POWER_OF_TWO
                : possible > 1  ? REASON_NOISE
                                : REASON_NONE;
    if (!f->reason && !(fabs(k->after - k->before - first->miss_cycles) <= MISS_ALIKE * first->miss_cycles))
        f->reason = REASON_OTHER_LEVEL;
    if (f->reason)
        f->value = NAN;
    else
        f->grade = k->agreed ? 'B' : 'C';
    report(p, f);
}

/* Pages that have the contiguous hint together (Arm ARM DDI 0487, D8.7.1). */
static double hinted_pages(size_t page_bytes)
{
    enum { GRANULE_4K = 512, GRANULE_16K = 2048 }; /* entries of a table */
    const size_t entries = pages_table_entries(page_bytes);

    return entries == GRANULE_4K ? 16 : entries == GRANULE_16K && page_bytes == 1 << 14 ? HINTED : 32;
}

bool tlb_coalescing(struct probe *p, const struct tlb *t, const struct tlb_first *first, enum pages_frames shared,
                    enum pages_frames kind)
{
    const bool hint = kind == PAGES_CONTIGUOUS;
    const char *name = page_chase_kinds[kind].name;
    struct pages pages;
    struct finding f = {.name = hint ? "memory.dtlb.hint_pages" : "memory.dtlb.coalescing",
                        .variants = {{"level", .number = 1}, {"page", page_name(t->page_bytes)}, {"access", "load"}},
                        .value = NAN,
                        .low = NAN,
                        .high = NAN,
                        .grade = 'U',
                        .method = "pages held with frames in order, divided by those held with shared frames",
                        .curves = {name, page_chase_kinds[shared].name}};
    const double room = floor((double)machine_info()->memory_bytes / 2 / (double)t->page_bytes);
    const double most = fmin(t->most, 2 * (hint ? hinted_pages(t->page_bytes) : NEIGHBOURS) * first->entries);

    if (!machine_info()->contiguous && !hint)
        f.reason = REASON_RANDOM_FRAMES;
    else if (isnan(first->entries) && !probe_is_smoke(p)) /* profile smoke only shows that everything works */
        f.reason = REASON_TLB_UNKNOWN;
    else if (most > room)
        f.reason = REASON_NOT_ENOUGH_PAGES;
    else
        f.detail = pages_map(p, &pages, (size_t)most, t->page_bytes, kind);
    if (f.detail)
        f.reason = REASON_PLATFORM;
    if (f.reason) {
        report(p, &f);
        return true;
    }
    struct page_chase chase = {&pages, 1};
    struct sweep s = page_chase_sweep(name, &chase);
    s.search = tlb_search(p, t, t->fewest, most);
    s.seconds = t->seconds_stride;
    s.length_factor = t->length_factor;
    const bool good = sweep_search(p, &s);
    if (good)
        report_quotient(p, &f, &s.search.verdict, first);
    sweep_free(&s);
    pages_unmap(p, &pages);
    return good;
}
