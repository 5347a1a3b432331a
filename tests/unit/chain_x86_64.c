/* link: arch/emit.c arch/x86_64/emit.c */
/* libs: -lunicorn -lm */
/* Protects chains of branches of x86-64; the tests are chain_run.h's. */
#include "tests/unit/chain_run.h"

const struct isa isa = {
    .arch = UC_ARCH_X86, .mode = UC_MODE_64, .count = UC_X86_REG_RDI, .stack_pointer = UC_X86_REG_RSP, .loop = 5};
