/*
 * Links of chains of loads: the ways in which an ISA makes an address of what the load before brought.
 *
 * Each link loads a word from a place and makes the place of the next link of it. REG_T0 leads from link to link; REG_T2
 * stays what it is. A place leads to the next one when its word is (next - origin) / scale, where the origin is
 *
 *   MODE_OFFSET   `offset`: the word is a pointer, and the instruction, or REG_T2, adds something to it
 *   MODE_BASE     what REG_T2 holds: the word is an index
 *   MODE_SELF     the place itself: the word is what is to be added to the address
 */
#ifndef FATHOM_ARCH_EMIT_MODES_H
#define FATHOM_ARCH_EMIT_MODES_H

#include "arch/emit.h"

enum mode_origin { MODE_OFFSET, MODE_BASE, MODE_SELF };

struct emit_mode {
    const char *name;        /* "base", "index-scaled", "pair-second" */
    enum mode_origin origin; /* see above */
    int32_t offset;          /* MODE_OFFSET: added to the pointer */
    uint32_t constant;       /* what REG_T2 has to hold; MODE_BASE: an address of the caller's choice instead */
    unsigned scale;          /* what is loaded is multiplied by that */
    unsigned bits;           /* of the word; what is above them comes of zeros, or of its sign */
    bool is_signed;
    unsigned bytes; /* read at the place in all … */
    unsigned word;  /* … and where in them the word is */
    unsigned more;  /* instructions of a link besides the load, or parts of it, that take a cycle each */
};

/* The simplest first; ended by a NULL name. */
extern const struct emit_mode emit_modes[];

/* Two links, from the word's form in REG_T0 back to it there. May use REG_T1. */
void emit_mode_links(struct code *c, const struct emit_mode *m);

#endif
