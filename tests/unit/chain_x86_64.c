/* link: arch/emit.c arch/x86_64/emit.c */
/* libs: -lunicorn -lm */
/* Branch chains on x86-64; chain_run.h has the tests. */
#include "tests/unit/chain_run.h"

const struct isa isa = {
    .arch = UC_ARCH_X86, .mode = UC_MODE_64, .count = UC_X86_REG_RDI, .stack_pointer = UC_X86_REG_RSP, .loop = 5};
