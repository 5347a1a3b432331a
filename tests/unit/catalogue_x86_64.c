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
static bool is_told_otherwise(const struct form *f)
{
    return !strncmp(form_name(f), "nop ", 4) || !strncmp(form_name(f), "vpmovm2", 7) ||
           strstr(form_name(f), "gatherpf") || strstr(form_name(f), "scatter");
}

static void test_forms_are_what_their_names_say(void **state)
{
    uint64_t random = 1;
    size_t known = 0, other_name = 0;

    (void)state;
    assert_int_equal(cs_open(CS_ARCH_X86, CS_MODE_64, &decoder), CS_ERR_OK);
    for (size_t i = 0; i < form_count; i++) {
        const struct form *f = &forms[i];
        for (unsigned round = 0; round < ROUNDS; round++) {
            uint8_t bytes[FORM_BYTES] = {0}, numbers[FORM_OPERANDS], *number = numbers;
            char text[256], mnemonic[32];
            struct code c = code_start(bytes, 0x1000, sizeof bytes);
            cs_insn *insn;
            choose(f, &random, numbers);
            emit_form(&c, f, numbers);
            if (!code_good(&c) || c.used != f->length)
                fail_msg("%s: not emitted", form_name(f));
            if (cs_disasm(decoder, bytes, f->length, 0x1000, 1, &insn) != 1)
                break; /* it does not know all that Zydis does */
            snprintf(text, sizeof text, "%s %s", insn->mnemonic, insn->op_str);
            const bool whole = insn->size == f->length;
            cs_free(insn, 1);
            if (!whole)
                break;
            known += round == 0;
            snprintf(mnemonic, sizeof mnemonic, "%.*s", (int)strcspn(form_name(f), " {"), form_name(f));
            other_name += round == 0 && strncmp(text, mnemonic, strlen(mnemonic)) != 0;
            for (unsigned k = 0; k < f->operand_count; k++)
                if (form_has_field(form_operand(f, k)) && !names(text, form_operand(f, k), *number++) &&
                    !is_told_otherwise(f))
                    fail_msg("%s: %s lacks register %u of operand %u", form_name(f), text, number[-1], k);
        }
    }
    cs_close(&decoder);
    print_message("%zu of %zu forms are known to Capstone, %zu of them by another name\n", known, form_count,
                  other_name);
    assert_true(known >= FORMS_AT_LEAST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_are_unique),
        cmocka_unit_test(test_values_can_be_loaded),
        cmocka_unit_test(test_bridges_are_forms),
        cmocka_unit_test(test_patterns_match),
        cmocka_unit_test(test_forms_are_what_their_names_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
