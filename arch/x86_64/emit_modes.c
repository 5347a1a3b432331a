/*
 * Links of pointer chases for x86-64: each form of address (Intel SDM vol. 1, 3.7.5), each width, and computing with
 * the loaded value. Encodings: vol. 2A, tables 2-2 and 2-3 for addresses; vol. 2 for instructions.
 */
#include "arch/emit_modes.h"

#include "arch/x86_64/encode.h"

enum { MOV = 0x8b, MOVZX8 = 0x0fb6, MOVZX16 = 0x0fb7, MOVSX8 = 0x0fbe, MOVSX16 = 0x0fbf, MOVSXD = 0x63, ADD = 0x03 };

/* A mode, and how it is emitted: [base + index * scale + displacement]. */
struct form {
    unsigned opcode;
    bool wide;                /* REX.W: the operation, or the register that is written, has 64 bits */
    bool has_base, has_index; /* at least one of them */
    bool leads_as_index;      /* the loaded value is the index of the next address; else its base */
    unsigned factor;          /* of the index, as a power of two */
    int32_t displacement;
    unsigned displacement_bytes;
    bool adds; /* adds REG_T2 to the loaded value */
};

const struct emit_mode emit_modes[] = {
    {"base", MODE_OFFSET, 0, 0, 1, 64, false, 8, 0, 0},
    {"offset8", MODE_OFFSET, 8, 0, 1, 64, false, 8, 0, 0},
    {"offset32", MODE_OFFSET, 1024, 0, 1, 64, false, 8, 0, 0},
    {"offset32-far", MODE_OFFSET, 4096, 0, 1, 64, false, 8, 0, 0},
    {"register", MODE_OFFSET, 8, 8, 1, 64, false, 8, 0, 0},
    {"register-scaled", MODE_OFFSET, 64, 8, 1, 64, false, 8, 0, 0},
    {"index", MODE_BASE, 0, 0, 1, 64, false, 8, 0, 0},
    {"index-scaled", MODE_BASE, 0, 0, 8, 64, false, 8, 0, 0},
    {"index-offset", MODE_BASE, 8, 0, 1, 64, false, 8, 0, 0},
    {"index-scaled-alone", MODE_OFFSET, 0, 0, 8, 64, false, 8, 0, 0},
    {"zero8", MODE_BASE, 0, 0, 1, 8, false, 1, 0, 0},
    {"zero16", MODE_BASE, 0, 0, 1, 16, false, 2, 0, 0},
    {"zero32", MODE_BASE, 0, 0, 1, 32, false, 4, 0, 0},
    {"sign8", MODE_BASE, 0, 0, 1, 8, true, 1, 0, 0},
    {"sign16", MODE_BASE, 0, 0, 1, 16, true, 2, 0, 0},
    {"sign32", MODE_BASE, 0, 0, 1, 32, true, 4, 0, 0},
    {"to-alu", MODE_OFFSET, 0, 0, 1, 64, false, 8, 0, 1},
    {"alu-memory", MODE_SELF, 0, 0, 1, 64, false, 8, 0, 1},
    {.name = NULL},
};

static const struct form forms[] = {
    {.opcode = MOV, .wide = true, .has_base = true},
    {.opcode = MOV, .wide = true, .has_base = true, .displacement = 8, .displacement_bytes = 1},
    {.opcode = MOV, .wide = true, .has_base = true, .displacement = 1024, .displacement_bytes = 4},
    {.opcode = MOV, .wide = true, .has_base = true, .displacement = 4096, .displacement_bytes = 4},
    {.opcode = MOV, .wide = true, .has_base = true, .has_index = true},
    {.opcode = MOV, .wide = true, .has_base = true, .has_index = true, .factor = 3},
    {.opcode = MOV, .wide = true, .has_base = true, .has_index = true, .leads_as_index = true},
    {.opcode = MOV, .wide = true, .has_base = true, .has_index = true, .leads_as_index = true, .factor = 3},
    {.opcode = MOV,
     .wide = true,
     .has_base = true,
     .has_index = true,
     .leads_as_index = true,
     .displacement = 8,
     .displacement_bytes = 1},
    {.opcode = MOV, .wide = true, .has_index = true, .leads_as_index = true, .factor = 3, .displacement_bytes = 4},
    {.opcode = MOVZX8, .has_base = true, .has_index = true, .leads_as_index = true},
    {.opcode = MOVZX16, .has_base = true, .has_index = true, .leads_as_index = true},
    {.opcode = MOV, .has_base = true, .has_index = true, .leads_as_index = true},
    {.opcode = MOVSX8, .wide = true, .has_base = true, .has_index = true, .leads_as_index = true},
    {.opcode = MOVSX16, .wide = true, .has_base = true, .has_index = true, .leads_as_index = true},
    {.opcode = MOVSXD, .wide = true, .has_base = true, .has_index = true, .leads_as_index = true},
    {.opcode = MOV, .wide = true, .has_base = true, .adds = true},
    {.opcode = ADD, .wide = true, .has_base = true},
};

_Static_assert(sizeof forms / sizeof forms[0] + 1 == sizeof emit_modes / sizeof emit_modes[0], "a form for each mode");

/* REG_T0 is RCX and REG_T2 is R9: neither needs what bases 4, 5, 12 and 13 need, nor is one of them 4 as an index. */
static void append_load(struct code *c, const struct form *f)
{
    const unsigned lead = number(c, REG_T0), other = number(c, REG_T2);
    const unsigned base = f->leads_as_index ? other : lead, index = f->leads_as_index ? lead : other;
    const unsigned x = f->has_index ? index >> 3 : 0, b = f->has_base ? base >> 3 : 0;
    const unsigned rex = (unsigned)f->wide << 3 | lead >> 3 << 2 | x << 1 | b;
    const unsigned mod = !f->has_base || f->displacement_bytes == 0 ? 0 : f->displacement_bytes == 1 ? 1 : 2;
    struct instruction i = {.count = 0};

    if (rex)
        add(&i, 0x40 | rex, 1);
    if (f->opcode > 0xff)
        add(&i, f->opcode >> 8, 1);
    add(&i, f->opcode & 0xff, 1);
    add(&i, modrm(mod, lead, f->has_index ? RSP : base), 1);
    if (f->has_index) /* SIB has the layout of ModR/M; base 5 with mod 0: none, and a displacement of four bytes */
        add(&i, modrm(f->factor, index, f->has_base ? base : RBP), 1);
    add(&i, (uint32_t)f->displacement, f->displacement_bytes);
    append(c, &i, WORK_LOAD);
}

void emit_mode_links(struct code *c, const struct emit_mode *m)
{
    const struct form *f = &forms[m - emit_modes];

    for (unsigned k = 0; k < 2; k++) {
        append_load(c, f);
        if (f->adds)
            emit_add(c, REG_T0, REG_T2);
    }
}
