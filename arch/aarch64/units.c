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

/*
 * No addition or comparison that writes flags: selects read them. On Firestorm these classes tell apart the units that
 * multiply, divide and authenticate pointers, and of those for vectors the one for estimates and hashes (Johnson 2021).
 */
const struct form_unit form_units_more[] = {{"high multiply", "smulh x, x, x"},
                                            {"division", "udiv x, x, x"},
                                            {"authentication", "pacga x, x, x"},
                                            {"checksum", "crc32x w, w, x"},
                                            {"vector select", "fcsel d, d, d, cond"},
                                            {"estimate", "frecpe d, d"},
                                            {"hash", "sha1h s, s"},
                                            {"cipher", "aesmc v.16b, v.16b"},
                                            {"general to vector", "fmov d, x"},
                                            {0}};

bool form_unit_is_there(const struct form_unit *u)
{
    (void)u; /* every core has those of form_units */
    return true;
}
