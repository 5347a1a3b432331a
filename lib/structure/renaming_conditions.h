/*
 * Conditions of memory renaming: under which of them does a load still get its value from a store without accessing
 * memory?
 *
 * Chains of a store and a load of the widest general register through data (lib/kernels/store_load.h): only there the
 * registers of both addresses can be chosen. In one experiment the value stays the same, so that it might be predicted;
 * in the other one an addition changes it each time.
 *
 * Method: docs/METHODS.md, 7.16.
 */
#ifndef FATHOM_LIB_STRUCTURE_RENAMING_CONDITIONS_H
#define FATHOM_LIB_STRUCTURE_RENAMING_CONDITIONS_H

#include "lib/kernels/store_load.h"
#include "lib/probe/probe.h"

enum renaming_condition {
    RENAMING_OTHER_BASE,   /* the load has another base register, of the same value */
    RENAMING_MOVING_BASE,  /* the base register, and so the address, goes on by a line behind each pair */
    RENAMING_BASE_CHANGED, /* the base register is changed between store and load */
    RENAMING_DATA_CHANGED, /* the register that was stored is changed between store and load */
    RENAMING_LINE,         /* store and load cross the border of two lines */
    RENAMING_PAGE,         /* store and load cross the border of two pages */
    RENAMING_CONDITIONS
};
enum renaming_experiment { RENAMING_CONSTANT, RENAMING_CHANGING, RENAMING_EXPERIMENTS };
enum renaming_answer { RENAMING_YES, RENAMING_NO, RENAMING_DIFFER, RENAMING_UNKNOWN };

/* The variant `circumstance` of findings. */
extern const char *const renaming_condition_names[RENAMING_CONDITIONS];

/*
 * Cycles that a pair takes, without the addition; NaN: no result. `load`: cycles of a load from the cache, which the
 * caller sets.
 */
struct renaming_conditions {
    double load;
    double cycles[RENAMING_EXPERIMENTS][RENAMING_CONDITIONS];
};

/*
 * Measures all conditions on pairs of `widest`, and sends them as a matrix. `border` is the first address of a page in
 * the middle of an area: half a page on either side is used. False when the probe is over.
 */
bool renaming_conditions_measure(struct probe *p, const struct emit_access *widest, uint64_t border,
                                 struct renaming_conditions *r);
/*
 * Whether loads are renamed under a condition: RENAMING_DIFFER where the experiments contradict each other,
 * RENAMING_UNKNOWN where one of them has no result.
 */
enum renaming_answer renaming_condition_decide(const struct renaming_conditions *r, enum renaming_condition condition);

#endif
