/*
 * Branch chains: code that does nothing but jump, each taken branch to the next one and the last one back to the first.
 * The cost of a branch shows how the core found the next target: in which level of the branch target buffer, or only
 * after the branch had been fetched and decoded. Where each branch is on a page of its own it shows how the page was
 * translated.
 *
 * Branches are in slots. Each branch ends at the same offset in its slot, or in its line where lines rotate
 * (page_bytes), since x86-64 predictors use the address of a branch's last byte (jia.je 2024, Golden Cove; AMD,
 * optimisation guide of Zen 4). On x86-64, where the stride is a power of two of 8 bytes or more, no branch crosses or
 * ends at the end of a block of 32 bytes unless `branch_end` says so: microcode keeps such a line out of Skylake's
 * operation cache (Intel 2019, Mitigations for Jump Conditional Code Erratum).
 *
 *     | slot 0        | slot 1        | …     | slot n-1      | loop
 *     ^ end - branch_chain_span()                             ^ end
 *
 * The slots end where their room ends, however many there are: a slot keeps its address when n changes, and where many
 * virtual pages are mapped to one frame, the bytes of a page are the same for any n. After the slots, where slot n
 * would be, is the loop: a branch that is not taken until all iterations are done, and one more taken branch. That one
 * belongs to the chain: n branches in slots are n + 1 units per iteration. BRANCH_CHAIN_LOOP_BRANCHES is the number of
 * branches that the loop adds.
 *
 * Conditional branches are always taken: the loop sets their flags once an iteration. In mixed patterns every second
 * branch is conditional.
 *
 * Method: docs/METHODS.md, 4.19.
 */
#ifndef FATHOM_LIB_KERNELS_BRANCH_CHAIN_H
#define FATHOM_LIB_KERNELS_BRANCH_CHAIN_H

#include "lib/kernels/branch_chain_pattern.h"
#include "lib/probe/probe.h"

/* "uncond", "cond", "cond-uncond", "uncond-cond": the values of the variant `branch` of findings. */
extern const char *const branch_chain_pattern_names[BRANCH_CHAIN_PATTERNS];

enum { BRANCH_CHAIN_LINE_BYTES = 64, BRANCH_CHAIN_LOOP_BRANCHES = 1 };

struct branch_chain {
    enum branch_chain_pattern pattern; /* mixed: of two slots, the first begins at a multiple of twice the stride */
    size_t count;                      /* branches in slots, at least 1 */
    size_t stride;                     /* bytes from one slot to the next */
    size_t branch_end; /* bytes from the beginning of a slot to the end of its branch; 0: of its longest form */
    size_t nop_bytes;  /* NOPs between a target and the branch that it leads to */
    size_t additions;  /* behind them, of registers in turn to themselves: no core is known to merge these */
    bool scattered;    /* in random order (Sattolo's cycle); else in the order of addresses */
    /*
     * Not 0: one branch on each page of this size; `stride` is a multiple of it. The line of the branch in its page
     * rotates: from one branch to the next by one line, and by one more after as many pages as there are lines. So the
     * branches use all lines of a page, or of the first 16 KiB of a larger one, evenly, and all sets that are chosen by
     * line and page together.
     */
    size_t page_bytes;
    size_t lines_apart; /* lines by which it rotates from one branch to the next, an odd number; 0: one */
    /*
     * One branch in each line or page, each at one of eight offsets of its line: for branch target buffers whose index
     * has address bits within a line. Not where pages share a frame, as each offset takes code of its own.
     */
    bool offsets_differ;
};

/* Bytes of each addition. */
size_t branch_chain_addition_bytes(void);
/* Bytes from the first slot to the end of the last one. */
size_t branch_chain_span(const struct branch_chain *chain);
/* Bytes of all code when the slots end at offset `end`. */
size_t branch_chain_bytes(const struct branch_chain *chain, size_t end);
/*
 * Emits the chain into *c, which must be empty, so that its last slot ends at byte offset `end`; the order of a
 * scattered one is drawn with *random (state of lib/base/random.h, advanced). Returns the offset at which it is
 * entered. Where the chain does not fit, a branch does not reach its target, or memory is short, code_good(c) is false
 * afterwards and the offset means nothing.
 */
size_t branch_chain_emit(struct code *c, const struct branch_chain *chain, size_t end, uint64_t *random);

/*
 * The address of the loop's taken branch, in a chain of this pattern and stride without anything else, by its last
 * byte: inverted, and relative to that of the branch in the last slot where they differ within a slot (struct
 * btb_sequence).
 */
int branch_chain_last_at(enum branch_chain_pattern pattern, unsigned stride);

/* Which frames the pages of a chain are mapped to. */
enum branch_chain_frames {
    /*
     * Two frames however long the chain is, and one for the loop where it is on a page of its own: caches that are
     * indexed by frames hold few pages of code. Not for scattered chains. The stride must divide a page, or be a power
     * of two of pages, at most as many as there are lines to rotate over. Otherwise the code is invalid.
     */
    BRANCH_CHAIN_ONE_FRAME,
    /*
     * Each page its own frame, as the platform gives them: neighbours next to each other where it can. Frames need not
     * be chosen, so that memory in which code is written and executed at one address will do.
     */
    BRANCH_CHAIN_IN_ORDER,
    BRANCH_CHAIN_SHUFFLED /* each page its own frame, in random order */
};

/* Memory for chains. */
struct branch_chain_room {
    struct code_frames code;
    enum branch_chain_frames kind;
    size_t *frames; /* NULL: those that the platform gave */
    size_t mark;    /* of machine_map_mark, before the room was mapped */
    /* Where slots end: an offset whose address is, if possible, a multiple of the span rounded up to a power of two. */
    size_t end;
};

/*
 * Maps room for slots that span up to `span` bytes. False: it could not be mapped, and the probe has ended.
 * branch_chain_unmap must follow in either case.
 */
bool branch_chain_map(struct probe *p, struct branch_chain_room *r, size_t span, size_t page_bytes,
                      enum branch_chain_frames frames);
/*
 * Maps room for slots that span up to `span` bytes, without ending the probe where that fails. Returns NULL, or a
 * sentence why it could not be mapped; branch_chain_unmap must follow in either case.
 */
const char *branch_chain_try_map(struct probe *p, struct branch_chain_room *r, size_t span, size_t page_bytes,
                                 enum branch_chain_frames frames);
/* Unmaps the room and everything that was mapped after it; the probe has its own code area again. */
void branch_chain_unmap(struct probe *p, struct branch_chain_room *r);
/*
 * Makes the kernel of a chain in this room, which must be mapped; its unit is a branch, the loop's own included. From
 * then on the probe's code area is this room. False: the probe has ended (probe_kernel).
 */
bool branch_chain_kernel(struct probe *p, const struct branch_chain *chain, const struct branch_chain_room *r,
                         struct kernel *k);

#endif
