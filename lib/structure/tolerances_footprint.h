/*
 * Tolerances of footprints (docs/METHODS.md, 5.13): what each one means and where its value comes from.
 */
#ifndef FATHOM_LIB_STRUCTURE_TOLERANCES_FOOTPRINT_H
#define FATHOM_LIB_STRUCTURE_TOLERANCES_FOOTPRINT_H

/*
 * Part of the layouts that must distinguish two paths for a bit to enter the history, wherever branches lie. Chosen: far
 * from one half, which a bit shows that counts with one value of another bit only, and far from all, since a reading may
 * be disturbed.
 */
static const double FOOTPRINT_SEEN = 0.8;
/* Part of the random trials above which the verification fails. A wrong group is in half of those with its bits. */
static const double FOOTPRINT_MISSED = 0.01;
enum {
    FOOTPRINT_ATTEMPTS =
        4, /* trials without a difference before it is believed that there is none: one for each BEHIND */
    FOOTPRINT_LAYOUTS = 16, /* trials for FOOTPRINT_SEEN: with one half, 13 of 16 come in one of 100 cases */
    FOOTPRINT_STRAY = 2,    /* of these, at most, that distinguish paths by chance: the bit does not enter */
    /*
     * Trials at the end of the history, of which two must distinguish paths. Zen 4 does so in one of eight layouts: of
     * 48 less than two do in 1.3 % of all cases.
     */
    FOOTPRINT_LAST = 48
};

#endif
