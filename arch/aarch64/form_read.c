/*
 * Instructions of A64 read as forms: which of their bits are immediates (Arm ARM DDI 0487, C4.1).
 */
#include <string.h>

#include "arch/form_read.h"

enum { WORD = 4, ZERO_REGISTER = 31 };

static uint32_t bits(unsigned high, unsigned low)
{
    return (uint32_t)((UINT64_C(2) << high) - (UINT64_C(1) << low));
}

static uint32_t field(uint32_t word, unsigned high, unsigned low)
{
    return (word & bits(high, low)) >> low;
}

static bool is_load_store(uint32_t word)
{
    return field(word, 27, 27) && !field(word, 25, 25);
}

/* Bits of a load or store that are its displacement; 0: it has none, or writes its base. */
static uint32_t displacement_bits(uint32_t word)
{
    if (field(word, 29, 27) == 5 && field(word, 24, 23) == 2)
        return bits(21, 15);
    if (field(word, 29, 27) == 7 && field(word, 25, 24) == 1)
        return bits(21, 10);
    if (field(word, 29, 27) == 7 && field(word, 25, 24) == 0 && !field(word, 21, 21) && field(word, 11, 10) == 0)
        return bits(20, 12);
    return 0;
}

/* Immediates of data processing with an immediate. */
static uint32_t immediate_bits(uint32_t word)
{
    switch (field(word, 25, 23)) {
    case 0:
    case 1: return bits(30, 29) | bits(23, 5);
    case 2:
    case 4: return bits(22, 10);
    case 5: return bits(22, 5);
    case 6: return bits(21, 10);
    case 7: return bits(15, 10);
    default: return 0;
    }
}

/* Shifts of registers by 0 are forms of their own. */
static uint32_t shift_bits(uint32_t word)
{
    if (field(word, 28, 24) == 10 || (field(word, 28, 24) == 11 && !field(word, 21, 21)))
        return bits(15, 10);
    return field(word, 28, 24) == 11 ? bits(12, 10) : 0;
}

/* Conditions and constants of conditional selects and compares. */
static uint32_t condition_bits(uint32_t word)
{
    if (field(word, 28, 21) == 0xd4)
        return bits(15, 12);
    if (field(word, 28, 21) == 0xd2)
        return bits(15, 12) | bits(3, 0) | (field(word, 11, 11) ? bits(20, 16) : 0);
    return field(word, 28, 24) == 30 && field(word, 21, 21) && field(word, 10, 10) ? bits(15, 12) : 0;
}

/* Vectors: shifts by a constant, whose highest set bit is the size of the elements, and constants. */
static uint32_t vector_bits(uint32_t word)
{
    if (field(word, 28, 24) != 15 && field(word, 28, 24) != 31)
        return 0;
    if (field(word, 23, 23) || !field(word, 10, 10) || field(word, 28, 28))
        return 0;
    if (!field(word, 22, 19))
        return bits(18, 16) | bits(9, 5);
    const unsigned highest = 31 - (unsigned)__builtin_clz(field(word, 22, 16)); /* above the number of bits */
    return bits(15 + highest, 16);
}

static uint32_t free_bits(uint32_t word)
{
    if (is_load_store(word))
        return displacement_bits(word) | bits(9, 5);
    if (field(word, 28, 26) == 4)
        return immediate_bits(word);
    if (field(word, 27, 25) == 5)
        return shift_bits(word) | condition_bits(word);
    return vector_bits(word) | condition_bits(word);
}

void form_take_apart(const uint8_t *bytes, size_t room, struct form_pieces *p)
{
    uint32_t word = 0;

    *p = (struct form_pieces){.base = FIELD_NONE, .index = FIELD_NONE};
    if (room < WORD)
        return;
    memcpy(p->bytes, bytes, WORD);
    memcpy(&word, bytes, WORD);
    p->length = WORD;
    p->has_memory = is_load_store(word);
    if (!p->has_memory)
        return;
    p->base = (uint8_t)field(word, 9, 5);
    const uint32_t mask = displacement_bits(word);
    p->displacement = mask ? (int64_t)((word & mask) / (mask & -mask)) : 0;
    /* a register offset: C4.1.94 */
    if (field(word, 29, 27) == 7 && field(word, 25, 24) == 0 && field(word, 21, 21) && field(word, 11, 10) == 2)
        p->index = (uint8_t)field(word, 20, 16);
}

bool form_normalise(const struct form *f, const struct form_pieces *p, uint8_t as[FORM_BYTES])
{
    uint32_t word = 0, other = 0;

    memcpy(&word, p->bytes, WORD);
    memcpy(&other, f->bytes, WORD);
    const uint32_t unbound = free_bits(other), shift = field(other, 27, 25) == 5 ? shift_bits(other) : 0;
    if (!(word & shift) != !(other & shift))
        return false;
    word = (word & ~unbound) | (other & unbound);
    memset(as, 0, FORM_BYTES);
    memcpy(as, &word, WORD);
    return true;
}

bool form_take_twin(struct form_pieces *p)
{
    (void)p;
    return false;
}

/* NOP: C6.2, HINT #0. */
bool form_is_nop(const struct form_pieces *p)
{
    static const uint8_t nop[] = {0x1f, 0x20, 0x03, 0xd5};

    return memcmp(p->bytes, nop, sizeof nop) == 0;
}

bool form_is_zero_register(const struct form_operand *o, unsigned number)
{
    return o->kind == OPERAND_GENERAL && number == ZERO_REGISTER;
}

/* What is not written of a register becomes 0: Arm ARM, B1.2.1. */
bool form_keeps_part(const struct form *f, unsigned operand)
{
    (void)f;
    (void)operand;
    return false;
}
