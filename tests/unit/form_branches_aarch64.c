/* link: arch/catalogue.c arch/aarch64/catalogue.c build/catalogue/aarch64.c arch/emit.c arch/aarch64/emit.c */
/* libs: -lcapstone -lunicorn */
/* Protects the branches among the forms of AArch64: that they are taken, or not, as their names say. */
#include "tests/unit/form_branches.h"

static cs_err open_decoder(csh *handle)
{
    return cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, handle);
}

static uc_err open_emulator(uc_engine **uc)
{
    return uc_open(UC_ARCH_ARM64, UC_MODE_ARM, uc);
}

/* CBZ and CBNZ of both widths, TBZ, TBNZ and B.EQ, taken and not; B. */
static unsigned branches_at_least(void)
{
    return 15;
}
