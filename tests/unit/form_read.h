/*
 * What the tests of both ISAs share: every form, with random registers, is read again as an instruction of the same
 * length which, emitted, has the same bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/form_read.h"
#include "tests/unit/form_register.h"

enum { FORM_STEP = 5, BUFFER = 64 };

static void choose_registers(const struct form *f, uint64_t *random, uint8_t *numbers)
{
    for (unsigned i = 0; i < f->operand_count; i++) {
        const struct form_operand *o = form_operand(f, i);
        if (form_has_field(o))
            *numbers++ = (uint8_t)random_register(o, random);
    }
}

static size_t emit_to(uint8_t *bytes, const struct form *f, const uint8_t *registers)
{
    struct code c = {.write = bytes, .bytes = BUFFER};

    memset(bytes, 0, BUFFER);
    emit_form(&c, f, registers);
    assert_true(code_good(&c));
    return c.used;
}

/* The registers of the operands that have a field, as emit_form takes them. */
static void fields_of(const struct form_use *u, uint8_t *numbers)
{
    for (unsigned i = 0; i < u->form->operand_count; i++)
        if (form_has_field(form_operand(u->form, i)))
            *numbers++ = u->registers[i];
}

/* Every FORM_STEP-th form: to read one is to compare it with all. */
static void test_what_is_emitted_is_read(void **state)
{
    uint64_t random = 1;
    size_t others = 0, tried = 0;

    (void)state;
    for (size_t i = 0; i < form_count; i += FORM_STEP, tried++) {
        uint8_t registers[FORM_OPERANDS] = {0}, again[FORM_OPERANDS] = {0}, bytes[BUFFER], same[BUFFER];
        struct form_use u;
        choose_registers(&forms[i], &random, registers);
        const size_t length = emit_to(bytes, &forms[i], registers);
        form_read(bytes, sizeof bytes, &u);
        if (u.length != length)
            fail_msg("%s has %zu bytes, of which %u are read", form_name(&forms[i]), length, u.length);
        if (u.is_nop || form_is_branch(&forms[i]))
            continue;
        if (!u.form)
            fail_msg("%s is not read", form_name(&forms[i]));
        fields_of(&u, again);
        assert_int_equal(emit_to(same, u.form, again), length);
        others += u.form != &forms[i];
        if (memcmp(bytes, same, sizeof bytes) != 0 && u.form == &forms[i])
            fail_msg("%s is read with other registers", form_name(&forms[i]));
    }
    assert_true(others * 50 < tried); /* forms that have the same bytes, or a twin */
}

static struct form_use read_hex(const char *hex)
{
    uint8_t bytes[BUFFER];
    size_t count = 0;
    struct form_use u;

    for (; hex[0] && hex[1]; hex += 2) {
        const char digits[] = {hex[0], hex[1], 0};
        bytes[count++] = (uint8_t)strtoul(digits, NULL, 16);
    }
    form_read(bytes, count, &u);
    return u;
}

static void expect(const char *hex, const char *name, unsigned length, unsigned first, unsigned second)
{
    const struct form_use u = read_hex(hex);

    assert_int_equal(u.length, length);
    if (!u.form)
        fail_msg("%s is not read", hex);
    assert_string_equal(form_name(u.form), name);
    assert_int_equal(u.registers[0], first);
    if (second != FIELD_NONE)
        assert_int_equal(u.registers[1], second);
}
