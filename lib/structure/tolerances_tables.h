/* Thresholds for the tables of a conditional predictor: lib/structure/table_search.h. */
#ifndef FATHOM_LIB_STRUCTURE_TOLERANCES_TABLES_H
#define FATHOM_LIB_STRUCTURE_TOLERANCES_TABLES_H

enum {
    /*
     * Layouts in which a bearer is looked for at each number of dummies, one of which is enough. Where a table sees a
     * single bit of the bearer's branch, that bit is the same in half of the layouts whether the bearer is taken or
     * not; but at one dummy less the table sees all bits of a branch more. So 1/4 of the last numbers are overlooked at
     * first, and found when the end of a window is sought.
     */
    TABLE_LAYOUTS = 2,
    /*
     * The same where windows are narrow, so that each number of dummies matters. Chosen: twice as
     * many. no test: it decides how many windows are found, not where they end, since
     * each is confirmed before it counts.
     */
    TABLE_NARROW_LAYOUTS = 4,
    /*
     * Samples in a row that must be on the side of predicted branches. On Zen 4 four in a thousand samples of a branch
     * that is not predicted are, since a reading was disturbed or the branch went by chance as it had before.
     */
    TABLE_SAMPLES = 3,
    /*
     * What a predicted layout counts in the sequential test of whether a table sees the bearer; one that is not
     * predicted counts -1. Where a table sees it, the branch is predicted in half of the layouts at least (a single
     * bit, as above); else in 7 % of them at most (Zen 4: 5 %, where something else shows the bearer). The logarithms
     * of the ratios are as 3.2 to -1.
     */
    TABLE_FOR = 3,
    /* The sum at which that test ends, on either side. At ten, a decision is wrong in 2 of 1,000 cases (Wald 1945). */
    TABLE_DECIDED = 10,
    /*
     * Bits of the history in a row that have to lead to sets that are known before the history is taken to reach no
     * more. Chosen: where it reaches more, a bit at random leads to a known one in at most half of the cases, so that
     * seven do in one layout of 128, and two layouts have to agree.
     */
    TABLE_SATURATED = 7,
    /*
     * Samples of one list of histories, while they are neither predicted nor clearly not (TABLE_FITS_BELOW). Chosen: a
     * sample between the limits by chance is not followed by two more.
     */
    TABLE_UNCLEAR = 3,
    /* Samples that have to overflow, and none fit, before sets do. Chosen: more than one, as samples may be disturbed. */
    TABLE_SET_OVERFLOWS = 2,
    /*
     * Samples that have to fit, and none overflow, before sets do not. Chosen: one more than TABLE_SET_OVERFLOWS, since
     * histories fit, too, where the table takes one of those drawn for another one.
     */
    TABLE_SET_FITS = 3,
    /* Samples after which neither is known. Chosen: more than twice as many as are needed. */
    TABLE_SET_SAMPLES = 8
};

/*
 * A window that others are compared with is at most this part of the length that it ends at. Chosen: the lengths of
 * published cores grow by 1.6 at least from table to table, so that windows of two that touch are wider.
 */
static const double TABLE_NARROW = 0.33;
/*
 * A window is that of one table if it is no wider than the narrowest one times this, and TABLE_WIDER_BY more. Its width
 * follows from the chance that a table of that size can learn, which is alike for tables of about the same size (Zen 4:
 * 11 to 13 branches).
 */
static const double TABLE_WIDER = 1.25;
/* Branches by which a window may be wider besides. Two of the narrowest windows, two branches each, are one of four. */
static const double TABLE_WIDER_BY = 1;

/*
 * A list of histories fits the table if fewer predictions than this part of those that chance would miss are missed;
 * sets overflow if more than TABLE_OVERFLOWS_ABOVE are. With n ways, of n + 1 histories of either direction one at least
 * is missed each time: 1 / (n + 1) of what chance misses, 0.11 for eight ways. The two limits are on either side of half
 * of that. Modelled cores show up to 0.02 where all fit.
 */
static const double TABLE_FITS_BELOW = 0.05;
/* See TABLE_FITS_BELOW. */
static const double TABLE_OVERFLOWS_ABOVE = 0.08;

#endif
