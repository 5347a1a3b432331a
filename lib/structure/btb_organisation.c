#include "lib/structure/btb_organisation.h"

#include <math.h>

#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/plan/facts.h"
#include "lib/structure/branch_cost.h"

/* Relative difference from 2, at most, of the ratio of counts without and with a line border before each branch. */
static const double SHARED_ALIKE = 0.1;
/* The count at which chains without that border rise, by the first level's capacity, at most. */
static const double SHARED_PAST = 1.5;

enum { LINE = BRANCH_CHAIN_LINE_BYTES, NOP_BYTES = 8 };

/* Bytes from a target, at the beginning of a slot, to the end of its branch, just behind the border of that line. */
static size_t across_bytes(void)
{
    return LINE + (emit_longest / 2 + emit_alignment - 1) / emit_alignment * emit_alignment;
}

/* Whether two branches share an entry of the first level, which holds `entries` branches; reports it where they do. */
static bool find_shared(struct probe *p, const struct btb_organisation_request *q, double entries, bool *shared)
{
    enum { BRANCHES = 2 };
    const struct branch_chain in_line = {.stride = 2 * LINE, .branch_end = LINE / 2, .nop_bytes = NOP_BYTES};
    const struct branch_chain across = {.stride = 2 * LINE, .branch_end = across_bytes(), .nop_bytes = NOP_BYTES};
    const struct branch_curve curves[] = {{.room = q->room, .chain = in_line}, {.room = q->room, .chain = across}};
    double together, apart;

    *shared = false; /* and stays so where that is not clear: branches may share an entry by other rules */
    if (!(entries > 0))
        return true;
    if (!branch_cost_rises(p, &curves[0], &together) || !branch_cost_rises(p, &curves[1], &apart))
        return false;
    *shared = together >= entries && together <= SHARED_PAST * entries &&
              fabs(together / apart / BRANCHES - 1) <= SHARED_ALIKE;
    if (*shared)
        report_number(p,
                      &(struct finding){.name = q->names.branches_per_entry,
                                        .variants = {{"level", .number = 1}},
                                        .method = "branches held without the border of a line between target and "
                                                  "branch, relative to those held with one"},
                      BRANCHES);
    return true;
}

/* The names for a level whose branches per entry were reported already. */
static struct btb_report_names without_shared(const struct btb_organisation_request *q)
{
    struct btb_report_names rest = q->names;

    rest.branches_per_entry = NULL;
    return rest;
}

/* The number of the first level of a fit, since it counts from another first one than the curves; 0: not known. */
static unsigned first_level(struct probe *p, const struct btb_organisation_request *q, const struct btb_fit_result *r,
                            const struct btb_levels *levels)
{
    for (unsigned i = 0; i < r->level_count; i++) {
        const unsigned number = btb_report_number(p, q->entries, &r->levels[i], levels->levels);
        if (number > i)
            return number - i;
    }
    return 0;
}

/*
 * The first of the levels that hold few branches; a second level of the fit only explains what the first does not. What
 * the first one holds need not be known by a curve: few branches are in it. Sets *number to its number.
 */
static bool find_near(struct probe *p, const struct btb_organisation_request *q, const struct btb_levels *levels,
                      bool shared, unsigned *number)
{
    const struct btb_report_names rest = without_shared(q);
    struct btb_fit_result r;

    if (!btb_near_fit(p, q->near, q->limits, q->room, probe_scale(p, 0, 1, 4, 20), &r))
        return false;
    /* a level that curves do not show is the first one of the fit only if it costs as little */
    if (q->near->levels == 0 && !(r.levels[0].cycles[BRANCH_CHAIN_UNCOND] < levels->hidden_below))
        return true;
    const unsigned known = first_level(p, q, &r, levels);
    *number = known && known <= q->near->levels ? known : 1;
    btb_report(p, &r, 0, *number, *number == 1 && shared ? &rest : &q->names);
    return true;
}

bool btb_organisation_find(struct probe *p, const struct btb_organisation_request *q, const struct btb_levels *levels)
{
    const struct btb_report_names rest = without_shared(q);
    struct btb_fit_result r = {.reason = REASON_LEVEL_NOT_KNOWN};
    unsigned near = 0; /* the level that was fitted by itself */
    bool shared;

    if (!find_shared(p, q, facts_number(&p->run->facts, q->entries, "level=1 branch=uncond", NAN), &shared) ||
        ((q->near->levels > 0 || levels->hidden_below > 0) && !find_near(p, q, levels, shared, &near)))
        return false;
    /* without a known capacity no organisation can be assigned to a level: only longer profiles list them */
    if (!levels->measured && probe_scale(p, 1, 1, 0, 0) > 0) {
        btb_report(p, &r, 0, 0, &q->names);
        return true;
    }
    if (!branch_cost_fit(p, q->room, q->fit, probe_scale(p, 0, 0.2, 2, 20), 1, &r))
        return false;
    const unsigned first = first_level(p, q, &r, levels);
    for (unsigned i = 0; i == 0 || i < r.level_count; i++)
        if (!first || first + i != near)
            btb_report(p, &r, i, first ? first + i : 0, first + i == 1 && shared ? &rest : &q->names);
    return true;
}
