/*
 * What the tests of both catalogues share: every form, with random registers, is disassembled by another decoder than
 * the one that the catalogue was made with, and is what its name says, with those registers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <capstone/capstone.h>
#include <cmocka.h>

#include "arch/catalogue.h"
#include "lib/base/random.h"
#include "tests/unit/form_register.h"

enum { ROUNDS = 8, TEXT = 64 };

static csh decoder;

/* A different one for each operand of a kind, since some instructions forbid equal ones. */
static void choose(const struct form *f, uint64_t *random, uint8_t *numbers)
{
    bool used[OPERAND_KINDS][64] = {{false}};

    for (unsigned i = 0; i < f->operand_count; i++) /* XCHG AX, AX is a NOP, for example */
        if (!form_has_field(form_operand(f, i)) && form_operand(f, i)->kind == OPERAND_GENERAL)
            used[OPERAND_GENERAL][form_operand(f, i)->fixed] = true;
    for (unsigned i = 0; i < f->operand_count; i++) {
        const struct form_operand *o = form_operand(f, i);
        unsigned n;
        if (!form_has_field(o))
            continue;
        do
            n = random_register(o, random);
        while (used[o->kind][n]);
        used[o->kind][n] = true;
        *numbers++ = (uint8_t)n;
    }
}

static void test_names_are_unique(void **state)
{
    (void)state;
    assert_true(form_count >= FORMS_AT_LEAST);
    for (size_t i = 1; i < form_count; i++)
        assert_true(strcmp(form_name(&forms[i - 1]), form_name(&forms[i])) < 0);
    for (const struct form_left_out *l = forms_left_out; l->what; l++)
        assert_true(l->what[0] && l->why[0]);
}

static const struct form *named(const char *name)
{
    const struct form *f = form_find(name);

    assert_non_null(f);
    return f;
}

/* Whether a form, whose registers have these roles, reads the kind `from`, and whether it writes the kind `to`. */
static void hold_step(const char *text, const char *role, unsigned from, unsigned to, bool *reads, bool *writes)
{
    char name[TEXT];

    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ";"), text);
    const struct form *f = named(name);
    *reads = *writes = false;
    for (unsigned i = 0; i < f->operand_count; i++) {
        const struct form_operand *o = form_operand(f, i);
        const char r = form_has_field(o) ? *role++ : 0;
        *reads |= (o->access & OPERAND_READ) && o->kind == from && (!form_has_field(o) || r == 's');
        *writes |= (o->access & OPERAND_WRITE) && o->kind == to && (!form_has_field(o) || r == 'd');
    }
    assert_true(!*role || *role == ';');
}

/* Protects control words from values drawn here: what loads state finds what was stored just before. */
static void test_state_that_is_loaded_was_stored(void **state)
{
    (void)state;
    for (const struct form *f = forms; f < forms + form_count; f++) {
        uint8_t bytes[64];
        struct code c = code_start(bytes, 0, sizeof bytes);
        unsigned loads = 0;
        for (unsigned i = 0; i < f->operand_count; i++)
            loads += form_operand(f, i)->kind == OPERAND_MEMORY && form_operand(f, i)->access & OPERAND_READ;
        if (f->class != FORM_STATE || !loads)
            continue;
        emit_form_begin(&c, f);
        if (!code_good(&c) || c.work.stores != loads)
            fail_msg("%s: nothing is stored for it", form_name(f));
    }
}

/* Protects what closes chains: each bridge is a form or two, and writes and reads what it says; two go by flags. */
static void test_bridges_are_forms(void **state)
{
    bool reads, writes, other;

    (void)state;
    for (const struct form_bridge *b = form_bridges; b->name; b++) {
        const char *second = strchr(b->name, ';');
        hold_step(b->name, b->roles, b->from, second ? OPERAND_FLAGS : b->to, &reads, &writes);
        assert_true(reads && writes);
        if (!second)
            continue;
        assert_non_null(strchr(b->roles, ';'));
        hold_step(second + 2, strchr(b->roles, ';') + 2, OPERAND_FLAGS, b->to, &reads, &writes);
        assert_true(reads && writes);
    }
    hold_step(form_address_bridge.name, form_address_bridge.roles, OPERAND_GENERAL, OPERAND_GENERAL, &reads, &writes);
    assert_true(reads && writes);
    if (form_to_one.name) {
        hold_step(form_to_one.name, form_to_one.roles, OPERAND_GENERAL, OPERAND_GENERAL, &other, &writes);
        assert_true(writes);
        hold_step(form_to_zero.name, form_to_zero.roles, OPERAND_GENERAL, OPERAND_GENERAL, &other, &writes);
        assert_true(writes);
    }
    if (form_stack_push.name) {
        hold_step(form_stack_push.name, form_stack_push.roles, OPERAND_X87, OPERAND_X87, &reads, &other);
        hold_step(form_stack_pop.name, form_stack_pop.roles, OPERAND_X87, OPERAND_X87, &other, &writes);
        assert_true(reads && writes && named(form_stack_push.name)->stack == 1 &&
                    named(form_stack_pop.name)->stack == -1);
    }
}

static void test_patterns_match(void **state)
{
    const struct form *f = named(form_vector_zero);

    (void)state;
    assert_true(form_matches(f, "*") && form_matches(f, form_vector_zero) && form_matches(f, "*or*") &&
                form_matches(f, "???*") && form_matches(f, "**or**"));
    assert_false(form_matches(f, "") || form_matches(f, "?") || form_matches(f, "*or") || form_matches(f, "or*"));
}

static void test_values_can_be_loaded(void **state)
{
    (void)state;
    for (const struct form_load *l = form_loads; l->name; l++) {
        const struct form *f = form_find(l->name);
        assert_non_null(f);
        bool writes = false;
        for (unsigned i = 0; i < f->operand_count; i++)
            writes |= form_operand(f, i)->kind == l->kind && (form_operand(f, i)->access & OPERAND_WRITE);
        assert_true(writes);
    }
}

/* What each ISA has of its own: the decoder opened, registers as it calls them, and forms that it decodes wrongly. */
static cs_err open_decoder(csh *handle);
static bool names(const char *text, const struct form_operand *o, unsigned n);
static bool is_determined_otherwise(const struct form *f);

static void test_forms_are_what_their_names_say(void **state)
{
    uint64_t random = 1;
    size_t known = 0, other_name = 0;

    (void)state;
    assert_int_equal(open_decoder(&decoder), CS_ERR_OK);
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
                break; /* it does not know all that the first one does */
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
                    !is_determined_otherwise(f))
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
        cmocka_unit_test(test_state_that_is_loaded_was_stored),
        cmocka_unit_test(test_bridges_are_forms),
        cmocka_unit_test(test_patterns_match),
        cmocka_unit_test(test_forms_are_what_their_names_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
