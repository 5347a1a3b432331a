/* For the tests of control_x86_64.c and switches_x86_64.c: one modelled processor, and what can be controlled on it. */
#ifndef FATHOM_TESTS_CONTROL_X86_64_H
#define FATHOM_TESTS_CONTROL_X86_64_H

#include <string.h>

#include "arch/control.h"
#include "tests/registers/model.h"

static struct model m;
static struct access a;
static struct control c;
static char why[512];

/* A processor by vendor and CPUID.01H:EAX; on hybrid ones CPUID.1AH:EAX says which kind of core this is. */
static void processor(char vendor, uint32_t signature, uint32_t core)
{
    memset(&m, 0, sizeof m);
    if (vendor == 'I')
        model_cpuid(&m, 0, 0, 0x20, 0x756e6547, 0x6c65746e, 0x49656e69); /* GenuineIntel */
    else
        model_cpuid(&m, 0, 0, 0x10, 0x68747541, 0x444d4163, 0x69746e65); /* AuthenticAMD */
    model_cpuid(&m, 1, 0, signature, 0, 1 << 7, 1 << 14 | 1 << 22);
    if (core) {
        model_cpuid(&m, 7, 0, 0, 0, 0, 1 << 15);
        model_cpuid(&m, 0x1a, 0, core, 0, 0, 0);
    }
    a = model_access(&m);
}

static void start(void)
{
    model_begin(&m);
    control_start(&c, &a);
    model_assert_writes(&m, "");
}

#endif
