/*
 * Tolerances of the simulation of replacement policies (docs/METHODS.md, 4.11): what each one means and where its value
 * comes from.
 */
#ifndef FATHOM_LIB_STRUCTURE_TOLERANCES_REPLACEMENT_H
#define FATHOM_LIB_STRUCTURE_TOLERANCES_REPLACEMENT_H

/*
 * A measured number of misses is explained if it is off the simulated ones by no more than so many misses, and half of
 * their range where they depend on the state: rounding to whole ones.
 */
static const double REPLACEMENT_HALF_A_MISS = 0.5;
/*
 * NRU_SHARED explains what a table that overflows misses if the share is off the simulated one by no more than this.
 * Chosen: a twentieth, five times the scatter of points, one percent, where a miss costs as much as the rest.
 */
static const double OVERFLOW_SHARE = 0.05;
/*
 * The curve of a table that overflows falls from one number to the next if it does so by this part of its rise. Chosen:
 * a tenth, twice the share by which NRU_SHARED may be off. Its first falls are 0.41, 0.23, 0.16 and 0.12 of the rise
 * with 8 ways.
 */
static const double OVERFLOW_FALL = 0.1;
/*
 * It does not fall if it does so by no more than this part of its rise; between this and OVERFLOW_FALL that is in
 * doubt. Chosen: a twentieth, half of that.
 */
static const double OVERFLOW_NO_FALL = 0.05;
/* The rise is up to what this part of the points stays below. Chosen: the highest tenth may have been disturbed. */
static const double OVERFLOW_RISE_QUANTILE = 0.9;
/*
 * A set has lost or kept a cycle where its share of misses is within this part of the way from the one that is expected
 * to the other one. Chosen: a third, so that as much lies between both, which is neither.
 */
static const double DUEL_CLEAR = 1.0 / 3;
enum {
    /*
     * Sets duel only if no more than one in so many stays unknown. Chosen: as many as leaders of one policy where they
     * are many, 32 of 1,024 (Qureshi et al. 2007), twice over.
     */
    DUEL_UNKNOWN_ONE_IN = 16,
    /*
     * So many trials are simulated first, then twice as many, and so on; a policy that fails in more than half of those
     * so far is dropped. Chosen: to save time. no test: such a policy fails in the others as well.
     */
    REPLACEMENT_TRIALS_FIRST = 6,
    /* No policy is reported unless so many trials were measured. Chosen: fewer separate too few policies. */
    REPLACEMENT_TRIALS_LEAST = 12,
    /*
     * A policy explains the measurement if it explains all trials but one in so many, which may have been disturbed.
     * Chosen: a tenth.
     */
    REPLACEMENT_NOISY_ONE_IN = 10
};

#endif
