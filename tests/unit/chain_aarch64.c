/* link: arch/emit.c arch/aarch64/emit.c */
/* libs: -lunicorn -lm */
/* Branch chains on AArch64; chain_run.h has the tests. */
#include "tests/unit/chain_run.h"

const struct isa isa = {.arch = UC_ARCH_ARM64,
                        .mode = UC_MODE_ARM,
                        .count = UC_ARM64_REG_X0,
                        .stack_pointer = UC_ARM64_REG_SP,
                        .link = UC_ARM64_REG_LR,
                        .loop = 4};
