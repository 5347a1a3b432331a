/*
 * Loads and stores of every width for AArch64.
 *
 * Encodings: Arm ARM DDI 0487, C4.1 (loads and stores), C6.2, C7.2 and, of SVE, C8.2 under the names given beside them.
 */
#include "arch/emit_access.h"

#include "arch/aarch64/encode.h"

const struct emit_access emit_accesses[] = {
    {"8", ACCESS_GENERAL, 8, 1, 0, false, true, true},
    {"16", ACCESS_GENERAL, 16, 1, 0, false, true, true},
    {"32", ACCESS_GENERAL, 32, 1, 0, false, true, true},
    {"64", ACCESS_GENERAL, 64, 1, 0, false, true, true},
    {"pair", ACCESS_GENERAL, 128, 2, 0, false, true, true},
    {"stream-pair", ACCESS_GENERAL, 128, 2, 0, true, true, true},
    {"v8", ACCESS_VECTOR, 8, 1, 128, false, true, true},
    {"v16", ACCESS_VECTOR, 16, 1, 128, false, true, true},
    {"v32", ACCESS_VECTOR, 32, 1, 128, false, true, true},
    {"v64", ACCESS_VECTOR, 64, 1, 128, false, true, true},
    {"v128", ACCESS_VECTOR, 128, 1, 128, false, true, true},
    {"vpair", ACCESS_VECTOR, 256, 2, 128, false, true, true},
    {"stream-vpair", ACCESS_VECTOR, 256, 2, 128, true, true, true},
    {"sve128", ACCESS_SCALABLE, 128, 1, 128, false, true, true},
    {"sve256", ACCESS_SCALABLE, 256, 1, 256, false, true, true},
    {"sve512", ACCESS_SCALABLE, 512, 1, 512, false, true, true},
    {"sve1024", ACCESS_SCALABLE, 1024, 1, 1024, false, true, true},
    {"sve2048", ACCESS_SCALABLE, 2048, 1, 2048, false, true, true},
    {.name = NULL},
};

/* The size field counts 8, 16, 32, 64 bits from 0; 128 bits have size 0 and bit 1 of opc instead. */
static uint32_t size(const struct emit_access *a)
{
    return a->bits == 16 ? 1 : a->bits == 32 ? 2 : a->bits == 64 ? 3 : 0;
}

/* One register: LDRB, LDRH, LDR, STR … (immediate) with imm12 scaled by the size; LDUR, STUR with imm9. */
static void append_single(struct code *c, const struct emit_access *a, uint32_t r, enum reg base, int32_t offset,
                          bool load)
{
    const int32_t bytes = (int32_t)a->bits / 8;
    const bool scaled = offset >= 0 && offset % bytes == 0 && offset <= 4095 * bytes;
    uint32_t word = 0x38000000 | size(a) << 30 | (uint32_t)load << 22;

    if (a->file == ACCESS_VECTOR)
        word |= 1u << 26 | (uint32_t)(a->bits == 128) << 23;
    word |= scaled ? 1u << 24 | (uint32_t)(offset / bytes) << 10 : immediate(c, offset, 9, 12);
    append(c, word | rn(c, base) | r, load ? WORK_LOAD : WORK_STORE);
}

/* Two registers: LDP, STP (signed offset), LDNP, STNP; imm7 scaled by the size of one. */
static void append_pair(struct code *c, const struct emit_access *a, uint32_t r, enum reg base, int32_t offset,
                        bool load)
{
    const int32_t bytes = (int32_t)a->bits / 16;
    uint32_t word = a->file == ACCESS_VECTOR ? 0xac000000 : 0xa8000000;

    if (!code_require(c, offset % bytes == 0))
        return;
    word |= (uint32_t)!a->streams << 24 | (uint32_t)load << 22 | immediate(c, offset / bytes, 7, 15) | (r + 1) << 10;
    append(c, word | rn(c, base) | r, load ? WORK_LOAD : WORK_STORE);
}

/*
 * LDR, STR (vector) of SVE: imm9, scaled by the length of vectors, its upper six bits from bit 16 on and the others
 * from 10.
 */
static void append_scalable(struct code *c, const struct emit_access *a, uint32_t r, enum reg base, int32_t offset,
                            bool load)
{
    const int32_t bytes = (int32_t)a->bits / 8;

    if (!code_require(c, offset % bytes == 0))
        return;
    const uint32_t lengths = immediate(c, offset / bytes, 9, 0);
    append(c, (load ? 0x85804000 : 0xe5804000) | (lengths >> 3) << 16 | (lengths & 7) << 10 | rn(c, base) | r,
           load ? WORK_LOAD : WORK_STORE);
}

static void append_any(struct code *c, const struct emit_access *a, unsigned r, enum reg base, int32_t offset,
                       bool load)
{
    const unsigned limit = a->file == ACCESS_GENERAL ? (unsigned)REGS : (unsigned)VREGS;

    if (!code_require(c, r < limit && a->registers <= limit - r && (load ? a->has_load : a->has_store)))
        return;
    if (a->file == ACCESS_SCALABLE)
        append_scalable(c, a, r, base, offset, load);
    else if (a->registers == 2)
        append_pair(c, a, r, base, offset, load);
    else
        append_single(c, a, r, base, offset, load);
}

void emit_load_as(struct code *c, const struct emit_access *a, unsigned r, enum reg base, int32_t offset)
{
    append_any(c, a, r, base, offset, true);
}

void emit_store_as(struct code *c, const struct emit_access *a, unsigned r, enum reg base, int32_t offset)
{
    append_any(c, a, r, base, offset, false);
}
