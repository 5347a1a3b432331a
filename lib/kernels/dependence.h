/*
 * Steps in which a load may have to wait for an older store whose address the core does not know yet.
 *
 * The steps form one dependency chain. In each of them a store's address is known late, after a delay of the chain, and
 * a load's address is known early. The loaded value goes through a second delay of the same length back into the chain.
 * A load that waits for the store's address therefore makes its step about twice as long as a load that speculates past
 * the store. A step is dependent when its load reads what its store writes, and independent when the store writes
 * elsewhere.
 *
 * A fence ends each step, so that what the predictor learns from one step is in place before the next load can start.
 *
 * Method: docs/METHODS.md, 7.17.
 */
#ifndef FATHOM_LIB_KERNELS_DEPENDENCE_H
#define FATHOM_LIB_KERNELS_DEPENDENCE_H

#include "arch/emit_access.h"
#include "lib/probe/probe.h"

enum {
    DEPENDENCE_AREA_BYTES = 1 << 16, /* of the memory that steps work on */
    /*
     * dependence_two_steps: distances in the code that may be tried, as powers of two; a step is shorter than 2^8 bytes
     */
    DEPENDENCE_FIRST_BIT = 8,
    DEPENDENCE_LAST_BIT = 14
};

/* What delays the store's address: a chain of multiplications, or of loads from the first-level cache. */
enum dependence_delay { DELAY_MULTIPLY, DELAY_LOADS, DELAYS };

struct dependence_steps {
    const struct area *area;
    const struct emit_access *load; /* of general registers; the store has 64 bits */
    enum dependence_delay delay;
    double dependent_cycles;   /* of a step in a sequence in which all loads depend on their stores */
    double independent_cycles; /* of a step in a sequence in which no load does */
};

/*
 * Prepares steps that work on `area`, of at least DEPENDENCE_AREA_BYTES, which has room for sequences of 3968 steps;
 * *area must outlive them. The cycles are left 0 for the caller.
 */
struct dependence_steps dependence_steps(const struct area *area, const struct emit_access *load,
                                         enum dependence_delay delay);
/* Makes step number `i` of a sequence, below its room, dependent or independent. */
void dependence_set_step(const struct dependence_steps *s, size_t i, bool dependent);
/* Makes the first `count` steps of a sequence dependent or independent. */
void dependence_set_steps(const struct dependence_steps *s, size_t count, bool dependent);
/*
 * Measures the cycles of the whole sequence of the first `count` steps, as dependence_set_step has set them; all run
 * the same code in a loop. NaN: no reading was accepted. False: the probe is over.
 */
bool dependence_sequence(struct probe *p, const struct dependence_steps *s, size_t count, double *cycles);
/*
 * Measures the cycles of two steps together that have code of their own, the first one dependent and the second one
 * independent, whose load instructions lie `distance` bytes apart. The address of the first load ends in zeros, so that
 * adding the distance changes just the bits that the distance has. NaN: no reading was accepted. False: the probe is
 * over.
 */
bool dependence_two_steps(struct probe *p, const struct dependence_steps *s, size_t distance, double *cycles);

#endif
