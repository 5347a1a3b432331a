/* link: arch/catalogue.c arch/x86_64/catalogue.c build/catalogue/x86_64.c arch/emit.c arch/x86_64/emit.c */
/* libs: -lcapstone */
/* Protects the catalogue of x86-64: what it calls a form, and where its registers stand. */
enum { FORMS_AT_LEAST = 3000 };

#include "tests/unit/catalogue.h"

/* The name of a register of so many bits, as Capstone has it. */
static void register_text(const struct form_operand *o, unsigned n, char *text)
{
    static const char *const low[] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};
    static const char *const bytes[] = {"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil"};

    switch (o->kind) {
    case OPERAND_MASK: snprintf(text, TEXT, "k%u", n); return;
    case OPERAND_X87: snprintf(text, TEXT, "st(%u)", n); return;
    case OPERAND_MMX: snprintf(text, TEXT, "mm%u", n); return;
    case OPERAND_VECTOR: snprintf(text, TEXT, "%cmm%u", "xyz"[o->bits >= 512 ? 2 : o->bits >= 256], n); return;
    default: break;
    }
    if (n >= 8)
        snprintf(text, TEXT, "r%u%s", n, o->bits == 64 ? "" : o->bits == 32 ? "d" : o->bits == 16 ? "w" : "b");
    else if (o->bits == 8)
        snprintf(text, TEXT, "%s", bytes[n]);
    else
        snprintf(text, TEXT, "%s%s", o->bits == 64 ? "r" : o->bits == 32 ? "e" : "", low[n]);
}

/* Whether the text has the register as a word. A vector may be named by another width than what is accessed of it. */
static bool names(const char *text, const struct form_operand *o, unsigned n)
{
    char want[TEXT];
    bool found = false;

    register_text(o, n, want);
    const bool any_width = o->kind == OPERAND_VECTOR || o->kind == OPERAND_GENERAL;
    for (unsigned bits = 8; bits <= 512 && !found; bits *= 2) {
        struct form_operand other = *o;
        other.bits = any_width ? (uint16_t)bits : o->bits;
        register_text(&other, n, want);
        const size_t length = strlen(want);
        for (const char *at = text; (at = strstr(at, want)) && !found; at++)
            found = (at == text || strchr(" ,{[", at[-1])) && !(at[length] >= '0' && at[length] <= '9') &&
                    !(at[length] >= 'a' && at[length] <= 'z');
    }
    return found;
}

/*
 * Forms of which Capstone 4 leaves registers out, takes a vector of addresses for a general register, or calls every
 * vector xmm7 or ymm7, where GNU binutils sees what was asked for.
 */
static bool is_determined_otherwise(const struct form *f)
{
    return !strncmp(form_name(f), "nop ", 4) || !strncmp(form_name(f), "vpmovm2", 7) ||
           strstr(form_name(f), "gatherpf") || strstr(form_name(f), "scatter");
}

static cs_err open_decoder(csh *handle)
{
    return cs_open(CS_ARCH_X86, CS_MODE_64, handle);
}
