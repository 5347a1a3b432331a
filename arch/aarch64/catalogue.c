/* Which registers of AArch64 the catalogue's forms may use in a kernel. */
#include "arch/catalogue.h"

/*
 * What AAPCS64, 6.1 lets a function change; x16 is the emitter's, x18 the platform's. v8 to v15 are not among them, since
 * their lower halves belong to the caller. Predicates: only eight can govern.
 */
static const uint8_t general[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, FIELD_NONE};
static const uint8_t vector[] = {0,  1,  2,  3,  4,  5,  6,  7,  16, 17, 18, 19,        20,
                                 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, FIELD_NONE};
static const uint8_t mask[] = {0, 1, 2, 3, 4, 5, 6, 7, FIELD_NONE};
static const uint8_t none[] = {FIELD_NONE};

const uint8_t *const form_registers[OPERAND_KINDS] = {
    [OPERAND_GENERAL] = general, [OPERAND_VECTOR] = vector, [OPERAND_MASK] = mask,   [OPERAND_MMX] = none,
    [OPERAND_X87] = none,        [OPERAND_FLAGS] = none,    [OPERAND_MEMORY] = none, [OPERAND_IMMEDIATE] = none,
};

/* enum reg counts as the machine does. */
unsigned form_register(enum reg r)
{
    return r;
}

const struct form_load form_loads[] = {{OPERAND_GENERAL, 64, "ldr x, [base]"},
                                       {OPERAND_VECTOR, 128, "ldr q, [base]"},
                                       {OPERAND_MASK, 16, "ldr p, [base]"},
                                       {0}};

void emit_form_end(struct code *c, const struct form *f)
{
    (void)c;
    (void)f;
}

/* Hints, which are NOPs on cores that lack them, are left out. */
bool form_is_another(const struct form *f)
{
    (void)f;
    return false;
}

const struct form_unit form_units[] = {{"add", "add x, x, x"},
                                       {"vector multiply", "fmul v.2d, v.2d, v.2d"},
                                       {"shift", "lslv x, x, x"},
                                       {"multiply", "madd x, x, x, x"},
                                       {"vector add", "fadd v.2d, v.2d, v.2d"},
                                       {"vector integer add", "add v.4s, v.4s, v.4s"},
                                       {"shuffle", "zip1 v.16b, v.16b, v.16b"},
                                       {"vector to general", "fmov x, d"},
                                       {"vector shift", "shl v.4s, v.4s, #i"},
                                       {"conversion", "scvtf v.2d, v.2d"},
                                       {"extract", "extr x, x, x, #i"},
                                       {"select", "csel x, x, x, cond"},
                                       {0}};
const char form_vector_zero[] = "eor v.16b, v.16b, v.16b";
