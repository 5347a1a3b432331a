/* Which registers of AArch64 the catalogue's forms may use in a kernel. */
#include "arch/catalogue.h"

#include <string.h>

/*
 * What AAPCS64, 6.1 lets a function change; x16 is the emitter's, x18 the platform's. v8 to v15 are not among them,
 * since their lower halves belong to the caller. Predicates: only eight can govern.
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

/* enum reg has the numbers of the registers x0 to x10. */
unsigned form_register(enum reg r)
{
    return r;
}

const struct form_load form_loads[] = {{OPERAND_GENERAL, 64, "ldr x, [base]"},
                                       {OPERAND_VECTOR, 128, "ldr q, [base]"},
                                       {OPERAND_MASK, 16, "ldr p, [base]"},
                                       {0}};

/* ADC reads C, CSEL the flag of its condition. CNTP and WHILELO pass on only how many elements are active. */
const struct form_bridge form_bridges[] = {{OPERAND_GENERAL, OPERAND_GENERAL, 0, 0, "orr x, x, x", "dss"},
                                           {OPERAND_GENERAL, OPERAND_VECTOR, 0, 1, "fmov d, x", "ds"},
                                           {OPERAND_VECTOR, OPERAND_GENERAL, 0, 1, "fmov x, d", "ds"},
                                           {OPERAND_GENERAL, OPERAND_MASK, 0, 1, "whilelo p.b, x, x", "dxs"},
                                           {OPERAND_MASK, OPERAND_GENERAL, 0, 1, "cntp x, p, p.b", "dss"},
                                           {OPERAND_GENERAL, OPERAND_FLAGS, 0, 1, "subs x, x, x", "xss"},
                                           {OPERAND_FLAGS, OPERAND_GENERAL, 0, 1, "adc x, x, x", "dxx"},
                                           {OPERAND_FLAGS, OPERAND_GENERAL, 0, 1, "csel x, x, x, cond", "dxx"},
                                           {OPERAND_MEMORY, OPERAND_GENERAL, 8, 0, "ldrb w, [base]", "d"},
                                           {OPERAND_MEMORY, OPERAND_GENERAL, 16, 0, "ldrh w, [base]", "d"},
                                           {OPERAND_MEMORY, OPERAND_GENERAL, 32, 0, "ldr w, [base]", "d"},
                                           {OPERAND_MEMORY, OPERAND_GENERAL, 64, 0, "ldr x, [base]", "d"},
                                           {.name = NULL}};
const struct form_bridge form_address_bridge = {OPERAND_GENERAL, OPERAND_MEMORY, 0, 1, "eor x, x, x", "dds"};

/* Quotients by 0 are 0: Arm ARM DDI 0487, C6, UDIV and SDIV. */
const struct form_atomic form_atomics[] = {{"add", "ldaddal x, x, [base]"}, {"cas", "casal x, x, [base]"}, {0}};

const struct form_bridge form_to_one = {.name = NULL}, form_to_zero = {.name = NULL};
/* There is no such stack. */
const struct form_bridge form_stack_push = {.name = NULL}, form_stack_pop = {.name = NULL};

void emit_form_rotate_stack(struct code *c)
{
    (void)c;
}

void emit_form_begin(struct code *c, const struct form *f)
{
    (void)c;
    (void)f;
}

void emit_form_end(struct code *c, const struct form *f)
{
    (void)c;
    (void)f;
}

/* Hints, which are NOPs on cores that lack them, are left out. */
bool form_is_other_instruction(const struct form *f)
{
    (void)f;
    return false;
}

/* ---- Branches: Arm ARM DDI 0487, C4.1.66 -------------------------------------------------------------- */

static uint32_t word_of(const uint8_t *bytes)
{
    uint32_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

/* B.EQ is the only one that reads flags. */
static bool reads_flags(const struct form *f)
{
    return word_of(f->bytes) >> 24 == 0x54;
}

/* Equal numbers are compared, or 1 with the address of the data. */
void emit_form_condition(struct code *c, const struct form *f)
{
    const uint8_t one = (uint8_t)form_register(REG_T0),
                  other = f->class == FORM_TAKEN ? one : (uint8_t)form_register(REG_DATA);

    if (!reads_flags(f))
        return;
    emit_constant(c, REG_T0, 1);
    emit_form(c, form_find("subs x, x, x"), (const uint8_t[]){one, one, other});
}

/* Bit 24 is set in CBNZ and TBNZ. */
bool form_wants_zero(const struct form *f)
{
    return (f->class == FORM_TAKEN) != (word_of(f->bytes) >> 24 & 1);
}

/* The offset in words: imm26 of B, imm14 of TBZ and TBNZ from bit 5 on, imm19 of the others from bit 5 on. */
void form_reach(uint8_t *bytes, const struct form *f, size_t further)
{
    const unsigned at = word_of(f->bytes) >> 26 == 5 ? 0 : 5;
    const uint32_t word = word_of(bytes) + ((uint32_t)(further / sizeof word) << at);

    memcpy(bytes, &word, sizeof word);
}

const char form_vector_zero[] = "eor v.16b, v.16b, v.16b";
