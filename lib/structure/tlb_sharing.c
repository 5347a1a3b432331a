#include "lib/structure/tlb_sharing.h"

#include <math.h>
#include <string.h>

#include "lib/finding/tolerances.h"
#include "lib/machine.h"

/* Where a curve leaves its level: an interval of pages. */
struct edge {
    double low, high;
    enum reason reason; /* why there is none */
};

static struct edge edge_of(const struct verdict *v, bool half_rise)
{
    const struct knee *k = v->knees;

    if (v->reason || !v->count)
        return (struct edge){NAN, NAN, v->reason ? v->reason : REASON_NO_KNEE};
    if (half_rise ? !k->half_rise_agreed : !k->agreed)
        return (struct edge){NAN, NAN, REASON_VIEWS_DISAGREE};
    return half_rise ? (struct edge){k->half_rise_low, k->half_rise_high, REASON_NONE}
                     : (struct edge){k->low, k->high, REASON_NONE};
}

/* By how many entries an edge comes earlier than another one. */
struct loss {
    double least, most;
};

static struct loss loss_of(const struct edge *alone, const struct edge *beside)
{
    const double tolerance = fmax(1, AGREE * alone->high);

    return (struct loss){alone->low - beside->high - tolerance, alone->high - beside->low + tolerance};
}

static bool may_be(struct loss l, double entries)
{
    return l.least <= entries && entries <= l.most;
}

struct tlb_sharing tlb_sharing_decide(const struct tlb_sharing_curves *c)
{
    const struct edge one_page = edge_of(c->one_page, c->half_rise), same = edge_of(c->same, c->half_rise),
                      other = edge_of(c->other, c->half_rise);
    const enum reason reason = one_page.reason ? one_page.reason : same.reason ? same.reason : other.reason;

    if (reason)
        return (struct tlb_sharing){.reason = reason};
    const struct loss loss_same = loss_of(&one_page, &same), loss_other = loss_of(&one_page, &other);
    const bool shared = may_be(loss_other, c->entries_per_page * c->pages), separate = may_be(loss_other, 0);
    if (!may_be(loss_same, c->pages) || may_be(loss_same, 0))
        return (struct tlb_sharing){.reason = REASON_ENTRIES_PER_PAGE};
    if (shared == separate)
        return (struct tlb_sharing){.reason = shared ? REASON_NOISE : REASON_PARTLY_SHARED};
    return (struct tlb_sharing){.shared = shared};
}

const char *tlb_declared(unsigned level, const char *page, const char *other, bool stores)
{
    const struct machine_info *m = machine_info();
    bool one = false, two = false, both = false;

    for (size_t i = 0; i < m->tlb_count; i++) {
        const struct identity_tlb *t = &m->tlbs[i];
        if (t->level != level || !(t->holds & HOLDS_DATA) || !t->array)
            continue;
        const bool first = t->loads && !strcmp(t->page, page);
        one |= first;
        two |= (stores ? t->stores : t->loads) && !strcmp(t->page, other);
        for (size_t j = 0; j < m->tlb_count && first; j++)
            both |= m->tlbs[j].array == t->array && (!stores || t->stores) && !strcmp(m->tlbs[j].page, other);
    }
    return both ? "shared" : one && two ? "separate" : NULL;
}
