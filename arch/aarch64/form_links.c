/*
 * Links of dependency chains on A64. The scalar FMADD has a register for its sum besides the one that it writes, so that
 * a chain may go through a factor alone; it zeroes the upper half of a vector register, which no other link minds.
 */
#include "arch/form_links.h"

const struct form_link form_links[] = {
    {"add", OPERAND_GENERAL, "add x, x, x", "cc0"},
    {"multiply", OPERAND_GENERAL, "madd x, x, x, x", "cc10"},
    {"multiply-add, sum", OPERAND_GENERAL, "madd x, x, x, x", "c01c"},
    {"shift", OPERAND_GENERAL, "lslv x, x, x", "cc0"},
    {"select", OPERAND_GENERAL, "csel x, x, x, cond", "cca"},
    {"load", OPERAND_GENERAL, "ldr x, [base]", "c"},
    {"way through vectors", OPERAND_GENERAL, "fmov d, x; fmov x, d", "xc; cx"},
    {"fp add", OPERAND_VECTOR, "fadd v.2d, v.2d, v.2d", "cc0"},
    {"fp multiply", OPERAND_VECTOR, "fmul v.2d, v.2d, v.2d", "cc1"},
    {"fp multiply-add, factor", OPERAND_VECTOR, "fmadd d, d, d, d", "cc10"},
    {"fp multiply-add, sum", OPERAND_VECTOR, "fmla v.2d, v.2d, v.2d", "c01"},
    {"integer add", OPERAND_VECTOR, "add v.4s, v.4s, v.4s", "cc0"},
    {"integer multiply", OPERAND_VECTOR, "mul v.4s, v.4s, v.4s", "cc1"},
    {"integer multiply-add, sum", OPERAND_VECTOR, "mla v.4s, v.4s, v.4s", "c01"},
    {"integer logic", OPERAND_VECTOR, "orr v.16b, v.16b, v.16b", "cc0"},
    {"integer shuffle", OPERAND_VECTOR, "zip1 v.2d, v.2d, v.2d", "cc1"},
    {"conversion", OPERAND_VECTOR, "scvtf v.2d, v.2d", "cc"},
    {"way through general registers", OPERAND_VECTOR, "fmov x, d; fmov d, x", "xc; cx"},
    {0}};

bool form_link_is_there(const struct form_link *link)
{
    (void)link; /* every core has them */
    return true;
}
