/* link: lib/kernels/link_chain.c arch/catalogue.c arch/aarch64/catalogue.c arch/aarch64/form_links.c */
/* link: build/catalogue/aarch64.c arch/emit.c arch/aarch64/emit.c */
/* libs: -lcapstone */
#include <capstone/capstone.h>

#define DECODER CS_ARCH_ARM64, CS_MODE_ARM

static uint16_t passed_register(unsigned kind)
{
    return kind ? ARM64_REG_V0 : ARM64_REG_X1;
}

/* The vector register that one of 64 or 128 bits is part of. */
static uint16_t whole_register(uint16_t reg)
{
    return reg == ARM64_REG_D0 || reg == ARM64_REG_Q0 ? ARM64_REG_V0 : reg;
}

static const char *register_name(uint16_t reg)
{
    return reg == ARM64_REG_V0 ? "v0" : "x1";
}

#include "tests/unit/form_links.h"
