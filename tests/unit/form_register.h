/* A register at random for an operand of a form. */
#ifndef FATHOM_TESTS_UNIT_FORM_REGISTER_H
#define FATHOM_TESTS_UNIT_FORM_REGISTER_H

#include "arch/catalogue.h"
#include "lib/base/random.h"

/* The number of one that the operand, which has a field for it, can have. */
static inline unsigned random_register(const struct form_operand *o, uint64_t *random)
{
    const uint8_t *from = form_registers[o->kind];
    unsigned count = 0, n;

    while (from[count] != FIELD_NONE)
        count++;
    do
        n = from[random_below(random, count)];
    while (!form_fits(o, n));
    return n;
}

#endif
