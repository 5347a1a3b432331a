/* The harness around code of somebody else, on AArch64. Encodings: Arm ARM DDI 0487, C6.2 and C7.2. */
#include "arch/emit_harness.h"

#include <string.h>

#include "arch/aarch64/encode.h"

enum { X16 = 16, X17, X18, X28 = 28, X30 = 30, SP = 31, STATE = X16, VALUE = X17 };
/* Offsets in struct harness_state. */
enum { STACK_FOUND = 0, COUNT_LEFT = 8, STACK_LEFT = 16, KEPT_FPCR = 24, KEPT_LINK = 32, KEPT_X18 = 40 };

const unsigned harness_registers = 31, harness_vectors = 32, harness_counter = X28, harness_link = X30;
const char harness_holds[] = "x28, which counts iterations, and sp, which points at a stack of 8 KiB";

static const char *const names[] = {"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10",
                                    "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
                                    "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30"};

bool harness_is_free(unsigned number)
{
    return number < harness_registers && number != X28;
}

const char *harness_register_name(unsigned number)
{
    return names[number];
}

unsigned harness_register_find(const char *name)
{
    unsigned n = 0;

    while (n < harness_registers && strcmp(names[n], name) != 0)
        n++;
    return n;
}

/* MOVZ, and MOVK for each further piece that is not 0. */
static void load_constant(struct code *c, uint32_t number, uint64_t value)
{
    append(c, 0xd2800000 | (uint32_t)(value & 0xffff) << 5 | number, WORK_PLAIN); /* MOVZ */
    for (uint32_t hw = 1; hw < 4; hw++) {
        const uint32_t piece = (uint32_t)(value >> (16 * hw)) & 0xffff;
        if (piece)
            append(c, 0xf2800000 | hw << 21 | piece << 5 | number, WORK_PLAIN); /* MOVK */
    }
}

/* STR and LDR (immediate, unsigned offset) of a 64-bit register at the state. */
static void keep(struct code *c, uint32_t number, uint32_t offset)
{
    append(c, 0xf9000000 | offset / 8 << 10 | STATE << 5 | number, WORK_STORE);
}

static void fetch(struct code *c, uint32_t number, uint32_t offset)
{
    append(c, 0xf9400000 | offset / 8 << 10 | STATE << 5 | number, WORK_LOAD);
}

void emit_harness_value(struct code *c, unsigned number, uint64_t value)
{
    if (code_require(c, harness_is_free(number)))
        load_constant(c, number, value);
}

void emit_harness_clear_vector(struct code *c, unsigned number, unsigned vector_bits)
{
    (void)vector_bits; /* writing the lower 128 bits clears what a scalable vector has above (DDI 0487, B1.2.2) */
    if (code_require(c, number < harness_vectors))
        append(c, 0x6f00e400 | number, WORK_PLAIN); /* MOVI Vd.2D, #0 */
}

void emit_harness_set_flags(struct code *c)
{
    append(c, 0xeb1f03ff, WORK_PLAIN); /* CMP XZR, XZR */
}

enum { OFFSETS = 1008 };

/* Load and store (immediate, unsigned offset): the offset is in units of the access. */
static void at_stack(struct code *c, uint32_t opcode, unsigned number, unsigned offset, unsigned unit, struct work work)
{
    if (code_require(c, offset <= OFFSETS && offset % 16 == 0))
        append(c, opcode | offset / unit << 10 | SP << 5 | number, work);
}

void emit_harness_load(struct code *c, unsigned number, unsigned offset)
{
    if (code_require(c, harness_is_free(number)))
        at_stack(c, 0xf9400000, number, offset, 8, WORK_LOAD); /* LDR Xt */
}

void emit_harness_store(struct code *c, unsigned number, unsigned offset)
{
    if (code_require(c, harness_is_free(number)))
        at_stack(c, 0xf9000000, number, offset, 8, WORK_STORE); /* STR Xt */
}

void emit_harness_load_vector(struct code *c, unsigned number, unsigned offset)
{
    if (code_require(c, number < harness_vectors))
        at_stack(c, 0x3dc00000, number, offset, 16, WORK_LOAD); /* LDR Qt */
}

void emit_harness_store_vector(struct code *c, unsigned number, unsigned offset)
{
    if (code_require(c, number < harness_vectors))
        at_stack(c, 0x3d800000, number, offset, 16, WORK_STORE); /* STR Qt */
}

void emit_harness_enter(struct code *c, uint64_t state, uint64_t stack, unsigned vector_bits)
{
    load_constant(c, STATE, state);
    append(c, 0x91000000 | SP << 5 | VALUE, WORK_PLAIN); /* MOV x17, sp */
    keep(c, VALUE, STACK_FOUND);
    append(c, 0xd53b4400 | VALUE, WORK_PLAIN); /* MRS x17, FPCR */
    keep(c, VALUE, KEPT_FPCR);
    keep(c, X30, KEPT_LINK);
    keep(c, X18, KEPT_X18); /* the platform's (AAPCS64, 6.1.1) */
    load_constant(c, VALUE, stack);
    append(c, 0x91000000 | VALUE << 5 | SP, WORK_PLAIN); /* MOV sp, x17 */
    append(c, 0xaa0003e0 | X28, WORK_PLAIN);             /* MOV x28, x0 */
    for (unsigned v = 0; v < harness_vectors; v++)
        emit_harness_clear_vector(c, v, vector_bits);
}

void emit_harness_loop(struct code *c, size_t start)
{
    append(c, 0xd1000400 | X28 << 5 | X28, WORK_PLAIN); /* SUB x28, x28, #1 */
    const int64_t words = ((int64_t)start - (int64_t)c->used) / 4;
    append(c, 0xb5000000 | immediate(c, words, 19, 5) | X28, WORK_BRANCH); /* CBNZ x28 */
}

void emit_harness_leave(struct code *c, uint64_t state, unsigned vector_bits)
{
    (void)vector_bits;
    load_constant(c, STATE, state);
    keep(c, X28, COUNT_LEFT);
    append(c, 0x91000000 | SP << 5 | VALUE, WORK_PLAIN); /* MOV x17, sp */
    keep(c, VALUE, STACK_LEFT);
    fetch(c, VALUE, STACK_FOUND);
    append(c, 0x91000000 | VALUE << 5 | SP, WORK_PLAIN); /* MOV sp, x17 */
    fetch(c, VALUE, KEPT_FPCR);
    append(c, 0xd51b4400 | VALUE, WORK_PLAIN); /* MSR FPCR, x17 */
    fetch(c, X18, KEPT_X18);
    fetch(c, X30, KEPT_LINK);
    emit_return(c);
}

/* DC CIVAC and IC IVAU (DDI 0487, C5.3, C5.5); a process may execute both where the kernel lets it, as Linux does. */
void emit_harness_flush(struct code *c, uint64_t at, unsigned line)
{
    load_constant(c, X16, at);
    const size_t start = c->used;
    append(c, 0xd50b7e20 | X16, WORK_PLAIN); /* DC CIVAC, x16 */
    append(c, 0xd50b7520 | X16, WORK_PLAIN); /* IC IVAU, x16 */
    if (!code_require(c, line > 0 && line < 4096))
        return;
    append(c, 0x91000000 | line << 10 | X16 << 5 | X16, WORK_PLAIN); /* ADD x16, x16, #line */
    emit_loop(c, start);
    emit_fence(c, FENCE_MEMORY);
    emit_fence(c, FENCE_INSTRUCTIONS);
    emit_return(c);
}
