/* Instructions in the terms that cost time: read by Capstone, so that the model does not rest on the emitter. */
#ifndef FATHOM_TESTS_MODEL_DECODE_H
#define FATHOM_TESTS_MODEL_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kind {
    KIND_PLAIN,
    KIND_NOP,
    KIND_MULTIPLY,
    KIND_ROOT, /* a square root */
    KIND_CALL,
    KIND_RETURN,
    KIND_CONDITIONAL,
    KIND_JUMP,
    KIND_INDIRECT,
    KIND_FENCE
};

enum { DECODED_OPERANDS = 4, DECODED_REGISTERS = 320, LONGEST_INSTRUCTION = 15 };

struct decoded {
    enum kind kind;
    bool computes;     /* with what it may load: an addition */
    bool moves, zeros; /* one register to another of its kind; a register to nothing but zero */
    bool compares;
    bool accesses;                            /* data in memory */
    uint64_t key;                             /* its first bytes, at most eight */
    uint8_t bytes[LONGEST_INSTRUCTION], size; /* what it was decoded from; 0: nothing yet */
    uint8_t read_count, written_count;
    uint16_t read[DECODED_OPERANDS], written[DECODED_OPERANDS]; /* registers, the stack pointer left out */
    uint8_t general_written, flags_written, vector_written;     /* of those, by what they are … */
    uint8_t halves_written;                                     /* … and of general ones those that are narrower */
    uint16_t base;                                              /* of the address of what is read or written; 0: none */
};

/* By its number; 0 is nothing. */
extern struct decoded decoded[];

/* Numbers given so far may be given anew. */
void decode_start(void);
/* The number of what begins there, where so many bytes can be read; 0 where that is no instruction. */
uint32_t decode(const uint8_t *bytes, size_t room);

#endif
