/* link: arch/catalogue.c arch/aarch64/catalogue.c build/catalogue/aarch64.c arch/emit.c arch/aarch64/emit.c */
/* libs: -lcapstone */
/* Protects the catalogue of AArch64: what it calls a form, and where its registers stand. */
enum { FORMS_AT_LEAST = 1300 };

#include "tests/unit/catalogue.h"

/* Whether the text has a register of that number, by whatever letter: "v7.8b", "w7", "z7.s". */
static bool names(const char *text, unsigned n)
{
    char want[TEXT];
    bool found = false;

    snprintf(want, sizeof want, "%u", n);
    const size_t length = strlen(want);
    for (const char *at = text; (at = strstr(at, want)) && !found; at++)
        found = at >= text + 2 && strchr("xwvbhsdqzp", at[-1]) && strchr(" ,{[", at[-2]) &&
                !(at[length] >= '0' && at[length] <= '9');
    return found;
}

static void test_forms_are_what_their_names_say(void **state)
{
    uint64_t random = 1;
    size_t known = 0, other_name = 0;

    (void)state;
    assert_int_equal(cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &decoder), CS_ERR_OK);
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
                break; /* it does not know all that binutils does */
            snprintf(text, sizeof text, "%s %s", insn->mnemonic, insn->op_str);
            cs_free(insn, 1);
            known += round == 0;
            snprintf(mnemonic, sizeof mnemonic, "%.*s", (int)strcspn(form_name(f), " "), form_name(f));
            other_name += round == 0 && strncmp(text, mnemonic, strlen(mnemonic)) != 0;
            for (unsigned k = 0; k < f->operand_count; k++)
                if (form_has_field(form_operand(f, k)) && !names(text, *number++))
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
