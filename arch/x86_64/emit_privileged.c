/*
 * Privileged instructions of x86-64. Encodings: Intel SDM vol. 2, chapters 3 and 4. None of them writes anything new:
 * CR3 gets the value it has, and so does the IDTR. CLI clears a flag that windows keep clear.
 */
#include "arch/emit_privileged.h"
#include "arch/x86_64/encode.h"

enum { READ_CR0, READ_CR3, WRITE_CR3, INVLPG, RDMSR, CLI, LIDT };
enum { IA32_APIC_BASE = 0x1b }; /* every core in scope has it (Intel SDM vol. 4, table 2-2; AMD APM vol. 2, 16.3.1) */

const struct emit_privileged emit_privileged_list[] = {
    [READ_CR0] = {"read-cr0", 1},   [READ_CR3] = {"read-cr3", 1},
    [WRITE_CR3] = {"write-cr3", 1}, [INVLPG] = {"invlpg", 1},
    [RDMSR] = {"rdmsr", 1},         [CLI] = {"cli", 1},
    [LIDT] = {"lidt", 1},           {.name = NULL},
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

void emit_privileged_begin(struct code *c, const struct emit_privileged *p)
{
    switch (p - emit_privileged_list) {
    case WRITE_CR3: append_system(c, 0x20, 3, 3, RCX); break; /* MOV RCX, CR3: 0F 20 /3 */
    case RDMSR: emit_constant(c, REG_T0, IA32_APIC_BASE); break;
    case LIDT: append_system(c, 0x01, 0, 1, RSI); break; /* SIDT [RSI]: 0F 01 /1 */
    default: break;
    }
}

void emit_privileged(struct code *c, const struct emit_privileged *p)
{
    static const struct instruction rdmsr = {.bytes = {0x0f, 0x32}, .count = 2}, cli = {.bytes = {0xfa}, .count = 1};
    const struct work one = {.instructions = 1};

    switch (p - emit_privileged_list) {
    case READ_CR0: append_system(c, 0x20, 3, 0, RCX); break;  /* MOV RCX, CR0: 0F 20 /0 */
    case READ_CR3: append_system(c, 0x20, 3, 3, RCX); break;  /* MOV RCX, CR3: 0F 20 /3 */
    case WRITE_CR3: append_system(c, 0x22, 3, 3, RCX); break; /* MOV CR3, RCX: 0F 22 /3 */
    case INVLPG: append_system(c, 0x01, 0, 7, RSI); break;    /* INVLPG [RSI]: 0F 01 /7 */
    case RDMSR: append(c, &rdmsr, one); break;                /* RDMSR: 0F 32 */
    case CLI: append(c, &cli, one); break;                    /* CLI: FA */
    default: append_system(c, 0x01, 0, 3, RSI);               /* LIDT [RSI]: 0F 01 /3 */
    }
}
