/* Forms of x86-64 that stand for the units of a core. */
#include <cpuid.h>
#include <string.h>

#include "arch/catalogue.h"
#include "arch/identify.h"

/*
 * An addition whose result nobody keeps: CMP. Golden Cove executes an addition of a small constant when it renames
 * registers, and reads too few registers a cycle for five additions of two beside a store: CMP with a constant
 * is neither (measured: five of them, and a store, each cycle).
 */
const struct form_unit form_units[] = {{"add", "cmp r64, i8"},
                                       {"vector multiply", "vmulpd xmm, xmm, xmm"},
                                       {"vector multiply", "mulpd xmm, xmm"},
                                       {"shift", "rorx r64, r64, i8"},
                                       {"shift", "shl r64, i8"},
                                       {"multiply", "imul r64, r64, i8"},
                                       {"vector add", "vaddpd xmm, xmm, xmm"},
                                       {"vector add", "addpd xmm, xmm"},
                                       {"vector integer add", "vpaddd xmm, xmm, xmm"},
                                       {"vector integer add", "paddd xmm, xmm"},
                                       {"shuffle", "pshufd xmm, xmm, i8"},
                                       {"vector to general", "movq r64, xmm"},
                                       {"vector shift", "vpslld xmm, xmm, i8"},
                                       {"vector shift", "pslld xmm, i8"},
                                       {"conversion", "cvtdq2ps xmm, xmm"},
                                       {0}};

/* AVX, and BMI2: CPUID.07H:EBX[8] (SDM vol. 2A, CPUID). */
bool form_unit_is_there(const struct form_unit *u)
{
    uint32_t a, b, c, d;

    if (!strncmp(u->form, "rorx ", 5))
        return __get_cpuid_count(7, 0, &a, &b, &c, &d) && b >> 8 & 1;
    return u->form[0] != 'v' || identify_vector_bits() > 128;
}
