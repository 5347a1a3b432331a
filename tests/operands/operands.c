/*
 * Checks the operands in the catalogue against execution: each form is executed with random values, again with one of
 * its operands changed, and again with everything changed that is not an operand. A register that changes was written;
 * one whose change changes a written register was read.
 *
 * usage: operands SEED FORMS
 * e.g.:  build/tests/operands_x86_64 1 500
 *
 * FORMS is the number of forms, drawn at random; 0: all. Nothing may be read or written that the catalogue does not
 * have. An access in the catalogue that never shows may still be there, for example when the result is zero or not a
 * number whatever the operand: such accesses are counted and listed.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "arch/catalogue.h"
#include "lib/base/random.h"
#include "tests/operands/execute.h"

/* The stack of x87: where its words and registers are (Intel SDM vol. 1, figure 8-9), and their first values. */
enum {
    X87_REGISTERS = 8,
    X87_STATUS_AT = 4,
    X87_TAGS_AT = 8,
    X87_REGISTERS_AT = 28,
    X87_REGISTER_BYTES = 10,
    X87_CONTROL = 0x37f,
    X87_CODES = 0x4700, /* of the status word: C0 to C3 */
    X87_ONE = 0x3fff    /* the exponent of 1 */
};
enum { FARTHEST = 120 }; /* the largest offset that a gather has in a vector; some are scaled by 8 */
enum { PAGE_BYTES = 4096, DATA_AT = 1024, CODE_BYTES = 64, TRIALS = 24, SMALL = 64, ALL = OPERAND_KINDS };

/* Values that a trial draws: any bits; integers below SMALL; numbers above one in every type; few, often equal. */
enum mode { ANY_BITS, SMALL_INTEGERS, NUMBERS, FEW, MODES };

struct machine {
    struct state registers;
    uint8_t page[PAGE_BYTES];
};

static uint64_t chance,
    general_most; /* the latter: of general registers, so that no bit number addresses memory far away */
static unsigned vector_bytes;
static unsigned address_register, address_bytes; /* a vector of addresses that the form has; 0: none */
static uint8_t *page, *code;
static sigjmp_buf way_back;

static void on_fault(int number)
{
    siglongjmp(way_back, number);
}

static uint64_t draw(enum mode mode)
{
    const uint64_t x = random_next(&chance);

    switch (mode) {
    case SMALL_INTEGERS: return x % SMALL;
    case NUMBERS: return UINT64_C(0x4000400040004000) | (x & UINT64_C(0x03ff03ff03ff03ff));
    case FEW:
        return x % 4 < 2    ? x % 4 * UINT64_C(0x0101010101010101)
               : x % 4 == 2 ? UINT64_MAX
                            : UINT64_C(0x0808080808080808);
    default: return x;
    }
}

static void fill(void *at, size_t bytes, enum mode mode)
{
    for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        const uint64_t x = draw(mode);
        memcpy((uint8_t *)at + i, &x, bytes - i < sizeof x ? bytes - i : sizeof x);
    }
}

/* Where a register is, and how many bytes of it can be compared; for memory, all that an instruction can reach. */
static uint8_t *at(struct machine *m, unsigned kind, unsigned number, size_t *bytes)
{
    struct state *s = &m->registers;

    switch (kind) {
    case OPERAND_GENERAL: *bytes = 8; return (uint8_t *)&s->general[number];
    case OPERAND_VECTOR: *bytes = vector_bytes; return s->vector + (size_t)number * vector_bytes;
    case OPERAND_MASK: *bytes = vector_bytes / 8; return s->mask + (size_t)number * (vector_bytes / 8);
    case OPERAND_MMX: *bytes = 8; return (uint8_t *)&s->mmx[number];
    case OPERAND_X87:
        *bytes = X87_REGISTER_BYTES;
        return s->x87 + X87_REGISTERS_AT + (size_t)number * X87_REGISTER_BYTES;
    case OPERAND_FLAGS: *bytes = 8; return (uint8_t *)&s->flags;
    case OPERAND_MEMORY: *bytes = PAGE_BYTES; return m->page;
    default: *bytes = 0; return NULL;
    }
}

static bool differ(struct machine *a, struct machine *b, unsigned kind, unsigned number, unsigned bits)
{
    size_t bytes;
    const uint8_t *p = at(a, kind, number, &bytes), *q = at(b, kind, number, &bytes);

    if (kind == OPERAND_FLAGS)
        return ((a->registers.flags ^ b->registers.flags) & execute_flags) != 0;
    if (kind != OPERAND_MEMORY && bits && bits / 8 < bytes)
        bytes = bits / 8 ? bits / 8 : 1;
    return bytes && memcmp(p, q, bytes) != 0;
}

static unsigned word(const struct state *s, unsigned at)
{
    return s->x87[at] | (unsigned)s->x87[at + 1] << 8;
}

static void set_word(struct state *s, unsigned at, unsigned value)
{
    s->x87[at] = (uint8_t)value;
    s->x87[at + 1] = (uint8_t)(value >> 8);
}

static unsigned top_of(const struct state *s)
{
    return word(s, X87_STATUS_AT) >> 11 & 7;
}

static int registers_in_use(const struct state *s)
{
    int count = 0;

    for (unsigned i = 0; i < X87_REGISTERS; i++)
        count += (word(s, X87_TAGS_AT) >> 2 * i & 3) != 3;
    return count;
}

/* Draws a number around 1, since others make most results NaN. */
static void draw_extended(uint8_t *at)
{
    const uint64_t x = random_next(&chance), mantissa = (x & 1 ? random_next(&chance) : 0) | (uint64_t)1 << 63;
    const unsigned upper = (X87_ONE - 2 + (unsigned)(x >> 1 & 3)) | (x >> 3 & 3 ? 0 : 0x8000);

    memcpy(at, &mantissa, sizeof mantissa);
    at[8] = (uint8_t)upper;
    at[9] = (uint8_t)(upper >> 8);
}

/* Draws the stack with a random top; where a form pushes, the last register is empty. */
static void draw_stack(struct state *s, int pushed)
{
    const unsigned top = (unsigned)random_below(&chance, X87_REGISTERS);

    memset(s->x87, 0, sizeof s->x87);
    set_word(s, 0, X87_CONTROL);
    set_word(s, X87_STATUS_AT, top << 11);
    set_word(s, X87_TAGS_AT, pushed > 0 ? 3u << 2 * ((top + X87_REGISTERS - 1) % X87_REGISTERS) : 0);
    for (unsigned i = 0; i < X87_REGISTERS; i++)
        draw_extended(s->x87 + X87_REGISTERS_AT + (size_t)i * X87_REGISTER_BYTES);
}

/* FNSAVE stores the registers of x87 from the top on: puts them in the order that they had before. */
static void number_as_before(struct state *s, unsigned top)
{
    uint8_t saved[X87_REGISTERS * X87_REGISTER_BYTES];

    memcpy(saved, s->x87 + X87_REGISTERS_AT, sizeof saved);
    for (unsigned i = 0; i < X87_REGISTERS; i++)
        memcpy(s->x87 + X87_REGISTERS_AT +
                   (size_t)((i + top_of(s) + X87_REGISTERS - top) % X87_REGISTERS) * X87_REGISTER_BYTES,
               saved + (size_t)i * X87_REGISTER_BYTES, X87_REGISTER_BYTES);
}

/* Makes a vector of offsets stay within the page. */
static void keep_near(struct state *s, unsigned number, unsigned bytes)
{
    for (unsigned i = 0; i < vector_bytes / bytes; i++) {
        uint64_t x = 0;
        uint8_t *lane = s->vector + (size_t)number * vector_bytes + (size_t)i * bytes;
        memcpy(&x, lane, bytes);
        x %= FARTHEST;
        memcpy(lane, &x, bytes);
    }
}

/* Draws another value for a register or for memory. */
static void change(struct machine *m, unsigned kind, unsigned number, enum mode mode)
{
    size_t bytes;
    uint8_t *p = at(m, kind, number, &bytes);

    if (kind == OPERAND_FLAGS)
        m->registers.flags ^= random_next(&chance) & execute_flags;
    else if (kind == OPERAND_X87)
        draw_extended(p);
    else
        fill(p, bytes, mode);
    if (kind == OPERAND_VECTOR && address_bytes && number == address_register)
        keep_near(&m->registers, number, address_bytes);
    if (kind == OPERAND_GENERAL)
        m->registers.general[number] &= general_most;
}

/* 0, or the signal that it ended with. */
static int run(struct machine *m)
{
    memcpy(page, m->page, PAGE_BYTES);
    const int fault = sigsetjmp(way_back, 1);
    if (fault)
        return fault;
    const unsigned top = top_of(&m->registers);
    execute(&m->registers);
    if (m->registers.uses_x87)
        number_as_before(&m->registers, top);
    memcpy(m->page, page, PAGE_BYTES);
    return 0;
}

/* ---- One form -------------------------------------------------------------------------------------- */

struct subject {
    const struct form *form;
    uint8_t register_of[FORM_OPERANDS];
    bool has_memory, has_stack;
    unsigned seen_read, seen_written; /* operands, a bit each */
};

struct tally {
    unsigned held, absent, state, faulted, wrong, unseen;
};

static bool is_register(const struct form_operand *o)
{
    return o->kind != OPERAND_IMMEDIATE && o->kind != OPERAND_MEMORY;
}

static unsigned count_of(unsigned kind)
{
    switch (kind) {
    case OPERAND_GENERAL:
    case OPERAND_VECTOR: return REGISTERS;
    case OPERAND_MASK: return vector_bytes ? 16 : 0;
    case OPERAND_MMX: return 8;
    case OPERAND_X87: return X87_REGISTERS;
    case OPERAND_FLAGS:
    case OPERAND_MEMORY: return 1;
    default: return 0;
    }
}

/* Whether the operand is that register, or one of a list, or memory. */
static bool is_of(const struct subject *s, unsigned i, unsigned kind, unsigned number)
{
    const struct form_operand *o = form_operand(s->form, i);

    return o->kind == kind &&
           (!is_register(o) || (number + count_of(kind) - s->register_of[i]) % count_of(kind) <= o->more);
}

/* What the catalogue says of a register, or of memory, over all operands that are it; and of how many bits of it. */
static unsigned access_of(const struct subject *s, unsigned kind, unsigned number, unsigned *bits)
{
    unsigned access = 0;

    *bits = 0;
    for (unsigned i = 0; i < s->form->operand_count; i++) {
        const struct form_operand *o = form_operand(s->form, i);
        if (!is_of(s, i, kind, number))
            continue;
        access |= o->access;
        const unsigned of_one = o->bits / (o->more + 1u);
        *bits = of_one > *bits ? of_one : *bits;
    }
    return access;
}

static bool is_operand(const struct subject *s, unsigned kind, unsigned number)
{
    for (unsigned i = 0; i < s->form->operand_count; i++)
        if (is_of(s, i, kind, number))
            return true;
    return false;
}

static bool is_taken(const bool *used, unsigned number, unsigned more)
{
    for (unsigned i = 0; i <= more; i++)
        if (used[number + i] || number + i >= REGISTERS)
            return true;
    return false;
}

/* Different registers for all operands of a kind. */
static void choose(struct subject *s, uint8_t *numbers)
{
    bool used[OPERAND_KINDS][256] = {{false}};

    for (unsigned i = 0; i < s->form->operand_count; i++) {
        const struct form_operand *o = form_operand(s->form, i);
        s->register_of[i] = o->kind == OPERAND_FLAGS ? 0 : o->fixed;
        if (!form_has_field(o))
            used[o->kind][o->fixed] = true;
    }
    for (unsigned i = 0; i < s->form->operand_count; i++) {
        const struct form_operand *o = form_operand(s->form, i);
        if (!form_has_field(o))
            continue;
        unsigned count = 0, n;
        while (form_registers[o->kind][count] != FIELD_NONE)
            count++;
        do
            n = form_registers[o->kind][random_below(&chance, count)];
        while (!form_fits(o, n) || is_taken(used[o->kind], n, o->more));
        memset(&used[o->kind][n], true, o->more + 1u);
        s->register_of[i] = *numbers++ = (uint8_t)n;
    }
}

static void complain(const struct subject *s, const char *what, unsigned kind, unsigned number)
{
    printf("# %s: %s %s %u\n", form_name(s->form), what, kind == ALL ? "what is no operand" : operand_kind_names[kind],
           kind == ALL ? 0 : number);
}

/* What differs from before to after, and is no operand that is written: nothing. */
static bool only_writes_operands(struct subject *s, struct machine *before, struct machine *after)
{
    bool good = true;

    for (unsigned kind = 0; kind < OPERAND_KINDS; kind++)
        for (unsigned n = 0; n < count_of(kind); n++) {
            unsigned bits;
            if (!differ(before, after, kind, n, 0))
                continue;
            if (!(access_of(s, kind, n, &bits) & OPERAND_WRITE)) {
                complain(s, "writes", kind, n);
                good = false;
            }
            for (unsigned i = 0; i < s->form->operand_count; i++)
                if (is_of(s, i, kind, n))
                    s->seen_written |= 1u << i;
        }
    return good;
}

/* Flags that stay as they were, in both, are not written: cores may rename them apart. */
static bool flags_differ(const struct machine *before_a, const struct machine *a, const struct machine *before_b,
                         const struct machine *b)
{
    const uint64_t stay = ~(before_a->registers.flags ^ a->registers.flags) &
                          ~(before_b->registers.flags ^ b->registers.flags);

    return ((a->registers.flags ^ b->registers.flags) & ~stay & execute_flags) != 0;
}

/* Whether anything that is written differs. */
static bool result_differs(const struct subject *s, const struct machine *before_a, struct machine *a,
                           const struct machine *before_b, struct machine *b)
{
    if ((word(&a->registers, X87_STATUS_AT) ^ word(&b->registers, X87_STATUS_AT)) & X87_CODES)
        return true;
    for (unsigned kind = 0; kind < OPERAND_KINDS; kind++)
        for (unsigned n = 0; n < count_of(kind); n++) {
            unsigned bits;
            if ((access_of(s, kind, n, &bits) & OPERAND_WRITE) &&
                (kind == OPERAND_FLAGS ? flags_differ(before_a, a, before_b, b) : differ(a, b, kind, n, bits)))
                return true;
        }
    return false;
}

/* Memory that is written may be so in part: what is beside it stays as it was, and is no result. */
static void same_beside(struct machine *from, struct machine *to, const struct machine *before, unsigned access)
{
    if (!(access & OPERAND_WRITE) || (access & OPERAND_READ))
        return;
    for (size_t i = 0; i < PAGE_BYTES; i++)
        if (to->page[i] == before->page[i]) /* not written, as far as can be seen */
            to->page[i] = from->page[i];
}

static int try_one(struct subject *s, struct machine *first, enum mode mode, bool *good)
{
    static struct machine before, after, changed, other;

    before = *first;
    after = before;
    int fault = run(&after);
    if (fault)
        return fault;
    *good &= only_writes_operands(s, &before, &after);
    if (s->has_stack && registers_in_use(&after.registers) - registers_in_use(&before.registers) != s->form->stack) {
        printf("# %s: pushes or pops another number of registers\n", form_name(s->form));
        *good = false;
    }
    for (unsigned i = 0; i < s->form->operand_count; i++) {
        const struct form_operand *o = form_operand(s->form, i);
        unsigned bits;
        if (o->kind == OPERAND_IMMEDIATE ||
            (s->has_memory && o->kind == OPERAND_GENERAL && s->register_of[i] == form_register(REG_DATA)))
            continue;
        const unsigned access = access_of(s, o->kind, s->register_of[i], &bits);
        changed = before;
        for (unsigned k = 0; k <= o->more; k++)
            change(&changed, o->kind, s->register_of[i] + k, mode);
        other = changed;
        if (run(&other))
            continue;
        if (o->kind == OPERAND_MEMORY)
            same_beside(&after, &other, &changed, access);
        if (!result_differs(s, &before, &after, &changed, &other))
            continue;
        s->seen_read |= 1u << i;
        if (!(access & OPERAND_READ)) {
            complain(s, "reads", o->kind, s->register_of[i]);
            *good = false;
        }
    }
    changed = before;
    for (unsigned kind = 0; kind < OPERAND_KINDS; kind++)
        for (unsigned n = 0; n < count_of(kind); n++)
            if (!is_operand(s, kind, n) && !(kind == OPERAND_GENERAL && n == form_register(REG_DATA)))
                change(&changed, kind, n, mode);
    other = changed;
    if (!run(&other) && result_differs(s, &before, &after, &changed, &other)) {
        complain(s, "reads", ALL, 0);
        *good = false;
    }
    return 0;
}

static void hold(const struct form *f, struct tally *t)
{
    static struct machine m;
    struct subject s = {.form = f};
    uint8_t numbers[FORM_OPERANDS];
    unsigned tried = 0, expected_read = 0, expected_written = 0;
    bool good = true;
    int fault = 0;

    choose(&s, numbers);
    struct code c = code_start(code, (uintptr_t)code, CODE_BYTES);
    emit_form(&c, f, numbers);
    emit_return(&c);
    __builtin___clear_cache((char *)code, (char *)code + CODE_BYTES);
    for (unsigned i = 0; i < f->operand_count; i++) {
        s.has_memory |= form_operand(f, i)->kind == OPERAND_MEMORY;
        s.has_stack |= form_operand(f, i)->kind == OPERAND_X87;
    }
    address_bytes = 0;
    for (unsigned i = 0; i < f->operand_count; i++)
        if (form_operand(f, i)->is_index && form_operand(f, i)->kind == OPERAND_VECTOR) {
            address_bytes = form_operand(f, i)->is_index;
            address_register = s.register_of[i];
        }
    for (unsigned i = 0; i < f->operand_count; i++) {
        const struct form_operand *o = form_operand(f, i);
        const bool is_base = o->kind == OPERAND_GENERAL && s.register_of[i] == form_register(REG_DATA) && s.has_memory;
        if (o->kind == OPERAND_IMMEDIATE || is_base)
            continue;
        expected_read |= (o->access & OPERAND_READ ? 1u : 0) << i;
        expected_written |= (o->access & OPERAND_WRITE ? 1u : 0) << i;
    }
    if (form_is_other_instruction(f)) {
        t->absent++;
        return;
    }
    if (f->class == FORM_STATE) { /* the catalogue does not say what, and state drawn by chance would be too much */
        t->state++;
        return;
    }
    if (!code_good(&c)) {
        complain(&s, "cannot be emitted with", ALL, 0);
        t->wrong++;
        return;
    }
    general_most = s.has_memory ? PAGE_BYTES - 1 : UINT64_MAX;
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        const enum mode mode = (enum mode)(trial % MODES);
        fill(&m.registers, sizeof m.registers, mode);
        fill(m.page, sizeof m.page, mode);
        for (unsigned n = 0; n < REGISTERS; n++)
            m.registers.general[n] &= general_most;
        m.registers.flags = random_next(&chance) & execute_flags;
        m.registers.uses_x87 = s.has_stack || !strcmp(form_feature(f), "X87");
        draw_stack(&m.registers, f->stack);
        if (address_bytes)
            keep_near(&m.registers, address_register, address_bytes);
        m.registers.code = (uintptr_t)code;
        m.registers.general[form_register(REG_DATA)] = (uintptr_t)page + DATA_AT;
        fault = try_one(&s, &m, mode, &good);
        if (fault == SIGILL) {
            t->absent++;
            return;
        }
        tried += !fault;
        if (!good ||
            ((s.seen_read & expected_read) == expected_read && (s.seen_written & expected_written) == expected_written))
            break;
    }
    t->faulted += tried == 0;
    t->wrong += !good;
    if (tried == 0)
        printf("# %s: faults (%d)\n", form_name(f), fault);
    if (tried == 0 || !good)
        return;
    t->held++;
    const unsigned unread = expected_read & ~s.seen_read, unwritten = expected_written & ~s.seen_written;
    t->unseen += (unread | unwritten) != 0;
    for (unsigned i = 0; i < f->operand_count; i++) {
        if (unread >> i & 1)
            complain(&s, "is never seen to read", form_operand(f, i)->kind, s.register_of[i]);
        if (unwritten >> i & 1)
            complain(&s, "is never seen to write", form_operand(f, i)->kind, s.register_of[i]);
    }
}

int main(int count, char **words)
{
    static uint8_t stack[1 << 16];
    const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK};
    struct tally t = {0};

    if (count != 3)
        return 2;
    chance = strtoull(words[1], NULL, 10);
    size_t wanted = strtoul(words[2], NULL, 10), left = form_count;
    wanted = wanted && wanted < form_count ? wanted : form_count;
    vector_bytes = execute_vector_bytes();
    if (!vector_bytes || vector_bytes > VECTOR_BYTES_MOST) {
        puts("1..0 # SKIP this core lacks what is needed to set all its registers");
        return 0;
    }
    sigaltstack(&alternate, NULL);
    for (const int *n = (const int[]){SIGSEGV, SIGBUS, SIGILL, SIGFPE, 0}; *n; n++)
        sigaction(*n, &action, NULL);
    page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    code = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || code == MAP_FAILED)
        return 2;
    for (size_t i = 0; i < form_count; i++)
        if (random_below(&chance, left--) < wanted) {
            wanted--;
            hold(&forms[i], &t);
        }
    printf("# %u forms read and write what the catalogue says, %u of them not all of it that could be seen; %u do not; "
           "%u are absent here, %u always fault, %u are state\n",
           t.held, t.unseen, t.wrong, t.absent, t.faulted, t.state);
    printf("1..1\n%sok 1 - operands\n", t.wrong || !t.held ? "not " : "");
    return t.wrong || !t.held;
}
