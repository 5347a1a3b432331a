#include "lib/structure/load_store_rates.h"

#include <math.h>

#include "lib/probe/sample.h"
#include "lib/structure/tolerances_memory.h"

/* Bytes that loads touch, and stores as well, at least one vector. */
static const unsigned spans[RATE_LAYOUTS] = {64, 512};
const char *const rate_order_names[RATE_ORDERS] = {"in order", "shuffled"};

size_t rate_passes(const struct probe *p)
{
    return (size_t)probe_smoke(p, 1, RATE_PASSES);
}

unsigned rate_span(const struct emit_access *a, size_t layout)
{
    return spans[layout] > a->bits / 8 ? spans[layout] : a->bits / 8;
}

bool rate_measure(struct probe *p, struct load_store_groups *g, double per_cycle[RATE_ORDERS])
{
    for (unsigned shuffled = 0; shuffled < RATE_ORDERS; shuffled++) {
        double cycles = NAN;
        g->shuffled = shuffled;
        if (!sample_cycles(p, 1, load_store_groups_build, g, &cycles))
            return false;
        per_cycle[shuffled] = 1 / cycles;
    }
    return true;
}

void access_rates_start(const struct probe *p, const struct emit_access *a, struct access_rates *out)
{
    const unsigned most = (unsigned)probe_smoke(p, 1, RATE_TOGETHER);

    *out = (struct access_rates){.access = a};
    for (unsigned stores = 0; stores <= (a->has_store ? most : 0); stores++)
        for (unsigned loads = stores ? 0 : 1; loads <= (a->has_load ? most - stores : 0); loads++)
            out->groups[out->count++] = (struct group_rate){.loads = loads, .stores = stores};
}

bool access_rates_pass(struct probe *p, const struct area *area, struct access_rates *s, size_t pass)
{
    const size_t layouts = probe_is_smoke(p) ? 1 : RATE_LAYOUTS;

    for (size_t i = 0; i < s->count; i++)
        for (size_t layout = 0; layout < layouts; layout++) {
            struct group_rate *g = &s->groups[i];
            struct load_store_groups how = {.area = area,
                                            .access = s->access,
                                            .loads = g->loads,
                                            .stores = g->stores,
                                            .span = rate_span(s->access, layout)};
            if (!rate_measure(p, &how, g->per_cycle[layout][pass]))
                return false;
        }
    return true;
}

size_t rate_values(const struct group_rate *g, size_t layout, size_t order,
                   struct experiment_value v[RATE_PASSES * RATE_ORDERS])
{
    static const char *const confounder[RATE_ORDERS] = {"order", "chance"};
    size_t count = 0;

    for (size_t pass = 0; pass < RATE_PASSES; pass++)
        for (size_t e = 0; e < RATE_ORDERS; e++)
            if (!(g->per_cycle[layout][pass][e] <= 0) && (order == RATE_ORDERS || order == e))
                v[count++] = (struct experiment_value){rate_order_names[e], confounder[e],
                                                       g->per_cycle[layout][pass][e]};
    return count;
}

/* The rate by both orders, or, where they disagree, of the faster one whose passes agree. */
static struct rate rate_of(const struct group_rate *g, size_t layout)
{
    struct experiment_value v[RATE_PASSES * RATE_ORDERS];
    struct rate both = {grade_number(v, rate_values(g, layout, RATE_ORDERS, v)), RATE_ORDERS}, best = both;

    for (size_t e = 0; e < RATE_ORDERS && both.graded.grade == 'U'; e++) {
        const struct rate one = {grade_number(v, rate_values(g, layout, e, v)), e};
        if (one.graded.grade != 'U' && (best.graded.grade == 'U' || one.graded.value > best.graded.value))
            best = one;
    }
    return best;
}

static void decide_layouts(struct group_rate *g)
{
    for (size_t layout = 0; layout < RATE_LAYOUTS; layout++) {
        const struct graded *r = &g->rates[layout].graded, *best = &g->rates[g->best].graded;
        g->rates[layout] = rate_of(g, layout);
        if (best->grade == 'U' ? r->grade != 'U' : r->value > best->value)
            g->best = layout;
    }
}

static bool is_sustained(const struct group_rate *g)
{
    const struct graded *r = &g->rates[g->best].graded;
    return r->grade != 'U' && r->value >= SUSTAINED;
}

static bool sustains(const struct group_rate *groups, size_t count, unsigned loads, unsigned stores)
{
    for (size_t i = 0; i < count; i++)
        if (groups[i].loads == loads && groups[i].stores == stores)
            return is_sustained(&groups[i]);
    return loads + stores == 0; /* the empty group counts as sustained */
}

bool rate_at_limit(const struct access_rates *s, const struct group_rate *g)
{
    const struct group_rate *groups = s->groups;
    const size_t count = s->count;

    if (is_sustained(g))
        return !sustains(groups, count, g->loads + 1, g->stores) ||
               (g->loads == 0 && !sustains(groups, count, 0, g->stores + 1));
    return g->loads ? sustains(groups, count, g->loads - 1, g->stores) : sustains(groups, count, 0, g->stores - 1);
}

void access_rates_decide(struct access_rates *s)
{
    for (size_t i = 0; i < s->count; i++)
        decide_layouts(&s->groups[i]);
}
