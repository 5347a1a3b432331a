/*
 * Links of dependency chains: forms, each of which passes a value on in one register of a kind without changing it, so
 * that a chain may be made of any of them in any order. Who made an operand may change what the next one takes
 * (docs/METHODS.md, 6.12).
 */
#ifndef FATHOM_ARCH_FORM_LINKS_H
#define FATHOM_ARCH_FORM_LINKS_H

#include "arch/catalogue.h"

/*
 * Values that registers have in such a chain. Of a general register 0, 1, and the value that is passed, the address of
 * memory that holds this address. Of a vector register 0.0 and 1.0, doubles in all elements; the value that is passed
 * is 1.0 at first, and what conversions and multiplications of integers make of it, but never denormal.
 */
struct form_link {
    const char *name;  /* "multiply", the same on every ISA */
    unsigned kind;     /* of the register in which the value is passed: OPERAND_GENERAL or OPERAND_VECTOR */
    const char *forms; /* one form of the catalogue, or two: "movq xmm, r64; movq r64, xmm" */
    /*
     * A letter for each operand that has a field, of the operand's kind: c is the register in which the value is
     * passed, 0 and 1 have these values, a has the passed value too, and x is any. Memory is at REG_DATA, which is c.
     */
    const char *roles;
};

/* All of this ISA, some of which a core may lack. Ended by a NULL name. */
extern const struct form_link form_links[];
/* Whether the core that runs this has all forms of the link. */
bool form_link_is_there(const struct form_link *link);

#endif
