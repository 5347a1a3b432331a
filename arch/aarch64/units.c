/* Forms of A64 that stand for the units of a core. */
#include "arch/catalogue.h"

const struct form_unit form_units[] = {{"add", "add x, x, x"},
                                       {"vector multiply", "fmul v.2d, v.2d, v.2d"},
                                       {"shift", "lslv x, x, x"},
                                       {"multiply", "madd x, x, x, x"},
                                       {"vector add", "fadd v.2d, v.2d, v.2d"},
                                       {"vector integer add", "add v.4s, v.4s, v.4s"},
                                       {"shuffle", "zip1 v.16b, v.16b, v.16b"},
                                       {"vector to general", "fmov x, d"},
                                       {"vector shift", "shl v.4s, v.4s, #i"},
                                       {"conversion", "scvtf v.2d, v.2d"},
                                       {"extract", "extr x, x, x, #i"},
                                       {"select", "csel x, x, x, cond"},
                                       {0}};

bool form_unit_is_there(const struct form_unit *u)
{
    (void)u; /* every core has them */
    return true;
}
