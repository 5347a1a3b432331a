/* Exceptions by their syndrome. */
#ifndef FATHOM_ARCH_AARCH64_OWN_FAULTS_H
#define FATHOM_ARCH_AARCH64_OWN_FAULTS_H

#include <stdint.h>

#include "arch/window.h"

/* Exception classes that have a name here. */
enum {
    CLASS_HYPERVISOR_CALL = 0x16, /* HVC of AArch64 */
};

/* The exception class of a syndrome: ESR_ELx.EC, bits 31 to 26 (Arm ARM DDI 0487, D19.2). */
static inline unsigned exception_class(uint64_t syndrome)
{
    return (unsigned)(syndrome >> 26 & 0x3f);
}

/*
 * Describes a synchronous exception by its ESR_ELx, FAR_ELx and ELR_ELx. The address is 0 unless FAR_ELx is valid for
 * it.
 */
struct fault fault_describe(uint64_t syndrome, uint64_t address, uint64_t pc);
/*
 * Describes an SError, an asynchronous error of the memory system, by its ESR_ELx and ELR_ELx; which access caused it
 * cannot be known.
 */
struct fault fault_serror(uint64_t syndrome, uint64_t pc);

#endif
