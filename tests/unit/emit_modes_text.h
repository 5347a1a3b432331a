/*
 * Links of chains of loads: each mode read back by a disassembler, held against assembly written down by hand
 * (expected_links), and walked in an emulator over a ring that is linked as arch/emit_modes.h says.
 */
#ifndef FATHOM_TESTS_EMIT_MODES_TEXT_H
#define FATHOM_TESTS_EMIT_MODES_TEXT_H

#include "arch/emit_modes.h"
#include "tests/unit/emit_text.h"

/* Two links of each mode, in the order of emit_modes. */
struct expected_links {
    const char *mode, *text;
};
static const struct expected_links expected_links[];

static void every_mode_is_encoded(void **state)
{
    (void)state;
    const struct expected_links *e = expected_links;

    for (const struct emit_mode *m = emit_modes; m->name; m++, e++) {
        char got[512];
        struct code c = fresh();
        emit_mode_links(&c, m);
        assert_true(code_good(&c));
        const unsigned instructions = disassemble(&c, 0, got);
        assert_string_equal(m->name, e->mode);
        assert_string_equal(got, e->text);
        assert_int_equal(c.work.instructions, instructions);
        assert_int_equal(c.work.loads, 2);
        assert_int_equal(c.work.stores + c.work.branches, 0);
        c = code_start(code_bytes, CODE_AT, 2);
        emit_mode_links(&c, m);
        assert_true(c.overflow);
    }
    assert_null(e->mode);
}

enum { PLACES = 7, WALK = 22, RING_BYTES = 1 << 16, BASE = RING_BYTES / 2, PITCH = 16 };
#define RING_AT UINT64_C(0x10000000)

/* What was read, in order. */
struct walk {
    uint64_t address[2 * WALK];
    unsigned bytes[2 * WALK], count;
};

static void on_load(uc_engine *uc, uc_mem_type type, uint64_t address, int size, int64_t value, void *context)
{
    (void)uc, (void)type, (void)value;
    struct walk *w = context;
    if (w->count < 2 * WALK) {
        w->address[w->count] = address;
        w->bytes[w->count++] = (unsigned)size;
    }
}

static uint64_t word_for(const struct emit_mode *m, uint64_t to, uint64_t here)
{
    const uint64_t origin = m->origin == MODE_BASE ? RING_AT + BASE : m->origin == MODE_SELF ? here : 0;
    return (uint64_t)((int64_t)(to - origin - (uint64_t)(int64_t)m->offset) / (int64_t)m->scale);
}

static void walk_ring(const struct emit_mode *m, const uint64_t place[PLACES], struct walk *w)
{
    static uint8_t ring[RING_BYTES];
    struct code c = fresh();
    uc_engine *uc;
    uc_hook hook;
    /* what leads on is the address itself where that is what is added to */
    uint64_t lead = m->origin == MODE_SELF ? place[0] : word_for(m, place[0], 0);
    uint64_t stays = m->origin == MODE_BASE ? RING_AT + BASE : m->constant;

    for (unsigned i = 0; i < RING_BYTES; i++)
        ring[i] = (uint8_t)random_bits();
    for (unsigned i = 0; i < PLACES; i++) {
        const uint64_t word = word_for(m, place[(i + 1) % PLACES], place[i]);
        memcpy(ring + (place[i] - RING_AT) + m->word, &word, m->bits / 8);
    }
    for (unsigned i = 0; i < WALK; i += 2)
        emit_mode_links(&c, m);
    assert_true(code_good(&c));
    assert_int_equal(uc_open(isa.uc_arch, isa.uc_mode, &uc), UC_ERR_OK);
    assert_int_equal(uc_mem_map(uc, CODE_AT, 4096, UC_PROT_READ | UC_PROT_EXEC), UC_ERR_OK);
    assert_int_equal(uc_mem_write(uc, CODE_AT, c.write, c.used), UC_ERR_OK);
    assert_int_equal(uc_mem_map(uc, RING_AT, RING_BYTES, UC_PROT_READ | UC_PROT_WRITE), UC_ERR_OK);
    assert_int_equal(uc_mem_write(uc, RING_AT, ring, RING_BYTES), UC_ERR_OK);
    assert_int_equal(uc_reg_write(uc, isa.uc_registers[REG_T0], &lead), UC_ERR_OK);
    assert_int_equal(uc_reg_write(uc, isa.uc_registers[REG_T2], &stays), UC_ERR_OK);
    assert_int_equal(uc_hook_add(uc, &hook, UC_HOOK_MEM_READ, on_load, w, 1, 0), UC_ERR_OK);
    assert_int_equal(uc_emu_start(uc, CODE_AT, CODE_AT + c.used, 0, 0), UC_ERR_OK);
    assert_int_equal(uc_reg_read(uc, isa.uc_registers[REG_T2], &lead), UC_ERR_OK);
    assert_int_equal(lead, stays);
    uc_close(uc);
}

/* Within reach of the narrowest index, on both sides of the base where it has a sign. */
static void chains_walk_their_rings(void **state)
{
    (void)state;
    random_start(20261120);
    for (const struct emit_mode *m = emit_modes; m->name; m++)
        for (unsigned turn = 0; turn < 20; turn++) {
            uint64_t place[PLACES];
            struct walk w = {.count = 0};
            const int first = m->is_signed ? -(int)(random_below(PLACES) * PITCH) : 0;
            for (unsigned i = 0; i < PLACES; i++)
                place[i] = RING_AT + BASE + (uint64_t)(int64_t)(first + (int)(i * PITCH));
            for (unsigned i = PLACES; i-- > 1;) { /* Fisher and Yates, Durstenfeld 1964 */
                const unsigned j = random_below(i + 1);
                const uint64_t swapped = place[i];
                place[i] = place[j];
                place[j] = swapped;
            }
            walk_ring(m, place, &w);
            unsigned bytes = 0, loads = 0;
            for (unsigned i = 0; i < w.count; i++) { /* a pair may be disassembled as two */
                if (!bytes)
                    assert_int_equal(w.address[i], place[loads % PLACES]);
                bytes += w.bytes[i];
                if (bytes >= m->bytes) {
                    assert_int_equal(bytes, m->bytes);
                    bytes = 0;
                    loads++;
                }
            }
            assert_int_equal(loads, WALK);
        }
}

static void modes_are_within_their_bounds(void **state)
{
    (void)state;
    assert_string_equal(emit_modes[0].name, "base");
    for (const struct emit_mode *m = emit_modes; m->name; m++) {
        assert_true(m->word + m->bits / 8 <= m->bytes && m->bytes <= 64 && m->scale > 0);
        assert_true(m->bits == 8 || m->bits == 16 || m->bits == 32 || m->bits == 64);
        assert_true(m->bits == 64 || m->origin == MODE_BASE); /* what is narrower holds no pointer */
        for (const struct emit_mode *other = emit_modes; other < m; other++)
            assert_string_not_equal(m->name, other->name);
    }
}

#define MODE_TESTS \
    cmocka_unit_test(every_mode_is_encoded), cmocka_unit_test(chains_walk_their_rings), \
        cmocka_unit_test(modes_are_within_their_bounds)

#endif
