/*
 * Links of dependency chains (arch/form_links.h): every form is in the catalogue, every operand has a role, and what the
 * disassembler says of a link is that the first of its instructions reads the register in which the value is passed, the
 * last one writes it, and the first of two passes it to the second. form_links_x86_64.c and form_links_aarch64.c say how
 * to run it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <capstone/capstone.h>
#include <cmocka.h>

#include "arch/identify.h"
#include "lib/kernels/link_chain.h"
#include "lib/probe/sample.h"

static csh decoder;

bool sample_loop(struct probe *p, unsigned samples, const struct loop *l, double *cycles)
{
    (void)p, (void)samples, (void)l, (void)cycles;
    return false;
}

unsigned identify_vector_bits(void)
{
    return 128;
}

static bool is_among(uint16_t reg, const uint16_t *registers, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (whole_register(registers[i]) == whole_register(reg))
            return true;
    return false;
}

/* Whether the instruction's text names the register, as what Capstone says of accesses lacks sums of FMLA and MLA. */
static bool is_named(const cs_insn *i, uint16_t reg)
{
    const char *name = register_name(reg), *at = strstr(i->op_str, name);

    return at && !(at[strlen(name)] >= '0' && at[strlen(name)] <= '9');
}

static void check_link(const struct form_link *link)
{
    const uint16_t passed = passed_register(link->kind);
    const struct link_chain chain = {.links = {link}, .count = 1};
    const struct form *found[2];
    uint8_t bytes[64];
    struct code c = code_start(bytes, 0, sizeof bytes);
    cs_regs read[2], written[2];
    uint8_t reads[2] = {0}, writes[2] = {0};
    unsigned count, letters = 0, fields = 0;
    cs_insn *i;

    assert_true(link_forms(link, found, &count));
    for (unsigned k = 0; k < count; k++)
        for (unsigned o = 0; o < found[k]->operand_count; o++)
            fields += form_has_field(form_operand(found[k], o));
    for (const char *role = link->roles; *role; role++)
        letters += strchr("c01ax", *role) != NULL;
    assert_int_equal(letters, fields);
    emit_link_chain(&c, &chain, 1);
    assert_true(code_good(&c));
    assert_int_equal(cs_disasm(decoder, bytes, c.used, 0, 0, &i), count);
    for (unsigned k = 0; k < count; k++)
        assert_int_equal(cs_regs_access(decoder, &i[k], read[k], &reads[k], written[k], &writes[k]), 0);
    assert_true(is_among(passed, read[0], reads[0]) || is_named(&i[0], passed));
    assert_true(is_among(passed, written[count - 1], writes[count - 1]) || is_named(&i[count - 1], passed));
    for (unsigned k = 0, shared = 0; count == 2 && !shared; k++) {
        assert_true(k < writes[0]);
        shared = is_among(written[0][k], read[1], reads[1]);
    }
    cs_free(i, count);
}

static void test_links_pass_a_value(void **state)
{
    (void)state;
    unsigned kinds[OPERAND_KINDS] = {0};

    for (const struct form_link *link = form_links; link->name; link++) {
        check_link(link);
        kinds[link->kind]++;
        for (const struct form_link *other = form_links; other != link; other++)
            assert_string_not_equal(link->name, other->name);
    }
    assert_true(kinds[OPERAND_GENERAL] >= 5 && kinds[OPERAND_VECTOR] >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_links_pass_a_value)};

    if (cs_open(DECODER, &decoder) || cs_option(decoder, CS_OPT_DETAIL, CS_OPT_ON))
        return 1;
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
