/* Which registers of x86-64 the catalogue's forms may use in a kernel. */
#include "arch/catalogue.h"

#include <cpuid.h>
#include <string.h>

#include "arch/emit_private.h"
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

const struct form_load form_loads[] = {{OPERAND_GENERAL, 64, "mov r64, m64"},
                                       {OPERAND_VECTOR, 128, "movups xmm, m128"},
                                       {OPERAND_VECTOR, 256, "vmovups ymm, m256"},
                                       {OPERAND_VECTOR, 512, "vmovups zmm, m512"},
                                       {OPERAND_MASK, 64, "kmovq k, m64"},
                                       {OPERAND_MMX, 64, "movq mm, m64"},
                                       {OPERAND_X87, 80, "fld m80"},
                                       {0}};

/*
 * Condition codes: SDM vol. 1, appendix B. SETBE reads CF and ZF; no form writes AF alone. The top of the x87 stack is
 * reached through flags: FCOMI writes CF, ZF and PF; CMP with 1 of a register that is 0 or 1 always gives "below or
 * equal", so that FCMOVBE always copies another register, of the same value, to the top. The copies from mask to mask
 * and from vector to vector are for masks that a form clears (is_cleared).
 */
const struct form_bridge form_bridges[] = {{OPERAND_GENERAL, OPERAND_GENERAL, 0, 0, "mov r64, r64", "ds"},
                                           {OPERAND_GENERAL, OPERAND_VECTOR, 128, 1, "movq xmm, r64", "ds"},
                                           {OPERAND_GENERAL, OPERAND_VECTOR, 512, 1, "vmovq xmm, r64", "ds"},
                                           {OPERAND_VECTOR, OPERAND_GENERAL, 128, 1, "movq r64, xmm", "ds"},
                                           {OPERAND_VECTOR, OPERAND_GENERAL, 512, 1, "vmovq r64, xmm", "ds"},
                                           {OPERAND_GENERAL, OPERAND_MASK, 0, 1, "kmovq k, r64", "ds"},
                                           {OPERAND_MASK, OPERAND_GENERAL, 0, 1, "kmovq r64, k", "ds"},
                                           {OPERAND_GENERAL, OPERAND_MMX, 0, 1, "movq mm, r64", "ds"},
                                           {OPERAND_MMX, OPERAND_GENERAL, 0, 1, "movq r64, mm", "ds"},
                                           {OPERAND_GENERAL, OPERAND_FLAGS, 0, 1, "cmp r64, i8", "s"},
                                           {OPERAND_FLAGS, OPERAND_GENERAL, 0, 1, "setbe r8", "d"},
                                           {OPERAND_FLAGS, OPERAND_GENERAL, 0, 1, "seto r8", "d"},
                                           {OPERAND_FLAGS, OPERAND_GENERAL, 0, 1, "sets r8", "d"},
                                           {OPERAND_FLAGS, OPERAND_GENERAL, 0, 1, "setp r8", "d"},
                                           {OPERAND_MEMORY, OPERAND_GENERAL, 8, 0, "movzx r32, m8", "d"},
                                           {OPERAND_MEMORY, OPERAND_GENERAL, 16, 0, "movzx r32, m16", "d"},
                                           {OPERAND_MEMORY, OPERAND_GENERAL, 32, 0, "mov r32, m32", "d"},
                                           {OPERAND_MEMORY, OPERAND_GENERAL, 64, 0, "mov r64, m64", "d"},
                                           {OPERAND_GENERAL, OPERAND_X87, 0, 2, "cmp r64, i8; fcmovbe st0, st", "s; 2"},
                                           {OPERAND_X87, OPERAND_GENERAL, 0, 2, "fcomi st0, st; setbe r8", "2; d"},
                                           {OPERAND_MASK, OPERAND_MASK, 0, 0, "kmovq k, k", "ds"},
                                           {OPERAND_VECTOR, OPERAND_VECTOR, 0, 0, "vmovups ymm, ymm", "ds"},
                                           {.name = NULL}};
const struct form_bridge form_address_bridge = {OPERAND_GENERAL, OPERAND_MEMORY, 0, 1, "xor r64, r64", "ds"};
const struct form_atomic form_atomics[] = {{"add", "lock xadd m64, r64"}, {"cas", "lock cmpxchg m64, r64"}, {0}};

const struct form_bridge form_to_one = {OPERAND_GENERAL, OPERAND_GENERAL, 0, 1, "or r64, i8", "d"},
                         form_to_zero = {OPERAND_GENERAL, OPERAND_GENERAL, 0, 1, "shr r64, i8", "d"}; /* of 1 */
const struct form_bridge form_stack_push = {OPERAND_X87, OPERAND_X87, 0, 0, "fld st", "s"},
                         form_stack_pop = {OPERAND_X87, OPERAND_X87, 0, 0, "fstp st", "d"};

/* FINCSTP: SDM vol. 2A. */
void emit_form_rotate_stack(struct code *c)
{
    static const uint8_t fincstp[] = {0xd9, 0xf7};

    code_append(c, fincstp, sizeof fincstp, WORK_PLAIN);
}

/* Whether the form depends on what is on the x87 stack, or changes it. */
static bool is_of_stack(const struct form *f)
{
    for (unsigned i = 0; i < f->operand_count; i++)
        if (form_operand(f, i)->kind == OPERAND_X87)
            return true;
    return !strcmp(form_feature(f), "X87");
}

static void emit_fninit(struct code *c)
{
    static const uint8_t fninit[] = {0xdb, 0xe3};

    code_append(c, fninit, sizeof fninit, WORK_PLAIN);
}

/* FNSTCW, STMXCSR, FXSAVE and FXSAVE64 to [rsi], which is REG_DATA: SDM vol. 2A and 2B. */
static void emit_state(struct code *c, const struct form *f)
{
    static const struct {
        const char *loads;
        uint8_t length, stores[4];
    } states[] = {{"fldcw", 2, {0xd9, 0x3e}},
                  {"ldmxcsr", 3, {0x0f, 0xae, 0x1e}},
                  {"vldmxcsr", 3, {0x0f, 0xae, 0x1e}},
                  {"fxrstor", 3, {0x0f, 0xae, 0x06}},
                  {"fxrstor64", 4, {0x48, 0x0f, 0xae, 0x06}}};

    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
        if (!strncmp(form_name(f), states[i].loads, strlen(states[i].loads)) &&
            form_name(f)[strlen(states[i].loads)] == ' ')
            code_append(c, states[i].stores, states[i].length, (struct work){.instructions = 1, .stores = 1});
}

void emit_form_begin(struct code *c, const struct form *f)
{
    if (is_of_stack(f))
        emit_fninit(c);
    emit_state(c, f);
}

/*
 * FNINIT, which empties the stack of x87 and gives it the mode that it has everywhere here (SDM vol. 1, 8.1.5); EMMS,
 * so that the x87 registers, which MMX shares, are empty again (SDM vol. 1, 9.6.2); VZEROUPPER, since upper halves that
 * are not zero slow SSE down (Intel Optimization Reference Manual, 15.3).
 */
void emit_form_end(struct code *c, const struct form *f)
{
    static const uint8_t emms[] = {0x0f, 0x77}, vzeroupper[] = {0xc5, 0xf8, 0x77};

    if (is_of_stack(f))
        emit_fninit(c);
    for (unsigned i = 0; i < f->operand_count; i++)
        if (form_operand(f, i)->kind == OPERAND_MMX) {
            code_append(c, emms, sizeof emms, WORK_PLAIN);
            break;
        }
    for (unsigned i = 0; i < f->operand_count; i++)
        if (form_operand(f, i)->kind == OPERAND_VECTOR && form_operand(f, i)->bits > 128) {
            code_append(c, vzeroupper, sizeof vzeroupper, WORK_PLAIN);
            break;
        }
}

enum { XOP_ESCAPE = 0x8f };

static bool has(uint32_t leaf, unsigned which, unsigned bit)
{
    uint32_t r[4] = {0};

    return __get_cpuid_count(leaf, 0, &r[0], &r[1], &r[2], &r[3]) && r[which] >> bit & 1;
}

/*
 * LZCNT and TZCNT are BSR and BSF with a prefix that is ignored where they are lacking (SDM vol. 2A and 2B); PREFETCHW,
 * PREFETCHWT1 and CLDEMOTE are NOPs. Their CPUID bits: SDM vol. 2A, CPUID; TZCNT is announced with the rest of BMI1,
 * which traps. XOP begins as POP does; cores distinguish them by the next byte, QEMU 7.2 does not and pops (AMD64 APM
 * vol. 3, 1.2.9 and appendix E for the bits of XOP and TBM).
 */
bool form_is_other_instruction(const struct form *f)
{
    const char *name = form_name(f);

    if (f->bytes[0] == XOP_ESCAPE)
        return !has(0x80000001, 2, strcmp(form_feature(f), "TBM") ? 11 : 21);
    if (!strncmp(name, "lzcnt ", 6))
        return !has(0x80000001, 2, 5);
    if (!strncmp(name, "tzcnt ", 6))
        return !has(7, 1, 3);
    if (!strncmp(name, "prefetchwt1 ", 12))
        return !has(7, 2, 0);
    if (!strncmp(name, "prefetchw ", 10))
        return !has(0x80000001, 2, 8);
    if (!strncmp(name, "cldemote ", 9))
        return !has(7, 2, 25);
    return false;
}

/* ---- Branches: Jcc, JMP and JRCXZ, SDM vol. 2A ------------------------------------------------------ */

/* Opcodes: the upper half of that of a short Jcc, the first byte of a near one, and two more; bytes of a near displacement. */
enum { JCC_SHORT = 0x7, ESCAPE = 0x0f, JMP_NEAR = 0xe9, JRCXZ = 0xe3, NEAR_BYTES = 4 };

/* The number of its condition (SDM vol. 1, B.1); false: it has none. */
static bool condition_of(const struct form *f, unsigned *condition)
{
    const uint8_t *b = f->bytes;

    *condition = (b[0] == ESCAPE ? b[1] : b[0]) & 15u;
    return b[0] == ESCAPE || b[0] >> 4 == JCC_SHORT;
}

/*
 * What has to be compared with 1 so that the condition of a pair, O, B, Z, BE, S, P, L and LE, is true; 3 makes each of
 * them false. 0 is below 1 and less, and the difference negative; that of the lowest number overflows.
 */
static const uint64_t makes_true[] = {UINT64_C(1) << 63, 0, 1, 0, 0, 1, 0, 0};
enum { MAKES_FALSE = 3 };

void emit_form_condition(struct code *c, const struct form *f)
{
    unsigned condition;

    if (!condition_of(f, &condition))
        return;
    const bool wants = (f->class == FORM_TAKEN) != (condition & 1); /* odd ones are the contrary */
    emit_constant(c, REG_T0, wants ? makes_true[condition / 2] : MAKES_FALSE);
    emit_form(c, form_find("cmp r64, i8"), (const uint8_t[]){(uint8_t)form_register(REG_T0)}); /* with 1 */
}

bool form_wants_zero(const struct form *f)
{
    return f->bytes[0] == JRCXZ && f->class == FORM_TAKEN;
}

void form_reach(uint8_t *bytes, const struct form *f, size_t further)
{
    const bool is_near = f->bytes[0] == ESCAPE || f->bytes[0] == JMP_NEAR;

    bytes[f->length - (is_near ? NEAR_BYTES : 1)] += (uint8_t)further;
}

const char form_vector_zero[] = "pxor xmm, xmm";
