/*
 * Links of pointer chases: the ways in which an ISA computes an address from what the load before returned.
 *
 * Each link loads a word and computes the address of the next link's word from it. REG_T0 carries the value from link
 * to link; REG_T2 is constant. The word at an address leads to the address `next` when it is (next - origin) / scale,
 * where the origin is
 *
 *   MODE_OFFSET   `offset`: the word is a pointer, and the instruction, or REG_T2, adds something to it
 *   MODE_BASE     what REG_T2 holds: the word is an index
 *   MODE_SELF     the word's own address: the word is added to the address
 */
#ifndef FATHOM_ARCH_EMIT_MODES_H
#define FATHOM_ARCH_EMIT_MODES_H

#include "arch/emit.h"

/* The origin of a link. */
enum mode_origin { MODE_OFFSET, MODE_BASE, MODE_SELF };

/* One way to compute an address. */
struct emit_mode {
    const char *name;        /* "base", "index-scaled", "pair-second" */
    enum mode_origin origin; /* what the scaled word is added to */
    int32_t offset;          /* MODE_OFFSET: added to the pointer */
    uint32_t constant;       /* what REG_T2 has to hold; MODE_BASE: an address of the caller's choice instead */
    unsigned scale;          /* what is loaded is multiplied by that */
    unsigned bits;           /* of the word; it is extended with zeros, or with its sign */
    bool is_signed;
    unsigned bytes; /* that the load reads */
    unsigned word;  /* offset of the word in them */
    unsigned more;  /* cycles of a link beyond the load: instructions, or parts of one, that take a cycle each */
};

/* All modes of this ISA, the simplest first; ended by a NULL name. */
extern const struct emit_mode emit_modes[];

/* Emits two links: REG_T0 holds the same kind of value before and after them. They may use REG_T1. */
void emit_mode_links(struct code *c, const struct emit_mode *m);

#endif
