#include "lib/structure/user_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/structure/form_decide.h"
#include "lib/structure/model_ops.h"

/* Where the values of each kind of register are among those of model_flow.h, and words of memory behind them. */
enum {
    GENERAL_AT = 0,
    VECTOR_AT = 32,
    MASK_AT = 64,
    MMX_AT = 80,
    X87_AT = 88,
    FLAGS_AT = 96,
    WORDS_AT = 97,
    WORDS = FLOW_VALUES - WORDS_AT
};

/* A word at an address that stays the same. */
struct word {
    uint8_t base, index;
    int64_t displacement;
};

struct reader {
    struct form_demands *demands;
    struct user_model *m;
    struct form_demand demand[MODEL_INSTRUCTIONS]; /* of each instruction; of NOPs only the front end */
    struct flow_step steps[MODEL_INSTRUCTIONS];
    struct schedule_need needs[MODEL_INSTRUCTIONS];
    bool written[GENERAL_AT + 32]; /* general registers that the code writes: addresses by them change */
    struct word words[WORDS];
    size_t word_count;
    bool has_upper; /* it writes whole vectors: on Zen 4 and Skylake then all registers' upper parts count as in use */
};

/* ---- Reading -------------------------------------------------------------------------------------- */

static void give_up(struct user_model *m, const char *why, size_t index)
{
    m->why = why;
    m->offset = m->at[index];
    m->form = m->use[index].form ? form_name(m->use[index].form) : NULL;
}

static void read_code(const struct user_kernel *k, struct user_model *m)
{
    for (size_t at = 0; at < k->code_bytes && !m->why; m->count++) {
        if (m->count == MODEL_INSTRUCTIONS) {
            m->why = "it has too many instructions";
            return;
        }
        struct form_use *u = &m->use[m->count];
        m->at[m->count] = (unsigned)at;
        form_read(k->code + at, k->code_bytes - at, u);
        at += u->length;
        if (!u->length || (!u->form && !u->is_nop))
            give_up(m, "the catalogue has no such instruction", m->count);
        else if (u->form && u->form->stack)
            give_up(m, "it moves the x87 stack", m->count);
    }
}

/* The instruction's access to flags. */
static unsigned access_to_flags(const struct form_use *u)
{
    unsigned access = 0;

    for (unsigned i = 0; u->form && i < u->form->operand_count; i++)
        access |= form_operand(u->form, i)->kind == OPERAND_FLAGS ? form_operand(u->form, i)->access : 0;
    return access;
}

/* Whether the operand is a count of bits in a register that assembly cannot choose. */
static bool is_count(const struct form_operand *o)
{
    return o->kind == OPERAND_GENERAL && o->is_implicit && o->access == OPERAND_READ && o->bits == 8;
}

/*
 * Whether a value decides if the instruction writes flags: with a count of 0 in a register that is not named, shifts
 * and rotations keep them (Intel SDM vol. 2, SAL/SAR/SHL/SHR). What reads them then may take tens of cycles.
 */
static bool may_keep_flags(const struct form_use *u)
{
    bool counts = false;

    for (unsigned i = 0; u->form && i < u->form->operand_count; i++)
        counts |= is_count(form_operand(u->form, i));
    return counts && access_to_flags(u) == (OPERAND_READ | OPERAND_WRITE);
}

/* There is no prediction where another form reads flags which, by a value, such an instruction has written or not. */
static void read_flags(struct user_model *m)
{
    for (size_t i = 0; i < m->count && !m->why; i++) {
        unsigned access = 0;
        for (size_t k = 1; k < m->count && may_keep_flags(&m->use[i]) && !access; k++) {
            const struct form_use *next = &m->use[(i + k) % m->count];
            access = next->form == m->use[i].form ? 0 : access_to_flags(next);
        }
        if (access & OPERAND_READ)
            give_up(m, "whether it writes the flags that are read depends on a value", i);
    }
}

/* False: the probe is over. */
static bool take_demands_once(struct reader *r)
{
    struct user_model *m = r->m;

    for (size_t i = 0; i < m->count && !m->why; i++) {
        const struct form_use *u = &m->use[i];
        if (u->is_nop) {
            r->demand[i].of[DEMAND_FRONT_END] = r->demands->each[DEMAND_FRONT_END]; /* a slot, and nothing else */
            continue;
        }
        const struct form_demand *d = form_demands_of(r->demands, u->form);
        if (!d)
            return false;
        r->demand[i] = *d;
        if (d->why.reason)
            give_up(m, "such an instruction was not measured alone", i);
    }
    return true;
}

/* Takes them again where those of the first instructions turn out to be disturbed. False: the probe is over. */
static bool take_demands(struct reader *r)
{
    enum { TIMES = 4 };
    unsigned before = r->demands->forgotten + 1;

    for (unsigned i = 0; i < TIMES && before != r->demands->forgotten; i++) {
        before = r->demands->forgotten;
        if (!take_demands_once(r))
            return false;
    }
    return true;
}

/* Whether it depends on nothing and needs no unit: NOPs, and idioms that read one register alone. */
static bool is_idle(const struct reader *r, size_t index)
{
    const struct form_use *u = &r->m->use[index];
    uint8_t read = FIELD_NONE, written = FIELD_NONE;
    unsigned reads = 0;

    if (!u->form || !r->demand[index].is_idiom)
        return !u->form;
    for (unsigned i = 0; i < u->form->operand_count; i++) {
        const struct form_operand *o = form_operand(u->form, i);
        if (!form_has_field(o))
            continue;
        if (!(o->access & OPERAND_READ)) {
            written = u->registers[i];
            continue;
        }
        if (reads++ && u->registers[i] != read)
            return false;
        read = u->registers[i];
    }
    /* of one operand, as of a move, the value is what was read, unless it is the register's own */
    return reads && read != FIELD_NONE && (reads > 1 || written == FIELD_NONE || written == read);
}

/* ---- Dependences ---------------------------------------------------------------------------------- */

static unsigned value_of(unsigned kind, unsigned number)
{
    static const uint8_t at[] = {
        [OPERAND_GENERAL] = GENERAL_AT, [OPERAND_VECTOR] = VECTOR_AT, [OPERAND_MASK] = MASK_AT,
        [OPERAND_MMX] = MMX_AT,         [OPERAND_X87] = X87_AT,       [OPERAND_FLAGS] = FLAGS_AT};

    return kind == OPERAND_FLAGS ? FLAGS_AT : number == FIELD_NONE ? FLOW_NOTHING : at[kind] + number;
}

/* The word that the instruction accesses; FLOW_NOTHING where its address may change, or there are too many. */
static unsigned word_of(struct reader *r, const struct form_use *u)
{
    const struct word w = {u->base, u->index, u->displacement};
    size_t i = 0;

    if ((w.base != FIELD_NONE && r->written[w.base]) || (w.index != FIELD_NONE && r->written[w.index]))
        return FLOW_NOTHING;
    while (i < r->word_count &&
           (r->words[i].base != w.base || r->words[i].index != w.index || r->words[i].displacement != w.displacement))
        i++;
    if (i == WORDS)
        return FLOW_NOTHING;
    if (i == r->word_count)
        r->words[r->word_count++] = w;
    return WORDS_AT + (unsigned)i;
}

static void add_edge(struct flow_step *step, unsigned from, unsigned to, double cycles)
{
    if (step->count < FLOW_EDGES && to != FLOW_NOTHING)
        step->edges[step->count++] = (struct flow_edge){(uint8_t)from, (uint8_t)to,
                                                        isnan(cycles) ? 0.0F : (float)cycles};
}

/*
 * What is loaded of a word that was stored: the store's latency is that of the way through memory, so that only what
 * the instruction does with it is left, as long as it takes from another operand. Chains through a count have counts of
 * 0, too.
 */
static double latency_of_loaded(const struct form_use *u, const struct form_demand *d, unsigned to)
{
    double most = 0;

    for (unsigned i = 0; i < u->form->operand_count; i++) {
        const struct form_operand *o = form_operand(u->form, i);
        if ((o->access & OPERAND_READ) && o->kind != OPERAND_MEMORY && o->kind != OPERAND_FLAGS && !is_count(o))
            most = fmax(most, d->latency[i][to]); /* fmax ignores NaN */
    }
    return most;
}

static void add_memory_edges(struct reader *r, size_t index, unsigned from, unsigned to, unsigned written)
{
    const struct form_use *u = &r->m->use[index];
    const struct form_demand *d = &r->demand[index];
    struct flow_step *step = &r->steps[index];
    const unsigned word = word_of(r, u);
    const bool same = from == to;

    if (word != FLOW_NOTHING)
        add_edge(step, word, written,
                 !same                       ? latency_of_loaded(u, d, to)
                 : isnan(d->latency[to][to]) ? d->alone
                                             : d->latency[to][to]);
    if (same)
        return;
    if (u->base != FIELD_NONE)
        add_edge(step, value_of(OPERAND_GENERAL, u->base), written, d->latency[from][to]);
    if (u->index != FIELD_NONE)
        add_edge(step, value_of(OPERAND_GENERAL, u->index), written, d->latency[from][to]);
}

/* The value of an operand; of a memory operand the word. */
static unsigned operand_value(struct reader *r, size_t index, unsigned operand)
{
    const struct form_use *u = &r->m->use[index];
    const struct form_operand *o = form_operand(u->form, operand);

    if (o->kind == OPERAND_IMMEDIATE)
        return FLOW_NOTHING;
    return o->kind == OPERAND_MEMORY ? word_of(r, u) : value_of(o->kind, u->registers[operand]);
}

/* What is written waits for what the instruction reads, and for the register itself where it keeps a part of that. */
static void add_written(struct reader *r, size_t index, unsigned to, unsigned value)
{
    const struct form_use *u = &r->m->use[index];
    const struct form_demand *d = &r->demand[index];
    struct flow_step *step = &r->steps[index];

    add_edge(step, FLOW_NOTHING, value, 0);
    const double kept = d->kept[to][form_operand(u->form, to)->kind != OPERAND_VECTOR || r->has_upper];
    if (kept > 0)
        add_edge(step, value, value, kept);
    if (is_idle(r, index))
        return;
    for (unsigned from = 0; from < u->form->operand_count; from++) {
        const struct form_operand *o = form_operand(u->form, from);
        if (!(o->access & OPERAND_READ) || o->kind == OPERAND_IMMEDIATE)
            continue;
        if (o->kind == OPERAND_MEMORY)
            add_memory_edges(r, index, from, to, value);
        else if (operand_value(r, index, from) != FLOW_NOTHING)
            add_edge(step, operand_value(r, index, from), value, d->latency[from][to]);
    }
}

static void add_step(struct reader *r, size_t index)
{
    const struct form_use *u = &r->m->use[index];

    for (unsigned to = 0; u->form && to < u->form->operand_count; to++) {
        const struct form_operand *o = form_operand(u->form, to);
        const unsigned value = operand_value(r, index, to);
        for (unsigned more = 0; (o->access & OPERAND_WRITE) && more <= o->more && value + more < FLOW_VALUES; more++)
            add_written(r, index, to, value + more);
    }
}

static void note_written(struct reader *r)
{
    enum { LOWER_BITS = 128 }; /* of a vector, that instructions write which keep the rest */

    for (size_t i = 0; i < r->m->count; i++) {
        const struct form_use *u = &r->m->use[i];
        for (unsigned n = 0; u->form && n < u->form->operand_count; n++) {
            const struct form_operand *o = form_operand(u->form, n);
            if (o->kind == OPERAND_GENERAL && (o->access & OPERAND_WRITE) && u->registers[n] != FIELD_NONE)
                r->written[u->registers[n]] = true;
            r->has_upper |= o->kind == OPERAND_VECTOR && (o->access & OPERAND_WRITE) && o->bits > LOWER_BITS;
        }
    }
}

/* ---- Limits --------------------------------------------------------------------------------------- */

/* Adds a limit, the greatest first; the least is left out where there is no room. */
static void add_bound(struct user_model *m, const char *limit, const char *of, double cycles)
{
    size_t at = m->bound_count;

    if (!(cycles > 0))
        return;
    while (at > 0 && m->bounds[at - 1].cycles < cycles)
        at--;
    if (at == MODEL_BOUNDS)
        return;
    if (m->bound_count == MODEL_BOUNDS)
        m->bound_count--;
    memmove(&m->bounds[at + 1], &m->bounds[at], (m->bound_count - at) * sizeof m->bounds[0]);
    m->bounds[at] = (struct model_bound){limit, of, cycles};
    m->bound_count++;
}

/* Cycles for which microcode has the front end: no longer than instances of the form take alone. */
static double microcode_cycles(const struct reader *r)
{
    double cycles = 0;

    for (size_t i = 0; i < r->m->count; i++) {
        const struct form_demand *d = &r->demand[i];
        if (r->m->use[i].form && !is_idle(r, i))
            cycles += form_microcode_cycles(d->of[DEMAND_FRONT_END], r->demands->each[DEMAND_FRONT_END], d->alone);
    }
    return cycles;
}

static void add_classes(struct reader *r)
{
    for (size_t class = 0; class < DEMAND_CLASSES; class ++) {
        const bool front_end = class == DEMAND_FRONT_END;
        double cycles = 0;
        for (size_t i = 0; i < r->m->count; i++)
            cycles += front_end || !is_idle(r, i) ? r->demand[i].of[class] : 0;
        if (front_end)
            cycles = fmax(cycles, microcode_cycles(r));
        add_bound(r->m, front_end ? "front end" : "units", front_end ? NULL : r->demands->classes[class], cycles);
    }
}

/* What no class keeps busy limits forms of a group together. */
static void add_groups(struct reader *r)
{
    for (unsigned group = 1; group <= r->demands->groups; group++) {
        double cycles = 0;
        for (size_t i = 0; i < r->m->count; i++)
            cycles += r->demand[i].group == group && !is_idle(r, i) ? r->demand[i].alone : 0;
        add_bound(r->m, "group", form_name(r->demands->first_of_group[group - 1]), cycles);
    }
}

/* As many of one form as the kernel has take as long as they do alone. */
static void add_instructions(struct reader *r)
{
    const struct user_model *m = r->m;

    for (size_t i = 0; i < m->count; i++) {
        double cycles = 0;
        bool first = m->use[i].form && !r->demand[i].is_serial;
        for (size_t k = 0; k < m->count && first; k++) {
            const bool same = m->use[k].form == m->use[i].form;
            first = !same || k >= i;
            cycles += same && !is_idle(r, k) ? r->demand[k].alone : 0;
        }
        if (first)
            add_bound(r->m, "instruction", form_name(m->use[i].form), cycles);
    }
}

static void add_chain(struct reader *r)
{
    struct user_model *m = r->m;

    note_written(r);
    for (size_t i = 0; i < m->count; i++)
        add_step(r, i);
    const double cycles = flow_cycles(r->steps, m->count);
    if (!(cycles > 0))
        return;
    for (size_t i = 0; i < m->count && m->chain_count < MODEL_CHAIN; i++)
        if (flow_is_critical(r->steps, m->count, i, cycles))
            m->chain[m->chain_count++] = (unsigned)i;
    add_bound(m, "chain", NULL, cycles);
}

/* Cycles until the last of its results, from what it waits for. */
static double latency_of(const struct flow_step *step)
{
    double most = 0;

    for (unsigned i = 0; i < step->count; i++)
        if (step->edges[i].from != FLOW_NOTHING)
            most = fmax(most, (double)step->edges[i].cycles);
    return most;
}

/* All of these together, where it is known on which units operations run. */
static void add_schedule(struct reader *r)
{
    struct schedule_need *needs = r->needs;
    struct user_model *m = r->m;
    bool known = false;

    for (size_t i = 0; i < DEMAND_FRONT_END; i++)
        known |= r->demands->units[i] != 0;
    if (!known || !m->bound_count)
        return;
    for (size_t i = 0; i < m->count; i++) {
        const struct form_demand *d = &r->demand[i];
        needs[i].front_end = d->of[DEMAND_FRONT_END];
        if (is_idle(r, i))
            continue;
        model_ops_set(r->demands, d, latency_of(&r->steps[i]), &needs[i]);
        needs[i].group = d->group;
        needs[i].group_cycles = d->group ? d->alone : 0;
    }
    add_bound(m, "schedule", NULL, schedule_cycles(r->steps, needs, m->count, m->bounds[0].cycles));
}

_Static_assert((int)DEMAND_GROUPS <= (int)SCHEDULE_GROUPS, "a group has no place in a schedule");

bool user_model_predict(struct form_demands *d, const struct user_kernel *k, struct user_model *m)
{
    struct reader *r = calloc(1, sizeof *r);

    memset(m, 0, sizeof *m);
    m->cycles = (double)NAN;
    if (!r) {
        m->why = "memory was short";
        return true;
    }
    r->demands = d;
    r->m = m;
    read_code(k, m);
    read_flags(m);
    const bool taken = take_demands(r);
    if (taken && !m->why) {
        add_classes(r);
        add_groups(r);
        add_instructions(r);
        add_chain(r);
        add_schedule(r);
        if (m->bound_count)
            m->cycles = m->bounds[0].cycles;
        else
            m->why = "none of its instructions takes a time that was measured";
    }
    free(r);
    return taken;
}
