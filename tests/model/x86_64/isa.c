#include "arch/counters.h"
#include "tests/model/isa.h"

static bool jump_is_indirect(const cs_insn *i)
{
    return i->detail->x86.op_count == 1 && i->detail->x86.operands[0].type == X86_OP_REG;
}

/* System V ABI: rdi and rsi are the arguments. */
const struct isa isa = {
    .uc_arch = UC_ARCH_X86,
    .uc_mode = UC_MODE_64,
    .cs_arch = CS_ARCH_X86,
    .cs_mode = CS_MODE_64,
    .arguments = {UC_X86_REG_RDI, UC_X86_REG_RSI},
    .stack_pointer = UC_X86_REG_RSP,
    .cs_stack_pointer = X86_REG_RSP,
    .multiply = "imul",
    .jumps = {"jmp"},
    .counting = "golden-cove",
    .counters_kind = COUNTERS_INTEL,
    .jump_is_indirect = jump_is_indirect,
};
