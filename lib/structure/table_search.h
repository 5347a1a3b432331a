/*
 * What the tables of a conditional predictor show of themselves by time (lib/kernels/table_trial.h): is a probe branch
 * predicted from a bit of chance that a branch so many taken branches ago has left in the history?
 *
 * Without more chance, it is as long as any table sees the bearer: the last number of dummies gives the longest
 * history. With chance before the bearer, a table that looks farther back than the bearer sees another history each
 * time, and learns nothing; one that ends before the bearer does not see it. So the branch is predicted only where the
 * history of a table ends right behind the bearer, and each number of dummies after which that stops is the length of a
 * table.
 *
 * Method: docs/METHODS.md, 5.14.
 */
#ifndef FATHOM_LIB_STRUCTURE_TABLE_SEARCH_H
#define FATHOM_LIB_STRUCTURE_TABLE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

enum { TABLES_MOST = 16 };

/* Numbers of dummies at which a table predicts the branch with chance before the bearer. */
struct table_window {
    unsigned first, last;
};

struct table_search {
    unsigned limit;   /* numbers of dummies are below it */
    bool narrow;      /* windows may be few branches wide */
    uint64_t *random; /* layouts are drawn from it */
    /*
     * A sample: is the branch predicted after so many dummies, in that layout, with chance before the bearer or
     * without? False: the probe is over.
     */
    bool (*sample)(void *context, unsigned dummies, bool chance, uint64_t layout, bool *predicted);
    void *context;
};

/*
 * The last number of dummies after which the branch is predicted without more chance; *ends false where it is not
 * predicted at all (*last 0), or still is at the limit. False: the probe is over.
 */
bool table_reach(const struct table_search *s, unsigned *last, bool *ends);
/* Whether a table sees the bearer without more chance, by a sequential test over layouts. False: the probe is over. */
bool table_sees(const struct table_search *s, unsigned dummies, bool *seen);
/*
 * The numbers of dummies up to `longest` at which it is predicted with chance before the bearer, in windows that end
 * where it stops being so, the one of the longest history first; returns in *count how many. False: the probe is over.
 */
bool table_lengths(const struct table_search *s, unsigned longest, struct table_window found[TABLES_MOST],
                   unsigned *count);
/*
 * How many of these, from the first one on, are known to be of one table each. A window that is wider than others may
 * be those of several tables whose lengths are close together, and one that begins at 0 may hide shorter ones.
 */
unsigned table_distinct(const struct table_window *found, unsigned count);

#endif
