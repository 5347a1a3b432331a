/*
 * Types of the branches of a chain: unconditional, conditional, or both alternately; then the type named first is that
 * of the branch at the lower address of each two slots, counted from the end of the chain. The header is separate for
 * code that evaluates chains and emits none.
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
