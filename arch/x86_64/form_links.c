/*
 * Links of dependency chains on x86-64. SHLX and the forms of FMA are lacking on cores without BMI2 and FMA. CMOV
 * copies the value to where it is already, whatever flags the instruction before it has set.
 */
#include "arch/form_links.h"

#include <cpuid.h>
#include <string.h>

#include "arch/identify.h"

const struct form_link form_links[] = {
    {"add", OPERAND_GENERAL, "add r64, r64", "c0"},
    {"multiply", OPERAND_GENERAL, "imul r64, r64", "c1"},
    {"shift", OPERAND_GENERAL, "shlx r64, r64, r64", "cc0"},
    {"select", OPERAND_GENERAL, "cmovz r64, r64", "ca"},
    {"load", OPERAND_GENERAL, "mov r64, m64", "c"},
    {"way through vectors", OPERAND_GENERAL, "movq xmm, r64; movq r64, xmm", "xc; cx"},
    {"fp add", OPERAND_VECTOR, "addpd xmm, xmm", "c0"},
    {"fp multiply", OPERAND_VECTOR, "mulpd xmm, xmm", "c1"},
    {"fp multiply-add, factor", OPERAND_VECTOR, "vfmadd213pd xmm, xmm, xmm", "c10"},
    {"fp multiply-add, sum", OPERAND_VECTOR, "vfmadd231pd xmm, xmm, xmm", "c10"},
    {"fp logic", OPERAND_VECTOR, "orpd xmm, xmm", "c0"},
    {"fp shuffle", OPERAND_VECTOR, "unpcklpd xmm, xmm", "c1"},
    {"integer add", OPERAND_VECTOR, "paddd xmm, xmm", "c0"},
    {"integer multiply", OPERAND_VECTOR, "pmuludq xmm, xmm", "c1"},
    {"integer logic", OPERAND_VECTOR, "por xmm, xmm", "c0"},
    {"integer shuffle", OPERAND_VECTOR, "punpcklqdq xmm, xmm", "c1"},
    {"conversion", OPERAND_VECTOR, "cvtdq2ps xmm, xmm", "cc"},
    {"way through general registers", OPERAND_VECTOR, "movq r64, xmm; movq xmm, r64", "xc; cx"},
    {0}};

/* CPUID: SDM vol. 2A. FMA needs vectors of AVX, and no core without those has BMI2. */
bool form_link_is_there(const struct form_link *link)
{
    const bool fma = !strncmp(link->forms, "vf", 2), bmi2 = !strncmp(link->forms, "shlx", 4);
    unsigned a, b = 0, c = 0, d;

    if (!fma && !bmi2)
        return true;
    if (identify_vector_bits() <= 128)
        return false;
    return fma ? __get_cpuid(1, &a, &b, &c, &d) && c >> 12 & 1 : __get_cpuid_count(7, 0, &a, &b, &c, &d) && b >> 8 & 1;
}
