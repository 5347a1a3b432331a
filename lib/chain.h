/*
 * Chains of taken branches: code that does nothing but jump, each branch to the next one, and from the last one back
 * to the first. What a core takes for each tells how it found the next target: in which of its branch target buffers,
 * or not until it had fetched and decoded the branch.
 *
 * Branches lie in slots. Each ends at the same place of its slot, since x86-64 predictors look at a branch's last byte
 * (jia.je 2024, Golden Cove; AMD, optimisation guide of Zen 4). None of them crosses a block of 32 bytes or ends at
 * its end unless `place` says so: microcode keeps such a line out of Skylake's cache of operations (Intel 2019,
 * Mitigations for Jump Conditional Code Erratum).
 *
 *     | slot 0        | slot 1        | …     | slot n-1      | loop
 *     ^ room - chain_span()                                   ^ room
 *
 * The slots end where the room for them ends, however many there are: where many virtual pages lie on one frame, the
 * bytes of a page are then the same for any n. The loop is behind them, where slot n would be: a branch that is not
 * taken but when all is done, and one more taken one. That one belongs to the chain: n branches make an iteration of
 * n + 1 units, and CHAIN_LOOP_BRANCHES is what the experiment itself holds.
 *
 * Conditional branches are always taken: the flags that they look at are set once an iteration, by the loop. In mixed
 * patterns every second one is conditional.
 */
#ifndef FATHOM_LIB_CHAIN_H
#define FATHOM_LIB_CHAIN_H

#include "lib/probe.h"

enum chain_pattern { CHAIN_UNCOND, CHAIN_COND, CHAIN_COND_UNCOND, CHAIN_UNCOND_COND, CHAIN_PATTERNS };
/* "uncond", "cond", "cond-uncond", "uncond-cond": the values of the variant `branch` of findings. */
extern const char *const chain_pattern_names[CHAIN_PATTERNS];

enum { CHAIN_LINE_BYTES = 64, CHAIN_LOOP_BRANCHES = 1 };

struct chain {
    enum chain_pattern
        pattern;     /* mixed ones: of two slots at an even multiple of the stride, which kind is the first */
    size_t count;    /* branches in slots, at least 1 */
    size_t stride;   /* bytes from one slot to the next */
    size_t place;    /* where in its slot a branch ends; 0: as early as on this ISA it can */
    size_t distance; /* bytes of NOPs between a target and the branch that it leads to */
    bool scattered;  /* in random order (Sattolo's cycle), not ascending */
    /*
     * Not 0: slots lie on pages of that size, `per_page` of them on each, a power of two up to 16, and on lines that
     * rotate, so that the branches use all lines of a page evenly whatever per_page is. `stride` is then from one
     * page to the next.
     */
    size_t page_bytes, per_page;
};

/* Bytes from the first slot to the end of the last one, and those of all code when the slots end at `room`. */
size_t chain_span(const struct chain *chain);
size_t chain_bytes(const struct chain *chain, size_t room);
/*
 * Emits the chain into code that is empty, its slots ending at offset `room`, a multiple of twice the stride and of
 * page_bytes. Returns the offset to enter it at; the code is not good where the chain does not fit, a branch does not
 * reach or memory is short.
 */
size_t chain_emit(struct code *c, const struct chain *chain, size_t room, uint64_t *random);
/* The kernel of a chain that was emitted so: units are branches, the loop's own included. */
bool chain_kernel(struct probe *p, const struct chain *chain, const struct code *c, size_t entry, struct kernel *k);

#endif
