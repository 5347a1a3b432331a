/* Which registers of x86-64 the catalogue's forms may use in a kernel. */
#include "arch/catalogue.h"

#include "arch/x86_64/encode.h"

/* The memory operand's is REG_DATA in every form. r14 and r15 are the reader's to save, like rbx, rbp, r12 and r13. */
static const uint8_t general[] = {0, 1, 2, 3, 5, 8, 9, 10, 11, 12, 13, 14, 15, FIELD_NONE};
static const uint8_t vector[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, FIELD_NONE};
/* k0 as a mask selects everything */
static const uint8_t mask[] = {1, 2, 3, 4, 5, 6, 7, FIELD_NONE};
static const uint8_t mmx[] = {0, 1, 2, 3, 4, 5, 6, 7, FIELD_NONE};
static const uint8_t none[] = {FIELD_NONE};

const uint8_t *const form_registers[OPERAND_KINDS] = {
    [OPERAND_GENERAL] = general, [OPERAND_VECTOR] = vector, [OPERAND_MASK] = mask,   [OPERAND_MMX] = mmx,
    [OPERAND_X87] = mmx,         [OPERAND_FLAGS] = none,    [OPERAND_MEMORY] = none, [OPERAND_IMMEDIATE] = none,
};

unsigned form_register(enum reg r)
{
    struct code c = {.bytes = 0};

    return number(&c, r);
}
