/*
 * The harness around code that somebody else has written: it gives that code a stack of its own and known values in
 * registers, and restores afterwards what the code may have changed and the reader does not restore (arch/reader.h).
 *
 * Two registers are the harness's: the stack pointer, which points at the top of the code's own stack, and the one that
 * counts iterations. The code may use both in between, but must leave them as it found them; emit_harness_leave stores
 * what it left, so that this can be checked. All other registers may be changed, also flags, control words of floating
 * point and the link register.
 *
 * Registers are named by the numbers that encodings have, not by enum reg.
 */
#ifndef FATHOM_ARCH_EMIT_HARNESS_H
#define FATHOM_ARCH_EMIT_HARNESS_H

#include "arch/emit.h"

/* What the harness keeps in memory, aligned to 16 bytes. The first three are for the caller to read. */
struct harness_state {
    uint64_t stack_found; /* the program's stack pointer */
    uint64_t count_left;  /* the iteration count, as the code left it */
    uint64_t stack_left;  /* the stack pointer, as the code left it */
    uint64_t kept[5];     /* flags, control words, and what else the platform wants back */
};

enum { HARNESS_VECTORS = 32, HARNESS_REGISTERS = 32 }; /* the most that any ISA has */

extern const unsigned harness_registers; /* general registers by number, the counter and x86-64's stack pointer too */
extern const unsigned harness_vectors;   /* vector registers that the harness clears, from 0 on */
extern const unsigned harness_counter;   /* number of the register that counts iterations */
/* Number of the register that a return goes to; harness_registers where the word at the stack pointer has that. */
extern const unsigned harness_link;
extern const char harness_holds[]; /* the registers that it needs, for people */

/* Whether code may have any value in this general register: it is neither the counter nor the stack pointer. */
bool harness_is_free(unsigned number);
/* "rax", "x0"; of a number below harness_registers. */
const char *harness_register_name(unsigned number);
/* The number of the register of that name, harness_registers where there is none. */
unsigned harness_register_find(const char *name);

/*
 * Enters the harness: keeps the program's state at address `state`, takes the stack that ends at `stack`, a multiple of
 * 16, clears harness_vectors vector registers on a core with vectors of `vector_bits`, and takes the iterations as the
 * count.
 */
void emit_harness_enter(struct code *c, uint64_t state, uint64_t stack, unsigned vector_bits);
/* Gives a free register a value; what it held before does not matter to the core. One to four instructions. */
void emit_harness_value(struct code *c, unsigned number, uint64_t value);
/* Clears a vector register in a way for which cores do not wait for what it held. */
void emit_harness_clear_vector(struct code *c, unsigned number, unsigned vector_bits);
/* Sets all condition flags to values that depend on nothing but the stack pointer. */
void emit_harness_set_flags(struct code *c);
/*
 * Loads a free register from `offset` bytes above the stack pointer: a multiple of 16 up to 1008; others make the code
 * invalid. What stands there must exist.
 */
void emit_harness_load(struct code *c, unsigned number, unsigned offset);
/* Stores a free register where emit_harness_load would load it from. */
void emit_harness_store(struct code *c, unsigned number, unsigned offset);
/* Loads 128 bits of a vector register from there; what it has above these may stay as it was. */
void emit_harness_load_vector(struct code *c, unsigned number, unsigned offset);
/* Stores the lower 128 bits of a vector register there. */
void emit_harness_store_vector(struct code *c, unsigned number, unsigned offset);
/* Counts down, and branches back to `start` while iterations are left. */
void emit_harness_loop(struct code *c, size_t start);
/*
 * Stores what the code left of the harness's registers, restores what emit_harness_enter has kept, and returns. The x87
 * unit of x86-64 gets the state that FNINIT gives it.
 */
void emit_harness_leave(struct code *c, uint64_t state, unsigned vector_bits);

/*
 * A kernel that displaces memory from address `at` on from all caches, data and instructions, a line of `line` bytes at
 * a time, 127 on x86-64 and 4095 on AArch64 at most, and waits until that is done. It is called with the number of
 * lines as its iterations.
 */
void emit_harness_flush(struct code *c, uint64_t at, unsigned line);

#endif
