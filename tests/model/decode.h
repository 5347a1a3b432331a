/* What of an instruction costs time. Capstone decodes it, so that the model does not depend on the emitter. */
#ifndef FATHOM_TESTS_MODEL_DECODE_H
#define FATHOM_TESTS_MODEL_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/model/bypass.h"
#include "tests/model/scheduler.h"

enum kind {
    KIND_PLAIN,
    KIND_NOP,
    KIND_MULTIPLY,
    KIND_ROOT, /* a square root */
    KIND_CALL, /* those before it always continue with the next one */
    KIND_RETURN,
    KIND_CONDITIONAL,
    KIND_JUMP,
    KIND_INDIRECT,
    KIND_FENCE,
    KIND_FLUSH, /* of a line from all caches */
    KIND_ZERO   /* of a block, each byte of which Unicorn reports */
};

enum { DECODED_OPERANDS = 4, DECODED_REGISTERS = 320, LONGEST_INSTRUCTION = 15 };

/* What is looked at each time that it executes comes first, in one line of this computer's cache. */
struct decoded {
    enum kind kind;
    bool computes;     /* an addition: with an operand in memory it takes a cycle more */
    bool moves, zeros; /* copies one register to another of its kind; sets a register to zero */
    bool compares;
    bool counts; /* a test of how many turns of a loop are left, or a branch that tests it */
    enum waits_class waits;
    bool repeats;  /* a string instruction: Unicorn reports each of its bytes */
    bool accesses; /* data in memory */
    bool atomic;   /* reads and changes it in one step */
    uint8_t unit;  /* index in isa.units, plus one; 0: it is not among them */
    uint8_t size;  /* in bytes; 0: nothing is decoded yet */
    uint8_t read_count, written_count;
    uint16_t read[DECODED_OPERANDS], written[DECODED_OPERANDS]; /* registers, the stack pointer left out */
    uint8_t general_written, flags_written, vector_written;     /* how many of the written ones are of each kind */
    uint8_t halves_written;                 /* how many of the general ones are written in 32 bits */
    uint16_t base;                          /* base register of its address; 0: it has none */
    uint8_t makes, needs[DECODED_OPERANDS]; /* enum bypass_kind of its result, and of each register that it reads */
    bool to_next;                           /* a direct branch to the instruction behind it */
    int64_t prefetches; /* bytes from its first one to the code that it prefetches; 0: it prefetches none */
    uint64_t key;       /* its first bytes, at most eight of them */
    uint8_t bytes[LONGEST_INSTRUCTION]; /* what it was decoded from */
} __attribute__((aligned(64)));

/*
 * An instruction in code: its number, and above that its size, so that the next one is found without a look at this
 * one. 0: none.
 */
enum { CODE_SIZE_SHIFT = 24 };

static inline uint32_t code_number(uint32_t entry)
{
    return entry & ((1U << CODE_SIZE_SHIFT) - 1);
}

static inline uint32_t code_size(uint32_t entry)
{
    return entry >> CODE_SIZE_SHIFT;
}

/* Instructions by their number; number 0 is none. */
extern struct decoded decoded[];

/* Numbers given so far are not used any more, and may be given again. */
void decode_start(void);
/* The instruction that begins there, of which `room` bytes can be read: code_number, code_size. 0 where there is none. */
uint32_t decode(const uint8_t *bytes, size_t room);

#endif
