#include "lib/kernels/forms.h"

#include <string.h>

enum {
    ROOM_BYTES = 4096, /* for what gives registers their values */
    LINE_BYTES = 64,
    SLOTS_AT = 1024, /* what registers begin with lies behind the memory operand, which SVE makes 256 bytes long */
    SLOT_BYTES = 64,
    SLOT_ZERO = OPERAND_TYPES,
    SLOT_ONES,
    SLOTS,
    POOL = 32,
    WARM_ITERATIONS = 20,
    TURNS = 4 /* registers of a chain: what else it writes and reads depends only on the one so many before */
};

/* 1 in each type: IEEE 754-2008, 3.6; bfloat16 is the upper half of a single. Extended is not used: it lives in x87. */
static const struct {
    uint64_t value;
    unsigned bytes;
} slots[SLOTS] = {
    [TYPE_INTEGER] = {1, 8},
    [TYPE_HALF] = {0x3c00, 2},
    [TYPE_BFLOAT] = {0x3f80, 2},
    [TYPE_SINGLE] = {0x3f800000, 4},
    [TYPE_DOUBLE] = {0x3ff0000000000000, 8},
    [TYPE_EXTENDED] = {0, 8},
    [SLOT_ZERO] = {0, 8},
    [SLOT_ONES] = {~(uint64_t)0, 8},
};

static void fill(uint8_t *at, unsigned slot)
{
    for (unsigned i = 0; i < SLOT_BYTES; i++)
        at[i] = (uint8_t)(slots[slot].value >> i % slots[slot].bytes * 8);
}

void form_prepare(const struct form *f, uint8_t *data)
{
    for (unsigned i = 0; i < SLOTS; i++)
        fill(data + SLOTS_AT + i * SLOT_BYTES, i);
    memset(data, 0, SLOTS_AT);
    for (unsigned i = 0; i < f->operand_count; i++)
        if (form_operand(f, i)->kind == OPERAND_MEMORY)
            fill(data, form_operand(f, i)->type);
}

/* ---- Registers ------------------------------------------------------------------------------------ */

static bool is_register(const struct form_operand *o)
{
    return o->kind != OPERAND_MEMORY && o->kind != OPERAND_IMMEDIATE;
}

/* Whether values can be put there; flags need none. */
static bool is_ours(const struct form_operand *o)
{
    if (!is_register(o) || o->kind == OPERAND_FLAGS || form_has_field(o))
        return true;
    for (const uint8_t *r = form_registers[o->kind]; *r != FIELD_NONE; r++)
        if (*r == o->fixed)
            return true;
    return false;
}

/* The register that addresses memory may be read, as it is. */
static bool is_base(const struct form_operand *o)
{
    return o->kind == OPERAND_GENERAL && o->access == OPERAND_READ && o->fixed == form_register(REG_DATA);
}

const char *form_unmeasured(const struct form *f)
{
    for (unsigned i = 0; i < f->operand_count; i++) {
        const struct form_operand *o = form_operand(f, i);
        if (o->kind == OPERAND_X87)
            return "stack-of-x87";
        if (o->is_index && o->kind == OPERAND_VECTOR)
            return "vector-of-addresses";
        if (!is_ours(o) && !is_base(o))
            return "register-in-use";
    }
    return NULL;
}

static bool is_both(const struct form_operand *o)
{
    return (o->access & OPERAND_READ) && (o->access & OPERAND_WRITE);
}

bool form_is_chained(const struct form *f)
{
    for (unsigned i = 0; i < f->operand_count; i++) {
        const struct form_operand *o = form_operand(f, i);
        if (is_both(o) && (o->kind == OPERAND_MEMORY || (is_register(o) && !form_has_field(o))))
            return true;
        for (unsigned k = 0; k < f->operand_count && is_register(o) && !form_has_field(o); k++) {
            const struct form_operand *other = form_operand(f, k);
            if (k != i && other->kind == o->kind && !form_has_field(other) && other->fixed == o->fixed &&
                (o->access | other->access) == (OPERAND_READ | OPERAND_WRITE))
                return true;
        }
    }
    return false;
}

bool form_can_chain(const struct form *f, unsigned from, unsigned to)
{
    const struct form_operand *s = form_operand(f, from), *d = form_operand(f, to);

    if (!is_register(s) || !is_ours(s) || !is_ours(d) || s->kind != d->kind || !(s->access & OPERAND_READ) ||
        !(d->access & OPERAND_WRITE))
        return false;
    if (from == to)
        return true;
    if (!form_has_field(s) && !form_has_field(d))
        return s->fixed == d->fixed;
    return (form_has_field(s) || form_fits(d, s->fixed)) && (form_has_field(d) || form_fits(s, d->fixed));
}

bool form_chain_turns(const struct form *f, unsigned from, unsigned to)
{
    return from != to && form_has_field(form_operand(f, from)) && form_has_field(form_operand(f, to));
}

/* Which registers an instance of a form gets. */
struct choice {
    uint8_t constant[FORM_OPERANDS];       /* of what is only read, or does not turn */
    uint8_t turning[FORM_OPERANDS][POOL];  /* of what is written: one after the other */
    unsigned turning_count[FORM_OPERANDS]; /* 0: it is constant */
    bool used[OPERAND_KINDS][POOL];
};

/* The first register that is free and fits; FIELD_NONE where there is none. */
static uint8_t take(struct choice *c, const struct form_operand *o)
{
    for (const uint8_t *r = form_registers[o->kind]; *r != FIELD_NONE; r++)
        if (!c->used[o->kind][*r] && form_fits(o, *r)) {
            c->used[o->kind][*r] = true;
            return *r;
        }
    return FIELD_NONE;
}

/* What is left of a kind is shared out among those operands that turn, one each in turn. False where one gets none. */
static bool share_out(const struct form *f, struct choice *c, const bool *turns)
{
    for (bool more = true; more;) {
        more = false;
        for (unsigned i = 0; i < f->operand_count; i++) {
            const uint8_t r = turns[i] ? take(c, form_operand(f, i)) : FIELD_NONE;
            if (r == FIELD_NONE)
                continue;
            c->turning[i][c->turning_count[i]++] = r;
            more = true;
        }
    }
    for (unsigned i = 0; i < f->operand_count; i++)
        if (turns[i] && !c->turning_count[i])
            return false;
    return true;
}

/* Only those that both can name, since a source may have fewer bits for its number; and not more than instances. */
static void keep_common(const struct form_kernel *w, struct choice *c)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < c->turning_count[w->to] && kept < TURNS && kept < w->instances; i++)
        if (form_fits(form_operand(w->form, w->from), c->turning[w->to][i]))
            c->turning[w->to][kept++] = c->turning[w->to][i];
    c->turning_count[w->to] = kept;
}

static bool is_turning_chain(const struct form_kernel *w)
{
    return w->from != FORM_NO_CHAIN && form_chain_turns(w->form, w->from, w->to);
}

static bool choose(const struct form_kernel *w, struct choice *c)
{
    const struct form *f = w->form;
    const bool chain = w->from != FORM_NO_CHAIN, follow = is_turning_chain(w);
    bool turns[FORM_OPERANDS] = {false};

    memset(c, 0, sizeof *c);
    for (unsigned i = 0; i < f->operand_count; i++) {
        const struct form_operand *o = form_operand(f, i);
        if (is_register(o) && !form_has_field(o) && o->fixed < POOL)
            c->used[o->kind][o->fixed] = true;
    }
    for (unsigned i = 0; i < f->operand_count; i++) {
        const struct form_operand *o = form_operand(f, i);
        if (!is_register(o) || !form_has_field(o) || (follow && i == w->from))
            continue;
        const bool in_chain = chain && (i == w->from || i == w->to);
        turns[i] = (o->access & OPERAND_WRITE) && (!in_chain || follow);
        if (turns[i])
            continue;
        const unsigned other = i == w->from ? w->to : w->from;
        if (in_chain && other != i) /* the other end has no choice */
            c->constant[i] = form_operand(f, other)->fixed;
        else if ((c->constant[i] = take(c, o)) == FIELD_NONE)
            return false;
    }
    if (!share_out(f, c, turns))
        return false;
    if (follow)
        keep_common(w, c);
    return !follow || c->turning_count[w->to] > 1;
}

static void emit_instance(struct code *code, const struct form_kernel *w, const struct choice *c, unsigned n)
{
    const bool follow = is_turning_chain(w);
    uint8_t registers[FORM_OPERANDS];
    unsigned count = 0;

    for (unsigned i = 0; i < w->form->operand_count; i++) {
        if (!form_has_field(form_operand(w->form, i)))
            continue;
        if (follow && i == w->from) /* what the one before wrote */
            registers[count++] = c->turning[w->to][(n + c->turning_count[w->to] - 1) % c->turning_count[w->to]];
        else if (c->turning_count[i])
            registers[count++] = c->turning[i][n % c->turning_count[i]];
        else
            registers[count++] = c->constant[i];
    }
    emit_form(code, w->form, registers);
}

/* ---- Values --------------------------------------------------------------------------------------- */

/* The narrowest of that kind that fills so many bits, else the widest: SVE's vectors are given their lower 128 bits. */
static const struct form *load_for(unsigned kind, unsigned bits)
{
    const struct form_load *best = NULL;

    for (const struct form_load *l = form_loads; l->name; l++)
        if (l->kind == kind && (!best || best->bits < bits))
            best = l;
    return best ? form_find(best->name) : NULL;
}

static void emit_value(struct code *c, const struct form *load, unsigned number, unsigned slot)
{
    const uint8_t registers[1] = {(uint8_t)number};

    emit_add_constant(c, REG_DATA, (int32_t)(SLOTS_AT + slot * SLOT_BYTES));
    emit_form(c, load, registers);
    emit_add_constant(c, REG_DATA, -(int32_t)(SLOTS_AT + slot * SLOT_BYTES));
}

static unsigned slot_of(const struct form *f, const struct form_operand *o)
{
    if (o->kind == OPERAND_MASK)
        return SLOT_ONES;
    /* the upper half of a dividend: its lower half is in the first register */
    if (f->class == FORM_DIVIDES && o->is_implicit && o->kind == OPERAND_GENERAL &&
        o->fixed != form_registers[OPERAND_GENERAL][0] && !form_has_field(o))
        return SLOT_ZERO;
    return o->kind == OPERAND_GENERAL ? (unsigned)TYPE_INTEGER : o->type;
}

static bool emit_values(struct code *c, const struct form_kernel *w, const struct choice *choice, unsigned bits)
{
    for (unsigned i = 0; i < w->form->operand_count; i++) {
        const struct form_operand *o = form_operand(w->form, i);
        if (!is_register(o) || !is_ours(o) || o->kind == OPERAND_FLAGS)
            continue;
        const struct form *load = load_for(o->kind, o->kind == OPERAND_VECTOR ? bits : 0);
        const unsigned slot = slot_of(w->form, o);
        if (!load)
            return false;
        if (!form_has_field(o))
            emit_value(c, load, o->fixed, slot);
        else if (!choice->turning_count[i])
            emit_value(c, load, choice->constant[i], slot);
        for (unsigned k = 0; k < choice->turning_count[i]; k++)
            emit_value(c, load, choice->turning[i][k], slot);
    }
    return true;
}

const char *form_kernel(struct probe *p, struct form_kernel *w, uint64_t data, struct kernel *k)
{
    struct code c = probe_code(p, ROOM_BYTES + w->instances * FORM_BYTES);
    struct choice choice;
    unsigned bits = 0;

    for (unsigned i = 0; i < w->form->operand_count; i++)
        if (form_operand(w->form, i)->kind == OPERAND_VECTOR && form_operand(w->form, i)->bits > bits)
            bits = form_operand(w->form, i)->bits;
    if (!choose(w, &choice) || !emit_values(&c, w, &choice, bits))
        return "no-register-left";
    const unsigned turn = is_turning_chain(w) ? choice.turning_count[w->to] : 0;
    if (turn) /* so that the first of an iteration reads what the last wrote */
        w->instances -= w->instances % turn;
    emit_align(&c, LINE_BYTES);
    w->first = c.used;
    for (unsigned i = 0; i < w->instances; i++)
        emit_instance(&c, w, &choice, i);
    w->behind = c.used;
    emit_loop(&c, w->first);
    emit_form_end(&c, w->form);
    emit_return(&c);
    *k = (struct kernel){.data = data, .units = w->instances, .warm_iterations = probe_smoke(p, 1, WARM_ITERATIONS)};
    memcpy(w->bytes, c.write + w->first, sizeof w->bytes);
    return code_good(&c) && probe_kernel(p, &c, 0, k) ? NULL : "not-encodable";
}
