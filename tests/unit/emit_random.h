/* Random programs, emitted and run by an emulator: they do what a model of them does. */
#ifndef FATHOM_TESTS_EMIT_RANDOM_H
#define FATHOM_TESTS_EMIT_RANDOM_H

#include "tests/unit/emit_common.h"
#include "tests/unit/emit_emulate.h"

/* ---- A random program and what it means ------------------------------------------------------ */

/* Things a program is made of: single operations, and the ways control goes. */
enum shape {
    SINGLE,   /* one operation */
    DIVISION, /* by a divisor that has been made non-zero */
    INDEXED,  /* a load by an index that has been made small */
    SKIP,     /* conditional branch ahead, over the next items */
    COUNTED,  /* conditional branch back, n times */
    ZIGZAG,   /* ahead, back, ahead, over traps */
    JUMP,     /* indirect branch ahead, over traps */
    CALL_NEAR,
    CALL_FAR, /* to a function that lies ahead */
    CALL_BY_REGISTER,
    SHAPES
};

#define ITEMS 40

struct item {
    enum shape shape;
    struct op op;
    unsigned skip;    /* SKIP: how many items */
    unsigned times;   /* COUNTED */
    uint64_t address; /* what emit_address must have produced */
    struct work work; /* of everything the item executes, functions not included */
    uint64_t taken;
};

/* Only T registers are destinations; REG_COUNT and REG_DATA keep their meaning. */
static unsigned random_target(void)
{
    return REG_T0 + random_below(REGS - REG_T0);
}

static struct op random_op(void)
{
    static const enum kind kinds[] = {NOP,         MOVE,     CONSTANT,    ADD,        ADD_CONSTANT, XOR,   AND_CONSTANT,
                                      SHIFT_RIGHT, MULTIPLY, SQUARE_ROOT, VECTOR_ADD, LOAD,         STORE, FENCE};
    struct op o = {
        .kind = kinds[random_below(sizeof kinds / sizeof *kinds)], .a = random_target(), .b = random_below(REGS)};
    unsigned lengths = 0;
    switch (o.kind) {
    case NOP:
        while (emit_nop_lengths[lengths])
            lengths++;
        o.n = emit_nop_lengths[random_below(lengths)];
        break;
    case CONSTANT: o.n = (int64_t)random_value(); break;
    case ADD_CONSTANT: o.n = (int64_t)random_below(8191) - 4095; break;
    case AND_CONSTANT: o.n = 1 + random_below(31); break;
    case SHIFT_RIGHT: o.n = 1 + random_below(63); break;
    case SQUARE_ROOT:
    case VECTOR_ADD: o.a = random_below(VREGS), o.b = random_below(VREGS); break;
    case LOAD:
    case STORE:
        o.b = REG_DATA;
        o.n = random_below(2) ? 8 * (int64_t)random_below(4096) : -1 - (int64_t)random_below(256);
        break;
    case FENCE: o.n = random_below(FENCES); break;
    default: break;
    }
    return o;
}

/* A core to hold Unicorn against: plain C over the same items. */
struct model {
    uint64_t r[REGS];
    double v[VREGS];
    uint8_t *data;
    struct work work;
    uint64_t taken;
    size_t accesses;
    struct access *access;
};

static uint8_t *model_access(struct model *m, uint64_t address, bool store)
{
    assert_true(address >= DATA_AT && address + 8 <= DATA_AT + DATA_BYTES && m->accesses < ACCESSES);
    m->access[m->accesses++] = (struct access){address, store};
    return m->data + (address - DATA_AT);
}

static void model_op(struct model *m, struct op o)
{
    uint64_t *r = m->r;
    switch (o.kind) {
    case MOVE: r[o.a] = r[o.b]; break;
    case CONSTANT: r[o.a] = (uint64_t)o.n; break;
    case ADD: r[o.a] += r[o.b]; break;
    case ADD_CONSTANT: r[o.a] += (uint64_t)o.n; break;
    case XOR: r[o.a] ^= r[o.b]; break;
    case AND_CONSTANT: r[o.a] &= (UINT64_C(1) << o.n) - 1; break;
    case SHIFT_RIGHT: r[o.a] >>= o.n; break;
    case MULTIPLY: r[o.a] *= r[o.b]; break;
    case DIVIDE: r[o.a] /= r[o.b]; break;
    case SQUARE_ROOT: m->v[o.a] = sqrt(m->v[o.b]); break;
    case VECTOR_ADD: m->v[o.a] += m->v[o.b]; break;
    case LOAD: memcpy(&r[o.a], model_access(m, r[o.b] + (uint64_t)o.n, false), 8); break;
    case STORE: memcpy(model_access(m, r[o.b] + (uint64_t)o.n, true), &r[o.a], 8); break;
    case LOAD_INDEXED: memcpy(&r[o.a], model_access(m, r[o.b] + 8 * r[o.c], false), 8); break;
    default: break; /* no result: NOPs and fences */
    }
}

/* The two functions that programs call; the outer one calls the inner one. */
struct functions {
    size_t inner, outer;
    struct work inner_work, outer_work; /* of one call of it, the call itself not included */
};

#define INNER_ADDS 3
#define OUTER_ADDS 5

static size_t emit_inner(struct code *c, struct work *work)
{
    const struct work before = c->work;
    const size_t at = c->used;
    emit_add_constant(c, REG_T0, INNER_ADDS);
    emit_return(c);
    *work = work_since(c->work, before);
    return at;
}

static size_t emit_outer(struct code *c, struct functions *f)
{
    const struct work before = c->work;
    const size_t at = c->used;
    emit_enter(c);
    emit_add_constant(c, REG_T0, OUTER_ADDS);
    emit_call(c, f->inner);
    emit_leave(c);
    f->outer_work = work_add(work_since(c->work, before), 1, f->inner_work);
    return at;
}

/* Emits an item; SKIP leaves its branch open in `open`, CALL_FAR its call in `far`. */
static void emit_item(struct code *c, struct item *i, const struct functions *f, struct fixup *open, struct fixup *far)
{
    const struct work before = c->work;
    struct fixup away, back;
    size_t top, target;

    switch (i->shape) {
    case SINGLE: apply(c, i->op); break;
    case DIVISION:
        emit_and_constant(c, i->op.b, 20);
        emit_add_constant(c, i->op.b, 1);
        emit_divide(c, i->op.a, i->op.b);
        break;
    case INDEXED:
        emit_and_constant(c, i->op.c, 12);
        emit_load_indexed(c, i->op.a, REG_DATA, i->op.c);
        break;
    case SKIP:
        *open = i->op.n ? emit_branch_if_zero_ahead(c, i->op.a) : emit_branch_if_not_zero_ahead(c, i->op.a);
        break;
    case COUNTED:
        emit_constant(c, i->op.a, i->times);
        i->work = work_since(c->work, before);
        const struct work begin = c->work;
        top = c->used;
        emit_add_constant(c, i->op.a, -1);
        emit_branch_if_not_zero(c, i->op.a, top);
        i->work = work_add(i->work, i->times, work_since(c->work, begin));
        i->taken = i->times - 1;
        return;
    case ZIGZAG:
        away = emit_branch_ahead(c);
        emit_place(c, c->used + 4 * (1 + random_below(20)));
        top = c->used;
        emit_add_constant(c, i->op.a, 1);
        back = emit_branch_ahead(c);
        emit_place(c, c->used + 4);
        emit_land(c, away);
        emit_branch(c, top);
        emit_place(c, c->used + 4);
        emit_land(c, back);
        i->taken = 3;
        break;
    case JUMP:
        target = c->used + 64;
        emit_address(c, i->op.a, target);
        emit_branch_register(c, i->op.a);
        emit_place(c, target);
        i->address = c->at + target;
        i->taken = 1;
        break;
    case CALL_NEAR:
        emit_call(c, f->inner);
        i->taken = 2;
        break;
    case CALL_FAR:
        *far = emit_call_ahead(c);
        i->taken = 4;
        break;
    case CALL_BY_REGISTER:
        emit_address(c, i->op.a, f->inner);
        emit_call_register(c, i->op.a);
        i->address = c->at + f->inner;
        i->taken = 2;
        break;
    case SHAPES: break;
    }
    i->work = work_since(c->work, before);
}

/* One pass over the items. */
static void model_items(struct model *m, const struct item *items, const struct functions *f)
{
    for (unsigned k = 0; k < ITEMS; k++) {
        const struct item *i = &items[k];
        m->work = work_add(m->work, 1, i->work);
        m->taken += i->taken;
        switch (i->shape) {
        case SINGLE: model_op(m, i->op); break;
        case DIVISION:
            m->r[i->op.b] = (m->r[i->op.b] & 0xfffff) + 1;
            m->r[i->op.a] /= m->r[i->op.b];
            break;
        case INDEXED:
            m->r[i->op.c] &= 0xfff;
            model_op(m, (struct op){LOAD_INDEXED, .a = i->op.a, .b = REG_DATA, .c = i->op.c});
            break;
        case SKIP:
            if ((m->r[i->op.a] == 0) == (i->op.n != 0)) {
                m->taken++;
                k += i->skip;
            }
            break;
        case COUNTED: m->r[i->op.a] = 0; break;
        case ZIGZAG: m->r[i->op.a]++; break;
        case JUMP: m->r[i->op.a] = i->address; break;
        case CALL_NEAR:
        case CALL_BY_REGISTER:
            if (i->shape == CALL_BY_REGISTER)
                m->r[i->op.a] = i->address;
            m->r[REG_T0] += INNER_ADDS;
            m->work = work_add(m->work, 1, f->inner_work);
            break;
        case CALL_FAR:
            m->r[REG_T0] += INNER_ADDS + OUTER_ADDS;
            m->work = work_add(m->work, 1, f->outer_work);
            break;
        case SHAPES: break;
        }
    }
}

static void check_random_program(void)
{
    struct code c = fresh();
    struct item items[ITEMS] = {0};
    struct fixup open[ITEMS], far[ITEMS];
    unsigned lands[ITEMS + 1] = {0}, landing[ITEMS + 1][ITEMS];
    struct functions f;
    const uint64_t iterations = 1 + random_below(5);

    f.inner = emit_inner(&c, &f.inner_work);
    emit_align(&c, 64);
    const size_t entry = c.used;
    const struct work at_entry = c.work;
    emit_enter(&c);
    const size_t start = c.used;
    const struct work at_start = c.work;
    for (unsigned k = 0; k < ITEMS; k++) {
        struct item *i = &items[k];
        for (unsigned l = 0; l < lands[k]; l++)
            emit_land(&c, open[landing[k][l]]);
        i->shape = random_below(2) ? SINGLE : random_below(SHAPES);
        i->op = random_op();
        if (i->shape != SINGLE) {
            i->op.a = random_target();
            i->op.b = i->op.c = random_target();
            i->op.n = random_below(2);
        }
        i->skip = 1 + random_below(3);
        i->times = 1 + random_below(4);
        if (i->shape == SKIP && k + i->skip >= ITEMS)
            i->shape = SINGLE, i->op = (struct op){MOVE, .a = REG_T1, .b = REG_T1};
        emit_item(&c, i, &f, &open[k], &far[k]);
        if (i->shape == SKIP)
            landing[k + 1 + i->skip][lands[k + 1 + i->skip]++] = k;
    }
    for (unsigned l = 0; l < lands[ITEMS]; l++)
        emit_land(&c, open[landing[ITEMS][l]]);
    const struct work at_loop = c.work;
    emit_loop(&c, start);
    const struct work at_leave = c.work;
    emit_leave(&c);
    const struct work at_end = c.work;
    f.outer = emit_outer(&c, &f);
    for (unsigned k = 0; k < ITEMS; k++)
        if (items[k].shape == CALL_FAR)
            emit_land_at(&c, far[k], f.outer);
    assert_true(code_good(&c));

    struct run r = {.entry = CODE_AT + entry, .data = test_malloc(DATA_BYTES)};
    struct model m = {.data = test_malloc(DATA_BYTES), .access = test_calloc(ACCESSES, sizeof(struct access))};
    for (size_t k = 0; k < DATA_BYTES / 8; k++) {
        const uint64_t value = k * UINT64_C(0x9e3779b97f4a7c15);
        memcpy(r.data + 8 * k, &value, 8);
    }
    memcpy(m.data, r.data, DATA_BYTES);
    for (enum reg k = 0; k < REGS; k++)
        m.r[k] = k == REG_COUNT ? iterations : k == REG_DATA ? DATA_MIDDLE : random_value();
    memcpy(r.registers, m.r, sizeof m.r);
    for (enum vreg k = 0; k < VREGS; k++)
        m.v[k] = (double)(random_bits() >> 12) / 4096;
    memcpy(r.vector, m.v, sizeof m.v);

    m.work = work_add(work_since(at_start, at_entry), 1, work_since(at_end, at_leave));
    m.taken = iterations; /* all of the loop's but one, and the return */
    for (; m.r[REG_COUNT]; m.r[REG_COUNT]--) {
        model_items(&m, items, &f);
        m.work = work_add(m.work, 1, work_since(at_leave, at_loop));
    }
    emulate(&c, &r);

    assert_int_equal(r.error, UC_ERR_OK);
    for (enum reg k = 0; k < REGS; k++)
        assert_int_equal(r.registers[k], m.r[k]);
    assert_memory_equal(r.vector, m.v, sizeof m.v);
    assert_memory_equal(r.data, m.data, DATA_BYTES);
    assert_work(r.work, m.work);
    assert_int_equal(r.taken, m.taken);
    assert_int_equal(r.accesses, m.accesses);
    assert_memory_equal(r.access, m.access, m.accesses * sizeof *m.access);
    run_end(&r);
    test_free(r.data);
    test_free(m.data);
    test_free(m.access);
}

static void random_programs_do_what_they_say(void **state)
{
    (void)state;
    random_start(0x5eed0001);
    for (unsigned n = 0; n < 150; n++)
        check_random_program();
}

#endif
