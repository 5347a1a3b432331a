#include "lib/structure/page_chase.h"

#include "lib/probe/probe.h"

const struct page_chase_kind page_chase_kinds[PAGE_CHASE_KINDS] = {
    [PAGES_SHARED_LINES] = {"shared lines", "unknown way predictors"},
    [PAGES_OWN_LINES] = {"own lines", "caches"},
    [PAGES_SHUFFLED] = {"shuffled", "caches"},
    [PAGES_IN_ORDER] = {"in order", "neighbours in one entry"},
    [PAGES_CONTIGUOUS] = {"contiguous hint", "groups in one entry"}};

static bool build(struct probe *p, double pages, void *context, struct kernel *k)
{
    const struct page_chase *c = context;

    return pages_kernel(p, c->pages, (size_t)pages, c->stride, k);
}

bool page_chase_control(struct probe *p, double pages, void *context, struct kernel *k)
{
    const struct page_chase *c = context;

    return pages_control(p, c->pages, (size_t)pages, k);
}

struct sweep page_chase_sweep(const char *name, struct page_chase *c)
{
    return (struct sweep){.name = name,
                          .axis = "pages",
                          .unit = "cycles/load",
                          .build = build,
                          .control = c->pages->kind == PAGES_SHARED_LINES ? NULL : page_chase_control,
                          .context = c,
                          .area = &c->pages->chase.ring,
                          .touches_pages = true};
}
