#include "lib/kernels/forms.h"

#include <string.h>

enum {
    ROOM_BYTES = 4096, /* for what gives registers their values */
    LINE_BYTES = 64,
    SLOTS_AT = 1024, /* what registers begin with lies behind the memory operand, which SVE makes 256 bytes long */
    SLOT_BYTES = 64,
    PLACES = 8, /* of a memory operand that moves; before the slots, as far as 512 bits go */
    SLOT_ZERO = OPERAND_TYPES,
    SLOT_ONES,
    SLOT_DIVIDEND,
    SLOT_LONG,                             /* of each type */
    SLOT_NEAR = SLOT_LONG + OPERAND_TYPES, /* of each type: so near 1 that products and quotients stay where they are */
    SLOT_DENORMAL = SLOT_NEAR + OPERAND_TYPES,
    SLOT_ADDRESSES = SLOT_DENORMAL + OPERAND_TYPES, /* of 4 bytes each, of 8 bytes each */
    SLOTS = SLOT_ADDRESSES + 2,
    POOL = 32,
    STACK = 8,         /* registers of x87 */
    NAME = 32,         /* of a form of a bridge */
    ADDRESS_BYTES = 8, /* from one address to the next: no element is larger */
    WARM_ITERATIONS = 20,
    FEWER_OF = 4, /* registers that turn where there are NOPs: all but one in so many */
};

const char *const form_values_names[FORM_VALUES] = {"one", "zero", "long", "denormal"};

/*
 * 1 in each type: IEEE 754-2008, 3.6; bfloat16 is the upper half of a single. Extended is that of x87, 80 bits of which 64
 * are here and the rest is its exponent (Intel SDM vol. 1, 4.2.2). Long: the square root of 2. The dividend is positive, and
 * its quotient by 1 fits, in every width.
 */
static const struct {
    uint64_t value;
    unsigned bytes;
    uint64_t upper; /* of more than eight bytes */
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
    [SLOT_NEAR + TYPE_INTEGER] = {1, 8},
    [SLOT_NEAR + TYPE_HALF] = {0x3c00, 2},
    [SLOT_NEAR + TYPE_BFLOAT] = {0x3f80, 2},
    [SLOT_NEAR + TYPE_SINGLE] = {0x3f800003, 4},
    [SLOT_NEAR + TYPE_DOUBLE] = {0x3ff0000030000003, 8},
    [SLOT_NEAR + TYPE_EXTENDED] = {0x8000018000000003, 16, 0x3fff},
    [SLOT_DENORMAL + TYPE_INTEGER] = {1, 8},
    [SLOT_DENORMAL + TYPE_HALF] = {0x0011, 2},
    [SLOT_DENORMAL + TYPE_BFLOAT] = {0x0011, 2},
    [SLOT_DENORMAL + TYPE_SINGLE] = {0x00001111, 4},
    [SLOT_DENORMAL + TYPE_DOUBLE] = {0x0000000011111111, 8},
    [SLOT_DENORMAL + TYPE_EXTENDED] = {0x0000000011111111, 16, 0},
};

static void fill(uint8_t *at, unsigned slot)
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

static bool is_floating(const struct form_operand *o)
{
    return (o->kind == OPERAND_VECTOR || o->kind == OPERAND_MEMORY || o->kind == OPERAND_X87) &&
           o->type != TYPE_INTEGER;
}

/* A gather or scatter. */
static bool has_addresses(const struct form *f)
{
    for (unsigned i = 0; i < f->operand_count; i++)
        if (form_operand(f, i)->is_index && form_operand(f, i)->kind == OPERAND_VECTOR)
            return true;
    return false;
}

static bool is_of_stack(const struct form *f)
{
    for (unsigned i = 0; i < f->operand_count; i++)
        if (form_operand(f, i)->kind == OPERAND_X87)
            return true;
    return false;
}

/* On the stack of x87: written by a push, and the top from then on. */
static bool is_pushed(const struct form *f, const struct form_operand *o)
{
    return o->kind == OPERAND_X87 && f->stack > 0 && o->access == OPERAND_WRITE;
}

/*
 * The one that is divided: the first that is read and no upper half, in a form that reads its divisor last or has it
 * alone.
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

/* Its lower half is in the first register. */
static bool is_upper_dividend(const struct form *f, const struct form_operand *o)
{
    return f->class == FORM_DIVIDES && o->is_implicit && o->kind == OPERAND_GENERAL &&
           o->fixed != form_registers[OPERAND_GENERAL][0] && !form_has_field(o);
}

/* A divisor must not be 0, and a quotient of so many bits must fit: what makes another value right before it is read. */
static const struct form_bridge *repair_of(const struct form *f, unsigned i)
{
    const struct form_operand *o = form_operand(f, i);

    if (f->class != FORM_DIVIDES || o->kind != OPERAND_GENERAL)
        return NULL;
    if (is_upper_dividend(f, o))
        return form_to_zero.name ? &form_to_zero : NULL;
    return form_to_one.name && !o->is_implicit ? &form_to_one : NULL;
}

/* On the stack of x87, where what is written is read again: what is written. */
static bool is_first_read(const struct form *f, unsigned i)
{
    if (is_of_stack(f))
        return (form_operand(f, i)->access & OPERAND_WRITE) != 0;
    for (unsigned k = 0; k < i; k++)
        if (is_floating(form_operand(f, k)) && (form_operand(f, k)->access & OPERAND_READ))
            return false;
    return (form_operand(f, i)->access & OPERAND_READ) != 0;
}

static unsigned slot_of(const struct form *f, unsigned i, enum form_values values)
{
    const struct form_operand *o = form_operand(f, i);

    if (o->kind == OPERAND_MASK || o->is_spent)
        return SLOT_ONES;
    if (has_addresses(f)) { /* what is loaded may be the next one's addresses: 0; or its mask */
        if (values == FORM_VALUES_MASK && !o->is_index)
            return SLOT_ONES;
        const bool far = o->is_index && values != FORM_VALUES_ZERO;
        return far ? (o->is_index == 4 ? SLOT_ADDRESSES : SLOT_ADDRESSES + 1) : SLOT_ZERO;
    }
    if (o->kind == OPERAND_X87 && o->type == TYPE_INTEGER) /* an exponent */
        return SLOT_ZERO;
    if (is_upper_dividend(f, o))
        return SLOT_ZERO;
    if (values == FORM_VALUES_LONG && f->class == FORM_DIVIDES && o->kind != OPERAND_MEMORY && is_dividend(f, i))
        return SLOT_DIVIDEND;
    if (values == FORM_VALUES_ZERO && !is_floating(o))
        return SLOT_ZERO;
    if (values == FORM_VALUES_LONG && is_floating(o))
        return (is_first_read(f, i) ? (unsigned)SLOT_LONG : (unsigned)SLOT_NEAR) + o->type;
    if (values == FORM_VALUES_DENORMAL && is_floating(o))
        return SLOT_DENORMAL + o->type;
    return o->kind == OPERAND_GENERAL ? (unsigned)TYPE_INTEGER : o->type;
}

bool form_takes_values(const struct form *f, enum form_values values)
{
    bool integer = false;
    unsigned floats = 0;

    for (unsigned i = 0; i < f->operand_count; i++) {
        const struct form_operand *o = form_operand(f, i);
        if (!(o->access & OPERAND_READ) || (has_addresses(f) && !o->is_index))
            continue;
        floats += is_floating(o);
        integer |= !is_floating(o) &&
                   (o->kind == OPERAND_GENERAL || o->kind == OPERAND_VECTOR || o->kind == OPERAND_MMX);
    }
    switch (values) {
    case FORM_VALUES_ZERO: return integer && f->class != FORM_DIVIDES;
    /* on the stack of x87 a form that has one operand soon makes 1 of it */
    case FORM_VALUES_LONG: return floats > is_of_stack(f) || (integer && f->class == FORM_DIVIDES);
    case FORM_VALUES_DENORMAL: return floats > 0 && !has_addresses(f);
    default: return true;
    }
}

void form_prepare(const struct form *f, enum form_values values, uint8_t *data)
{
    for (unsigned i = 0; i < SLOTS; i++)
        fill(data + SLOTS_AT + i * SLOT_BYTES, i);
    memset(data, 0, SLOTS_AT);
    for (unsigned i = 0; i < f->operand_count; i++)
        for (unsigned k = 0; k < SLOTS_AT / SLOT_BYTES && form_operand(f, i)->kind == OPERAND_MEMORY; k++)
            fill(data + k * SLOT_BYTES, slot_of(f, i, values));
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

bool form_is_sum(const struct form *f)
{
    for (unsigned i = 0; i < f->operand_count; i++)
        if (form_operand(f, i)->is_spent)
            return true;
    return f->stack != 0;
}

/* What it changes is the top of the stack of x87, whichever register that is; an exponent serves as nothing else. */
static bool can_turn(const struct form *f)
{
    for (unsigned i = 0; i < f->operand_count; i++)
        if (form_operand(f, i)->kind == OPERAND_X87 && form_operand(f, i)->type == TYPE_INTEGER)
            return false;
    return f->stack == 0 && is_of_stack(f) && form_is_chained(f);
}

bool form_can_move(const struct form *f)
{
    if (f->class == FORM_STATE) /* state is at one place */
        return false;
    for (unsigned i = 0; i < f->operand_count; i++)
        if (form_operand(f, i)->kind == OPERAND_MEMORY)
            return true;
    return can_turn(f);
}

/*
 * Where what is pushed or popped is made up for before the next instance: what a push writes becomes its top, in place of
 * what the top was. Of what pops that is what it leaves where it was. No instance reads a spent mask.
 */
static bool stays(const struct form *f, unsigned from, unsigned to)
{
    if (form_operand(f, from)->is_spent || form_operand(f, to)->is_spent)
        return false;
    if (!f->stack || form_operand(f, from)->kind != OPERAND_X87)
        return true;
    return f->stack < 0 ? from == to : is_pushed(f, form_operand(f, to));
}

bool form_can_chain(const struct form *f, unsigned from, unsigned to)
{
    const struct form_operand *s = form_operand(f, from), *d = form_operand(f, to);

    if (!stays(f, from, to) || (from != to && s->kind == OPERAND_GENERAL && repair_of(f, from)))
        return false;
    if (!is_register(s) || !is_ours(s) || !is_ours(d) || s->kind != d->kind || !(s->access & OPERAND_READ) ||
        !(d->access & OPERAND_WRITE))
        return false;
    if (from == to || is_pushed(f, d))
        return true;
    if (!form_has_field(s) && !form_has_field(d))
        return s->fixed == d->fixed;
    return (form_has_field(s) || form_fits(d, s->fixed)) && (form_has_field(d) || form_fits(s, d->fixed));
}

bool form_chain_turns(const struct form *f, unsigned from, unsigned to)
{
    return from != to && form_has_field(form_operand(f, from)) && form_has_field(form_operand(f, to));
}

/* ---- Bridges -------------------------------------------------------------------------------------- */

static unsigned widest_vector(const struct form *f)
{
    unsigned bits = 0;

    for (unsigned i = 0; i < f->operand_count; i++)
        if (form_operand(f, i)->kind == OPERAND_VECTOR && form_operand(f, i)->bits > bits)
            bits = form_operand(f, i)->bits;
    return bits;
}

/* The n-th bridge between kinds; of those for different widths the narrowest that is enough, else the widest. */
static const struct form_bridge *bridge_between(unsigned from, unsigned to, unsigned bits, unsigned n)
{
    const struct form_bridge *best = NULL;

    for (const struct form_bridge *b = form_bridges; b->name; b++) {
        if (b->from != from || b->to != to)
            continue;
        if (!b->bits && n-- == 0)
            return b;
        if (b->bits && n == 0 && (!best || best->bits < bits))
            best = b;
    }
    return best;
}

/* Read by its address: what is there may be written by nobody, and is held in no register. */
static bool is_address(const struct form_operand *o)
{
    return is_base(o) || o->kind == OPERAND_MEMORY;
}

/* From what is written to a general register, the one that it is in if it is in one, and from there to what is read. */
static const struct form_bridge *bridge_out(const struct form *f, unsigned to, unsigned variant, unsigned bits)
{
    const struct form_operand *o = form_operand(f, to);

    if (o->kind == OPERAND_MEMORY) /* a part of what was written: then it is forwarded */
        return bridge_between(OPERAND_MEMORY, OPERAND_GENERAL, o->bits, variant);
    return bridge_between(o->kind, OPERAND_GENERAL, bits, variant);
}

static const struct form_bridge *bridge_in(const struct form *f, unsigned from, unsigned bits)
{
    const struct form_operand *o = form_operand(f, from);

    return is_address(o) ? &form_address_bridge : bridge_between(OPERAND_GENERAL, o->kind, bits, 0);
}

/* Whether a value in a general register needs no step out of it, or none into it. */
static bool is_general(const struct form_operand *o)
{
    return o->kind == OPERAND_GENERAL && !is_base(o);
}

/*
 * Bridges to and from the stack of x87 see its top only: whether that is where the operand can be, of what is read before
 * the instance and of what is written behind it.
 */
static bool is_top(const struct form *f, unsigned i, bool behind)
{
    const struct form_operand *o = form_operand(f, i);
    const int top = behind && f->stack < 0 ? -f->stack : 0;

    return o->kind != OPERAND_X87 || form_has_field(o) || is_pushed(f, o) || o->fixed == top;
}

/* The mask of a gather, and what it loads: a copy of that is the next one's mask. */
static bool is_masked(const struct form *f, unsigned from, unsigned to)
{
    const struct form_operand *s = form_operand(f, from), *d = form_operand(f, to);

    return s->is_spent && !d->is_spent && d->kind == OPERAND_VECTOR && d->access & OPERAND_WRITE;
}

unsigned form_bridge_count(const struct form *f, unsigned from, unsigned to)
{
    const struct form_operand *s = form_operand(f, from), *d = form_operand(f, to);
    const unsigned bits = widest_vector(f);
    unsigned n = 0;

    if (form_can_chain(f, from, to) || !(d->access & OPERAND_WRITE) || d->kind == OPERAND_IMMEDIATE ||
        s->kind == OPERAND_IMMEDIATE || (!is_address(s) && (!(s->access & OPERAND_READ) || !is_ours(s))) ||
        !is_ours(d) || !bridge_in(f, from, bits) || (s->is_spent && !is_masked(f, from, to)) || d->is_spent ||
        !is_top(f, from, false) || !is_top(f, to, true))
        return 0;
    if (s->is_spent && s->kind == d->kind)
        return 1;
    if (is_general(d) && is_address(s))
        return 1;
    while (bridge_out(f, to, n, bits) && (n == 0 || !bridge_out(f, to, n, bits)->bits))
        n++;
    return n;
}

/* Of what is loaded: it has to pass a general register on its way to the next one's address. */
static bool is_loaded(const struct form *f, unsigned from, unsigned to)
{
    const unsigned kind = form_operand(f, to)->kind;

    return form_operand(f, from)->kind == OPERAND_MEMORY && (kind == OPERAND_GENERAL || kind == OPERAND_VECTOR) &&
           form_bridge_count(f, from, to) > 0;
}

bool form_can_detour(const struct form *f, unsigned from, unsigned to)
{
    const struct form_operand *s = form_operand(f, from);

    if (is_loaded(f, from, to))
        return true;
    return form_can_chain(f, from, to) && s->kind != OPERAND_GENERAL && s->kind != OPERAND_FLAGS &&
           s->kind != OPERAND_X87 && bridge_in(f, from, widest_vector(f)) && bridge_out(f, to, 0, widest_vector(f));
}

/* Which registers an instance of a form gets. */
struct choice {
    uint8_t constant[FORM_OPERANDS];       /* of what is only read, or does not turn */
    uint8_t turning[FORM_OPERANDS][POOL];  /* of what is written: one after the other */
    unsigned turning_count[FORM_OPERANDS]; /* 0: it is constant */
    bool used[OPERAND_KINDS][POOL];
    uint8_t hub, spare; /* general registers of a bridge */
    uint8_t vector;     /* that what is loaded takes a detour through, besides */
    uint8_t mask;       /* what a mask that is spent is set again from */
};

/* Whether this one and as many behind it are there and free. */
static bool is_free(const struct choice *c, unsigned kind, const uint8_t *r, unsigned more)
{
    for (unsigned i = 0; i <= more; i++)
        if (r[i] != *r + i || c->used[kind][r[i]])
            return false;
    return true;
}

/* The first register that is free and fits; FIELD_NONE where there is none. */
static uint8_t take(struct choice *c, const struct form_operand *o)
{
    for (const uint8_t *r = form_registers[o->kind]; *r != FIELD_NONE; r++)
        if (form_fits(o, *r) && is_free(c, o->kind, r, o->more)) {
            memset(&c->used[o->kind][*r], true, o->more + 1u);
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
    const unsigned turns = w->turns ? w->turns : FORM_TURNS;
    unsigned kept = 0;

    for (unsigned i = 0; i < c->turning_count[w->to] && kept < turns && kept < w->instances; i++)
        if (form_fits(form_operand(w->form, w->from), c->turning[w->to][i]))
            c->turning[w->to][kept++] = c->turning[w->to][i];
    c->turning_count[w->to] = kept;
}

static bool is_turning_chain(const struct form_kernel *w)
{
    return w->from != FORM_NO_CHAIN && !w->detour && form_can_chain(w->form, w->from, w->to) &&
           form_chain_turns(w->form, w->from, w->to);
}

static bool is_bridged(const struct form_kernel *w)
{
    return w->from != FORM_NO_CHAIN && (w->detour || !form_can_chain(w->form, w->from, w->to));
}

/* The kind of which operands are to be the same register; OPERAND_KINDS: none. */
static unsigned same_kind(const struct form *f)
{
    if (has_addresses(f)) /* it would be undefined: SDM vol. 2C, VGATHERDPD and others */
        return OPERAND_KINDS;
    for (unsigned kind = 0; kind < OPERAND_KINDS; kind++) {
        unsigned fields = 0;
        bool written = false;
        for (unsigned i = 0; i < f->operand_count; i++) {
            const struct form_operand *o = form_operand(f, i);
            if (o->kind == kind && is_register(o) && form_has_field(o)) {
                fields++;
                written |= (o->access & OPERAND_WRITE) != 0;
            }
        }
        if (fields > 1 && written)
            return kind;
    }
    return OPERAND_KINDS;
}

bool form_can_be_same(const struct form *f)
{
    return same_kind(f) != OPERAND_KINDS;
}

static bool fits_all(const struct form *f, unsigned kind, unsigned number)
{
    for (unsigned i = 0; i < f->operand_count; i++)
        if (form_operand(f, i)->kind == kind && form_has_field(form_operand(f, i)) &&
            !form_fits(form_operand(f, i), number))
            return false;
    return true;
}

/* A chain has one register; else each instance has another. */
static bool choose_same(const struct form_kernel *w, struct choice *c)
{
    const unsigned kind = same_kind(w->form);
    uint8_t numbers[POOL];
    unsigned count = 0;

    for (unsigned i = 0; i < w->form->operand_count; i++)
        for (unsigned k = 0; k < POOL && form_operand(w->form, i)->kind == kind; k++) {
            c->turning_count[i] = 0; /* gives back what it had */
            c->used[kind][k] = false;
        }
    for (unsigned i = 0; i < w->form->operand_count; i++) {
        const struct form_operand *o = form_operand(w->form, i);
        if (o->kind == kind && !form_has_field(o) && o->fixed < POOL)
            c->used[kind][o->fixed] = true;
    }
    for (const uint8_t *r = form_registers[kind]; *r != FIELD_NONE; r++)
        if (!c->used[kind][*r] && fits_all(w->form, kind, *r) && (count == 0 || w->from == FORM_NO_CHAIN))
            numbers[count++] = *r;
    for (unsigned i = 0; i < w->form->operand_count; i++)
        if (form_operand(w->form, i)->kind == kind && form_has_field(form_operand(w->form, i))) {
            memcpy(c->turning[i], numbers, sizeof numbers);
            c->turning_count[i] = count;
        }
    return count > 0;
}

/* Fewer, and from the last on. */
static void choose_fewer(struct choice *c)
{
    for (unsigned i = 0; i < FORM_OPERANDS; i++) {
        uint8_t all[POOL];
        const unsigned count = c->turning_count[i];
        memcpy(all, c->turning[i], sizeof all);
        c->turning_count[i] = count - count / FEWER_OF;
        for (unsigned k = 0; k < c->turning_count[i]; k++)
            c->turning[i][k] = all[count - 1 - k];
    }
}

static bool choose(const struct form_kernel *w, struct choice *c)
{
    const struct form *f = w->form;
    const bool bridged = is_bridged(w), chain = w->from != FORM_NO_CHAIN, follow = is_turning_chain(w) && !w->same;
    const struct form_operand any = {.kind = OPERAND_GENERAL};
    bool turns[FORM_OPERANDS] = {false};

    memset(c, 0, sizeof *c);
    c->used[OPERAND_X87][STACK - 1] = f->stack < 0; /* copies of it make up for what is popped */
    for (unsigned i = 0; i < f->operand_count; i++) {
        const struct form_operand *o = form_operand(f, i);
        if (is_register(o) && !form_has_field(o) && o->fixed < POOL)
            c->used[o->kind][o->fixed] = true;
    }
    for (unsigned i = 0; i < f->operand_count; i++)
        if (form_operand(f, i)->is_spent && (c->mask = take(c, form_operand(f, i))) == FIELD_NONE)
            return false;
    for (unsigned i = 0; i < f->operand_count; i++) {
        const struct form_operand *o = form_operand(f, i);
        if (!is_register(o) || !form_has_field(o) || (follow && i == w->from))
            continue;
        const bool in_chain = chain && (i == w->from || i == w->to);
        turns[i] = (o->access & OPERAND_WRITE) && (!in_chain || follow);
        if (turns[i])
            continue;
        const unsigned other = i == w->from ? w->to : w->from;
        if (in_chain && o->kind == OPERAND_X87 &&
            (bridged || f->stack > 0)) /* where the top is, before it or behind it */
            c->constant[i] = (uint8_t)(i == w->from || f->stack > 0 ? 0 : -f->stack);
        else if (in_chain && other != i && !bridged) /* the other end has no choice */
            c->constant[i] = form_operand(f, other)->fixed;
        else if ((c->constant[i] = take(c, o)) == FIELD_NONE)
            return false;
    }
    if (bridged) {
        struct form_operand free_choice = any;
        memset(free_choice.field.bit, 0, sizeof free_choice.field.bit);
        c->hub = take(c, &free_choice);
        c->spare = take(c, &free_choice);
        if (c->hub == FIELD_NONE || c->spare == FIELD_NONE)
            return false;
        free_choice.kind = OPERAND_VECTOR;
        if (w->detour && is_loaded(f, w->from, w->to) && (c->vector = take(c, &free_choice)) == FIELD_NONE)
            return false;
    }
    if (!share_out(f, c, turns))
        return false;
    if (w->same)
        return choose_same(w, c);
    if (w->nops > 0)
        choose_fewer(c);
    if (follow)
        keep_common(w, c);
    return !follow || c->turning_count[w->to] > 1;
}

/* The register of an operand that does not turn. */
static uint8_t register_of(const struct form *f, const struct choice *c, unsigned i)
{
    const struct form_operand *o = form_operand(f, i);

    return form_has_field(o) ? c->constant[i] : o->fixed;
}

/* The form that the name begins with, and its roles. */
static void emit_step(struct code *code, const struct choice *c, const char *name, const char *roles, unsigned to,
                      unsigned from)
{
    char first[NAME] = "";
    uint8_t registers[FORM_OPERANDS];
    const size_t length = strcspn(name, ";");

    memcpy(first, name, length < NAME ? length : NAME - 1);
    const struct form *f = form_find(first);
    if (!f) {
        code->invalid = true;
        return;
    }
    for (unsigned i = 0; roles[i] && roles[i] != ';'; i++)
        registers[i] = (uint8_t)(roles[i] == 'd'   ? to
                                 : roles[i] == 's' ? from
                                 : roles[i] == 'x' ? c->spare
                                                   : (unsigned)roles[i] - '0');
    emit_form(code, f, registers);
}

/* Notes the bridge, and emits it. */
static void emit_bridge(struct code *code, struct form_kernel *w, const struct choice *c, const struct form_bridge *b,
                        unsigned to, unsigned from)
{
    if (!b || w->bridge_count == FORM_BRIDGES) {
        code->invalid = true;
        return;
    }
    const char *second = strchr(b->name, ';'), *roles = strchr(b->roles, ';');
    emit_step(code, c, b->name, b->roles, to, from);
    if (second && roles) /* "; " */
        emit_step(code, c, second + 2, roles + 2, to, from);
    w->bridges[w->bridge_count++] = b;
    w->bridge_cycles += b->least;
}

/*
 * Makes up for what the instance pushed or popped. A chain, and what would else go from value to value, keeps what was
 * pushed, in place of the top that was.
 */
static void emit_balance(struct code *code, struct form_kernel *w, const struct choice *c)
{
    const struct form *f = w->form;
    bool keeps = f->stack > 0 && is_of_stack(f) && form_is_chained(f);

    if (w->from != FORM_NO_CHAIN)
        keeps = !is_bridged(w) && form_operand(f, w->from)->kind == OPERAND_X87;
    for (int i = 0; i < f->stack; i++)
        emit_bridge(code, w, c, &form_stack_pop, keeps, 0);
    for (int i = 0; i > f->stack; i--)
        emit_bridge(code, w, c, &form_stack_push, 0, (unsigned)(STACK - 1 + f->stack - i));
}

static void emit_bridges(struct code *code, struct form_kernel *w, const struct choice *c)
{
    const struct form_operand *d = form_operand(w->form, w->to), *s = form_operand(w->form, w->from);
    const unsigned bits = w->bits ? w->bits : widest_vector(w->form);
    const struct form_bridge *out = bridge_out(w->form, w->to, w->variant, bits),
                             *in = bridge_in(w->form, w->from, bits);
    const unsigned written = register_of(w->form, c, w->to);
    const unsigned read = s->is_spent ? c->mask : register_of(w->form, c, w->from);
    const unsigned hub = is_general(d) ? written : is_general(s) ? read : c->hub;
    const bool first = d->kind == OPERAND_X87 && !is_pushed(w->form, d) && w->form->stack > 0;

    if (s->is_spent && s->kind == d->kind) /* the copy that sets the mask is one */
        return;
    if (first) /* what is written is the top then */
        emit_balance(code, w, c);
    if (!is_general(d) || is_general(s))
        emit_bridge(code, w, c, out, is_general(s) ? read : hub, written);
    if (!first)
        emit_balance(code, w, c);
    if (w->detour && is_loaded(w->form, w->from, w->to)) {
        emit_bridge(code, w, c, bridge_between(OPERAND_GENERAL, OPERAND_VECTOR, bits, 0), c->vector, hub);
        emit_bridge(code, w, c, bridge_between(OPERAND_VECTOR, OPERAND_GENERAL, bits, 0), hub, c->vector);
    }
    if (is_general(s) && repair_of(w->form, w->from))
        emit_bridge(code, w, c, repair_of(w->form, w->from), read, read);
    if (!is_general(s))
        emit_bridge(code, w, c, in, is_address(s) ? form_register(REG_DATA) : read, hub);
    if (is_address(s)) /* as it was */
        emit_bridge(code, w, c, in, form_register(REG_DATA), hub);
}

static void emit_instance(struct code *code, struct form_kernel *w, const struct choice *c, unsigned n)
{
    const bool follow = is_turning_chain(w) && !w->same;
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
        const unsigned kind = form_operand(w->form, i)->kind;
        if (form_operand(w->form, i)->is_spent) {
            const bool chained = i == w->from && form_operand(w->form, w->to)->kind == kind;
            emit_bridge(code, w, c, bridge_between(kind, kind, 0, 0), registers[count - 1],
                        chained ? c->constant[w->to] : c->mask);
        }
    }
    if (n == 0)
        w->at = code->used;
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

static void emit_value_of(struct code *c, const struct form_kernel *w, unsigned i, unsigned bits, unsigned number)
{
    const struct form_operand *o = form_operand(w->form, i);
    const struct form *load = load_for(o->kind, o->kind == OPERAND_VECTOR ? bits : 0);

    if (!load) {
        c->invalid = true;
        return;
    }
    for (unsigned k = 0; k <= o->more; k++)
        emit_value(c, load, number + k, slot_of(w->form, i, w->values));
}

/* Whether the operand is, in some instance, the register of that number. */
static bool may_be(const struct form_kernel *w, const struct choice *choice, unsigned i, unsigned number)
{
    for (unsigned k = 0; k < choice->turning_count[i]; k++)
        if (choice->turning[i][k] == number)
            return true;
    return !choice->turning_count[i] && register_of(w->form, choice, i) == number;
}

/* Pushed from the last on, so that the top comes last; what is pushed by an instance finds room. */
static void emit_stack_values(struct code *c, const struct form_kernel *w, const struct choice *choice)
{
    const struct form *load = load_for(OPERAND_X87, 0);

    for (unsigned n = STACK - (w->form->stack > 0 ? 1 : 0); n-- > 0;) {
        unsigned slot = TYPE_EXTENDED;
        for (unsigned i = 0; i < w->form->operand_count; i++)
            if (form_operand(w->form, i)->kind == OPERAND_X87 &&
                may_be(w, choice, i,
                       w->form->stack < 0 && n == STACK - 1 ? 0 : n)) /* copies of the last become the top */
                slot = slot_of(w->form, i, w->values);
        emit_value(c, load, n, slot);
    }
}

static void emit_values(struct code *c, const struct form_kernel *w, const struct choice *choice, unsigned bits)
{
    if (is_of_stack(w->form))
        emit_stack_values(c, w, choice);
    for (unsigned i = 0; i < w->form->operand_count; i++) {
        const struct form_operand *o = form_operand(w->form, i);
        if (!is_register(o) || !is_ours(o) || o->kind == OPERAND_FLAGS || o->kind == OPERAND_X87)
            continue;
        if (o->is_spent)
            emit_value(c, load_for(o->kind, o->kind == OPERAND_VECTOR ? bits : 0), choice->mask, SLOT_ONES);
        if (!choice->turning_count[i])
            emit_value_of(c, w, i, bits, register_of(w->form, choice, i));
        for (unsigned k = 0; k < choice->turning_count[i]; k++)
            emit_value_of(c, w, i, bits, choice->turning[i][k]);
    }
}

/* On to the next place, or back to the first. What values go round the stack is no matter where they are all 1. */
static void emit_move_on(struct code *c, const struct form_kernel *w, unsigned n)
{
    const struct form *f = w->form;
    unsigned bytes = 8;
    bool memory = false;

    for (unsigned i = 0; i < f->operand_count; i++)
        if (form_operand(f, i)->kind == OPERAND_MEMORY)
            for (memory = true; form_operand(f, i)->bits > 8 * bytes;)
                bytes *= 2;
    if (memory)
        emit_add_constant(c, REG_DATA, (n + 1) % PLACES ? (int32_t)bytes : -(int32_t)((PLACES - 1) * bytes));
    if (can_turn(f) && w->values == FORM_VALUES_ONE)
        emit_form_turn(c);
}

const char *form_kernel(struct probe *p, struct form_kernel *w, uint64_t data, struct kernel *k)
{
    const bool bridged = is_bridged(w);
    struct code c = probe_code(p, ROOM_BYTES + w->instances * FORM_BYTES * (bridged ? 1 + 2 * FORM_BRIDGES : 4) +
                                      (size_t)(w->instances * w->nops + 1) * emit_nop_lengths[0]);
    double nops = 0;
    struct choice choice;

    if (!choose(w, &choice))
        return "no-register-left";
    emit_form_begin(&c, w->form);
    if (bridged)
        emit_value(&c, load_for(OPERAND_GENERAL, 0), choice.hub, SLOT_ZERO);
    emit_values(&c, w, &choice, widest_vector(w->form));
    const unsigned turn = is_turning_chain(w) && !w->same ? choice.turning_count[w->to] : 0;
    if (w->moves)
        w->instances -= w->instances % PLACES;
    if (turn) /* so that the first of an iteration reads what the last wrote */
        w->instances -= w->instances % turn;
    emit_align(&c, LINE_BYTES);
    w->first = c.used;
    for (unsigned i = 0; i < w->instances; i++) {
        w->bridge_count = w->bridge_cycles = 0;
        emit_instance(&c, w, &choice, i);
        if (bridged)
            emit_bridges(&c, w, &choice);
        else
            emit_balance(&c, w, &choice);
        if (w->moves)
            emit_move_on(&c, w, i);
        for (nops += w->nops; nops >= 1; nops--)
            emit_nop(&c, emit_nop_lengths[0]);
        if (i < (turn ? turn : 1) && c.used - w->first <= sizeof w->bytes)
            w->period = (unsigned)(c.used - w->first);
    }
    w->behind = c.used;
    memcpy(w->bytes, c.write + w->first, w->period);
    emit_loop(&c, w->first);
    emit_form_end(&c, w->form);
    emit_return(&c);
    *k = (struct kernel){.data = data, .units = w->instances, .warm_iterations = probe_smoke(p, 1, WARM_ITERATIONS)};
    return code_good(&c) && probe_kernel(p, &c, 0, k) ? NULL : "not-encodable";
}
