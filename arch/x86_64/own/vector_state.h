/* The control registers as own_vector_state_on found them, for the environment record. */
#ifndef FATHOM_ARCH_X86_64_OWN_VECTOR_STATE_H
#define FATHOM_ARCH_X86_64_OWN_VECTOR_STATE_H

#include <stdint.h>

/* Control registers of floating point and vectors. */
struct vector_state {
    uint64_t cr0;
    uint64_t cr4;
    uint64_t xcr0; /* 0 where there is none */
};

/*
 * Those registers as they were found on the core that runs our code now, before own_vector_state_on or
 * own_with_vector_state changed them. Valid until that core is given back.
 */
const struct vector_state *vector_state_found(void);

#endif
