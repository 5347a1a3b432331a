#include <stdlib.h>

#include "arch/counters.h"
#include "tests/model/isa.h"

static bool jump_is_indirect(const cs_insn *i)
{
    return i->detail->x86.op_count == 1 && i->detail->x86.operands[0].type == X86_OP_REG;
}

/* The parts that the emitter uses: 32 bits, and words and bytes in stores. */
static unsigned whole(unsigned reg)
{
    static const unsigned parts[][4] = {
        {X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL},
        {X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL},
        {X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL},
        {X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL},
        {X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL},
        {X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL},
        {X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL},
        {X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B},
        {X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B},
        {X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B},
        {X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B},
        {X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B},
        {X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B},
    };

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        for (size_t part = 1; part < 4; part++)
            if (parts[i][part] == reg)
                return parts[i][0];
    return reg;
}

static uint16_t operand_register(const cs_insn *i, unsigned n)
{
    const cs_x86 *x = &i->detail->x86;

    return n < x->op_count && x->operands[n].type == X86_OP_REG ? (uint16_t)whole(x->operands[n].reg) : 0;
}

static unsigned base_register(const cs_insn *i)
{
    for (unsigned o = 0; o < i->detail->x86.op_count; o++)
        if (i->detail->x86.operands[o].type == X86_OP_MEM)
            return i->detail->x86.operands[o].mem.base;
    return 0;
}

/* Jcc: 70+cc cb and 0F 80+cc cd; the emitter uses E (4) and NE (5) alone. */
static bool is_taken(uc_engine *uc, const uint8_t *bytes)
{
    const bool equal = !((bytes[0] == 0x0f ? bytes[1] : bytes[0]) & 1);
    uint64_t flags = 0;

    if (uc_reg_read(uc, UC_X86_REG_EFLAGS, &flags))
        abort();
    return ((flags >> 6 & 1) != 0) == equal; /* ZF */
}

/* System V ABI: rdi and rsi are the arguments. */
const struct isa isa = {
    .uc_arch = UC_ARCH_X86,
    .uc_mode = UC_MODE_64,
    .cs_arch = CS_ARCH_X86,
    .cs_mode = CS_MODE_64,
    .arguments = {UC_X86_REG_RDI, UC_X86_REG_RSI},
    .stack_pointer = UC_X86_REG_RSP,
    .program_counter = UC_X86_REG_RIP,
    .cs_stack_pointer = X86_REG_RSP,
    .cs_count = X86_REG_RDI,
    .multiply = "imul",
    .shifts = {"bt"},
    .units = {"cmp", ".mulpd", "bt", "imul", ".addpd", ".paddd", ".pshufd", "movmskps", ".pslld", ".cvtdq2ps",
              /* others */
              "not", "bswap", "lea", ".mulps", ".subps", ".pxor", ".shufps", ".cvtps2dq"},
    .jumps = {"jmp"},
    .counting = "golden-cove",
    .counters_kind = COUNTERS_INTEL,
    .longest_block = 448,
    .whole = whole,
    .operand_register = operand_register,
    .base_register = base_register,
    .jump_is_indirect = jump_is_indirect,
    .is_taken = is_taken,
};
