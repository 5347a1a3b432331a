/*
 * Gathering: from how many stores side by side, all still on their way to the cache, can one load get its value, and in
 * how many cycles (docs/METHODS.md, 7.15)?
 *
 * Stores of equal width together write the 8 bytes that a load reads, in chains of lib/kernels/store_load.h. The
 * control is the same with the load one byte further on: a byte that none of the stores wrote, so that a load which
 * gathers, but cannot fill up from the cache, has to wait for all of them.
 */
#ifndef FATHOM_LIB_STRUCTURE_STORE_GATHERING_H
#define FATHOM_LIB_STRUCTURE_STORE_GATHERING_H

#include "lib/structure/forwarding.h"

enum {
    GATHERING_COUNTS = 4, /* 1, 2, 4 and 8 stores */
    GATHERING_ORDERS = 2, /* upwards, downwards */
    GATHERING_PLACES = 2  /* within a line, across the border of two */
};

/* Cycles a pair, without the chain's arithmetic; NaN: not known. */
struct store_gathering {
    double cycles[GATHERING_PLACES][GATHERING_ORDERS][GATHERING_COUNTS];
    double waiting[GATHERING_ORDERS][GATHERING_COUNTS]; /* of the control, within a line */
};

/*
 * Measures all of it with the chain and the widths of a grid whose references are known, and sends it as a matrix. In a
 * smoke run one and two stores. False when the probe is over.
 */
bool store_gathering_measure(struct probe *p, const struct area *area, const struct forwarding_grid *g,
                             struct store_gathering *s);
/*
 * Measures, likewise, the cycles of a load that begins where two stores wrote 8 bytes one after the other, the older
 * one another value. NaN where that is not known. False when the probe is over.
 */
bool store_overwritten_measure(struct probe *p, const struct area *area, const struct forwarding_grid *g,
                               const struct emit_access *load, double *cycles);
/*
 * The most stores, of 2, 4 and 8, from which the load gathers its value within a line; 1: from no more than one.
 * `forwarded`, `load`: cycles of a load that one store is forwarded to, NaN where that is not known, and of one from
 * the cache. NaN where it cannot be decided.
 */
double store_gathering_most(const struct store_gathering *s, unsigned order, double forwarded, double load);

#endif
