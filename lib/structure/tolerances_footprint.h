/*
 * Tolerances of footprints (docs/METHODS.md, 5.13): what each one means and where its value comes from.
 */
#ifndef FATHOM_LIB_STRUCTURE_TOLERANCES_FOOTPRINT_H
#define FATHOM_LIB_STRUCTURE_TOLERANCES_FOOTPRINT_H

/*
 * A bit enters the history if inverting it distinguishes two paths in at least this part of the layouts that are tried.
 * Chosen: far from one half, which a bit shows that counts with one value of another bit only, and far from all, since
 * a reading may be disturbed.
 */
static const double FOOTPRINT_SEEN = 0.8;
/*
 * The verification of a footprint fails if more than this part of its random trials contradict it. A wrong group does
 * so in half of the trials that invert its bits.
 */
static const double FOOTPRINT_MISSED = 0.01;
enum {
    /* It is believed that two paths are not distinguished after so many trials without a difference. */
    FOOTPRINT_ATTEMPTS = 4,
    /* Layouts that are tried for FOOTPRINT_SEEN: where half of them do, 13 of 16 do in one of 100 cases. */
    FOOTPRINT_LAYOUTS = 16,
    /* If no more than so many of these distinguish the paths, that is by chance: the bit does not enter the history. */
    FOOTPRINT_STRAY = 2,
    /*
     * Layouts that are tried at the end of the history, of which two must distinguish the paths for it to go on. Zen 4
     * does so in one of eight: of 48 less than two do in 1.3 % of all cases.
     */
    FOOTPRINT_LAST = 48
};

#endif
