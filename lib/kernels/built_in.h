/*
 * Built-in kernels for performance counters: each repeats one kind of instruction, some with a few others that it
 * needs, and the number of instructions, branches, loads and stores of an iteration is known, so that counted events
 * can be compared with it.
 *
 * Method: docs/METHODS.md, 8.3.
 */
#ifndef FATHOM_LIB_KERNELS_BUILT_IN_H
#define FATHOM_LIB_KERNELS_BUILT_IN_H

#include "lib/probe/probe.h"

struct built_in {
    const char *name, *text; /* as in the configuration, and for people */
    /* Emits an iteration. REG_DATA points to random words, REG_T5 into a random ring of lines, REG_T4 begins with 0. */
    void (*emit)(struct code *c);
};

/* The first one is a chain of dependent additions; ended by a NULL name. */
extern const struct built_in built_in_kernels[];

/* Memory that the kernels work on. */
struct built_in_memory {
    struct area words; /* random numbers */
    struct area ring;  /* a random cycle through its lines */
};

/*
 * Maps and fills the memory; the ring takes 16 MiB, or a quarter of the machine's memory where that is less. False: the
 * probe has ended.
 */
bool built_in_map(struct probe *p, struct built_in_memory *m);
/* Makes the kernel of that kind; *work becomes what one iteration executes. False: the probe has ended. */
bool built_in_build(struct probe *p, const struct built_in_memory *m, const struct built_in *kind, struct work *work,
                    struct kernel *k);

#endif
