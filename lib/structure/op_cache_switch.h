/*
 * The switch of the operation cache, where the core has one and the platform can turn it (AMD Zen 4 and Zen 5): the
 * time of a kernel with the cache as it was found, and switched off.
 *
 * Method: docs/METHODS.md, 5.11.
 */
#ifndef FATHOM_LIB_STRUCTURE_OP_CACHE_SWITCH_H
#define FATHOM_LIB_STRUCTURE_OP_CACHE_SWITCH_H

#include <stdbool.h>

#include "lib/probe/probe.h"

/*
 * Cycles per unit of the kernel; NaN where there is no switch or no reading was accepted, `off` also where it cannot be
 * turned.
 */
struct op_cache_switched {
    double found, off;
};

/*
 * Measures the kernel that `build` makes at x, with the operation cache as it was found and then switched off, turns
 * the switch back, and stores both times in *out. Where there is no switch both are NaN and the result is true. False
 * where the probe is over, also because the switch cannot be turned back.
 */
bool op_cache_measure_switched(struct probe *p,
                               bool (*build)(struct probe *p, double x, void *context, struct kernel *k), double x,
                               void *context, struct op_cache_switched *out);

#endif
