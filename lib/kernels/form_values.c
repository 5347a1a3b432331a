/*
 * The data of a kernel: what the form's memory operand reads comes first, then slots, one for each value that a
 * register may begin with.
 */
#include "lib/kernels/form_values.h"

#include <string.h>

#include "lib/kernels/form_chains.h"

enum {
    SLOTS_AT = 1024, /* after the memory operands: 256 bytes of SVE, or several of 64 bytes at different addresses */
    SLOT_BYTES = 64,
    ADDRESS_BYTES = 8, /* between the addresses of a gather or scatter: no element is larger */
    /* slots: first one for each type, which holds 1, then */
    SLOT_ZERO = OPERAND_TYPES,
    SLOT_ONES, /* all bits set */
    SLOT_DIVIDEND,
    SLOT_LONG,                                 /* for each type: full mantissa */
    SLOT_NEAR_ONE = SLOT_LONG + OPERAND_TYPES, /* for each type: so near 1 that products and quotients stay in range */
    SLOT_DENORMAL = SLOT_NEAR_ONE + OPERAND_TYPES,  /* for each type */
    SLOT_ADDRESSES = SLOT_DENORMAL + OPERAND_TYPES, /* offsets of 4 bytes each; the next slot: of 8 bytes each */
    SLOTS = SLOT_ADDRESSES + 2,
};

const char *const form_values_names[FORM_VALUES] = {"one", "zero", "long", "denormal"};

/*
 * IEEE 754-2008, 3.6; bfloat16 is the upper half of a single. Extended is the type of x87, 80 bits: the lower 64, then
 * sign and exponent in `upper` (Intel SDM vol. 1, 4.2.2). The long values are the square root of 2. The dividend is
 * positive in every width, and so is its quotient by 1.
 */
static const struct {
    uint64_t value;
    unsigned bytes;
    uint64_t upper; /* what follows the first eight bytes */
} slots[SLOTS] = {
    [TYPE_INTEGER] = {1, 8},
    [TYPE_HALF] = {0x3c00, 2},
    [TYPE_BFLOAT] = {0x3f80, 2},
    [TYPE_SINGLE] = {0x3f800000, 4},
    [TYPE_DOUBLE] = {0x3ff0000000000000, 8},
    [TYPE_EXTENDED] = {0x8000000000000000, 16, 0x3fff},
    [SLOT_ZERO] = {0, 8},
    [SLOT_ONES] = {~(uint64_t)0, 8},
    [SLOT_DIVIDEND] = {0x003f003f003f003f, 8},
    [SLOT_LONG + TYPE_INTEGER] = {1, 8},
    [SLOT_LONG + TYPE_HALF] = {0x3da8, 2},
    [SLOT_LONG + TYPE_BFLOAT] = {0x3fb5, 2},
    [SLOT_LONG + TYPE_SINGLE] = {0x3fb504f3, 4},
    [SLOT_LONG + TYPE_DOUBLE] = {0x3ff6a09e667f3bcd, 8},
    [SLOT_LONG + TYPE_EXTENDED] = {0xb504f333f9de6484, 16, 0x3fff},
    [SLOT_NEAR_ONE + TYPE_INTEGER] = {1, 8},
    [SLOT_NEAR_ONE + TYPE_HALF] = {0x3c00, 2},
    [SLOT_NEAR_ONE + TYPE_BFLOAT] = {0x3f80, 2},
    [SLOT_NEAR_ONE + TYPE_SINGLE] = {0x3f800003, 4},
    [SLOT_NEAR_ONE + TYPE_DOUBLE] = {0x3ff0000030000003, 8},
    [SLOT_NEAR_ONE + TYPE_EXTENDED] = {0x8000018000000003, 16, 0x3fff},
    [SLOT_DENORMAL + TYPE_INTEGER] = {1, 8},
    [SLOT_DENORMAL + TYPE_HALF] = {0x0011, 2},
    [SLOT_DENORMAL + TYPE_BFLOAT] = {0x0011, 2},
    [SLOT_DENORMAL + TYPE_SINGLE] = {0x00001111, 4},
    [SLOT_DENORMAL + TYPE_DOUBLE] = {0x0000000011111111, 8},
    [SLOT_DENORMAL + TYPE_EXTENDED] = {0x0000000011111111, 16, 0},
};

static void fill_slot(uint8_t *at, unsigned slot)
{
    const unsigned address = slot == SLOT_ADDRESSES ? 4 : 8;

    if (slot >= SLOT_ADDRESSES) {
        memset(at, 0, SLOT_BYTES);
        for (unsigned i = 0; i < SLOT_BYTES; i += address)
            at[i] = (uint8_t)(i / address * ADDRESS_BYTES);
        return;
    }
    for (unsigned i = 0; i < slots[slot].bytes; i++)
        at[i] = (uint8_t)((i < 8 ? slots[slot].value : slots[slot].upper) >> i % 8 * 8);
    for (unsigned filled = slots[slot].bytes; filled < SLOT_BYTES; filled *= 2)
        memcpy(at + filled, at, filled);
}

/* ---- Which value an operand begins with ----------------------------------------------------------- */

/*
 * Whether operand i is the dividend, or its lower half. Of several explicit operands that are read it is the first: the
 * divisor comes last. Where only one is read explicitly, that is the divisor, and the dividend is implicit.
 */
static bool is_dividend(const struct form *f, unsigned i)
{
    const struct form_operand *o = form_operand(f, i);
    unsigned explicit_reads = 0;

    for (unsigned k = 0; k < f->operand_count; k++)
        explicit_reads += !form_operand(f, k)->is_implicit && (form_operand(f, k)->access & OPERAND_READ);
    if (explicit_reads < 2)
        return o->is_implicit;
    for (unsigned k = 0; k < i; k++)
        if (form_operand(f, k)->access & OPERAND_READ)
            return false;
    return (o->access & OPERAND_READ) != 0;
}

/*
 * Of operands with long values only one has a full mantissa, the others are near 1, so that results stay in range: the
 * first floating point operand that is read; on the x87 stack the one that is written, since it is read again.
 */
static bool has_full_mantissa(const struct form *f, unsigned i)
{
    if (form_uses_x87(f))
        return (form_operand(f, i)->access & OPERAND_WRITE) != 0;
    for (unsigned k = 0; k < i; k++)
        if (operand_is_floating(form_operand(f, k)) && (form_operand(f, k)->access & OPERAND_READ))
            return false;
    return (form_operand(f, i)->access & OPERAND_READ) != 0;
}

/*
 * The slot of an operand of a gather or scatter. Memory holds 0, since what is loaded may become the address of the
 * next instance; it holds ones where it becomes the mask.
 */
static unsigned slot_of_gather(const struct form_operand *o, enum form_values values)
{
    if (values == FORM_VALUES_MASK && !o->is_index)
        return SLOT_ONES;
    if (!o->is_index || values == FORM_VALUES_ZERO)
        return SLOT_ZERO;
    return o->is_index == 4 ? SLOT_ADDRESSES : SLOT_ADDRESSES + 1;
}

static unsigned slot_of(const struct form *f, unsigned i, enum form_values values)
{
    const struct form_operand *o = form_operand(f, i);

    if (o->kind == OPERAND_MASK || o->is_cleared)
        return SLOT_ONES;
    if (form_has_vector_addresses(f))
        return slot_of_gather(o, values);
    if (o->kind == OPERAND_X87 && o->type == TYPE_INTEGER) /* an exponent */
        return SLOT_ZERO;
    if (operand_is_upper_dividend(f, o) || (form_is_branch(f) && form_wants_zero(f)))
        return SLOT_ZERO;
    if (values == FORM_VALUES_LONG && f->class == FORM_DIVIDES && o->kind != OPERAND_MEMORY && is_dividend(f, i))
        return SLOT_DIVIDEND;
    if (values == FORM_VALUES_ZERO && !operand_is_floating(o))
        return SLOT_ZERO;
    if (values == FORM_VALUES_LONG && operand_is_floating(o))
        return (has_full_mantissa(f, i) ? (unsigned)SLOT_LONG : (unsigned)SLOT_NEAR_ONE) + o->type;
    if (values == FORM_VALUES_DENORMAL && operand_is_floating(o))
        return SLOT_DENORMAL + o->type;
    return o->kind == OPERAND_GENERAL ? (unsigned)TYPE_INTEGER : o->type;
}

bool form_takes_values(const struct form *f, enum form_values values)
{
    bool integer = false;
    unsigned floats = 0;

    if (form_is_branch(f)) /* its class says which */
        return values == FORM_VALUES_ONE;
    for (unsigned i = 0; i < f->operand_count; i++) {
        const struct form_operand *o = form_operand(f, i);
        if (!(o->access & OPERAND_READ) || (form_has_vector_addresses(f) && !o->is_index))
            continue;
        floats += operand_is_floating(o);
        integer |= !operand_is_floating(o) &&
                   (o->kind == OPERAND_GENERAL || o->kind == OPERAND_VECTOR || o->kind == OPERAND_MMX);
    }
    switch (values) {
    case FORM_VALUES_ZERO: return integer && f->class != FORM_DIVIDES;
    /* on the x87 stack a form of one operand that is repeated soon turns any value into 1 */
    case FORM_VALUES_LONG: return floats > form_uses_x87(f) || (integer && f->class == FORM_DIVIDES);
    case FORM_VALUES_DENORMAL: return floats > 0 && !form_has_vector_addresses(f);
    default: return true;
    }
}

void form_fill_data(const struct form *f, enum form_values values, uint8_t *data)
{
    for (unsigned i = 0; i < SLOTS; i++)
        fill_slot(data + SLOTS_AT + i * SLOT_BYTES, i);
    memset(data, 0, SLOTS_AT);
    for (unsigned i = 0; i < f->operand_count; i++)
        for (unsigned k = 0; k < SLOTS_AT / SLOT_BYTES && form_operand(f, i)->kind == OPERAND_MEMORY; k++)
            fill_slot(data + k * SLOT_BYTES, slot_of(f, i, values));
}

/* ---- Loading registers ---------------------------------------------------------------------------- */

/*
 * The form that loads a register of that kind: the narrowest that loads so many bits, else the widest. SVE's vectors
 * get their lower 128 bits only. NULL: there is none.
 */
static const struct form *load_of_kind(unsigned kind, unsigned bits)
{
    const struct form_load *best = NULL;

    for (const struct form_load *l = form_loads; l->name; l++)
        if (l->kind == kind && (!best || best->bits < bits))
            best = l;
    return best ? form_find(best->name) : NULL;
}

static void emit_slot(struct code *c, const struct form *load, unsigned number, unsigned slot)
{
    const uint8_t registers[1] = {(uint8_t)number};

    emit_add_constant(c, REG_DATA, (int32_t)(SLOTS_AT + slot * SLOT_BYTES));
    emit_form(c, load, registers);
    emit_add_constant(c, REG_DATA, -(int32_t)(SLOTS_AT + slot * SLOT_BYTES));
}

/* Gives the register `number`, and those that belong to it, the value of operand i. */
static void emit_operand_value(struct code *c, const struct form_kernel *w, unsigned i, unsigned bits, unsigned number)
{
    const struct form_operand *o = form_operand(w->form, i);
    const struct form *load = load_of_kind(o->kind, o->kind == OPERAND_VECTOR ? bits : 0);

    if (!load) {
        c->invalid = true;
        return;
    }
    for (unsigned k = 0; k <= o->more; k++)
        emit_slot(c, load, number + k, slot_of(w->form, i, w->values));
}

/* Whether the operand is that register in some instance. */
static bool can_be_register(const struct form_kernel *w, const struct form_choice *choice, unsigned i, unsigned number)
{
    for (unsigned k = 0; k < choice->rotating_count[i]; k++)
        if (choice->rotating[i][k] == number)
            return true;
    return !choice->rotating_count[i] && form_register_of(w->form, choice, i) == number;
}

/* Fills the x87 stack from the last register to the top. One register stays empty where instances push. */
static void emit_x87_values(struct code *c, const struct form_kernel *w, const struct form_choice *choice)
{
    const struct form *load = load_of_kind(OPERAND_X87, 0);

    for (unsigned n = X87_REGISTERS - (w->form->stack > 0 ? 1 : 0); n-- > 0;) {
        /* where instances pop, copies of the last register are pushed and become the top */
        const unsigned place = w->form->stack < 0 && n == X87_REGISTERS - 1 ? 0 : n;
        unsigned slot = TYPE_EXTENDED;
        for (unsigned i = 0; i < w->form->operand_count; i++)
            if (form_operand(w->form, i)->kind == OPERAND_X87 && can_be_register(w, choice, i, place))
                slot = slot_of(w->form, i, w->values);
        emit_slot(c, load, n, slot);
    }
}

void emit_form_values(struct code *c, const struct form_kernel *w, const struct form_choice *choice)
{
    const unsigned bits = w->kept_bits ? w->kept_bits : form_widest_vector(w->form);
    const bool follows = form_kernel_rotates(w) && !w->one_register;

    if (form_uses_x87(w->form))
        emit_x87_values(c, w, choice);
    for (unsigned i = 0; i < w->form->operand_count; i++) {
        const struct form_operand *o = form_operand(w->form, i);
        if (!operand_is_register(o) || !operand_is_usable(o) || o->kind == OPERAND_FLAGS || o->kind == OPERAND_X87)
            continue;
        if (follows && i == w->from) /* it is what the instance before wrote, and has no register of its own */
            continue;
        if (o->is_cleared)
            emit_slot(c, load_of_kind(o->kind, o->kind == OPERAND_VECTOR ? bits : 0), choice->mask, SLOT_ONES);
        if (!choice->rotating_count[i])
            emit_operand_value(c, w, i, bits, form_register_of(w->form, choice, i));
        for (unsigned k = 0; k < choice->rotating_count[i]; k++)
            emit_operand_value(c, w, i, bits, choice->rotating[i][k]);
    }
}

void emit_form_zero(struct code *c, unsigned number)
{
    emit_slot(c, load_of_kind(OPERAND_GENERAL, 0), number, SLOT_ZERO);
}
