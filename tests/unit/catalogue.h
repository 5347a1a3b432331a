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
#include "lib/engine/statistics.h"

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
        const uint8_t *from = form_registers[o->kind];
        unsigned count = 0, n;
        if (!form_has_field(o))
            continue;
        while (from[count] != FIELD_NONE)
            count++;
        do
            n = from[random_below(random, count)];
        while (!form_fits(o, n) || used[o->kind][n]);
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

/* Protects what closes chains: each bridge is a form, and writes and reads what it says. */
static void test_bridges_are_forms(void **state)
{
    (void)state;
    for (const struct form_bridge *b = form_bridges;; b++) {
        const struct form *f = named(b->name ? b->name : form_address_bridge.name);
        const char *role = b->name ? b->roles : form_address_bridge.roles;
        bool reads = !b->name, writes = !b->name;
        for (unsigned i = 0; i < f->operand_count; i++) {
            const struct form_operand *o = form_operand(f, i);
            const char r = form_has_field(o) ? *role++ : 0;
            reads |= (o->access & OPERAND_READ) && o->kind == b->from && (!form_has_field(o) || r == 's');
            writes |= (o->access & OPERAND_WRITE) && o->kind == b->to && (!form_has_field(o) || r == 'd');
        }
        assert_true(reads && writes && !*role);
        if (!b->name)
            break;
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
        assert_int_equal(form_operand(f, 0)->kind, l->kind);
        assert_true(form_operand(f, 0)->access & OPERAND_WRITE);
    }
}
