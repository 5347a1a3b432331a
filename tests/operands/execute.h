/* Executes one instruction with given registers. */
#ifndef FATHOM_TESTS_OPERANDS_EXECUTE_H
#define FATHOM_TESTS_OPERANDS_EXECUTE_H

#include <stdbool.h>
#include <stdint.h>

enum { REGISTERS = 32, VECTOR_BYTES_MOST = 256 };

/* Registers, by their numbers in encodings. execute_*.S has the offsets of members, too. */
struct state {
    uint64_t general[REGISTERS];
    uint64_t flags, code;
    uint64_t mmx[8];
    uint8_t x87[108];  /* x86-64: as FNSAVE stores it (Intel SDM vol. 1, figure 8-9) */
    uint32_t uses_x87; /* not 0: x87 is loaded; 0: mmx, which are the same registers */
    uint8_t rest[64];
    uint8_t mask[512];                             /* one behind the other, each an eighth of a vector long */
    uint8_t vector[REGISTERS * VECTOR_BYTES_MOST]; /* one behind the other, each as long as a vector register */
};
_Static_assert(__builtin_offsetof(struct state, flags) == 256, "execute_*.S has it there");
_Static_assert(__builtin_offsetof(struct state, code) == 264, "execute_*.S has it there");
_Static_assert(__builtin_offsetof(struct state, mmx) == 272, "execute_*.S has it there");
_Static_assert(__builtin_offsetof(struct state, x87) == 336, "execute_*.S has it there");
_Static_assert(__builtin_offsetof(struct state, uses_x87) == 444, "execute_*.S has it there");
_Static_assert(__builtin_offsetof(struct state, mask) == 512, "execute_*.S has it there");
_Static_assert(__builtin_offsetof(struct state, vector) == 1024, "execute_*.S has it there");

/* Calls `code`, an instruction and a return, with these registers, and stores the registers behind it. */
void execute(struct state *s);
/* Bytes of a vector register; 0: this core lacks instructions that `execute` needs. */
unsigned execute_vector_bytes(void);
/* The bits of `flags` that are condition flags. */
extern const uint64_t execute_flags;

#endif
