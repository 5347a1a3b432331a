/* What fillers of every ISA have in common; arch/<isa>/emit_fillers.c has the rest. */
#include <string.h>

#include "arch/catalogue.h"
#include "arch/emit_fillers_private.h"

/*
 * Registers that fillers write in turn; and lines of 64 bytes, the commonest size, that loads and stores use in turn.
 */
enum { TARGETS = 3, PLACES = 8, PLACE_BYTES = 64 };

const struct emit_filler *emit_filler_named(const char *name)
{
    for (const struct emit_filler *f = emit_fillers; f->name; f++)
        if (!strcmp(f->name, name))
            return f;
    return NULL;
}

/* The first register that the form reads; NULL: it reads none. */
static const struct form_operand *first_source(const struct form *f)
{
    for (unsigned i = 0; f && i < f->operand_count; i++) {
        const struct form_operand *o = form_operand(f, i);
        if (form_has_field(o) && o->access == OPERAND_READ)
            return o;
    }
    return NULL;
}

struct emit_filler emit_filler_of_form(const char *form, unsigned vector_bits)
{
    const struct form_operand *source = first_source(form_find(form));
    const bool vector = source && source->kind == OPERAND_VECTOR;

    return (struct emit_filler){.name = form,
                                .class = vector ? FILLER_VECTOR_FORM : FILLER_FORM,
                                .bits = vector ? emit_wide_bits[0] : 64,
                                .vector_bits = vector ? vector_bits : 0,
                                .waits = source != NULL};
}

void emit_filler_begin(struct code *c, enum reg data)
{
    emit_move(c, REG_T8, data);
    emit_constant(c, REG_T6, 1);
    emit_constant(c, REG_T7, 2);
    emit_wide_clear(c, VREG_6, emit_wide_bits[0]); /* no denormals, with which additions may be slow */
    emit_wide_clear(c, VREG_7, emit_wide_bits[0]);
    emit_compare(c, REG_T6, REG_T7); /* not equal: branches are not taken */
}

/*
 * "load-v128" and "store-v128" are the access "v128". Most others differ in their bits or their first letter, which is
 * seen faster.
 */
static const struct emit_access *access_of(const struct emit_filler *f)
{
    const char *name = strchr(f->name, '-') + 1;

    for (const struct emit_access *a = emit_accesses; a->name; a++)
        if (a->bits == f->bits && a->name[0] == name[0] && !strcmp(a->name, name))
            return a;
    return NULL;
}

static void emit_access_filler(struct code *c, const struct emit_filler *f, size_t index, unsigned general,
                               unsigned vector)
{
    const struct emit_access *a = access_of(f);
    const int32_t place = (int32_t)(index % PLACES * PLACE_BYTES);

    if (!a) {
        code_require(c, false);
        return;
    }
    const unsigned r = a->file == ACCESS_VECTOR ? vector : general;
    /* loads and stores use different lines, so that no store forwards to a load or delays it */
    if (f->class == FILLER_LOAD)
        emit_load_as(c, a, r, REG_T8, PLACES * PLACE_BYTES + place);
    else
        emit_store_as(c, a, r, REG_T8, place);
}

/* A form whose first source is `general` or `vector`, and whose other ones hold constants. */
static void emit_form_filler(struct code *c, const char *name, unsigned target, enum reg general, enum vreg vector)
{
    const struct form *f = form_find(name);
    const struct form_operand *first = first_source(f);
    uint8_t registers[FORM_OPERANDS];
    unsigned count = 0;

    if (!code_require(c, first != NULL))
        return;
    for (unsigned i = 0; i < f->operand_count; i++) {
        const struct form_operand *o = form_operand(f, i);
        const bool is_vector = o->kind == OPERAND_VECTOR;
        if (!form_has_field(o))
            continue;
        if (o->access & OPERAND_WRITE)
            registers[count++] = (uint8_t)(is_vector ? VREG_3 + target : form_register((enum reg)(REG_T3 + target)));
        else if (o == first)
            registers[count++] = (uint8_t)(is_vector ? (unsigned)vector : form_register(general));
        else
            registers[count++] = (uint8_t)(is_vector ? (unsigned)VREG_7 : form_register(REG_T7));
    }
    emit_form(c, f, registers);
}

static void emit_over(struct code *c)
{
    const size_t target = c->used + FILLER_JUMP_BYTES;

    emit_jump(c, target, emit_jump_bytes(FILLER_JUMP_BYTES, false));
    const struct work before = c->work;
    if (code_good(c))
        emit_nops(c, target - c->used); /* never executed */
    c->work = before;
}

static void emit_branch_on(struct code *c)
{
    unsigned bytes = 0;

    /* to the instruction behind it; the length of the shortest jump over itself is found first */
    for (unsigned guess = 2; guess <= 8 && !bytes; guess += 2)
        bytes = emit_jump_bytes(guess, true) == guess ? guess : 0;
    emit_jump_if_equal(c, c->used + bytes, bytes);
}

void emit_filler(struct code *c, const struct emit_filler *f, size_t index)
{
    const unsigned target = (unsigned)(index % TARGETS);

    switch (f->class) {
    case FILLER_LOAD: emit_access_filler(c, f, index, REG_T3 + target, VREG_3 + target); break;
    case FILLER_STORE: emit_access_filler(c, f, index, REG_T6, VREG_6); break;
    case FILLER_FLAGS: emit_compare(c, REG_T6, REG_T7); break;
    case FILLER_JUMP: emit_over(c); break;
    case FILLER_BRANCH: emit_branch_on(c); break;
    case FILLER_FORM:
    case FILLER_VECTOR_FORM: emit_form_filler(c, f->name, target, REG_T6, VREG_6); break;
    default: emit_filler_computing(c, f, target, REG_T6, VREG_6);
    }
}

size_t emit_filler_period(const struct emit_filler *f)
{
    return f->class == FILLER_LOAD || f->class == FILLER_STORE ? (size_t)TARGETS * PLACES : TARGETS;
}

void emit_filler_waiting(struct code *c, const struct emit_filler *f, size_t index, enum reg general, enum vreg vector)
{
    const unsigned target = (unsigned)(index % TARGETS);

    if (!code_require(c, f->waits))
        return;
    switch (f->class) {
    case FILLER_LOAD: emit_load_indexed(c, (enum reg)(REG_T3 + target), REG_T8, general); break;
    case FILLER_STORE: emit_access_filler(c, f, index, general, vector); break;
    case FILLER_FLAGS: emit_compare(c, general, REG_T7); break;
    case FILLER_BRANCH: emit_land(c, emit_branch_if_not_zero_ahead(c, general)); break;
    case FILLER_FORM:
    case FILLER_VECTOR_FORM: emit_form_filler(c, f->name, target, general, vector); break;
    default: emit_filler_computing(c, f, target, general, vector);
    }
}

void emit_filler_end(struct code *c, const struct emit_filler *f)
{
    if (f->vector_bits > FILLER_SCALABLE)
        emit_wide_end(c, f->vector_bits);
}
