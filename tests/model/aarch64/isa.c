#include <stdlib.h>

#include "arch/counters.h"
#include "tests/model/isa.h"

static bool jump_is_indirect(const cs_insn *i)
{
    return i->detail->arm64.op_count == 1 && i->detail->arm64.operands[0].type == ARM64_OP_REG;
}

/* Capstone numbers the general registers that the emitter uses in sequence, and the vector registers of each width. */
static unsigned whole(unsigned reg)
{
    static const unsigned parts[] = {ARM64_REG_B0, ARM64_REG_H0, ARM64_REG_S0, ARM64_REG_D0, ARM64_REG_Q0};

    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (reg >= parts[i] && reg - parts[i] < 32)
            return reg - parts[i] + ARM64_REG_V0;
    return reg >= ARM64_REG_W0 && reg <= ARM64_REG_W18 ? reg - ARM64_REG_W0 + ARM64_REG_X0 : reg;
}

static uint16_t operand_register(const cs_insn *i, unsigned n)
{
    const cs_arm64 *a = &i->detail->arm64;

    return n < a->op_count && a->operands[n].type == ARM64_OP_REG ? (uint16_t)whole(a->operands[n].reg) : 0;
}

static unsigned base_register(const cs_insn *i)
{
    for (unsigned o = 0; o < i->detail->arm64.op_count; o++)
        if (i->detail->arm64.operands[o].type == ARM64_OP_MEM)
            return i->detail->arm64.operands[o].mem.base;
    return 0;
}

/* B.EQ and B.NE (54), and CBZ and CBNZ (34 and 35, of 64 bits B4 and B5): the emitter uses no others. */
static bool is_taken(uc_engine *uc, const uint8_t *bytes)
{
    const bool by_flags = bytes[3] == 0x54, zero = !((by_flags ? bytes[0] : bytes[3]) & 1);
    uint64_t value = 0;

    if (uc_reg_read(uc, by_flags ? UC_ARM64_REG_NZCV : UC_ARM64_REG_X0 + (bytes[0] & 31), &value))
        abort();
    return (by_flags ? (value >> 30 & 1) != 0 : value == 0) == zero; /* PSTATE.Z */
}

/* AAPCS64: x0 and x1 are the arguments, x30 is the link register. */
const struct isa isa = {
    .uc_arch = UC_ARCH_ARM64,
    .uc_mode = UC_MODE_ARM,
    .cs_arch = CS_ARCH_ARM64,
    .cs_mode = CS_MODE_ARM,
    .arguments = {UC_ARM64_REG_X0, UC_ARM64_REG_X1},
    .stack_pointer = UC_ARM64_REG_SP,
    .program_counter = UC_ARM64_REG_PC,
    .link = UC_ARM64_REG_X30,
    .cs_stack_pointer = ARM64_REG_SP,
    .cs_count = ARM64_REG_X0,
    .multiply = "mul",
    .shifts = {"lsl", "extr"},
    .units = {"add", ".fmul", "lsl", "madd", ".fadd", ".add", ".zip1", "fmov", ".shl", ".scvtf", "extr", "csel",
              /* others */
              "eor", "clz", "smulh", "rbit", ".fsub", ".sub", ".uzp1", ".fcvtzs"},
    .jumps = {"b", "br"},
    .counting = "neoverse-n2",
    .counters_kind = COUNTERS_PMUV3,
    .whole = whole,
    .operand_register = operand_register,
    .base_register = base_register,
    .jump_is_indirect = jump_is_indirect,
    .is_taken = is_taken,
};
