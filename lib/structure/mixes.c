#include "lib/structure/mixes.h"

#include <string.h>

#include "lib/base/random.h"
#include "lib/kernels/independent.h"

enum {
    BODY = 384, /* instructions of a loop, about: its end is a small part */
    SMOKE_BODY = 32,
    /*
     * Loads go to words below the base address, stores to words from it on: no load reads what a store wrote, nor an
     * address with the same low 12 bits. All are near the base, since longer instructions are decoded more slowly on
     * some cores. Each store is beside the one before: Golden Cove writes two at once to one line (Intel Optimization
     * Reference Manual).
     */
    WORDS = 16,
    WORD_BYTES = 8,
    BASE_AT = MIX_AREA_BYTES / 2,
    CODE_BYTES = 8192
};

/* Where an instruction was encoded that is always the same: it is copied from there. */
struct encoded {
    size_t at, bytes; /* bytes: 0 where it must be encoded */
};

/* These do not take turns. The registers of data and of the loop's counter are never among form_registers. */
static const enum reg source = REG_T0, sink = REG_T1, loaded = REG_T2;

static struct independent_registers choose_registers(enum operand_kind kind)
{
    const uint8_t *all = form_registers[kind];
    struct independent_registers r = {.count = 0};

    if (kind == OPERAND_GENERAL) {
        r.source = (uint8_t)form_register(source);
        r.sink = (uint8_t)form_register(sink);
        for (; *all != FIELD_NONE && r.count < INDEPENDENT_POOL; all++)
            if (*all != r.source && *all != r.sink && *all != form_register(loaded))
                r.pool[r.count++] = *all;
        return r;
    }
    r.source = all[0];
    r.sink = all[1];
    for (all += 2; *all != FIELD_NONE && r.count < INDEPENDENT_POOL; all++)
        r.pool[r.count++] = *all;
    return r;
}

static void emit_zeros(struct code *c)
{
    const struct form *zero = form_find(form_vector_zero);

    for (const uint8_t *r = form_registers[OPERAND_VECTOR]; *r != FIELD_NONE; r++)
        emit_form(c, zero, (const uint8_t[]){*r, *r, *r});
}

/* Emits the form, or copies it where it was emitted before and has no register that takes turns. */
static void emit_or_copy(struct code *c, const struct form *f, struct independent *r, struct encoded *same)
{
    const size_t at = c->used, turns = r->general.turn + r->vector.turn;

    if (same->bytes) {
        emit_copy(c, same->at, same->bytes, (struct work){.instructions = 1});
        return;
    }
    emit_independent(c, r, f);
    if (r->general.turn + r->vector.turn == turns)
        *same = (struct encoded){at, c->used - at};
}

void mixes_spread(const uint8_t *times, size_t kinds, uint8_t *all, size_t count)
{
    double behind[MIXES_KINDS] = {0}, of_mix = 0;

    for (size_t i = 0; i < kinds; i++)
        of_mix += times[i];
    for (size_t n = 0; n < count; n++) {
        size_t next = 0;
        for (size_t i = 0; i < kinds; i++) {
            behind[i] += times[i] / of_mix;
            if (behind[i] > behind[next])
                next = i;
        }
        behind[next] -= 1;
        all[n] = (uint8_t)next;
    }
}

/*
 * The kinds that the loop executes: in the given order, spread evenly, or shuffled. Returns how many mixes these are.
 */
static size_t arrange(struct probe *p, const struct mixes *m, size_t body, size_t of_mix, uint8_t *all, size_t *used)
{
    const struct mix_order *o = &m->order;

    if (o->slots) {
        const size_t rounds = body > o->slots ? body / o->slots : 1;
        *used = rounds * o->slots;
        for (size_t i = 0; i < *used; i++)
            all[i] = o->kinds[i % o->slots];
        return rounds * o->mixes;
    }
    const size_t mixes = body > of_mix ? body / of_mix : 1;
    *used = mixes * of_mix;
    mixes_spread(m->mix.times, m->count, all, *used);
    if (m->shuffled)
        random_shuffle(all, *used, sizeof all[0], &p->random);
    return mixes;
}

static void emit_blank(struct code *c, const struct mix_blank *b)
{
    if (b->idiom)
        emit_idiom(c, b->idiom, sink, sink);
    else
        emit_nop(c, b->nop_bytes);
}

bool mixes_build(struct probe *p, void *context, struct kernel *k)
{
    struct mixes *m = context;
    struct independent registers = {choose_registers(OPERAND_GENERAL), choose_registers(OPERAND_VECTOR)};
    struct encoded same[PORTS_CLASSES] = {{.bytes = 0}};
    struct code c = probe_code(p, CODE_BYTES);
    const size_t body = (size_t)probe_smoke(p, SMOKE_BODY, BODY);
    uint8_t order[BODY];
    size_t of_mix = 0, used = 0, mixes = 0, loads = 0, stores = 0;

    for (size_t i = 0; i < m->count; i++)
        of_mix += m->mix.times[i];
    if (of_mix)
        mixes = arrange(p, m, body, of_mix, order, &used);
    emit_zeros(&c);
    emit_constant(&c, source, 1);
    emit_align(&c, 64);
    const size_t loop = c.used;
    for (size_t i = 0; i < used; i++) {
        if (order[i] == MIX_BLANK)
            emit_blank(&c, &m->blank);
        else if (order[i] == m->load)
            emit_load(&c, loaded, REG_DATA, ((int32_t)(loads++ % WORDS) - WORDS) * WORD_BYTES);
        else if (order[i] == m->store)
            emit_store(&c, source, REG_DATA, (int32_t)(stores++ % WORDS) * WORD_BYTES);
        else
            emit_or_copy(&c, m->forms[order[i]], &registers, &same[order[i]]);
    }
    for (size_t blanks = !of_mix ? body : m->order.slots && m->order.tail; blanks; blanks--)
        emit_blank(&c, &m->blank);
    emit_loop(&c, loop);
    for (size_t i = 0; i < m->count; i++)
        if (m->forms[i])
            emit_form_end(&c, m->forms[i]);
    emit_return(&c);
    k->data = m->area->at + BASE_AT;
    k->units = (double)(of_mix ? mixes : body);
    k->warm_iterations = probe_smoke(p, 2, 8);
    return probe_kernel(p, &c, 0, k);
}

void mixes_choose(struct mixes *m, size_t most, mixes_is_there *more, void *context, bool store)
{
    m->count = 0;
    for (const struct form_unit *f = form_units; f->form && m->count < most && m->count < PORTS_CLASSES - 2; f++) {
        const struct form *form = form_find(f->form);
        const bool taken = m->count && !strcmp(m->classes[m->count - 1], f->class);
        if (!form || taken || !form_unit_is_there(f))
            continue;
        m->classes[m->count] = f->class;
        m->forms[m->count++] = form;
    }
    for (const struct form_unit *f = form_units_more; more && f->form && m->count < PORTS_CLASSES - 2; f++) {
        const struct form *form = form_find(f->form);
        if (!form || !more(context, form))
            continue;
        m->classes[m->count] = f->class;
        m->forms[m->count++] = form;
    }
    m->load = m->count++;
    m->classes[m->load] = "load";
    m->store = store ? m->count++ : PORTS_CLASSES;
    if (store)
        m->classes[m->store] = "store";
}
