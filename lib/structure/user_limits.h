/*
 * What limits a kernel of the user (docs/METHODS.md, 6.10), by changing the kernel itself: it becomes faster where what
 * it waits for is taken away, and slower where more is asked of what it has used up.
 */
#ifndef FATHOM_LIB_STRUCTURE_USER_LIMITS_H
#define FATHOM_LIB_STRUCTURE_USER_LIMITS_H

#include "lib/structure/user_cost.h"

enum { USER_LIMIT_TEXT = 96, USER_LIMIT_TRIALS = 160 };

/* One change, and what came of it. */
struct user_trial {
    /*
     * "register", "vector", "flags", "all", "memory", "stack", "values", "nop", the class of an operation that was
     * added, or "instruction": NOPs stood in the place of one
     */
    const char *what;
    unsigned which; /* number of the register */
    int64_t offset; /* of the word from the beginning of the memory, or from the stack pointer; of the instruction */
    unsigned count; /* operations that were added to each copy */
    double cycles;  /* of a copy */
    /*
     * What they would take if the kernel had used up what executes them; of "values" what a copy takes that keeps
     * them; NaN: nothing was added.
     */
    double expected;
    bool limits;
};

struct user_limits {
    double cycles; /* of a copy of the kernel as it is, with its part of the loop; the median … */
    double least;  /* … and the least of its samples */
    struct user_trial trials[USER_LIMIT_TRIALS];
    size_t count;
    char text[USER_LIMIT_TEXT]; /* what limits it; "" where nothing was found */
    const char *not_tried;      /* what could not be tried, and why; NULL: nothing */
};

/* Finds out what limits the kernel; nothing is tried where l->cycles is NaN, not measured. False: the probe is over. */
bool user_limits_find(struct probe *p, struct user_place *w, struct user_limits *l);

#endif
