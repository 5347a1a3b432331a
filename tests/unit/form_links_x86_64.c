/* link: lib/kernels/link_chain.c arch/catalogue.c arch/x86_64/catalogue.c arch/x86_64/form_links.c */
/* link: build/catalogue/x86_64.c arch/emit.c arch/x86_64/emit.c */
/* libs: -lcapstone */
#include <capstone/capstone.h>

#define DECODER CS_ARCH_X86, CS_MODE_64

static uint16_t passed_register(unsigned kind)
{
    return kind ? X86_REG_XMM0 : X86_REG_RSI;
}

static uint16_t whole_register(uint16_t reg)
{
    return reg;
}

static const char *register_name(uint16_t reg)
{
    return reg == X86_REG_XMM0 ? "xmm0" : "rsi";
}

#include "tests/unit/form_links.h"
