#include "lib/kernels/load_chain.h"

#include "lib/base/random.h"
#include "lib/kernels/chance.h"

enum {
    PLACES_BITS = 10, /* a pass begins at one of 2^10 words */
    WORD = sizeof(uint64_t),
    PASSES = 2048, /* before anything is timed */
    LINE_BYTES = 64,
    SPREAD_BYTES = 32, /* between two loads of the spread layout: with more, narrow cores would wait for the NOPs */
    CODE_BYTES = 32768
};

/*
 * STEPS: number of the word at which a pass of constant or regular addresses begins. CHAIN: what was loaded last. PASS:
 * address at which this pass begins. WORDS: address of the first word. LEFT: passes left of a block.
 */
static const enum reg STEPS = REG_T4, CHAIN = REG_T5, PASS = REG_T6, WORDS = REG_T7, LEFT = REG_T8;

const char *const load_chain_names[LOAD_CHAIN_KINDS] = {"random", "address-constant", "address-stride", "value"};
const char *const load_chain_layout_names[LOAD_CHAIN_LAYOUTS] = {"packed", "spread"};

bool load_chain_map(struct probe *p, struct load_chain_memory *m)
{
    return probe_map(p, &m->words, ((1 << PLACES_BITS) + LOAD_CHAIN_MOST) * WORD, 0) &&
           probe_map(p, &m->state, WORD, 0);
}

/* The highest bit of a value is clear, so that a shift by 63 leaves nothing. */
static void fill(struct probe *p, const struct load_chain *e)
{
    const uint64_t always = random_next(&p->random) >> 1;
    uint64_t *words = (uint64_t *)e->memory->words.write;

    for (size_t i = 0; i < (1 << PLACES_BITS) + LOAD_CHAIN_MOST; i++)
        words[i] = e->kind == VALUE ? always : random_next(&p->random) >> 1;
}

/* Emits the choice of where a pass begins: the same instructions for every kind, so a random number is always drawn. */
static void emit_pass(struct code *c, enum load_chain_kind kind)
{
    chance_draw(c);
    chance_bits(c, 0, PLACES_BITS);
    emit_add_constant(c, STEPS, kind == ADDRESS_STRIDE ? 1 : 0);
    emit_and_constant(c, STEPS, PLACES_BITS);
    emit_move(c, PASS, kind == RANDOM || kind == VALUE ? REG_T1 : STEPS);
    for (size_t bytes = 1; bytes < WORD; bytes *= 2)
        emit_add(c, PASS, PASS);
    emit_add(c, PASS, WORDS);
}

static void emit_begin(struct probe *p, struct code *c, const struct load_chain *e)
{
    fill(p, e);
    chance_begin_from(c, random_next(&p->random));
    emit_constant(c, CHAIN, 0);
    emit_constant(c, WORDS, e->memory->words.at);
    if (e->kind == ADDRESS_STRIDE)
        emit_load(c, STEPS, REG_DATA, 0);
    else
        emit_constant(c, STEPS, 0);
    emit_align(c, LINE_BYTES);
}

/* Emits a pass over so many loads; load i is order[i] words behind the word at which the pass begins. */
static void emit_loads(struct code *c, const struct load_chain *e, const uint32_t *order, size_t loads)
{
    emit_pass(c, e->kind);
    for (size_t i = 0; i < loads; i++) {
        if (e->layout == SPREAD)
            emit_align(c, SPREAD_BYTES);
        emit_shift_right(c, CHAIN, 63);
        emit_add(c, CHAIN, PASS);
        emit_load(c, CHAIN, CHAIN, (int32_t)(order[i] * WORD));
    }
}

static void emit_end(struct code *c, const struct load_chain *e, size_t loop)
{
    emit_loop(c, loop);
    if (e->kind == ADDRESS_STRIDE)
        emit_store(c, STEPS, REG_DATA, 0);
    emit_return(c);
}

bool load_chain_build(struct probe *p, double count, void *context, struct kernel *k)
{
    const struct load_chain *e = context;
    const size_t loads = (size_t)count;
    uint32_t order[LOAD_CHAIN_MOST];
    struct code c = probe_code(p, CODE_BYTES);

    random_cycle(order, (uint32_t)loads, &p->random);
    emit_begin(p, &c, e);
    const size_t loop = c.used;
    emit_loads(&c, e, order, loads);
    emit_end(&c, e, loop);
    *k = (struct kernel){
        .data = e->memory->state.at, .units = count, .warm_iterations = probe_smoke(p, 16, PASSES), .length_factor = 8};
    return probe_kernel(p, &c, 0, k);
}

static bool build_blocks(struct probe *p, double passes, const struct load_chain *e, struct kernel *k)
{
    uint32_t order[LOAD_CHAIN_BLOCK_LOADS];
    struct code c = probe_code(p, CODE_BYTES);

    random_cycle(order, LOAD_CHAIN_BLOCK_LOADS, &p->random);
    emit_begin(p, &c, e);
    const size_t loop = c.used;
    emit_constant(&c, LEFT, (uint64_t)passes);
    const size_t pass = c.used;
    emit_loads(&c, e, order, LOAD_CHAIN_BLOCK_LOADS);
    emit_add_constant(&c, LEFT, -1);
    emit_branch_if_not_zero(&c, LEFT, pass);
    for (size_t i = 0; i < LOAD_CHAIN_MOST; i++)
        emit_load(&c, REG_T1, WORDS, (int32_t)(i * WORD));
    emit_end(&c, e, loop);
    *k = (struct kernel){
        .data = e->memory->state.at, .units = 1, .warm_iterations = probe_smoke(p, 1, 4), .length_factor = 2};
    return probe_kernel(p, &c, 0, k);
}

bool load_chain_build_random_block(struct probe *p, double passes, void *context, struct kernel *k)
{
    struct load_chain e = *(const struct load_chain *)context;

    e.kind = RANDOM;
    return build_blocks(p, passes, &e, k);
}

bool load_chain_build_block(struct probe *p, double passes, void *context, struct kernel *k)
{
    return build_blocks(p, passes, context, k);
}
