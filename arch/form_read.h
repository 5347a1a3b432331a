/*
 * Code read as forms of the catalogue: the reverse of emit_form, for code that somebody else has written.
 */
#ifndef FATHOM_ARCH_FORM_READ_H
#define FATHOM_ARCH_FORM_READ_H

#include "arch/catalogue.h"

/* One instruction. */
struct form_use {
    const struct form *form; /* NULL: the catalogue has no such form */
    bool is_nop;             /* it does nothing but take a slot of the front end; `form` is NULL */
    uint8_t length;          /* bytes; 0: that is not known, and nothing behind it can be read */
    /* Of each operand of the form, the number of its register; FIELD_NONE: it is none, or always reads as zero. */
    uint8_t registers[FORM_OPERANDS];
    uint8_t base, index; /* registers of the address of the memory operand; FIELD_NONE: none */
    int64_t displacement;
};

/*
 * Reads the instruction that begins there, of `room` bytes at most. Branches are not read as forms, since
 * their bytes do not say whether they are taken. Immediates count as the one that the form has, memory operands as the
 * one without displacement. Bits of the encoding that the core ignores must be as assemblers write them.
 */
void form_read(const uint8_t *bytes, size_t room, struct form_use *u);

/*
 * Whether the form keeps a part of the register that it writes as this operand, and so may wait for what the register
 * held. The catalogue does not count that as an access.
 */
bool form_keeps_part(const struct form *f, unsigned operand);

/* ---- What each ISA does for form_read ------------------------------------------------------------- */

/* An instruction taken to pieces, as far as its ISA needs that to compare it with forms. */
struct form_pieces {
    uint8_t bytes[FORM_BYTES]; /* the instruction itself */
    uint8_t length;            /* of it */
    uint8_t prefixes;          /* x86-64: a bit for each legacy prefix that it has */
    uint8_t kind, map;         /* x86-64: of the encoding, and of the opcode map */
    uint8_t payload[3];        /* x86-64: REX, or what follows the first byte of VEX, XOP and EVEX */
    uint8_t opcode, modrm, sib;
    bool has_modrm, has_memory, has_sib;
    bool has_high_bytes; /* x86-64: numbers 4 to 7 are the second bytes of the registers 0 to 3 */
    uint8_t base, index;
    int64_t displacement;
    uint8_t opcode_at, rest; /* x86-64: where the opcode is, and how many bytes stand in front of the immediate */
};

/* Takes it to pieces; its length is 0 where that is not known. */
void form_take_apart(const uint8_t *bytes, size_t room, struct form_pieces *p);
/*
 * Whether the instruction may be of that form. Then as[] is the instruction as the form would have it: with the form's
 * immediate, and the form's memory operand. False: it is not.
 */
bool form_normalise(const struct form *f, const struct form_pieces *p, uint8_t as[FORM_BYTES]);
/* Another encoding of the same instruction, where it has one that the catalogue may have instead. False: none. */
bool form_take_twin(struct form_pieces *p);
bool form_is_nop(const struct form_pieces *p);
/* Whether the operand is a register that always reads as zero. */
bool form_is_zero_register(const struct form_operand *o, unsigned number);

#endif
