/* The probe user_kernel: code whose cost and limit follow from how it was made and what the core can do. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "arch/catalogue.h"
#include "arch/emit.h"
#include "arch/emit_harness.h"
#include "lib/base/numbers.h"
#include "lib/base/random.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

/* Kernels that need a core of their own, behind those that do not. */
enum { MEMORY_CHAIN = 10, WINDOW, LOAD_QUEUE, BYTES, KERNELS };
enum { CODE = 2048, TEXT = 65536 };

/* ---- Kernels, and what is true of them ------------------------------------------------------------ */

/* One kernel, and what the core takes for a copy of it, and why. */
struct drawn {
    uint8_t bytes[CODE];
    struct code code;
    double cycles;
    char limit[64]; /* the text that the finding begins with */
    char more[96];  /* further lines of its file */
};

/* Code that waits for nothing takes this part of what the limit takes, at most: so that nothing else is one. */
static const double ROOM = 0.6;

/* Part by which cycles may differ: entering the harness is so much of a reading of some thousand cycles. */
static const double NEAR = 0.04;
/* Part by which a prediction may differ. It is a sum of measured times, each off by up to NEAR, as is what it is held to. */
static const double PREDICTED = 0.1;

static void draw_start(struct drawn *d)
{
    memset(d, 0, sizeof *d);
    d->code = code_start(d->bytes, 0, sizeof d->bytes);
}

/*
 * Each copy begins with a jump to what is behind it: Unicorn translates what lies between jumps at once, and fails
 * where hundreds of shuffles do (tcg_const_i32 has no room, Unicorn 2.0.1).
 */
static void end_block(struct code *c)
{
    emit_land(c, emit_branch_ahead(c));
}

/* Moves to registers that nothing reads: each takes a unit, and waits for nothing. */
static void emit_others(struct code *c, unsigned count)
{
    static const enum reg to[] = {REG_T1, REG_T2, REG_T3, REG_T4};

    for (unsigned i = 0; i < count; i++)
        emit_move(c, to[i % 4], REG_T5);
}

/* How many instructions find room beside something that takes so many cycles, others of which there are `used`. */
static unsigned beside(const struct core_design *d, double cycles, unsigned used)
{
    const double units = d->units ? d->units : d->width, room = ROOM * cycles * fmin(d->width, units) - used - 1;

    return room > 0 ? (unsigned)pick(0, (size_t)room) : 0;
}

static const char *register_text(enum reg r)
{
    return harness_register_name(form_register(r));
}

/* A chain of additions and multiplications through one register. */
static void draw_chain(const struct core_design *d, struct drawn *k)
{
    const unsigned adds = (unsigned)pick(1, 6), multiplications = (unsigned)pick(0, 3);

    for (unsigned i = 0; i < adds; i++)
        emit_add(&k->code, REG_T0, REG_T5);
    for (unsigned i = 0; i < multiplications; i++)
        emit_multiply(&k->code, REG_T0, REG_T5);
    k->cycles = adds + multiplications * d->multiply;
    emit_others(&k->code, beside(d, k->cycles, adds + multiplications));
    snprintf(k->limit, sizeof k->limit, "waits for %s", register_text(REG_T0));
}

/* Two chains that are equally long: neither register alone makes a difference. */
static void draw_two_chains(const struct core_design *d, struct drawn *k)
{
    const unsigned links = (unsigned)pick(1, 3);

    for (unsigned i = 0; i < links; i++) {
        emit_multiply(&k->code, REG_T0, REG_T5);
        emit_multiply(&k->code, REG_T1, REG_T5);
    }
    k->cycles = links * d->multiply;
    snprintf(k->limit, sizeof k->limit, "waits for several registers");
}

/* A chain of loads, each from the address that the one before it has loaded. */
static void draw_chase(const struct core_design *d, struct drawn *k)
{
    const unsigned links = (unsigned)pick(1, 3);

    for (unsigned i = 0; i < links; i++)
        emit_load(&k->code, REG_T0, REG_T0, 0);
    k->cycles = links * d->data[0].latency;
    emit_others(&k->code, beside(d, k->cycles, links));
    snprintf(k->limit, sizeof k->limit, "waits for %s", register_text(REG_T0));
    snprintf(k->more, sizeof k->more, "memory = 4k\ncontents = chain\nregisters = %s=memory\n", register_text(REG_T0));
}

/* NOPs, which need no unit. */
static void draw_width(const struct core_design *d, struct drawn *k)
{
    const unsigned count = (unsigned)pick(d->width, 6 * d->width);

    for (unsigned i = 0; i < count; i++)
        emit_nop(&k->code, emit_nop_lengths[0]);
    k->cycles = 1.0 * (1 + count) / d->width;
    snprintf(k->limit, sizeof k->limit, "number of instructions");
}

/* Moves, where there are fewer units than the front end delivers instructions. */
static void draw_units(const struct core_design *d, struct drawn *k)
{
    const unsigned count = (unsigned)pick(d->units, 6 * d->units);

    emit_others(&k->code, count);
    k->cycles = 1.0 * count / d->units;
    snprintf(k->limit, sizeof k->limit, "units: %s", form_units[0].class);
}

static void draw_multiplications(const struct core_design *d, struct drawn *k)
{
    const unsigned count = (unsigned)pick(2 * d->multipliers, 6 * d->multipliers);
    static const enum reg to[] = {REG_T1, REG_T2, REG_T3, REG_T4, REG_T6, REG_T7, REG_T8};

    /* each register is set before it is multiplied, since a multiplication reads what it writes */
    for (unsigned i = 0; i < count; i++)
        emit_load(&k->code, to[i % 7], REG_DATA, 8 * (int32_t)(i % 7)), emit_multiply(&k->code, to[i % 7], REG_T5);
    k->cycles = 1.0 * count / d->multipliers;
    snprintf(k->limit, sizeof k->limit, "units: multiply");
    snprintf(k->more, sizeof k->more, "memory = 4k\nregisters = %s=memory\n", register_text(REG_DATA));
}

static void draw_accesses(const struct core_design *d, struct drawn *k, bool store)
{
    const unsigned ports = store ? d->load_store.stores : d->load_store.loads, count = (unsigned)pick(ports, 6 * ports);

    for (unsigned i = 0; i < count; i++)
        store ? emit_store(&k->code, REG_T5, REG_DATA, 8 * (int32_t)(i % 4))
              : emit_load(&k->code, (enum reg)(REG_T1 + i % 3), REG_DATA, 8 * (int32_t)(i % 4));
    k->cycles = 1.0 * count / ports;
    emit_others(&k->code, beside(d, k->cycles, count));
    snprintf(k->limit, sizeof k->limit, "units: %s", store ? "store" : "load");
    snprintf(k->more, sizeof k->more, "memory = 4k\nregisters = %s=memory\n", register_text(REG_DATA));
}

/* An addition to a word of memory: a chain through the word, and through no register. */
static void draw_memory_chain(const struct core_design *d, struct drawn *k)
{
    const int32_t offset = 8 * (int32_t)pick(0, 7);

    emit_load(&k->code, REG_T0, REG_DATA, offset);
    emit_add(&k->code, REG_T0, REG_T5);
    emit_store(&k->code, REG_T0, REG_DATA, offset);
    k->cycles = d->load_store.forward + 1;
    emit_others(&k->code, beside(d, k->cycles, 3));
    snprintf(k->limit, sizeof k->limit, "waits for memory+%d", (int)offset);
    snprintf(k->more, sizeof k->more, "memory = 4k\nregisters = %s=memory, %s=1\n", register_text(REG_DATA),
             register_text(REG_T5));
}

/*
 * A generator of random numbers, and where `random` a branch that is taken by a bit of each: where not, by a bit that
 * is always the same, and the chain of the generator is what takes time.
 */
static void draw_branch(const struct core_design *d, struct drawn *k, bool random)
{
    emit_multiply(&k->code, REG_T0, REG_T5);
    emit_add(&k->code, REG_T0, REG_T6);
    emit_move(&k->code, REG_T1, random ? REG_T0 : REG_T6);
    emit_shift_right(&k->code, REG_T1, 41);
    emit_and_constant(&k->code, REG_T1, 1);
    const struct fixup over = emit_branch_if_zero_ahead(&k->code, REG_T1);
    emit_nop(&k->code, emit_nop_lengths[0]);
    emit_land(&k->code, over);
    k->cycles = random ? NAN : d->multiply + 1;
    if (random)
        snprintf(k->limit, sizeof k->limit, "mispredicted branches");
    else
        snprintf(k->limit, sizeof k->limit, "waits for %s", register_text(REG_T0));
    /* the multiplier and the increment of Knuth's MMIX (TAOCP vol. 2, 3.3.4) */
    snprintf(k->more, sizeof k->more, "registers = %s=6364136223846793005, %s=1442695040888963407\n",
             register_text(REG_T5), register_text(REG_T6));
}

/* Long multiplications that wait for nothing, and NOPs behind them: none retires before the multiplication is done. */
static void draw_window(const struct core_design *d, struct drawn *k)
{
    const unsigned nops = (unsigned)pick(4, 12);

    emit_load(&k->code, REG_T1, REG_DATA, 0);
    emit_multiply(&k->code, REG_T1, REG_T5);
    for (unsigned i = 0; i < nops; i++)
        emit_nop(&k->code, emit_nop_lengths[0]);
    k->cycles = NAN;
    snprintf(k->limit, sizeof k->limit, "reorder buffer");
    snprintf(k->more, sizeof k->more, "memory = 4k\nregisters = %s=memory\n", register_text(REG_DATA));
    (void)d;
}

/* The same with loads behind them, of which fewer find room than instructions. */
static void draw_load_queue(const struct core_design *d, struct drawn *k)
{
    const unsigned loads = (unsigned)pick(1, 2);

    emit_load(&k->code, REG_T1, REG_DATA, 0);
    emit_multiply(&k->code, REG_T1, REG_T5);
    for (unsigned i = 0; i < loads; i++)
        emit_load(&k->code, REG_T2, REG_DATA, 8);
    k->cycles = NAN;
    snprintf(k->limit, sizeof k->limit, "load queue");
    snprintf(k->more, sizeof k->more, "memory = 4k\nregisters = %s=memory\n", register_text(REG_DATA));
    (void)d;
}

/* Long NOPs, of which the front end fetches fewer than it can deliver. */
static void draw_bytes(const struct core_design *d, struct drawn *k)
{
    const unsigned length = 8, count = (unsigned)pick(8, 24);

    for (unsigned i = 0; i < count; i++)
        emit_nop(&k->code, length);
    k->cycles = NAN;
    snprintf(k->limit, sizeof k->limit, "bytes of code");
    (void)d;
}

/* ---- Cores ---------------------------------------------------------------------------------------- */

/* A core whose caches hold any kernel here; it has few units, fewer multipliers, and few ports. */
static struct machine_design draw_core(uint64_t seed)
{
    struct machine_design m = draw_machine(seed);

    m.core.width = (unsigned)pick(4, 8);
    m.core.units = (unsigned)pick(2, m.core.width - 2);
    m.core.multipliers = 1;
    m.core.load_store = (struct load_store_design){
        .loads = 2, .stores = 1, .port_bytes = 16, .forward = (double)pick(4, 8)};
    m.core.l1i = (struct cache_design){.bytes = 64 * KIB, .ways = 8};
    m.core.l1i_fetch = 16.0 * m.core.width; /* never a limit: no instruction is longer */
    m.core.op_cache = (struct cache_design){0};
    m.core_hz = 5 * m.tick_hz; /* readings of some thousand cycles: entering the harness is a small part of them */
    return m;
}

/* A core with the limit that a kernel needs. */
static struct core_design other_core(struct core_design d, unsigned index)
{
    d.multipliers = 0;
    d.load_store.stores = index == MEMORY_CHAIN ? 0 : d.load_store.stores; /* modelled ports serve stores in order */
    d.multiply = index == WINDOW ? (double)pick(100, 200) : index == LOAD_QUEUE ? 40 : 3;
    d.in_flight.most[RESOURCE_ENTRY] = index == WINDOW ? (unsigned)pick(48, 96) : 512;
    d.in_flight.most[RESOURCE_LOAD] = index == LOAD_QUEUE ? 16 : 0;
    d.l1i_fetch = index == BYTES ? 2 * d.width : d.l1i_fetch;
    return d;
}

static void draw_kernel(const struct core_design *d, unsigned index, struct drawn *k)
{
    draw_start(k);
    end_block(&k->code);
    switch (index) {
    case 0: draw_chain(d, k); break;
    case 1: draw_two_chains(d, k); break;
    case 2: draw_chase(d, k); break;
    case 3: draw_width(d, k); break;
    case 4: draw_units(d, k); break;
    case 5: draw_multiplications(d, k); break;
    case 6: draw_accesses(d, k, false); break;
    case 7: draw_accesses(d, k, true); break;
    case 8: draw_branch(d, k, false); break;
    case 9: draw_branch(d, k, true); break;
    case MEMORY_CHAIN: draw_memory_chain(d, k); break;
    case WINDOW: draw_window(d, k); break;
    case LOAD_QUEUE: draw_load_queue(d, k); break;
    default: draw_bytes(d, k);
    }
}

static void add_text(char text[TEXT], const struct drawn *k, unsigned index)
{
    size_t used = strlen(text);

    used += (size_t)snprintf(text + used, TEXT - used, "name = k%u\nisa = %s\ncold = off\n%scode =", index, emit_isa,
                             k->more);
    for (size_t i = 0; i < k->code.used; i++)
        used += (size_t)snprintf(text + used, TEXT - used, " %02x", k->bytes[i]);
    snprintf(text + used, TEXT - used, "\n");
}

/* The finding of that name about a kernel, of its unrolled copies where there are several. */
static const char *about(const char *name, const char *kernel)
{
    const char *f = NULL;

    while ((f = next_finding(f, name)) &&
           !(has_field(f, "kernel", kernel) && (!record_value(f, "way", 2) || has_field(f, "way", "unrolled"))))
        ;
    return f;
}

static void check_kernel(const struct machine_design *m, const struct drawn *k, unsigned index)
{
    char name[16];

    snprintf(name, sizeof name, "k%u", index);
    const char *cycles = isnan(k->cycles) ? NULL : about("kernel.cycles", name), *limit = about("kernel.limit", name);
    if (!isnan(k->cycles) && is_decided(m, cycles, "kernel.cycles", name) &&
        fabs(number(cycles, "value") / k->cycles - 1) > NEAR)
        complain(m, "%s takes %g cycles, and was measured to take %g; %s", name, k->cycles, number(cycles, "value"),
                 k->limit);
    if (is_decided(m, limit, "kernel.limit", name)) {
        const char *text = record_value(limit, "value", 2);
        /* what is not told apart from what else values decide is said so */
        const bool vague = !strcmp(k->limit, "mispredicted branches") && text && strstr(text, "the values of");
        if (!vague && (!text || strcmp(text, k->limit) != 0))
            complain(m, "%s: reported is '%s', and it is '%s'", name, text ? text : "", k->limit);
    }
}

MODEL_TEST(kernels_cost_what_limits_them, "user_kernel")
{
    static struct drawn kernels[KERNELS];
    static char text[TEXT];

    for (uint64_t seed = 0; next_seed(&seed, 1, 16);) {
        struct machine_design m = draw_core(seed);
        text[0] = 0;
        for (unsigned i = 0; i < MEMORY_CHAIN; i++) {
            draw_kernel(&m.core, i, &kernels[i]);
            assert_true(code_good(&kernels[i].code));
            add_text(text, &kernels[i], i);
        }
        run_kernels_on(&m, text, PROFILE_QUICK);
        for (unsigned i = 0; i < MEMORY_CHAIN; i++)
            check_kernel(&m, &kernels[i], i);
    }
    end(16, 16); /* what limits a kernel of random branches may be unknown */
    decides(19, 19);
}

/* Not on AArch64 the last one: there bytes are as many as instructions. */
MODEL_TEST(queues_and_bytes_limit_kernels, "user_kernel")
{
    const unsigned last = strcmp(emit_isa, "x86_64") == 0 ? KERNELS : BYTES;
    static struct drawn k;
    static char text[TEXT];

    for (uint64_t seed = 0; next_seed(&seed, 1, 16);)
        for (unsigned i = MEMORY_CHAIN; i < last; i++) {
            struct machine_design m = draw_core(seed);
            m.core = other_core(m.core, i);
            text[0] = 0;
            draw_kernel(&m.core, i, &k);
            assert_true(code_good(&k.code));
            add_text(text, &k, i);
            run_kernels_on(&m, text, PROFILE_QUICK);
            check_kernel(&m, &k, i);
        }
    end(3, 3);
    decides(5, 4);
}

/* A chain whose instructions read one register twice: with one register for all, some instructions wait for nothing. */
static void draw_doublings(const struct core_design *d, struct drawn *k)
{
    const unsigned count = (unsigned)pick(2, 8);

    for (unsigned i = 0; i < count; i++)
        emit_add(&k->code, REG_T0, REG_T0);
    k->cycles = count;
    snprintf(k->limit, sizeof k->limit, "waits for %s", register_text(REG_T0));
    (void)d;
}

/* NOPs alone, of which the prediction has slots of the front end and nothing else. */
static void draw_nops(const struct core_design *d, struct drawn *k)
{
    draw_width(d, k);
    k->cycles = (double)(k->code.used / emit_nop_lengths[0]) / d->width;
}

/*
 * shl rax, cl; adc rdx, rbx: by the count the adc reads flags of the shift or older ones. And, as in lots of code, an
 * add in place of it.
 */
static const char shifts[] = "name = flags\nisa = x86_64\nwhy = off\npredict = on\ncode = 48 d3 e0 48 11 da\n"
                             "name = none\nisa = x86_64\nwhy = off\npredict = on\ncode = 48 d3 e0 48 01 da\n";

/* What a count decides is not predicted. */
static void check_shifts(const struct machine_design *m)
{
    const char *flags = about("kernel.predicted", "flags"), *none = about("kernel.predicted", "none");

    if (!flags || !has_field(flags, "grade", "U") || !has_field(flags, "reason", "not-in-model"))
        complain(m, "flags that a shift has written or not: %s", flags ? flags : "no finding");
    if (!none || has_field(none, "grade", "U"))
        complain(m, "flags that nothing reads: %s", none ? none : "no finding");
}

/* The prediction of a kernel: a chain of multiplications or loads, units, and the front end. */
MODEL_TEST(kernels_are_predicted, "user_kernel")
{
    static struct drawn kernels[MEMORY_CHAIN];
    static char text[TEXT];
    static void (*const draw[])(const struct core_design *, struct drawn *) = {
        draw_chain, draw_chase, draw_units, draw_multiplications, draw_doublings, draw_nops};

    for (uint64_t seed = 0; next_seed(&seed, seeds_on("x86_64", 1), 16);) {
        struct machine_design m = draw_core(seed);
        text[0] = 0;
        for (unsigned i = 0; i < sizeof draw / sizeof draw[0]; i++) {
            draw_start(&kernels[i]); /* without the branch that draw_kernel begins with: no form is a branch */
            draw[i](&m.core, &kernels[i]);
            add_text(text, &kernels[i], i);
            strcat(text, "why = off\npredict = on\n");
        }
        strcat(text, shifts);
        run_kernels_on(&m, text, PROFILE_QUICK);
        for (unsigned i = 0; i < sizeof draw / sizeof draw[0]; i++) {
            char name[16];
            snprintf(name, sizeof name, "k%u", i);
            const char *f = about("kernel.predicted", name);
            if (is_decided(&m, f, "kernel.predicted", name) &&
                fabs(number(f, "value") / kernels[i].cycles - 1) > PREDICTED)
                complain(&m, "%s takes %g cycles, and was predicted to take %g; %s", name, kernels[i].cycles,
                         number(f, "value"), kernels[i].limit);
        }
        if (!strcmp(emit_isa, "x86_64"))
            check_shifts(&m);
    }
    end(0, 0);
    decides(6, 0);
}
