/*
 * Chains of taken branches: code that does nothing but jump, each branch to the next one, and from the last one back
 * to the first. What a core takes for each tells how it found the next target: in which of its branch target buffers,
 * or not until it had fetched and decoded the branch; and how it found the frame, where each lies on a page of its own.
 *
 * Branches lie in slots. Each ends at the same place of its slot, since x86-64 predictors look at a branch's last byte
 * (jia.je 2024, Golden Cove; AMD, optimisation guide of Zen 4). None of them crosses a block of 32 bytes or ends at
 * its end unless `place` says so: microcode keeps such a line out of Skylake's cache of operations (Intel 2019,
 * Mitigations for Jump Conditional Code Erratum).
 *
 *     | slot 0        | slot 1        | …     | slot n-1      | loop
 *     ^ end - chain_span()                                    ^ end
 *
 * The slots end where their room ends, however many there are: a slot keeps its address, and where many virtual pages
 * lie on one frame, the bytes of a page are the same for any n. The loop is behind them, where slot n would be: a branch
 * that is not taken until all is done, and one more taken one. That one belongs to the chain: n branches make an
 * iteration of n + 1 units, and CHAIN_LOOP_BRANCHES is what the experiment itself holds.
 *
 * Conditional branches are always taken: the flags that they look at are set once an iteration, by the loop. In mixed
 * patterns every second one is conditional.
 */
#ifndef FATHOM_LIB_KERNELS_CHAIN_H
#define FATHOM_LIB_KERNELS_CHAIN_H

#include "lib/probe.h"

enum chain_pattern { CHAIN_UNCOND, CHAIN_COND, CHAIN_COND_UNCOND, CHAIN_UNCOND_COND, CHAIN_PATTERNS };
/* "uncond", "cond", "cond-uncond", "uncond-cond": the values of the variant `branch` of findings. */
extern const char *const chain_pattern_names[CHAIN_PATTERNS];

enum { CHAIN_LINE_BYTES = 64, CHAIN_LOOP_BRANCHES = 1 };

struct chain {
    enum chain_pattern pattern; /* mixed ones: of two slots, the first one of which begins at twice the stride */
    size_t count;               /* branches in slots, at least 1 */
    size_t stride;              /* bytes from one slot to the next */
    size_t place;               /* where in its slot a branch ends; 0: as early as on this ISA it can */
    size_t distance;            /* bytes of NOPs between a target and the branch that it leads to */
    bool scattered;             /* in random order (Sattolo's cycle), not ascending */
    /*
     * Not 0: one branch on each page of that size, `stride` apart, a multiple of it, and on lines that rotate: from one
     * page to the next by one, and by one more whenever all have had their turn. So they use all lines of a page
     * evenly, and all sets that lines and pages choose together.
     */
    size_t page_bytes;
};

/* Bytes from the first slot to the end of the last one, and those of all code when the slots end at `end`. */
size_t chain_span(const struct chain *chain);
size_t chain_bytes(const struct chain *chain, size_t end);
/*
 * Emits the chain into code that is empty, its slots ending at offset `end`. Returns the offset to enter it at; the
 * code is not good where the chain does not fit, a branch does not reach or memory is short.
 */
size_t chain_emit(struct code *c, const struct chain *chain, size_t end, uint64_t *random);

/* Which frames the pages of a chain show. */
enum chain_frames {
    /*
     * Few, however long the chain is: one, and where lines rotate one more. Caches that know lines by their frames hold
     * a page or two of it. Not for scattered chains; strides divide a page, or are so many pages, a power of two, as it
     * has lines at most.
     */
    CHAIN_ONE_FRAME,
    CHAIN_IN_ORDER, /* each its own; next to each other where the place's frames are */
    CHAIN_SHUFFLED  /* each its own, in random order */
};

/* Where chains lie. */
struct chain_room {
    struct code_frames code;
    enum chain_frames kind;
    size_t *frames;
    size_t mark; /* of what was mapped before */
    size_t end;  /* mostly at an address that is a multiple of the room, rounded up to a power of two */
};

/* Maps room for slots that span up to `span` bytes. Ends the probe where it can't be had. */
bool chain_map(struct probe *p, struct chain_room *r, size_t span, size_t page_bytes, enum chain_frames frames);
/* The same where it may be missing: NULL, or why it can't be had. To be given back in either case. */
const char *chain_try_map(struct probe *p, struct chain_room *r, size_t span, size_t page_bytes,
                          enum chain_frames frames);
/* Gives it back, and with it all that was mapped after it. */
void chain_unmap(struct probe *p, struct chain_room *r);
/* The kernel. Units are branches, the loop's own included. From now on the probe's code lies in that room. */
bool chain_kernel(struct probe *p, const struct chain *chain, const struct chain_room *r, struct kernel *k);

#endif
