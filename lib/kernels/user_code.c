#include "lib/kernels/user_code.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/random.h"

enum {
    STACK_BYTES = 8192,
    STACK_ABOVE = 1024, /* of these above the stack pointer, for code that stores there */
    FREE_ABOVE = 64,    /* bytes above the stack pointer that are left to the code before what is stored here */
    DUMPED = 24,        /* general registers, and vector registers, of which it is found out whether they are used */
    ROOM = 8192,        /* bytes of code for what stands around the copies, the initial code apart */
    REGISTER_ROOM = 16, /* bytes that giving a register its value takes at most */
    WARM_ITERATIONS = 20,
    WARM_PREDICTORS = 400 /* until branches that do the same in each iteration are predicted */
};

const char *user_place_map(struct user_place *w, const struct user_kernel *k)
{
    *w = (struct user_place){.kernel = k};
    const char *why = machine_map(&w->stack, STACK_BYTES, 0, AREA_DATA);
    if (!why)
        why = machine_map(&w->state, sizeof(struct harness_state), 0, AREA_DATA);
    if (!why && k->memory_bytes)
        why = machine_map(&w->data, (size_t)(k->memory_bytes + k->offset_bytes), (size_t)k->page_bytes, AREA_DATA);
    w->memory = w->data.at + k->offset_bytes;
    return why;
}

uint64_t user_value(const struct user_place *w, unsigned number)
{
    const struct user_kernel *k = w->kernel;

    for (unsigned i = 0; i < k->register_count; i++)
        if (harness_register_find(k->registers[i].name) == number)
            return k->registers[i].value + (k->registers[i].is_address ? w->memory : 0);
    return number == harness_link ? w->trap : 0;
}

/* One cycle through pointers that lie a stride apart, in random order: each holds the address of the next. */
static void fill_chain(struct user_place *w, uint8_t *memory)
{
    const struct user_kernel *k = w->kernel;
    const uint64_t count = k->memory_bytes / k->stride_bytes;
    uint64_t state = 1;

    /* Sattolo's algorithm, in the memory itself: the numbers of the elements first, then their addresses */
    for (uint64_t i = 0; i < count; i++)
        memcpy(memory + i * k->stride_bytes, &i, sizeof i);
    for (uint64_t i = count - 1; i > 0; i--) {
        const uint64_t other = random_below(&state, i);
        uint64_t a, b;
        memcpy(&a, memory + i * k->stride_bytes, sizeof a);
        memcpy(&b, memory + other * k->stride_bytes, sizeof b);
        memcpy(memory + i * k->stride_bytes, &b, sizeof b);
        memcpy(memory + other * k->stride_bytes, &a, sizeof a);
    }
    for (uint64_t i = 0; i < count; i++) {
        uint64_t next;
        memcpy(&next, memory + i * k->stride_bytes, sizeof next);
        next = w->memory + next * k->stride_bytes;
        memcpy(memory + i * k->stride_bytes, &next, sizeof next);
    }
}

void user_fill(struct user_place *w)
{
    const struct user_kernel *k = w->kernel;
    uint64_t state = 2;

    memset(w->stack.write, 0, STACK_BYTES);
    if (harness_link == harness_registers)
        memcpy(w->stack.write + STACK_BYTES - STACK_ABOVE, &w->trap, sizeof w->trap);
    if (!k->memory_bytes)
        return;
    uint8_t *memory = w->data.write + k->offset_bytes;
    memset(memory, 0, k->memory_bytes);
    for (uint64_t at = 0; at < k->memory_bytes && k->contents == CONTENTS_RANDOM; at += sizeof(uint64_t)) {
        const uint64_t value = random_next(&state);
        memcpy(memory + at, &value, sizeof value);
    }
    if (k->contents == CONTENTS_CHAIN)
        fill_chain(w, memory);
}

/* NOPs that take exactly so many bytes and, where lengths allow it, so many instructions. */
static void emit_control(struct code *c, size_t from, unsigned instructions)
{
    const size_t bytes = c->used - from;

    c->used = from;
    for (unsigned i = 0; i < instructions && code_good(c); i++) {
        const size_t left = from + bytes - c->used, share = left / (instructions - i);
        emit_nop(c, (unsigned)(share < emit_longest ? share : emit_longest));
    }
}

/* The index-th register with a name in enum reg that the code leaves alone; REGS where there are fewer. */
static enum reg unused_register(const struct user_place *w, unsigned index)
{
    for (unsigned r = 0; r < REGS; r++)
        if (w->unused >> form_register((enum reg)r) & 1 && !index--)
            return (enum reg)r;
    return REGS;
}

bool user_can_store(const struct user_place *w)
{
    return unused_register(w, 1) < REGS;
}

static void emit_word(struct code *c, const struct user_place *w, const struct user_word *word)
{
    const enum reg at = unused_register(w, 0), value = unused_register(w, 1);

    if (value == REGS)
        return;
    emit_harness_value(c, form_register(at), word->at);
    emit_harness_value(c, form_register(value), word->value);
    emit_store(c, value, at, 0);
}

/* Gives registers, and a word, their first values again, or emits as many NOPs. */
static void emit_again(struct code *c, const struct user_place *w, const struct user_variant *v, unsigned vector_bits)
{
    if (v->fences)
        emit_fence(c, FENCE_INSTRUCTIONS);
    for (unsigned r = 0; r <= harness_registers + harness_vectors + 1; r++) {
        const unsigned vector = r - harness_registers;
        const size_t from = c->used;
        const uint64_t before = c->work.instructions;
        if (r < harness_registers && v->values >> r & 1)
            emit_harness_value(c, r, user_value(w, r));
        else if (r >= harness_registers && vector < harness_vectors && v->vectors >> vector & 1)
            emit_harness_clear_vector(c, vector, vector_bits);
        else if (r == harness_registers + harness_vectors && v->flags)
            emit_harness_set_flags(c);
        else if (r == harness_registers + harness_vectors + 1 && v->word.at)
            emit_word(c, w, &v->word);
        if (v->as_nops && c->used > from)
            emit_control(c, from, (unsigned)(c->work.instructions - before));
    }
}

/* The index-th set bit of the mask, counted round and round; the mask has one. */
static unsigned nth_bit(uint32_t mask, unsigned index)
{
    unsigned bit = 31;

    for (unsigned left = index + 1; left > 0;) {
        bit = (bit + 1) % 32;
        left -= mask >> bit & 1;
    }
    return bit;
}

static uint32_t unused_of(const struct user_place *w, const struct form_operand *o)
{
    return o->kind == OPERAND_GENERAL ? w->unused : o->kind == OPERAND_VECTOR ? w->unused_vectors : 0;
}

bool user_can_add(const struct user_place *w, const struct user_added *a)
{
    for (unsigned i = 0; a->form && i < a->form->operand_count; i++) {
        const struct form_operand *o = form_operand(a->form, i);
        uint32_t fit = unused_of(w, o);
        for (unsigned n = 0; n < 32; n++)
            fit &= form_has_field(o) && form_fits(o, n) ? ~(uint32_t)0 : ~(UINT32_C(1) << n);
        if (form_has_field(o) && (fit != unused_of(w, o) || !fit))
            return false;
        if (!form_has_field(o) && o->kind != OPERAND_FLAGS && o->kind != OPERAND_IMMEDIATE)
            return false;
    }
    return !(a->load || a->store) || w->unused;
}

/* What is written rotates through the registers, what is only read is the first of them. */
static void emit_added(struct code *c, const struct user_place *w, const struct user_added *a, unsigned copy)
{
    for (unsigned i = 0; i < a->count; i++) {
        const unsigned index = copy * a->count + i;
        uint8_t registers[FORM_OPERANDS];
        unsigned fields = 0;
        for (unsigned n = 0; a->form && n < a->form->operand_count; n++) {
            const struct form_operand *o = form_operand(a->form, n);
            if (form_has_field(o))
                registers[fields++] = (uint8_t)nth_bit(unused_of(w, o), o->access & OPERAND_WRITE ? index : 0);
        }
        if (a->form)
            emit_form(c, a->form, registers);
        if (a->load)
            emit_harness_load(c, nth_bit(w->unused, index), FREE_ABOVE);
        if (a->store)
            emit_harness_store(c, nth_bit(w->unused, index), FREE_ABOVE);
        if (a->nop_bytes)
            emit_nop(c, a->nop_bytes);
    }
}

/* Stores all registers above the stack pointer, 16 bytes each: general ones first, then vectors. */
static void emit_dump(struct code *c)
{
    for (unsigned r = 0; r < harness_registers; r++)
        if (harness_is_free(r) && r < DUMPED)
            emit_harness_store(c, r, FREE_ABOVE + 16 * r);
    for (unsigned v = 0; v < harness_vectors && v < DUMPED; v++)
        emit_harness_store_vector(c, v, FREE_ABOVE + 16 * (DUMPED + v));
}

/* Small, different, and odd: a register that was written holds another value. */
static uint64_t other_value(unsigned number)
{
    return 2 * number + 3;
}

/* What vector registers hold then: the double 1.5, twice (IEEE 754-2008, 3.6). */
static const uint64_t other_vector[2] = {0x3ff8000000000000, 0x3ff8000000000000};

static void emit_other_vectors(struct code *c, struct user_place *w)
{
    memcpy(w->stack.write + STACK_BYTES - STACK_ABOVE + FREE_ABOVE, other_vector, sizeof other_vector);
    for (unsigned v = 0; v < harness_vectors; v++)
        emit_harness_load_vector(c, v, FREE_ABOVE);
}

/* A copy of the code, perhaps with NOPs in the place of a part of it. */
static void emit_user_copy(struct code *c, const struct user_kernel *u, const struct user_variant *v)
{
    const size_t at = v->without_bytes ? v->without_at : u->code_bytes, behind = at + v->without_bytes;

    emit_bytes(c, u->code, behind);
    if (v->without_bytes)
        emit_control(c, c->used - v->without_bytes, (unsigned)((v->without_bytes + emit_longest - 1) / emit_longest));
    emit_bytes(c, u->code + behind, u->code_bytes - behind);
}

static size_t room_for(const struct user_kernel *k, const struct user_variant *v)
{
    const size_t again = (harness_registers + harness_vectors + 4) * REGISTER_ROOM;
    const size_t added = (size_t)v->added.count * 2 * emit_longest;

    return ROOM + k->init_bytes + v->copies * (k->code_bytes + added) +
           (v->copies / (v->every ? v->every : 1) + 1) * again;
}

static uint64_t lines_of(uint64_t bytes)
{
    return (bytes + USER_LINE - 1) / USER_LINE;
}

bool user_code_make(struct probe *p, struct user_place *w, struct user_variant *v, struct kernel *k)
{
    const struct user_kernel *u = w->kernel;
    const unsigned vector_bits = machine_info()->vector_bits;
    struct code c = probe_code(p, room_for(u, v));

    w->trap = c.at;
    user_fill(w);
    emit_undefined(&c);
    emit_align(&c, USER_LINE);
    v->entry = c.used;
    emit_harness_enter(&c, w->state.at, w->stack.at + STACK_BYTES - STACK_ABOVE, vector_bits);
    for (unsigned r = 0; r < harness_registers; r++)
        if (harness_is_free(r))
            emit_harness_value(&c, r, v->others && !user_value(w, r) ? other_value(r) : user_value(w, r));
    if (v->others)
        emit_other_vectors(&c, w);
    v->init = c.used;
    emit_bytes(&c, u->init, u->init_bytes);
    emit_align(&c, USER_LINE);
    for (unsigned i = 0; i < v->shift; i++)
        emit_nop(&c, emit_nop_lengths[0]);
    v->first = c.used;
    for (unsigned i = 0; i < v->copies; i++) {
        if (i % (v->every ? v->every : 1) == 0)
            emit_again(&c, w, v, vector_bits);
        if (i < 2)
            v->starts[i] = c.used;
        emit_user_copy(&c, u, v);
        emit_added(&c, w, &v->added, i);
    }
    v->end = c.used;
    if (v->dumps)
        emit_dump(&c);
    if (!v->once)
        emit_harness_loop(&c, v->first);
    emit_harness_leave(&c, w->state.at, vector_bits);
    if (v->once) {
        const uint64_t data = u->memory_bytes < USER_FLUSHED ? u->memory_bytes : USER_FLUSHED;
        v->data_lines = lines_of(data);
        v->code_lines = lines_of(c.used);
        emit_align(&c, USER_LINE);
        v->flush_data = c.used;
        emit_harness_flush(&c, w->memory, USER_LINE);
        v->flush_code = c.used;
        emit_harness_flush(&c, c.at, USER_LINE);
    }
    *k = (struct kernel){.units = v->copies ? v->copies : 1,
                         .warm_iterations = probe_smoke(p, 1, v->fences ? WARM_PREDICTORS : WARM_ITERATIONS),
                         .length_factor = v->length_factor};
    return probe_kernel(p, &c, v->entry, k);
}

bool user_find_unused(struct probe *p, struct user_place *w)
{
    struct user_variant v = {.copies = 2, .once = true, .dumps = true, .others = true};
    const uint8_t *dumped = w->stack.write + STACK_BYTES - STACK_ABOVE + FREE_ABOVE;
    struct kernel k;

    w->unused = w->unused_vectors = 0;
    if (!user_code_make(p, w, &v, &k))
        return false;
    struct reading r = {.kernel = k.entry, .argument = {1, 0}};
    if (machine_window(&r, 1).end != WINDOW_RAN)
        return true;
    for (unsigned n = 0; n < DUMPED; n++) {
        const uint64_t other = other_value(n);
        if (n < harness_registers && harness_is_free(n) && !user_value(w, n) && !memcmp(dumped + 16 * n, &other, 8))
            w->unused |= UINT32_C(1) << n;
        if (n < harness_vectors && !memcmp(dumped + 16 * (DUMPED + n), other_vector, sizeof other_vector))
            w->unused_vectors |= UINT32_C(1) << n;
    }
    return true;
}

/* Adds the words of an area that differ from what was there before. */
static void add_changed(struct user_written *out, const uint8_t *before, const uint8_t *now, size_t bytes,
                        struct user_word first)
{
    for (size_t at = 0; at + 8 <= bytes; at += 8) {
        struct user_word word = first;
        bool known = false;
        if (!memcmp(before + at, now + at, 8))
            continue;
        word.at += at;
        word.offset += (int64_t)at;
        memcpy(&word.value, before + at, 8);
        for (unsigned i = 0; i < out->count; i++)
            known |= out->words[i].at == word.at;
        if (!known && out->count == USER_WRITTEN)
            out->more = true;
        else if (!known)
            out->words[out->count++] = word;
    }
}

bool user_find_written(struct probe *p, struct user_place *w, struct user_written *out)
{
    const size_t stack = STACK_BYTES - STACK_ABOVE, data = w->kernel->memory_bytes & ~(uint64_t)7;
    const size_t begin = (size_t)(-w->memory % 8), room = data > begin ? data - begin : 0;
    uint8_t *before = malloc(STACK_BYTES + room);

    *out = (struct user_written){.count = 0};
    if (!before) {
        out->more = true;
        return true;
    }
    /* once with its own values and once with others: it may write what is there already */
    for (unsigned others = 0; others < 2; others++) {
        struct user_variant v = {.copies = 2, .once = true, .others = others};
        const uint8_t *memory = w->data.write + w->kernel->offset_bytes + begin;
        struct kernel k;
        if (!user_code_make(p, w, &v, &k)) {
            free(before);
            return false;
        }
        memcpy(before, w->stack.write, STACK_BYTES);
        if (room)
            memcpy(before + STACK_BYTES, memory, room);
        struct reading r = {.kernel = k.entry, .argument = {1, 0}};
        if (machine_window(&r, 1).end != WINDOW_RAN)
            continue;
        add_changed(out, before, w->stack.write, STACK_BYTES,
                    (struct user_word){.at = w->stack.at, .in_stack = true, .offset = -(int64_t)stack});
        if (room)
            add_changed(out, before + STACK_BYTES, memory, room,
                        (struct user_word){.at = w->memory + begin, .offset = (int64_t)begin});
    }
    free(before);
    return true;
}

const char *user_where(const struct user_place *w, const struct user_variant *v, uint64_t entry, uint64_t pc,
                       uint64_t *offset)
{
    const struct user_kernel *u = w->kernel;
    const uint64_t base = entry - v->entry, at = pc - base,
                   each = v->copies > 1 ? v->starts[1] - v->starts[0] : v->end - v->starts[0];

    *offset = 0;
    if (pc < base)
        return "elsewhere";
    if (at >= v->init && at < v->init + u->init_bytes) {
        *offset = at - v->init;
        return "init";
    }
    if (at >= v->starts[0] && at < v->end && each && (at - v->starts[0]) % each < u->code_bytes) {
        *offset = (at - v->starts[0]) % each;
        return "code";
    }
    return at < v->end + ROOM ? "harness" : "elsewhere";
}

const char *user_left(const struct user_place *w, uint64_t count)
{
    struct harness_state s;

    memcpy(&s, w->state.write, sizeof s);
    if (s.count_left != count)
        return "the code changes the register that counts iterations; use another one";
    if (s.stack_left != w->stack.at + STACK_BYTES - STACK_ABOVE)
        return "the code leaves the stack pointer changed; each copy must put it back";
    return NULL;
}
