/* link: arch/catalogue.c arch/x86_64/catalogue.c build/catalogue/x86_64.c arch/emit.c arch/x86_64/emit.c */
/* libs: -lcapstone -lunicorn */
/* Protects the branches among the forms of x86-64: that they are taken, or not, as their names say. */
#include "tests/unit/form_branches.h"

static cs_err open_decoder(csh *handle)
{
    return cs_open(CS_ARCH_X86, CS_MODE_64, handle);
}

static uc_err open_emulator(uc_engine **uc)
{
    return uc_open(UC_ARCH_X86, UC_MODE_64, uc);
}

/* 16 conditions of two lengths and JRCXZ, taken and not; two jumps. */
static unsigned branches_at_least(void)
{
    return 68;
}
