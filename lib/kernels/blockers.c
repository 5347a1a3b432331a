#include "lib/kernels/blockers.h"

enum {
    /*
     * Registers that take turns where a form reads what it writes: enough for instances of four cycles of which two
     * begin in a cycle.
     */
    TURNS = 8,
    /*
     * Loads go to the second half of the first line of data, where operands in memory begin, since some cores load two
     * lines in a cycle only from different banks. Stores go to another line, without the low 12 bits of any operand.
     */
    LOADS_AT = 32,
    LOADED_WORDS = 4,
    STORED_WORDS = 8,
    WORD_BYTES = 8,
    STORES_AT = BLOCKERS_DATA_AT + 3072
};

static const enum reg candidates[] = {REG_T0, REG_T1, REG_T2, REG_T3, REG_T4, REG_T5, REG_T6, REG_T7, REG_T8};

/* The first candidate that is free; false: there is none. */
static bool take_general(enum reg *taken, bool used[OPERAND_KINDS][REGISTERS_OF_A_KIND])
{
    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++)
        if (!used[OPERAND_GENERAL][form_register(candidates[i])]) {
            *taken = candidates[i];
            used[OPERAND_GENERAL][form_register(candidates[i])] = true;
            return true;
        }
    return false;
}

/* Takes so many registers of a kind; returns how many there were. */
static size_t take_numbers(uint8_t *taken, size_t wanted, unsigned kind, bool used[OPERAND_KINDS][REGISTERS_OF_A_KIND])
{
    size_t count = 0;

    for (const uint8_t *r = form_registers[kind]; *r != FIELD_NONE && count < wanted; r++)
        if (!used[kind][*r]) {
            used[kind][*r] = true;
            taken[count++] = *r;
        }
    return count;
}

/* Whether a blocker of the order reads and writes the same register of a kind. */
static bool takes_turns(const struct blocked_order *o, unsigned kind)
{
    for (size_t s = 0; s < o->count; s++) {
        const struct blocker *b = &o->all[o->slots[s]];
        if (o->slots[s] == BLOCKED_INSTANCE || b->kind != BLOCKER_FORM)
            continue;
        for (unsigned i = 0; i < b->form->operand_count; i++) {
            const struct form_operand *operand = form_operand(b->form, i);
            if (operand->kind == kind && form_has_field(operand) && operand->access == (OPERAND_READ | OPERAND_WRITE))
                return true;
        }
    }
    return false;
}

bool blockers_take_registers(struct blocker_registers *r, const struct blocked_order *o,
                             bool used[OPERAND_KINDS][REGISTERS_OF_A_KIND])
{
    const size_t general = takes_turns(o, OPERAND_GENERAL) ? TURNS : 0;
    const size_t vector = takes_turns(o, OPERAND_VECTOR) ? TURNS : 0;
    struct independent *all = &r->all;

    r->loads = r->stores = 0;
    all->general.turn = all->vector.turn = 0;
    all->general.count = general;
    all->vector.count = vector;
    if (!take_general(&r->source, used) || !take_general(&r->sink, used) ||
        take_numbers(all->general.pool, general, OPERAND_GENERAL, used) < general ||
        take_numbers(&all->vector.source, 1, OPERAND_VECTOR, used) < 1 ||
        take_numbers(&all->vector.sink, 1, OPERAND_VECTOR, used) < 1 ||
        take_numbers(all->vector.pool, vector, OPERAND_VECTOR, used) < vector)
        return false;
    all->general.source = (uint8_t)form_register(r->source);
    all->general.sink = (uint8_t)form_register(r->sink);
    return true;
}

void emit_blockers_begin(struct code *c, const struct blocker_registers *r)
{
    const struct form *zero = form_find(form_vector_zero);
    const struct independent_registers *vector = &r->all.vector;

    emit_constant(c, r->source, 1);
    emit_form(c, zero, (const uint8_t[]){vector->source, vector->source, vector->source});
    for (size_t i = 0; i < vector->count; i++)
        emit_form(c, zero, (const uint8_t[]){vector->pool[i], vector->pool[i], vector->pool[i]});
}

void emit_blocker(struct code *c, struct blocker_registers *r, const struct blocker *b)
{
    switch (b->kind) {
    case BLOCKER_FORM: emit_independent(c, &r->all, b->form); break;
    case BLOCKER_LOAD:
        emit_load(c, r->sink, REG_DATA, LOADS_AT + (int32_t)(r->loads++ % LOADED_WORDS) * WORD_BYTES);
        break;
    case BLOCKER_STORE:
        emit_store(c, r->source, REG_DATA, STORES_AT + (int32_t)(r->stores++ % STORED_WORDS) * WORD_BYTES);
        break;
    case BLOCKER_NOP: emit_nop(c, b->nop_bytes); break;
    case BLOCKER_IDIOM: emit_idiom(c, b->idiom, r->sink, r->sink); break;
    }
}

void emit_blockers_end(struct code *c, const struct blocked_order *o)
{
    bool done[BLOCKERS] = {false};

    for (size_t i = 0; i < o->count; i++) {
        const uint8_t which = o->slots[i];
        if (which == BLOCKED_INSTANCE || done[which] || o->all[which].kind != BLOCKER_FORM)
            continue;
        done[which] = true;
        emit_form_end(c, o->all[which].form);
    }
}
