/*
 * Instructions of x86-64 read as forms. The catalogue has each with REX, where it can have one, and with the long form
 * of VEX; assemblers leave out of both what is not needed (SDM vol. 2A, chapter 2).
 */
#include <string.h>

#include "arch/form_read.h"

enum kind { LEGACY, VEX, XOP, EVEX };
enum { PREFIX_66 = 1, PREFIX_F2 = 2, PREFIX_F3 = 4, PREFIX_LOCK = 8 };
enum { MAP_ONE = 0, MAP_0F = 1, MAP_0F38 = 2, MAP_0F3A = 3 };
enum { REX = 0x40, REX_W = 8, RSP = 4, RBP = 5 };

static unsigned prefix_of(uint8_t byte)
{
    return byte == 0x66   ? PREFIX_66
           : byte == 0xf2 ? PREFIX_F2
           : byte == 0xf3 ? PREFIX_F3
           : byte == 0xf0 ? PREFIX_LOCK
                          : 0;
}

/* Opcodes with a ModRM byte: SDM vol. 2D, appendix A, tables. */
static bool has_modrm(const struct form_pieces *p)
{
    const uint8_t op = p->opcode;

    if (p->kind != LEGACY)
        return !(p->kind == VEX && p->map == MAP_0F && op == 0x77);
    if (p->map == MAP_ONE)
        return (op < 0x40 && (op & 7) < 4) || op == 0x63 || op == 0x69 || op == 0x6b || (op >= 0x80 && op < 0x90) ||
               op == 0xc0 || op == 0xc1 || op == 0xc6 || op == 0xc7 || (op >= 0xd0 && op < 0xd4) ||
               (op >= 0xd8 && op < 0xe0) || op == 0xf6 || op == 0xf7 || op >= 0xfe;
    if (p->map == MAP_0F)
        return !((op >= 0x05 && op < 0x0d) || op == 0x0e || (op >= 0x30 && op < 0x38) || op == 0x77 ||
                 (op >= 0x80 && op < 0x90) || (op >= 0xa0 && op < 0xa3) || (op >= 0xa8 && op < 0xab) ||
                 (op >= 0xc8 && op < 0xd0));
    return true;
}

/* Bytes of its immediate in the first opcode map: the same tables. */
static unsigned immediate_of_one(const struct form_pieces *p)
{
    const uint8_t op = p->opcode;
    const unsigned word = p->prefixes & PREFIX_66 ? 2 : 4, low = op & 7, test = (p->modrm >> 3 & 7) < 2;

    if (op < 0x40)
        return low == 4 ? 1 : low == 5 ? word : 0;
    if (op == 0x68 || op == 0x69 || op == 0x81 || op == 0xa9 || op == 0xc7)
        return word;
    if (op == 0x6a || op == 0x6b || (op >= 0x70 && op < 0x81) || op == 0x83 || op == 0xa8 || (op >= 0xb0 && op < 0xb8))
        return 1;
    if (op >= 0xb8 && op < 0xc0)
        return p->payload[0] & REX_W ? 8 : word;
    if (op == 0xc0 || op == 0xc1 || op == 0xc6 || op == 0xcd || (op >= 0xe0 && op < 0xe8) || op == 0xeb)
        return 1;
    if (op == 0xe8 || op == 0xe9)
        return 4;
    return op == 0xf6 ? test : op == 0xf7 ? test * word : 0;
}

static unsigned immediate_of(const struct form_pieces *p)
{
    const uint8_t op = p->opcode;

    if (p->kind == LEGACY && p->map == MAP_ONE)
        return immediate_of_one(p);
    if (p->kind == XOP)
        return p->map == 8 ? 1 : p->map == 10 ? 4 : 0;
    if (p->map == MAP_0F3A)
        return 1;
    if (p->map == MAP_0F && p->kind == LEGACY && op >= 0x80 && op < 0x90)
        return 4;
    if (p->map == MAP_0F && p->kind == LEGACY && op == 0x78) /* EXTRQ and INSERTQ: AMD64 APM vol. 4 */
        return p->prefixes & (PREFIX_66 | PREFIX_F2) ? 2 : 0;
    if (p->map == MAP_0F)
        return (op >= 0x70 && op < 0x74) || op == 0xc2 || (op >= 0xc4 && op < 0xc7) ||
               (p->kind == LEGACY && (op == 0xa4 || op == 0xac || op == 0xba));
    return 0;
}

/* A reader that never goes beyond the end: behind it are zeros, and the length shows that there were too few bytes. */
struct input {
    const uint8_t *bytes;
    size_t room, at;
};

static uint8_t next(struct input *in)
{
    const uint8_t byte = in->at < in->room ? in->bytes[in->at] : 0;

    in->at++;
    return byte;
}

/* Prefixes; REX counts only where it stands last. Those of segments change nothing (SDM vol. 2A, 2.1.1 and 2.2.1). */
static void take_prefixes(struct input *in, struct form_pieces *p)
{
    for (; in->at < in->room; next(in)) {
        const uint8_t byte = in->bytes[in->at];
        const bool is_rex = (byte & 0xf0) == REX, segment = (byte & 0xe7) == 0x26 || byte == 0x64 || byte == 0x65;
        if (!is_rex && !segment && !prefix_of(byte))
            return;
        p->payload[0] = is_rex ? byte : REX;
        p->has_high_bytes = !is_rex;
        p->prefixes |= (uint8_t)prefix_of(byte);
    }
}

/* VEX, XOP and EVEX: SDM vol. 2A, 2.3 and 2.7; AMD64 APM vol. 3, 1.2.9. */
static bool take_extended(struct input *in, struct form_pieces *p)
{
    const uint8_t first = in->room > in->at ? in->bytes[in->at] : 0,
                  second = in->room > in->at + 1 ? in->bytes[in->at + 1] : 0;
    const bool xop = first == 0x8f && (second & 0x1f) >= 8;

    if (first != 0xc4 && first != 0xc5 && first != 0x62 && !xop)
        return false;
    p->kind = first == 0x62 ? EVEX : xop ? XOP : VEX;
    next(in);
    if (first == 0xc5) {
        p->payload[0] = (uint8_t)((second & 0x80) | 0x61); /* X and B of VEX are stored inverted */
        p->payload[1] = second & 0x7f;
        next(in);
    } else {
        for (unsigned i = 0; i < (p->kind == EVEX ? 3u : 2u); i++)
            p->payload[i] = next(in);
    }
    p->map = p->payload[0] & (p->kind == EVEX ? 7 : 0x1f);
    return true;
}

static void take_opcode(struct input *in, struct form_pieces *p)
{
    if (!take_extended(in, p)) {
        p->opcode = next(in);
        if (p->opcode != 0x0f)
            return;
        p->map = MAP_0F;
        p->opcode = next(in);
        if (p->opcode != 0x38 && p->opcode != 0x3a)
            return;
        p->map = p->opcode == 0x38 ? MAP_0F38 : MAP_0F3A;
    }
    p->opcode = next(in);
}

/* X and B of the prefix, which extend index and base by 8. */
static unsigned extended(const struct form_pieces *p, unsigned bit)
{
    if (p->kind == LEGACY)
        return p->payload[0] >> bit & 1 ? 8 : 0;
    return p->payload[0] >> (5 + bit) & 1 ? 0 : 8;
}

static void take_memory(struct input *in, struct form_pieces *p)
{
    const unsigned mod = p->modrm >> 6, rm = p->modrm & 7;
    unsigned size = mod == 1 ? 1 : mod == 2 ? 4 : 0;

    p->has_memory = true;
    p->has_sib = rm == RSP;
    p->base = (uint8_t)(rm + extended(p, 0));
    if (p->has_sib) {
        p->sib = next(in);
        p->base = (uint8_t)((p->sib & 7) + extended(p, 0));
        const unsigned index = (p->sib >> 3 & 7) + extended(p, 1);
        p->index = index == RSP ? FIELD_NONE : (uint8_t)index;
    }
    if (mod == 0 && (p->has_sib ? p->sib & 7 : rm) == RBP) {
        p->base = FIELD_NONE;
        size = 4;
    }
    uint32_t displacement = 0;
    for (unsigned i = 0; i < size; i++)
        displacement |= (uint32_t)next(in) << 8 * i;
    p->displacement = size == 1 ? (int8_t)displacement : (int32_t)displacement;
}

void form_take_apart(const uint8_t *bytes, size_t room, struct form_pieces *p)
{
    struct input in = {bytes, room < FORM_BYTES ? room : FORM_BYTES, 0};

    *p = (struct form_pieces){.base = FIELD_NONE, .index = FIELD_NONE, .payload = {REX}, .has_high_bytes = true};
    take_prefixes(&in, p);
    take_opcode(&in, p);
    p->opcode_at = (uint8_t)(in.at - 1);
    p->has_modrm = has_modrm(p);
    if (p->has_modrm) {
        p->modrm = next(&in);
        if (p->modrm >> 6 != 3)
            take_memory(&in, p);
    }
    p->rest = (uint8_t)in.at;
    in.at += immediate_of(p);
    if (in.at > in.room)
        return;
    memcpy(p->bytes, bytes, in.at);
    p->length = (uint8_t)in.at;
}

/* Whether a form's address has a register as index that counts. */
static bool is_indexed(const struct form *f)
{
    for (unsigned i = 0; i < f->operand_count; i++)
        if (form_operand(f, i)->is_index)
            return true;
    return false;
}

/* An address that is computed: the catalogue has it as operands, with an index and without. */
static bool is_address(const struct form *f)
{
    return strncmp(form_name(f), "lea ", 4) == 0;
}

/* An address relative to the instruction: SDM vol. 2A, 2.2.1.6. */
static bool is_relative(const struct form_pieces *p)
{
    return p->modrm >> 6 == 0 && (p->modrm & 7) == RBP;
}

/* The memory operand is made that of the form; an index that is an operand of the form stays. */
static bool take_address(const struct form *f, struct form_pieces *mine, const struct form_pieces *theirs)
{
    const bool indexed = is_indexed(f) || (is_address(f) && theirs->has_sib);
    uint8_t mask = mine->kind == LEGACY ? 1 : 0x20; /* B, and X, which is the next bit */

    if (is_address(f) && is_relative(mine) != is_relative(theirs))
        return false;
    if (is_address(f) ? indexed != (mine->index != FIELD_NONE) : indexed && !mine->has_sib)
        return false;
    mask = indexed ? mask : (uint8_t)(3 * mask);
    mine->payload[0] = (uint8_t)((mine->payload[0] & ~mask) | (theirs->payload[0] & mask));
    mine->modrm = (uint8_t)((mine->modrm & 0x38) | (theirs->modrm & 0xc7));
    mine->sib = (uint8_t)(((indexed ? mine : theirs)->sib & 0x38) | (theirs->sib & 0xc7));
    return true;
}

/* An operand in the immediate: SDM vol. 2A, 2.3.8. */
static bool has_register_behind(const struct form *f, unsigned byte)
{
    for (unsigned i = 0; i < f->operand_count; i++)
        if (form_has_field(form_operand(f, i)) && form_operand(f, i)->field.bit[0] / 8 == byte)
            return true;
    return false;
}

/* Most forms have another opcode, which shows without taking them to pieces. Its last bits may be a register. */
static bool may_have_opcode(const struct form *f, uint8_t opcode)
{
    for (unsigned i = 0; i < f->length; i++)
        if (((f->bytes[i] ^ opcode) & 0xf8) == 0)
            return true;
    return false;
}

bool form_normalise(const struct form *f, const struct form_pieces *p, uint8_t as[FORM_BYTES])
{
    struct form_pieces mine = *p, theirs;
    size_t at = 0;

    if (!may_have_opcode(f, p->opcode))
        return false;
    form_take_apart(f->bytes, f->length, &theirs);
    if (!theirs.length || theirs.kind != mine.kind || theirs.map != mine.map || theirs.prefixes != mine.prefixes ||
        theirs.has_modrm != mine.has_modrm || theirs.has_memory != mine.has_memory ||
        theirs.length - theirs.rest != mine.length - mine.rest || (mine.has_memory && !take_address(f, &mine, &theirs)))
        return false;
    memset(as, 0, FORM_BYTES);
    memcpy(as, f->bytes, f->length);
    while (prefix_of(as[at]))
        at++;
    if (mine.kind == LEGACY)
        as[at] = mine.payload[0];
    else
        memcpy(as + at + 1, mine.payload, mine.kind == EVEX ? 3 : 2);
    as[theirs.opcode_at] = mine.opcode;
    if (theirs.has_modrm)
        as[theirs.opcode_at + 1] = mine.modrm;
    if (theirs.has_sib)
        as[theirs.opcode_at + 2] = mine.sib;
    if (has_register_behind(f, theirs.rest))
        as[theirs.rest] = (uint8_t)((mine.bytes[mine.rest] & 0xf0) | (as[theirs.rest] & 0x0f));
    return true;
}

/*
 * Opcodes of two registers whose bit 1 says which of them is written: SDM vol. 2D, B.1.4.8. Shifts by one are shifts by
 * a constant; not RCL and RCR, which take far longer by a constant.
 */
bool form_take_twin(struct form_pieces *p)
{
    const bool arithmetic = p->opcode < 0x40 && (p->opcode & 7) < 4, move = p->opcode >= 0x88 && p->opcode < 0x8c;
    const bool rotates_carry = (p->modrm >> 4 & 3) == 1; /* /2 and /3: SDM vol. 2D, table A-6 */

    if (p->kind != LEGACY || p->map != MAP_ONE)
        return false;
    if ((p->opcode == 0xd0 || p->opcode == 0xd1) && !rotates_carry) {
        p->opcode -= 0x10;
        p->length = p->rest + 1;
        return true;
    }
    if (p->has_memory || !(arithmetic || move))
        return false;
    p->opcode ^= 2;
    p->modrm = (uint8_t)((p->modrm & 0xc0) | (p->modrm & 7) << 3 | (p->modrm >> 3 & 7));
    p->payload[0] = (uint8_t)((p->payload[0] & ~5) | (p->payload[0] & 1) << 2 | (p->payload[0] >> 2 & 1));
    return true;
}

/* 90, and 0F 1F with any operand: SDM vol. 2B, NOP. */
bool form_is_nop(const struct form_pieces *p)
{
    return p->kind == LEGACY &&
           ((p->map == MAP_ONE && p->opcode == 0x90 && !(p->payload[0] & 1) && !(p->prefixes & PREFIX_F3)) ||
            (p->map == MAP_0F && p->opcode == 0x1f));
}

bool form_is_zero_register(const struct form_operand *o, unsigned number)
{
    (void)o;
    (void)number;
    return false;
}

/*
 * General registers that are written with 8 or 16 bits: SDM vol. 1, 3.4.1.1. Vector registers that are written without
 * VEX and EVEX: SDM vol. 1, 14.1.2.
 */
bool form_keeps_part(const struct form *f, unsigned operand)
{
    const struct form_operand *o = form_operand(f, operand);
    struct form_pieces p;

    form_take_apart(f->bytes, f->length, &p);
    return (o->access & OPERAND_WRITE) &&
           ((o->kind == OPERAND_GENERAL && o->bits < 32) || (o->kind == OPERAND_VECTOR && p.kind == LEGACY));
}
