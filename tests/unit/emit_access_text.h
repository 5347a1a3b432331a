/*
 * Loads and stores of every width, read back by a disassembler: each access with each register, base and kind of
 * offset, held against assembly written down independently of the encodings (expect_access), and those an emulator
 * knows run: they move as many bytes as they say, and clear the rest of the register.
 */
#ifndef FATHOM_TESTS_EMIT_ACCESS_TEXT_H
#define FATHOM_TESTS_EMIT_ACCESS_TEXT_H

#include "arch/emit_access.h"
#include "tests/unit/emit_text.h"

/* As struct op's: the assembly of one access. */
static void expect_access(char *text, size_t size, const struct emit_access *a, unsigned r, enum reg base,
                          int32_t offset, bool load);
/* Capstone of this ISA knows it. */
static bool known(const struct emit_access *a);
/* Unicorn of this ISA can execute it. */
static bool emulated(const struct emit_access *a);

static void emit_as(struct code *c, const struct emit_access *a, unsigned r, enum reg base, int32_t offset, bool load)
{
    if (load)
        emit_load_as(c, a, r, base, offset);
    else
        emit_store_as(c, a, r, base, offset);
}

static unsigned registers_of(const struct emit_access *a)
{
    return (a->file == ACCESS_GENERAL ? (unsigned)REGS : (unsigned)VREGS) - (a->registers - 1);
}

static void check_access(const struct emit_access *a, unsigned r, enum reg base, int32_t offset, bool load)
{
    char got[512], want[512];
    struct code c = fresh();

    expect_access(want, sizeof want, a, r, base, offset, load);
    emit_as(&c, a, r, base, offset, load);
    if (!code_good(&c))
        fail_msg("refused: %s", want);
    assert_int_equal(disassemble(&c, 0, got), 1);
    assert_string_equal(got, want);
    assert_int_equal(c.work.instructions, 1);
    assert_int_equal(c.work.loads, load);
    assert_int_equal(c.work.stores, !load);
    assert_int_equal(c.work.branches, 0);
}

/* In bytes, ended by 0, which is one of them. */
static const int32_t *offsets_of(const struct emit_access *a)
{
    static const int32_t single[] = {-256, -255, -129, -128, -1, 1, 7, 127, 128, 255, 0};
    static int32_t list[20];
    const int32_t unit = (int32_t)(a->bits / 8 / a->registers);
    size_t n = 0;

    if (a->registers == 2)
        for (const int32_t *p = (const int32_t[]){-64, -63, -1, 1, 2, 62, 63, 0}; *p; p++)
            list[n++] = *p * unit;
    else {
        for (const int32_t *p = single; *p; p++)
            list[n++] = *p;
        for (const int32_t *p = (const int32_t[]){1, 2, 64, 127, 128, 4094, 4095, 0}; *p; p++)
            list[n++] = *p * unit;
    }
    list[n] = 0;
    return list;
}

static void every_access_is_encoded(void **state)
{
    (void)state;
    for (const struct emit_access *a = emit_accesses; a->name; a++)
        for (int load = 0; load < 2 && known(a); load++) {
            if (!(load ? a->has_load : a->has_store))
                continue;
            for (unsigned r = 0; r < registers_of(a); r++)
                for (enum reg base = 0; base < REGS; base++) {
                    const int32_t *offset = offsets_of(a);
                    do
                        check_access(a, r, base, *offset, load);
                    while (*offset++);
                }
        }
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    for (const struct emit_access *a = emit_accesses; a->name; a++)
        for (int load = 0; load < 2; load++) {
            const bool scalable = a->file == ACCESS_SCALABLE;
            const int32_t unit = (int32_t)(a->bits / 8 / a->registers), near = scalable ? -257 * unit : -1100;
            const int32_t far = (a->registers == 2 ? 64 : scalable ? 256 : 4096) * unit;
            const bool has = load ? a->has_load : a->has_store;
            struct code c = fresh();
            emit_as(&c, a, registers_of(a), REG_DATA, 0, load);
            assert_true(c.invalid && c.used == 0);
            for (const int32_t *o = (const int32_t[]){far, near, 65536 * 8, 0}; *o; o++) {
                c = fresh();
                emit_as(&c, a, 0, REG_DATA, *o, load);
                assert_true(c.invalid && c.used == 0);
            }
            c = fresh();
            emit_as(&c, a, 0, REG_DATA, 0, load);
            assert_int_equal(code_good(&c), has);
            c = code_start(code_bytes, CODE_AT, 1);
            emit_as(&c, a, 0, REG_DATA, 0, load);
            assert_true(has ? c.overflow : c.invalid);
        }
}

static void the_list_is_in_order(void **state)
{
    (void)state;
    unsigned vectors = 0;

    for (const struct emit_access *a = emit_accesses; a->name; a++) {
        assert_true(a->has_load || a->has_store);
        assert_true(a->file != ACCESS_GENERAL || !vectors);
        assert_int_equal(a->file != ACCESS_GENERAL, a->vector_bits > 0);
        for (const struct emit_access *b = emit_accesses; b < a; b++)
            assert_string_not_equal(a->name, b->name);
        vectors += a->file != ACCESS_GENERAL;
    }
    assert_true(vectors > 0);
}

/* ---- What they do ------------------------------------------------------------------------------ */

enum { ROOM_BYTES = 4096, FROM = 1024, TO = 2048 };
#define ROOM_AT UINT64_C(0x10000000)

/* Loads from one place, stores to another; memory then differs just where it was stored to, and all of that. */
static void move(const struct emit_access *load, const struct emit_access *store, int32_t shift, uint8_t *room)
{
    struct code c = fresh();
    uc_engine *uc;
    uint64_t at = ROOM_AT;

    emit_add_constant(&c, REG_DATA, FROM);
    emit_load_as(&c, load, REG_T0, REG_DATA, shift);
    emit_add_constant(&c, REG_DATA, TO - FROM);
    emit_store_as(&c, store, REG_T0, REG_DATA, shift);
    assert_true(code_good(&c));
    for (unsigned i = 0; i < ROOM_BYTES; i++)
        room[i] = (uint8_t)(1 + i % 251);
    assert_int_equal(uc_open(isa.uc_arch, isa.uc_mode, &uc), UC_ERR_OK);
    assert_int_equal(uc_mem_map(uc, CODE_AT, 4096, UC_PROT_READ | UC_PROT_EXEC), UC_ERR_OK);
    assert_int_equal(uc_mem_write(uc, CODE_AT, c.write, c.used), UC_ERR_OK);
    assert_int_equal(uc_mem_map(uc, ROOM_AT, ROOM_BYTES, UC_PROT_READ | UC_PROT_WRITE), UC_ERR_OK);
    assert_int_equal(uc_mem_write(uc, ROOM_AT, room, ROOM_BYTES), UC_ERR_OK);
    isa.prepare(uc);
    assert_int_equal(uc_reg_write(uc, isa.uc_registers[REG_DATA], &at), UC_ERR_OK);
    assert_int_equal(uc_emu_start(uc, CODE_AT, CODE_AT + c.used, 0, 0), UC_ERR_OK);
    assert_int_equal(uc_mem_read(uc, ROOM_AT, room, ROOM_BYTES), UC_ERR_OK);
    uc_close(uc);
}

static bool is_moved_alike(const struct emit_access *load, const struct emit_access *store)
{
    return load->has_load && store->has_store && load->file == store->file && load->registers == store->registers &&
           emulated(load) && emulated(store);
}

static void accesses_move_what_they_say(void **state)
{
    (void)state;
    static uint8_t room[ROOM_BYTES];
    unsigned moved = 0;

    for (const struct emit_access *load = emit_accesses; load->name; load++)
        for (const struct emit_access *store = emit_accesses; store->name; store++) {
            if (!is_moved_alike(load, store))
                continue;
            const int32_t shift = load->registers == 2 ? 16 : 3;
            const unsigned from = FROM + (unsigned)shift, to = TO + (unsigned)shift;
            move(load, store, shift, room);
            for (unsigned i = 0; i < ROOM_BYTES; i++) {
                uint8_t want = (uint8_t)(1 + i % 251);
                if (i >= to && i < to + store->bits / 8) {
                    const unsigned each = store->bits / 8 / store->registers, had = load->bits / 8 / load->registers;
                    const unsigned r = (i - to) / each, byte = (i - to) % each;
                    want = byte < had ? (uint8_t)(1 + (from + r * had + byte) % 251) : 0;
                }
                assert_int_equal(room[i], want);
            }
            moved++;
        }
    printf("# %u pairs of accesses moved bytes\n", moved);
    assert_true(moved > 0);
}

#define ACCESS_TESTS \
    cmocka_unit_test(every_access_is_encoded), cmocka_unit_test(what_cannot_be_is_refused), \
        cmocka_unit_test(the_list_is_in_order), cmocka_unit_test(accesses_move_what_they_say)

#endif
