/*
 * The registers of EL1, as EL2 names them.
 *
 * Without HCR_EL2.E2H these are the _EL1 names. With it, the _EL1 names reach EL2's own registers, and
 * EL1's are found under _EL12: the same encoding with op1 5 in place of 0 (Arm ARM DDI 0487, D19.1.3,
 * and the accessibility tables of each register). One list gives both, so that they can't differ.
 */
#ifndef FATHOM_ARCH_AARCH64_OWN_EL1_REGISTERS_H
#define FATHOM_ARCH_AARCH64_OWN_EL1_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

/* The registers: name without _EL1, CRn, CRm, op2. */
#define EL1_REGISTERS(X) \
    X(SCTLR, 1, 0, 0) \
    X(CPACR, 1, 0, 2) \
    X(TTBR0, 2, 0, 0) \
    X(TTBR1, 2, 0, 1) \
    X(TCR, 2, 0, 2) \
    X(SPSR, 4, 0, 0) \
    X(ELR, 4, 0, 1) \
    X(ESR, 5, 2, 0) \
    X(FAR, 6, 0, 0) \
    X(MAIR, 10, 2, 0) \
    X(VBAR, 12, 0, 0) \
    X(CNTKCTL, 14, 1, 0) \
    X(ZCR, 1, 2, 0) /* last: only where there is SVE */

enum el1_register {
#define EL1_ENUMERATOR(name, crn, crm, op2) EL1_##name,
    EL1_REGISTERS(EL1_ENUMERATOR)
#undef EL1_ENUMERATOR
        EL1_REGISTER_COUNT
};

/* Reads a register of EL1. To be called at EL2; `e2h` is HCR_EL2.E2H there. */
uint64_t el1_read(enum el1_register r, bool e2h);
/* Writes a register of EL1. To be called at EL2; `e2h` is HCR_EL2.E2H there. */
void el1_write(enum el1_register r, bool e2h, uint64_t value);

#endif
