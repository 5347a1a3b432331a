/* link: arch/catalogue.c arch/aarch64/catalogue.c build/catalogue/aarch64.c arch/emit.c arch/aarch64/emit.c */
/* libs: -lcapstone */
/* Protects the catalogue of AArch64: what it calls a form, and where its registers stand. */
enum { FORMS_AT_LEAST = 1300 };

#include "tests/unit/catalogue.h"

/* Whether the text has a register of that number, by whatever letter: "v7.8b", "w7", "z7.s". */
static bool names(const char *text, const struct form_operand *o, unsigned n)
{
    char want[TEXT];
    bool found = false;

    (void)o;
    snprintf(want, sizeof want, "%u", n);
    const size_t length = strlen(want);
    for (const char *at = text; (at = strstr(at, want)) && !found; at++)
        found = at >= text + 2 && strchr("xwvbhsdqzp", at[-1]) && strchr(" ,{[", at[-2]) &&
                !(at[length] >= '0' && at[length] <= '9');
    return found;
}

static bool is_determined_otherwise(const struct form *f)
{
    (void)f;
    return false;
}

static cs_err open_decoder(csh *handle)
{
    return cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, handle);
}
