#include "lib/kernels/access.h"

#include "lib/machine.h"

const struct emit_access *access_general(unsigned bits)
{
    const struct emit_access *a = emit_accesses; /* general registers come first, one by one */

    while (a->bits != bits)
        a++;
    return a;
}

bool access_can_run(const struct emit_access *a)
{
    return a->file == ACCESS_SCALABLE ? a->vector_bits == machine_info()->scalable_bits
                                      : a->vector_bits <= machine_info()->vector_bits;
}

void access_clear(struct code *c, const struct emit_access *a, unsigned r, unsigned count)
{
    for (unsigned i = r; a->file != ACCESS_GENERAL && i < r + count;
         i++) /* the narrowest instruction clears all of a scalable register */
        emit_wide_clear(c, (enum vreg)i, a->file == ACCESS_SCALABLE ? emit_wide_bits[0] : a->vector_bits);
}

bool access_represents_width(const struct emit_access *a)
{
    return a->streams || (a->file == ACCESS_GENERAL ? a->registers == 1 : a->bits > 64);
}

const char *access_variant(const struct emit_access *a)
{
    const bool pair = a->file == ACCESS_GENERAL && a->registers == 2 && !a->streams;
    return a->file == ACCESS_SCALABLE ? "vectors" : pair ? "registers" : NULL;
}

const char *access_variant_text(const struct emit_access *a)
{
    return a->file == ACCESS_SCALABLE ? "sve" : "pair";
}
