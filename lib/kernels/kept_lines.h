/*
 * Kept lines: some lines are brought into the first level, something else then fills the second level, and a look at
 * the lines shows by its time where they are: does the first level still have them, and if not, the second?
 *
 * What fills the second level comes in pieces, and the kept lines are loaded again after each of them, so that the
 * first level has no reason to replace them; the second level does not see these loads. A piece of code is a chain of
 * jumps, one in each line of a few pages: it goes through the instruction cache, and the first data cache sees only
 * page walks. A piece of data is an eighth of the first level. In either case there are as many pieces that use few
 * lines of the same pages, so that the second level has room for them.
 *
 * The same for lines of code in the instruction cache, which data fills behind without touching it: a look is a chain
 * of jumps through them, in random order.
 *
 * All loads are pointer chases in random order. Method: docs/METHODS.md, 7.24.
 */
#ifndef FATHOM_LIB_KERNELS_KEPT_LINES_H
#define FATHOM_LIB_KERNELS_KEPT_LINES_H

#include "lib/kernels/pointer_chase.h"

/* What fills the second level; KEPT_NOTHING: nothing, but looks are taken as if something did. */
enum kept_filler { KEPT_CODE, KEPT_DATA, KEPT_FILLERS, KEPT_NOTHING = KEPT_FILLERS };

/* Which first level keeps lines: of data, or of instructions. */
enum kept_side { KEPT_IN_DATA, KEPT_IN_CODE, KEPT_SIDES };

struct kept_lines {
    struct probe *p;
    enum kept_side side;                    /* the caller's: which lines are loaded and looked at */
    struct pointer_chase kept, others, all; /* `others` take the places of the kept; `all` lines of data that fill */
    struct pointer_chase few;               /* few lines of the same pages */
    struct kernel walk, code;               /* code: of the first piece */
    struct kernel kept_code, others_code;   /* a pass over such lines of code */
    size_t kept_count, others_count, fill_count, piece[KEPT_FILLERS]; /* lines of data, and of either */
};

/*
 * Maps the memory and makes the kernels for caches of so many bytes: a first level of data, one of code, and a second.
 * *reason is NO_MEMORY where there is too little for them, else NONE. False: the probe has ended.
 */
bool kept_lines_start(struct probe *p, struct kept_lines *k, double first_bytes, double code_bytes, double second_bytes,
                      enum reason *reason);
/*
 * Loads the kept lines from behind the first level. Where `displaced`, other lines then take their places in it.
 */
bool kept_lines_load(struct kept_lines *k, bool displaced);
/*
 * How often a fill replaces what the second level holds. No whole number: where the oldest line is replaced, lines that
 * were loaded together are replaced together as well, but not just at the end of a fill.
 */
static const double KEPT_FILLS = 3.5;
/*
 * Fills the second level KEPT_FILLS times, by all lines of the pieces or by few of them. Where `looks` is not NULL, the
 * kept lines are loaded after each piece, and *looks is set to the mean of what this takes, in ticks of the time stamp;
 * what takes longer than `most` ticks was interrupted and does not count. NaN where all were interrupted. False: the
 * probe has ended.
 */
bool kept_lines_fill(struct kept_lines *k, enum kept_filler filler, bool all, double most, double *looks);
/*
 * Looks at all kept lines, after other lines have taken their places in the first level where `displaced`: sets *ticks
 * to what this takes, NaN where it was interrupted. False: the probe has ended.
 */
bool kept_lines_look(struct kept_lines *k, bool displaced, double *ticks);

#endif
