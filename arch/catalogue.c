/* The part of the catalogue that is the same on every ISA. */
#include "arch/catalogue.h"

#include <string.h>

#include "arch/emit_private.h"

const char *const operand_kind_names[OPERAND_KINDS] = {"general", "vector", "mask",   "mmx",
                                                       "x87",     "flags",  "memory", "immediate"};
const char *const form_class_names[FORM_CLASSES] = {"ordinary", "divides", "serialises", "streams",
                                                    "atomic",   "state",   "taken",      "not-taken"};

const char *form_name(const struct form *f)
{
    return form_names + f->name_at;
}

const char *form_feature(const struct form *f)
{
    return form_features[f->feature];
}

/* On a mismatch only the last * has to match more text: a match with a longer text for an earlier * would exist too. */
bool form_matches(const struct form *f, const char *pattern)
{
    const char *text = form_name(f), *star = NULL, *taken = NULL;

    while (*text) {
        if (*pattern == '*') {
            star = ++pattern;
            taken = text;
            if (!*star)
                return true;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star;
            text = ++taken;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

/* A binary search: forms are sorted by name. */
const struct form *form_find(const char *name)
{
    size_t from = 0, to = form_count;

    while (from < to) {
        const size_t at = from + (to - from) / 2;
        const int order = strcmp(name, form_name(&forms[at]));
        if (!order)
            return &forms[at];
        if (order < 0)
            to = at;
        else
            from = at + 1;
    }
    return NULL;
}

const struct form_operand *form_operand(const struct form *f, unsigned i)
{
    return &form_operands[f->operands_at + i];
}

bool form_has_field(const struct form_operand *o)
{
    for (unsigned i = 0; i < FIELD_BITS; i++)
        if (o->field.bit[i] != FIELD_NONE)
            return true;
    return false;
}

bool form_fits(const struct form_operand *o, unsigned number)
{
    for (unsigned i = 0; i < 8; i++)
        if ((i >= FIELD_BITS || o->field.bit[i] == FIELD_NONE) && (number ^ o->fixed) >> i & 1)
            return false;
    return true;
}

static bool set_field(uint8_t *bytes, const struct form_operand *o, unsigned number)
{
    for (unsigned i = 0; i < FIELD_BITS; i++) {
        const unsigned bit = o->field.bit[i];
        if (bit == FIELD_NONE)
            continue;
        const uint8_t mask = (uint8_t)(1u << bit % 8);
        const bool set = (number >> i & 1) != (o->field.inverted >> i & 1);
        bytes[bit / 8] = (uint8_t)(set ? bytes[bit / 8] | mask : bytes[bit / 8] & ~mask);
    }
    return form_fits(o, number);
}

bool form_is_branch(const struct form *f)
{
    return f->class == FORM_TAKEN || f->class == FORM_NOT_TAKEN;
}

void emit_form(struct code *c, const struct form *f, const uint8_t *registers)
{
    uint8_t bytes[FORM_BYTES];
    struct work work = {.instructions = 1, .branches = form_is_branch(f)};

    memcpy(bytes, f->bytes, sizeof bytes);
    for (unsigned i = 0; i < f->operand_count; i++) {
        const struct form_operand *o = form_operand(f, i);
        if (o->kind == OPERAND_MEMORY) {
            work.loads |= (o->access & OPERAND_READ) != 0;
            work.stores |= (o->access & OPERAND_WRITE) != 0;
        }
        if (form_has_field(o) && !code_require(c, set_field(bytes, o, *registers++)))
            return;
    }
    code_append(c, bytes, f->length, work);
}

void emit_form_over(struct code *c, const struct form *f, const uint8_t *registers, size_t bytes)
{
    emit_form(c, f, registers);
    const size_t end = c->used, target = (end + bytes - 1) / bytes * bytes;
    emit_place(c, target);
    if (code_good(c))
        form_reach(c->write + end - f->length, f, target - end);
}
