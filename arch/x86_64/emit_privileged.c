/*
 * Privileged instructions of x86-64. Encodings: Intel SDM vol. 2, chapters 3 and 4. None of them writes anything new:
 * CR3 gets the value it has, and so does the IDTR. CLI clears a flag that windows keep clear. IRETQ returns to the next
 * instruction, with the selectors, the flags and the stack that there are.
 */
#include <string.h>

#include "arch/emit_privileged.h"
#include "arch/returns.h"
#include "arch/x86_64/encode.h"

enum { READ_CR0, READ_CR3, WRITE_CR3, INVLPG, RDMSR, CLI, LIDT, INT, IRETQ };
enum { IA32_APIC_BASE = 0x1b }; /* every core in scope has it (Intel SDM vol. 4, table 2-2; AMD APM vol. 2, 16.3.1) */

const struct emit_privileged emit_privileged_list[] = {
    [READ_CR0] = {"read-cr0", 1},   [READ_CR3] = {"read-cr3", 1},
    [WRITE_CR3] = {"write-cr3", 1}, [INVLPG] = {"invlpg", 1},
    [RDMSR] = {"rdmsr", 1},         [CLI] = {"cli", 1},
    [LIDT] = {"lidt", 1},           [INT] = {"int", 1},
    [IRETQ] = {"iretq", 8},         {.name = NULL},
};

/* 0F and an opcode with a ModRM byte of these fields; registers and addresses are in the low eight. */
static void append_system(struct code *c, unsigned opcode, unsigned mod, unsigned reg, unsigned rm)
{
    struct instruction i = {.count = 0};

    add(&i, 0x0f, 1);
    add(&i, opcode, 1);
    add(&i, modrm(mod, reg, rm), 1);
    append(c, &i, (struct work){.instructions = 1});
}

static void append_bytes(struct code *c, unsigned count, const uint8_t *bytes)
{
    struct instruction i = {.count = count};

    memcpy(i.bytes, bytes, count);
    append(c, &i, (struct work){.instructions = 1});
}

void emit_privileged_begin(struct code *c, const struct emit_privileged *p)
{
    switch (p - emit_privileged_list) {
    case WRITE_CR3: append_system(c, 0x20, 3, 3, RCX); break; /* MOV RCX, CR3: 0F 20 /3 */
    case RDMSR: emit_constant(c, REG_T0, IA32_APIC_BASE); break;
    case LIDT: append_system(c, 0x01, 0, 1, RSI); break; /* SIDT [RSI]: 0F 01 /1 */
    case IRETQ:
        append_bytes(c, 2, (const uint8_t[]){0x8c, 0x16});       /* MOV [RSI], SS: 8C /2 */
        append_bytes(c, 3, (const uint8_t[]){0x8c, 0x4e, 0x08}); /* MOV [RSI + 8], CS: 8C /1 */
        break;
    default: break;
    }
}

/* The stack as an exception leaves it (Intel SDM vol. 3A, figure 7-9), and the return, which takes all of it away. */
static void append_return(struct code *c)
{
    append_bytes(c, 3, (const uint8_t[]){0x48, 0x89, 0xe1});                         /* MOV RCX, RSP: REX.W 89 /r */
    append_bytes(c, 2, (const uint8_t[]){0xff, 0x36});                               /* PUSH [RSI]: FF /6 */
    append_bytes(c, 1, (const uint8_t[]){0x51});                                     /* PUSH RCX: 50+r */
    append_bytes(c, 1, (const uint8_t[]){0x9c});                                     /* PUSHFQ: 9C */
    append_bytes(c, 3, (const uint8_t[]){0xff, 0x76, 0x08});                         /* PUSH [RSI + 8] */
    append_bytes(c, 7, (const uint8_t[]){0x48, 0x8d, 0x0d, 0x03, 0x00, 0x00, 0x00}); /* LEA RCX, [RIP + 3]: 8D /r */
    append_bytes(c, 1, (const uint8_t[]){0x51});                                     /* PUSH RCX */
    append_bytes(c, 2, (const uint8_t[]){0x48, 0xcf});                               /* IRETQ: REX.W CF */
}

void emit_privileged(struct code *c, const struct emit_privileged *p)
{
    switch (p - emit_privileged_list) {
    case READ_CR0: append_system(c, 0x20, 3, 0, RCX); break;  /* MOV RCX, CR0: 0F 20 /0 */
    case READ_CR3: append_system(c, 0x20, 3, 3, RCX); break;  /* MOV RCX, CR3: 0F 20 /3 */
    case WRITE_CR3: append_system(c, 0x22, 3, 3, RCX); break; /* MOV CR3, RCX: 0F 22 /3 */
    case INVLPG: append_system(c, 0x01, 0, 7, RSI); break;    /* INVLPG [RSI]: 0F 01 /7 */
    case LIDT: append_system(c, 0x01, 0, 3, RSI); break;      /* LIDT [RSI]: 0F 01 /3 */
    case RDMSR: append_bytes(c, 2, (const uint8_t[]){0x0f, 0x32}); break;
    case CLI: append_bytes(c, 1, (const uint8_t[]){0xfa}); break;
    case INT: append_bytes(c, 2, (const uint8_t[]){0xcd, RETURNING_INTERRUPT}); break;
    default: append_return(c);
    }
}
