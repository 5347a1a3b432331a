/* What arch/emit.c, which is the same on every ISA, and the emitters of each ISA share; only they include this. */
#ifndef FATHOM_ARCH_EMIT_PRIVATE_H
#define FATHOM_ARCH_EMIT_PRIVATE_H

#include "arch/emit.h"

/* The work of one instruction, by what it does. */
#define WORK_PLAIN ((struct work){.instructions = 1})
#define WORK_LOAD ((struct work){.instructions = 1, .loads = 1})
#define WORK_STORE ((struct work){.instructions = 1, .stores = 1})
#define WORK_BRANCH ((struct work){.instructions = 1, .branches = 1})

/*
 * Marks the code as bad unless `condition` holds; it stays bad from then on. Returns whether it is still good. Only the
 * first failure is kept: what follows it may fail on its account. This and what follows are inlined, as on a simulated core
 * emitting a kernel takes more instructions than running it.
 */
static inline bool code_require(struct code *c, bool condition)
{
    if (!condition && !c->overflow)
        c->invalid = true;
    return !c->overflow && !c->invalid;
}

/* Room for `count` more bytes, or an overflow. */
static inline bool code_require_room(struct code *c, size_t count)
{
    if (!code_require(c, true))
        return false;
    c->overflow = count > c->bytes - c->used;
    return !c->overflow;
}

/*
 * Takes the next `count` bytes of the code, for what does that work, and returns where they are to be written; NULL
 * where they do not fit, which sets `overflow`.
 */
static inline uint8_t *code_take(struct code *c, size_t count, struct work work)
{
    if (!code_require_room(c, count))
        return NULL;
    uint8_t *const at = c->write + c->used;
    c->used += count;
    c->work.instructions += work.instructions;
    c->work.branches += work.branches;
    c->work.loads += work.loads;
    c->work.stores += work.stores;
    return at;
}

/*
 * Appends the `count` bytes of instructions and adds `work`; where they do not fit, sets `overflow` and appends nothing.
 */
void code_append(struct code *c, const uint8_t *bytes, size_t count, struct work work);

/*
 * Makes the code invalid unless `bytes` bytes or more have been emitted since offset `from`, where a branch begins, and
 * `target` lies in the code's room (its end included) at an instruction's alignment. Returns whether the code is good.
 */
bool code_require_branch(struct code *c, size_t from, size_t bytes, size_t target);

/*
 * Whether both ISAs can encode the offset in a load or store; others are refused, so that a kernel means the same on
 * both.
 */
static inline bool is_memory_offset(int32_t offset)
{
    return (offset >= 0 && offset <= 32760 && offset % 8 == 0) || (offset < 0 && offset >= -256);
}

/* The byte to fill gaps with: repeated, it is an instruction that traps. */
extern const uint8_t emit_trap;

#endif
