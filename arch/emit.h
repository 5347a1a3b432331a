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

/* Vector registers. */
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
    uint64_t loads;    /* instructions that read data; returns and emit_leave too where they read the stack */
    uint64_t stores;   /* instructions that write data; calls and emit_enter too where they write the stack */
};

/* Code under construction. */
struct code {
    uint8_t *write;   /* where bytes go */
    uintptr_t at;     /* where the same bytes run */
    size_t bytes;     /* room */
    size_t used;      /* offset of the next byte */
    struct work work; /* sum over everything emitted so far; gaps left by emit_place do not count */
    bool overflow;
    bool invalid;
};

/* A branch or call in the code whose target is not known yet; emit_land and emit_land_at set it. */
struct fixup {
    size_t at;
    unsigned kind;
};

/*
 * Begins code with room for `bytes` bytes at `write`, which will run at the address `at`. It is invalid where that is
 * no multiple of emit_alignment.
 */
struct code code_start(uint8_t *write, uintptr_t at, size_t bytes);
/* Whether everything emitted so far fitted and was valid. */
bool code_good(const struct code *c);

/* Lengths a single NOP can have on this ISA, ascending, ended by 0. */
extern const unsigned emit_nop_lengths[];
/* Bytes to whose multiples instructions are aligned, and of the smallest instruction: 1 on x86-64, 4 on AArch64. */
extern const unsigned emit_alignment;
/* Bytes of the longest instruction of this ISA. */
extern const unsigned emit_longest;
/* Name of the ISA, for records: "x86_64" or "aarch64". */
extern const char emit_isa[];

/* One NOP of exactly `bytes`; the code becomes invalid when no single NOP has that length. */
void emit_nop(struct code *c, unsigned bytes);
/* Fills exactly `bytes` bytes, a multiple of emit_alignment, with the fewest NOPs. */
void emit_nops(struct code *c, size_t bytes);
/* `count` NOPs of `bytes` bytes each. It has the effect of that many calls of emit_nop, and is faster. */
void emit_nop_sequence(struct code *c, unsigned bytes, size_t count);
/*
 * Emits `count` bytes, a multiple of emit_alignment, that somebody else has made; they count as no work, since it is
 * not known what they do.
 */
void emit_bytes(struct code *c, const uint8_t *bytes, size_t count);
/*
 * Emits a copy of the `bytes` bytes of this code that begin at offset `from`. They must do the same at any address;
 * `work` is what they execute.
 */
void emit_copy(struct code *c, size_t from, size_t bytes, struct work work);
/*
 * Copies what has been emitted since *before, a copy of *c, until it stands there `times` times, one after the other.
 * It must do the same at any address. That is far faster than emitting it as often.
 */
void emit_repeat(struct code *c, const struct code *before, size_t times);
/* Copies once more what was emitted from *before to *after, copies of *c. It must do the same at any address. */
void emit_copy_between(struct code *c, const struct code *before, const struct code *after);
/*
 * Emits NOPs until the address at which the code runs is a multiple of `bytes`, a power of two; invalid for other
 * numbers.
 */
void emit_align(struct code *c, size_t bytes);
/*
 * Continues at `offset`, a multiple of emit_alignment that is `used` or more; the gap is filled with an instruction
 * that traps.
 */
void emit_place(struct code *c, size_t offset);

/*
 * Arithmetic on general registers, 64 bits wide, one instruction unless said otherwise. A constant out of range makes
 * the code invalid.
 */
void emit_move(struct code *c, enum reg to, enum reg from);             /* to = from */
void emit_constant(struct code *c, enum reg to, uint64_t value);        /* to = value; one to four instructions */
void emit_add(struct code *c, enum reg to, enum reg from);              /* to += from; register form */
void emit_add_constant(struct code *c, enum reg to, int32_t value);     /* to += value; -4095 … 4095 */
void emit_xor(struct code *c, enum reg to, enum reg from);              /* to ^= from */
void emit_and_constant(struct code *c, enum reg to, unsigned low_bits); /* keeps that many low bits, 1 … 31 */
void emit_shift_right(struct code *c, enum reg to, unsigned bits);      /* logical, 1 … 63 */
void emit_multiply(struct code *c, enum reg to, enum reg from);         /* 64-bit, to *= from */
void emit_divide(struct code *c, enum reg to,
                 enum reg from); /* 64-bit unsigned, to /= from; x86-64: four instructions */
/*
 * Scalar double, to = square root of `from`. For chains, pass one register as both: on x86-64 the result depends on
 * both registers.
 */
void emit_square_root(struct code *c, enum vreg to, enum vreg from);
void emit_vector_add(struct code *c, enum vreg to, enum vreg from); /* scalar double, to += from */

/* Widths in bits of whole-vector operations on this ISA, ascending, ended by 0; identify_vector_bits says which run. */
extern const unsigned emit_wide_bits[];
/*
 * Sets a vector register to zero, in a width of emit_wide_bits. To be emitted for each register before the first
 * operation of that width, since some values are slow to compute with.
 */
void emit_wide_clear(struct code *c, enum vreg r, unsigned bits);
/* Multiplies whole vectors of doubles of that width: to *= from. */
void emit_wide_multiply(struct code *c, enum vreg to, enum vreg from, unsigned bits);
/*
 * To be emitted after operations of that width, before other code that uses vector registers and before the kernel
 * returns. Emits an instruction only where one is needed.
 */
void emit_wide_end(struct code *c, unsigned bits);

/* 64-bit load from base + offset; offsets are 0 … 32760 in steps of 8, and -256 … -1. */
void emit_load(struct code *c, enum reg to, enum reg base, int32_t offset);
/* 64-bit store of `from` to base + offset; offsets are 0 … 32760 in steps of 8, and -256 … -1. */
void emit_store(struct code *c, enum reg from, enum reg base, int32_t offset);
/* 64-bit load from the address base + 8 * index. */
void emit_load_indexed(struct code *c, enum reg to, enum reg base, enum reg index);

/* Emits a fence of that kind: one instruction. */
void emit_fence(struct code *c, enum fence kind);
/* Writes the line at that address back and removes it from all caches: CLFLUSH; DC CIVAC. A fence has to follow. */
void emit_flush(struct code *c, enum reg base);

/*
 * Names of the prefetches of code, by the level that they are to reach, nearest first; ended by NULL. On x86-64
 * PREFETCHIT0 and PREFETCHIT1, on AArch64 PRFM with PLIL1KEEP and PLIL2KEEP. Each core executes them, as NOPs where it
 * has none.
 */
extern const char *const emit_code_prefetches[];
/*
 * Prefetches the line of code at the offset `target` of this code, by the prefetch of that index. Reach: 2 GiB on
 * x86-64, 1 MiB on AArch64.
 */
void emit_code_prefetch(struct code *c, unsigned which, size_t target);

/*
 * A direct branch to the offset `target` of the code, before or after the branch itself. Its length is constant. Reach:
 * 2 GiB on x86-64, 128 MiB on AArch64; a target out of reach makes the code invalid.
 */
void emit_branch(struct code *c, size_t target);
/* A direct branch whose target is set later, by emit_land or emit_land_at; else as emit_branch. */
struct fixup emit_branch_ahead(struct code *c);
/*
 * A direct branch to `target` that is taken when the register is zero; on x86-64 TEST and Jcc, two instructions. Its
 * length is constant. Reach: 2 GiB on x86-64, 1 MiB on AArch64.
 */
void emit_branch_if_zero(struct code *c, enum reg r, size_t target);
/* A branch as of emit_branch_if_zero whose target is set later, by emit_land or emit_land_at. */
struct fixup emit_branch_if_zero_ahead(struct code *c, enum reg r);
/*
 * A direct branch to `target` that is taken when the register is not zero; on x86-64 TEST and Jcc, two instructions.
 * Its length is constant. Reach: 2 GiB on x86-64, 1 MiB on AArch64.
 */
void emit_branch_if_not_zero(struct code *c, enum reg r, size_t target);
/* A branch as of emit_branch_if_not_zero whose target is set later, by emit_land or emit_land_at. */
struct fixup emit_branch_if_not_zero_ahead(struct code *c, enum reg r);
/* Sets the target of a branch or call `_ahead` to the place where the next byte goes. */
void emit_land(struct code *c, struct fixup branch);
/* Sets the target of a branch or call `_ahead` to that offset. It may be set again, which moves the target. */
void emit_land_at(struct code *c, struct fixup branch, size_t target);

/*
 * Compares two registers and sets the flags for emit_jump_if_equal. NOPs, moves, loads, stores, and branches other than
 * those `if_zero` and `if_not_zero` keep the flags; anything else may change them.
 */
void emit_compare(struct code *c, enum reg a, enum reg b);
/* A jump to the offset `target` that is `bytes` long: 2 or 5 on x86-64, 4 on AArch64. Invalid where it cannot reach. */
void emit_jump(struct code *c, size_t target, unsigned bytes);
/* A jump that is taken when the registers of emit_compare were equal; `bytes` long: 2 or 6 on x86-64, 4 on AArch64. */
void emit_jump_if_equal(struct code *c, size_t target, unsigned bytes);
/*
 * The length in bytes of the shortest emit_jump, or of emit_jump_if_equal where `conditional`, to a target `distance`
 * bytes after the start of the jump (negative: before it); 0 where none reaches it.
 */
unsigned emit_jump_bytes(int64_t distance, bool conditional);

/* An indirect branch to the address in the register. */
void emit_branch_register(struct code *c, enum reg r);
/* Puts the address at which the offset `offset` of this code runs into a register; constant length. */
void emit_address(struct code *c, enum reg to, size_t offset);

/* A call of the function at the offset `target` of this code; reach as for emit_branch. */
void emit_call(struct code *c, size_t target);
/* A call of a function whose offset is set later, by emit_land or emit_land_at. */
struct fixup emit_call_ahead(struct code *c);
/* An indirect call of the function at the address in the register. */
void emit_call_register(struct code *c, enum reg r);
/*
 * Begins a function that calls others. On AArch64 it saves the link register on the stack; on x86-64 the return address
 * is there anyway, and nothing is emitted.
 */
void emit_enter(struct code *c);
/* Ends a function that emit_enter has begun: restores what that saved, and returns. */
void emit_leave(struct code *c);
/* Returns from a kernel, or from a function without emit_enter. */
void emit_return(struct code *c);
/*
 * Takes the address of the last emit_call_ahead off the stack, in a function with emit_enter: no return will use it.
 * The core's return stack keeps it, so that the next return is mispredicted.
 */
void emit_drop_call(struct code *c);
/*
 * Returns to the address in the register. The core's return stack mispredicts it where the address is not that of the
 * matching call.
 */
void emit_return_to(struct code *c, enum reg r);

/*
 * Ends a loop that begins at the offset `start`: counts REG_COUNT down by one and branches back while it is not zero.
 * What lies between runs once an iteration. Two instructions, one of them a branch; on AArch64, where `start` is more
 * than 1 MiB before, three instructions, two of them branches.
 */
void emit_loop(struct code *c, size_t start);

/* For tests of faults: an undefined instruction. */
void emit_undefined(struct code *c);
/* For tests of faults: a read of a system register that no core has; it changes REG_T0 on x86-64. */
void emit_unknown_register(struct code *c);

#endif
