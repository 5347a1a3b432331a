/*
 * Rates of groups of n loads and m stores, measured by loops of such groups (lib/kernels/load_store_groups.h) in two
 * orders, two layouts and several passes, and which of the groups a core sustains in one cycle.
 *
 * Method: docs/METHODS.md, 7.19.
 */
#ifndef FATHOM_LIB_STRUCTURE_LOAD_STORE_RATES_H
#define FATHOM_LIB_STRUCTURE_LOAD_STORE_RATES_H

#include "lib/finding/grade.h"
#include "lib/kernels/load_store_groups.h"
#include "lib/probe/probe.h"

enum {
    RATE_TOGETHER = 6,                                               /* loads and stores of a group, at most */
    RATE_GROUPS = (RATE_TOGETHER + 1) * (RATE_TOGETHER + 2) / 2 - 1, /* without the empty one */
    RATE_ORDERS = 2,                                                 /* in order, shuffled */
    RATE_LAYOUTS = 2,                                                /* one line, 512 bytes */
    RATE_PASSES = 3
};
extern const char *const rate_order_names[RATE_ORDERS];

struct group_rate {
    unsigned loads, stores;
    double per_cycle[RATE_LAYOUTS][RATE_PASSES][RATE_ORDERS]; /* groups a cycle; 0: not measured; NaN: no reading */
    struct rate {
        struct graded graded;
        size_t order; /* the one order that it comes from; RATE_ORDERS: both */
    } rates[RATE_LAYOUTS];
    size_t best; /* the layout with the highest rate */
};

/* All groups of one access. */
struct access_rates {
    const struct emit_access *access;
    struct group_rate groups[RATE_GROUPS];
    size_t count;
};

/* Bytes that loads touch, and stores as well, in a layout: at least one access. */
unsigned rate_span(const struct emit_access *a, size_t layout);
/* The number of passes of this profile. */
size_t rate_passes(const struct probe *p);
/*
 * Measures how many of the groups *g are executed in a cycle, in order and shuffled; NaN: no reading was accepted.
 * False when the probe is over.
 */
bool rate_measure(struct probe *p, struct load_store_groups *g, double per_cycle[RATE_ORDERS]);

/* Starts with all groups that this access can have. */
void access_rates_start(const struct probe *p, const struct emit_access *a, struct access_rates *out);
/* Measures all groups in both layouts (in a smoke run in the first). False when the probe is over. */
bool access_rates_pass(struct probe *p, const struct area *area, struct access_rates *s, size_t pass);
/*
 * Decides the rate of every group from its measured passes: in each layout by both orders together, or, where these
 * disagree, by the faster one of those whose own passes agree; and sets g->best to the layout with the higher rate.
 */
void access_rates_decide(struct access_rates *s);
/*
 * Stores in v[] the groups a cycle of all passes in a layout as values to be graded (grade_number): those of one order,
 * or of both where `order` is RATE_ORDERS. Returns their number; passes that were not measured are left out.
 */
size_t rate_values(const struct group_rate *g, size_t layout, size_t order,
                   struct experiment_value v[RATE_PASSES * RATE_ORDERS]);
/*
 * Whether g is at the limit of what the core sustains, one group a cycle: it is sustained and the group of one load
 * more is not, or was not measured; or it is not sustained and the group of one load less, or without loads of one
 * store less, is, or is empty. A group of stores alone that is sustained is also at the limit where that of one store
 * more is not. access_rates_decide must have been called.
 */
bool rate_at_limit(const struct access_rates *s, const struct group_rate *g);

#endif
