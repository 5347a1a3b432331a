/*
 * Widths of a core by the rates at which sequences of independent instructions come in and retire.
 *
 * A kind of sequence is a mix of instructions. No unit and no register file is needed by all kinds alike: those that are
 * as fast as any are limited by what all instructions pass. Method: docs/METHODS.md, 6.5.
 */
#ifndef FATHOM_LIB_STRUCTURE_WIDTH_RATES_H
#define FATHOM_LIB_STRUCTURE_WIDTH_RATES_H

#include "lib/probe/probe.h"

enum { WIDTH_PERIOD = 4, WIDTH_KINDS = 7, WIDTH_NOPS = 0 /* the kind of NOPs alone */ };

/*
 * A pattern of WIDTH_PERIOD instructions: n NOP, a addition, v vector addition, l load, s store, z a register cleared, m
 * a move.
 */
struct width_kind {
    const char *name, *pattern;
    bool lone;    /* no instruction shares an entry of the reorder buffer */
    bool writes;  /* each writes a register */
    bool in_only; /* they leave later than they retire: stores */
};
extern const struct width_kind width_kinds[WIDTH_KINDS];

/* Instructions a cycle, by kind; NaN: not known. */
struct width_rates {
    double entries; /* of the reorder buffer; NaN: not known; 0: instructions begin in order, so that none waits */
    double nops_per_entry;                    /* short ones that fit into an entry; NaN: not known */
    double in[WIDTH_KINDS], out[WIDTH_KINDS]; /* of the kinds by which operations are counted */
    double renamed[WIDTH_KINDS]; /* as `in`, of kinds that write, whether their instructions share entries or not */
    double retired[WIDTH_KINDS]; /* as `out`, of all kinds, where the number of entries is known */
};

/* Whether short NOPs share entries, so that operations are counted by `lone` kinds. */
bool width_nops_share(const struct width_rates *r);
/* Whether the rate is higher than the other one by more than both are uncertain. */
bool width_is_higher(double rate, double other);
/* Reports the widths of renaming and retiring, or why they are undecided. */
void width_rates_report(struct probe *p, const struct width_rates *r);

#endif
