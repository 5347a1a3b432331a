/*
 * Chains of loads that may be predicted. The address of each load depends on the value loaded before: that value is
 * shifted until nothing is left of it, and added. So a load cannot start before the previous one is done, unless the
 * core predicts its address or value. All words lie in the first-level cache, where no prefetcher makes a load faster.
 *
 *                       address                        value
 *   random              random                         random           the control: nothing can be predicted
 *   address-constant    always the same                always the same
 *   address-stride      one word further each pass     random
 *   value               random                         always the same
 *
 * Predictors identify loads by their place in the code. The n loads of a pass follow each other, each at a fixed
 * distance of its own from the word where the pass begins; that word is always the same, the next one, or drawn at
 * random (lib/kernels/chance.h). The loops of all kinds execute as many instructions of each sort; there are no stores
 * to the words and nothing relative to the stack pointer, which could be forwarded or renamed.
 *
 * Method: docs/METHODS.md, 7.18.
 */
#ifndef FATHOM_LIB_KERNELS_LOAD_CHAIN_H
#define FATHOM_LIB_KERNELS_LOAD_CHAIN_H

#include "lib/probe/probe.h"

enum {
    LOAD_CHAIN_MOST = 256,     /* loads in a pass */
    LOAD_CHAIN_BLOCK_LOADS = 4 /* loads in a pass of a block */
};
enum load_chain_kind { RANDOM, ADDRESS_CONSTANT, ADDRESS_STRIDE, VALUE, LOAD_CHAIN_KINDS };
extern const char *const load_chain_names[LOAD_CHAIN_KINDS];
/* Loads close to each other in the code, or with NOPs between them. */
enum load_chain_layout { PACKED, SPREAD, LOAD_CHAIN_LAYOUTS };
extern const char *const load_chain_layout_names[LOAD_CHAIN_LAYOUTS];

struct load_chain_memory {
    struct area words; /* what is loaded */
    struct area state; /* of address-stride: the number of the word where the last pass began, from call to call */
};

struct load_chain {
    const struct load_chain_memory *memory;
    enum load_chain_kind kind;
    enum load_chain_layout layout;
};

/* Maps the memory of chains. False when the probe has ended. */
bool load_chain_map(struct probe *p, struct load_chain_memory *m);
/*
 * Makes the kernel of a chain of `loads` loads, LOAD_CHAIN_MOST at most, pass after pass. Its unit is a load. For a
 * sweep, whose context is a struct load_chain. False: the probe has ended.
 */
bool load_chain_build(struct probe *p, double loads, void *context, struct kernel *k);
/*
 * Makes the kernel of blocks: `passes` passes over LOAD_CHAIN_BLOCK_LOADS loads of the chain, and then LOAD_CHAIN_MOST
 * other loads, after which a predictor has forgotten what it learned in the block. The unit is a block. For a sweep,
 * whose context is a struct load_chain. False: the probe has ended.
 */
bool load_chain_build_block(struct probe *p, double passes, void *context, struct kernel *k);
/*
 * The kernel of load_chain_build_block with loads of the kind `random`, whatever the chain's kind is, as its control.
 */
bool load_chain_build_random_block(struct probe *p, double passes, void *context, struct kernel *k);

#endif
