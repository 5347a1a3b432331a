/*
 * The code emitter: machine code in neutral terms.
 *
 * Probes describe an experiment once; each ISA implements a NOP, a load or a call. Code is written at one address of
 * its memory and runs at another (lib/machine.h), so everything here works on offsets from the start of the code
 * area.
 *
 * A kernel is called as f(iterations, data): REG_COUNT and REG_DATA hold the two arguments. It may
 * use every register named here and must return with emit_return.
 *
 * The emitter counts what it emits (struct work), so that it is known what one call of a kernel executes; tests compare
 * that with a CPU emulator.
 *
 * Code that does not fit sets `overflow`; operands out of range and targets out of reach set `invalid`. After the first
 * failure, which code_good() shows, nothing more is emitted: bytes, `used` and `work` stay as they are, so a loop that
 * emits until `used` has some value must check code_good too. Nothing is ever written past the end.
 */
#ifndef FATHOM_ARCH_EMIT_H
#define FATHOM_ARCH_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* General registers. The stack pointer and the emitter's own scratch registers are not among them. */
enum reg {
    REG_COUNT, /* first argument: iterations left */
    REG_DATA,  /* second argument: address of the data */
    REG_T0,
    REG_T1,
    REG_T2,
    REG_T3,
    REG_T4,
    REG_T5,
    REG_T6,
    REG_T7,
    REG_T8,
    REGS
};

/* Vector registers, used as scalar doubles. */
enum vreg { VREG_0, VREG_1, VREG_2, VREG_3, VREG_4, VREG_5, VREG_6, VREG_7, VREGS };

enum fence {
    FENCE_LOADS,        /* earlier loads are done: LFENCE; DSB LD */
    FENCE_STORES,       /* earlier stores are visible: SFENCE; DSB ST */
    FENCE_MEMORY,       /* both: MFENCE; DSB SY */
    FENCE_INSTRUCTIONS, /* nothing later starts before: LFENCE; ISB */
    FENCES
};

/*
 * What a sequence of instructions does when each is executed once, as counters count it. A loop, from its start to
 * the end of its emit_loop, that runs n times does exactly n times its work.
 */
struct work {
    uint64_t instructions;
    uint64_t branches; /* all kinds, calls and returns included */
    uint64_t loads;    /* instructions that read data; calls, returns and emit_enter where they use the stack */
    uint64_t stores;
};

struct code {
    uint8_t *write;   /* where bytes go */
    uintptr_t at;     /* where the same bytes run */
    size_t bytes;     /* room */
    size_t used;      /* offset of the next byte */
    struct work work; /* sum over everything emitted so far; gaps left by emit_place do not count */
    bool overflow;
    bool invalid;
};

/* A branch whose target is not known yet. */
struct fixup {
    size_t at;
    unsigned kind;
};

struct code code_start(uint8_t *write, uintptr_t at, size_t bytes);
bool code_good(const struct code *c);

/* Lengths a single NOP can have on this ISA, ascending, ended by 0. */
extern const unsigned emit_nop_lengths[];
/* Bytes of the smallest unit code is made of: 1 on x86-64, 4 on AArch64. */
extern const unsigned emit_alignment;
/* Bytes of the longest instruction of this ISA. */
extern const unsigned emit_longest;
/* "x86_64" or "aarch64". */
extern const char emit_isa[];

/* One NOP of exactly `bytes`; invalid when no single NOP has that length. */
void emit_nop(struct code *c, unsigned bytes);
/* Fills exactly `bytes` with the fewest NOPs. */
void emit_nops(struct code *c, size_t bytes);
/* `count` NOPs of one length, the same as that many calls of emit_nop, and faster. */
void emit_nop_sequence(struct code *c, unsigned bytes, size_t count);
/* Emits a copy of the `bytes` from offset `from` on, whose work is `work`; they must do the same at any address. */
void emit_copy(struct code *c, size_t from, size_t bytes, struct work work);
/* NOPs until the address at which the code runs is a multiple of `bytes`, a power of two. */
void emit_align(struct code *c, size_t bytes);
/* Continues at `offset`, which is `used` or more; the gap is filled with an instruction that traps. */
void emit_place(struct code *c, size_t offset);

void emit_move(struct code *c, enum reg to, enum reg from);
void emit_constant(struct code *c, enum reg to, uint64_t value);    /* one to four instructions */
void emit_add(struct code *c, enum reg to, enum reg from);          /* to += from; register form */
void emit_add_constant(struct code *c, enum reg to, int32_t value); /* -4095 … 4095 */
void emit_xor(struct code *c, enum reg to, enum reg from);
void emit_and_constant(struct code *c, enum reg to, unsigned low_bits); /* keeps that many low bits, 1 … 31 */
void emit_shift_right(struct code *c, enum reg to, unsigned bits);      /* logical, 1 … 63 */
void emit_multiply(struct code *c, enum reg to, enum reg from);         /* 64-bit, to *= from */
void emit_divide(struct code *c, enum reg to, enum reg from);           /* 64-bit unsigned, to /= from */
/* Scalar double. To be chained in one register: on x86-64 the result depends on both registers. */
void emit_square_root(struct code *c, enum vreg to, enum vreg from);
void emit_vector_add(struct code *c, enum vreg to, enum vreg from); /* scalar double, to += from */

/* Widths in bits of whole-vector operations on this ISA, ascending, ended by 0; identify_vector_bits says which run. */
extern const unsigned emit_wide_bits[];
/*
 * Operations on vectors of doubles. Before the first operation of a width, clear the registers, since some values are
 * slow to compute with. Call emit_wide_end before other code uses vector registers, and before the kernel returns.
 */
void emit_wide_clear(struct code *c, enum vreg r, unsigned bits);
void emit_wide_multiply(struct code *c, enum vreg to, enum vreg from, unsigned bits); /* to *= from */
void emit_wide_end(struct code *c, unsigned bits);                                    /* may need no instruction */

/* 64-bit load and store at base + offset; 0 … 32760 in steps of 8, and -256 … -1. */
void emit_load(struct code *c, enum reg to, enum reg base, int32_t offset);
void emit_store(struct code *c, enum reg from, enum reg base, int32_t offset);
/* 64-bit load at base + 8 * index. */
void emit_load_indexed(struct code *c, enum reg to, enum reg base, enum reg index);

void emit_fence(struct code *c, enum fence kind);

/*
 * Direct branches. The plain ones go to an offset that is known, behind or ahead; the `_ahead` ones are
 * closed by emit_land. The length of each is constant. Reach: 2 GiB on x86-64; 128 MiB on AArch64, but
 * 1 MiB for the conditional ones.
 */
void emit_branch(struct code *c, size_t target);
struct fixup emit_branch_ahead(struct code *c);
/* Taken when the register is (not) zero; on x86-64 TEST and Jcc, two instructions. */
void emit_branch_if_zero(struct code *c, enum reg r, size_t target);
struct fixup emit_branch_if_zero_ahead(struct code *c, enum reg r);
void emit_branch_if_not_zero(struct code *c, enum reg r, size_t target);
struct fixup emit_branch_if_not_zero_ahead(struct code *c, enum reg r);
/* Sets the target of a branch, to this place or to an offset. Setting it again moves the target. */
void emit_land(struct code *c, struct fixup branch);
void emit_land_at(struct code *c, struct fixup branch, size_t target);

/*
 * Jumps of a chosen length: `bytes` is 2 or 5 on x86-64, 2 or 6 for conditional jumps; 4 on AArch64. NOPs, moves,
 * loads, stores and branches other than those `if_zero` keep the flags that emit_compare sets; anything else may
 * change them.
 */
void emit_compare(struct code *c, enum reg a, enum reg b);
void emit_jump(struct code *c, size_t target, unsigned bytes);
void emit_jump_if_equal(struct code *c, size_t target, unsigned bytes);
/* The length of the shortest jump to a target `distance` bytes behind the jump's own start; 0 where none reaches it. */
unsigned emit_jump_bytes(int64_t distance, bool conditional);

void emit_branch_register(struct code *c, enum reg r);
/* The address at which `offset` of this code runs, into a register; constant length. */
void emit_address(struct code *c, enum reg to, size_t offset);

/*
 * Calls and returns. A function that calls others begins with emit_enter and ends with
 * emit_leave; one that calls nothing ends with emit_return. On x86-64 the return address is on the
 * stack anyway; on AArch64 enter and leave save and restore the link register there.
 */
void emit_call(struct code *c, size_t target);
struct fixup emit_call_ahead(struct code *c);
void emit_call_register(struct code *c, enum reg r);
void emit_enter(struct code *c);
void emit_leave(struct code *c);
void emit_return(struct code *c);
/* Returns to the address in the register: a return that the return stack mispredicts where the two addresses differ. */
void emit_return_to(struct code *c, enum reg r);

/*
 * Counts REG_COUNT down by one and branches back while it is not zero. What lies between `start` and here runs once an
 * iteration. Two instructions, one of them a branch; on AArch64, where `start` is more than 1 MiB back, three
 * instructions, two of them branches.
 */
void emit_loop(struct code *c, size_t start);

/*
 * For the fault tests: an undefined instruction, and a read of a system register no core has, which
 * changes REG_T0 on x86-64.
 */
void emit_undefined(struct code *c);
void emit_unknown_register(struct code *c);

#endif
