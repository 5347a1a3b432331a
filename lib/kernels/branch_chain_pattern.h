/*
 * Types of the branches of a chain, in a header of its own for what evaluates chains and emits no code. Of two types in
 * turn, the first one named is that of the branch at the lowest address.
 */
#ifndef FATHOM_LIB_KERNELS_BRANCH_CHAIN_PATTERN_H
#define FATHOM_LIB_KERNELS_BRANCH_CHAIN_PATTERN_H

enum branch_chain_pattern {
    BRANCH_CHAIN_UNCOND,
    BRANCH_CHAIN_COND,
    BRANCH_CHAIN_COND_UNCOND,
    BRANCH_CHAIN_UNCOND_COND,
    BRANCH_CHAIN_PATTERNS
};

#endif
