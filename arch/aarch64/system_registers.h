/*
 * The system registers that are accessed by number (arch/access.h): each with its encoding, for tables of
 * registers and for the instructions that access them (access.S), which need one pair for each.
 *
 * Sources: Arm ARM DDI 0487, D19, "Accessing" of each register. The GIC's: Arm IHI 0069, 12.2. Apple's: Linux,
 * arch/arm64/include/asm/apple_m1_pmu.h and drivers/irqchip/irq-apple-aic.c.
 */
#ifndef FATHOM_ARCH_AARCH64_SYSTEM_REGISTERS_H
#define FATHOM_ARCH_AARCH64_SYSTEM_REGISTERS_H

/* The list: calls the macro REGISTER(name, op0, op1, CRn, CRm, op2) for each register. */
#define SYSTEM_REGISTERS(REGISTER) \
    /* What the core is, and where we are. */ \
    REGISTER(MIDR_EL1, 3, 0, 0, 0, 0) \
    REGISTER(ID_AA64DFR0_EL1, 3, 0, 0, 5, 0) \
    REGISTER(ID_AA64DFR1_EL1, 3, 0, 0, 5, 1) \
    REGISTER(CurrentEL, 3, 0, 4, 2, 2) \
    REGISTER(MDCR_EL2, 3, 4, 1, 1, 1) \
    /* Of EL2, on some cores only (own/el2_controls.c), and translation at EL1. */ \
    REGISTER(ID_AA64MMFR0_EL1, 3, 0, 0, 7, 0) \
    REGISTER(ID_AA64MMFR1_EL1, 3, 0, 0, 7, 1) \
    REGISTER(ID_AA64MMFR3_EL1, 3, 0, 0, 7, 3) \
    REGISTER(HCRX_EL2, 3, 4, 1, 2, 2) \
    REGISTER(HFGRTR_EL2, 3, 4, 1, 1, 4) \
    REGISTER(HDFGRTR2_EL2, 3, 4, 3, 1, 0) \
    REGISTER(TCR2_EL1, 3, 0, 2, 0, 3) \
    /* Speculation and timing. */ \
    REGISTER(ID_AA64PFR0_EL1, 3, 0, 0, 4, 0) \
    REGISTER(ID_AA64PFR1_EL1, 3, 0, 0, 4, 1) \
    REGISTER(ID_AA64ISAR1_EL1, 3, 0, 0, 6, 1) \
    REGISTER(DIT, 3, 3, 4, 2, 5) \
    REGISTER(SSBS, 3, 3, 4, 2, 6) \
    /* For the support file (support.c). */ \
    REGISTER(MPIDR_EL1, 3, 0, 0, 0, 5) \
    REGISTER(REVIDR_EL1, 3, 0, 0, 0, 6) \
    REGISTER(ID_AA64PFR2_EL1, 3, 0, 0, 4, 2) \
    REGISTER(ID_AA64ZFR0_EL1, 3, 0, 0, 4, 4) \
    REGISTER(ID_AA64SMFR0_EL1, 3, 0, 0, 4, 5) \
    REGISTER(ID_AA64ISAR0_EL1, 3, 0, 0, 6, 0) \
    REGISTER(ID_AA64ISAR2_EL1, 3, 0, 0, 6, 2) \
    REGISTER(ID_AA64ISAR3_EL1, 3, 0, 0, 6, 3) \
    REGISTER(ID_AA64MMFR2_EL1, 3, 0, 0, 7, 2) \
    REGISTER(ID_AA64MMFR4_EL1, 3, 0, 0, 7, 4) \
    REGISTER(CLIDR_EL1, 3, 1, 0, 0, 1) \
    REGISTER(AIDR_EL1, 3, 1, 0, 0, 7) \
    REGISTER(CTR_EL0, 3, 3, 0, 0, 1) \
    REGISTER(DCZID_EL0, 3, 3, 0, 0, 7) \
    REGISTER(CNTFRQ_EL0, 3, 3, 14, 0, 0) \
    REGISTER(SCTLR_EL1, 3, 0, 1, 0, 0) \
    REGISTER(ACTLR_EL1, 3, 0, 1, 0, 1) \
    REGISTER(CPACR_EL1, 3, 0, 1, 0, 2) \
    REGISTER(TCR_EL1, 3, 0, 2, 0, 2) \
    REGISTER(MAIR_EL1, 3, 0, 10, 2, 0) \
    REGISTER(CNTKCTL_EL1, 3, 0, 14, 1, 0) \
    REGISTER(VPIDR_EL2, 3, 4, 0, 0, 0) \
    REGISTER(VMPIDR_EL2, 3, 4, 0, 0, 5) \
    REGISTER(SCTLR_EL2, 3, 4, 1, 0, 0) \
    REGISTER(ACTLR_EL2, 3, 4, 1, 0, 1) \
    REGISTER(HCR_EL2, 3, 4, 1, 1, 0) \
    REGISTER(CPTR_EL2, 3, 4, 1, 1, 2) \
    REGISTER(HSTR_EL2, 3, 4, 1, 1, 3) \
    REGISTER(HACR_EL2, 3, 4, 1, 1, 7) \
    REGISTER(TCR_EL2, 3, 4, 2, 0, 2) \
    REGISTER(MAIR_EL2, 3, 4, 10, 2, 0) \
    REGISTER(CNTVOFF_EL2, 3, 4, 14, 0, 3) \
    REGISTER(CNTHCTL_EL2, 3, 4, 14, 1, 0) \
    /* Prefetcher switches: Arm's on A57 and A72, and later; Apple's (prefetch.c). */ \
    REGISTER(OLD_CPUACTLR_EL1, 3, 1, 15, 2, 0) \
    REGISTER(OLD_CPUECTLR_EL1, 3, 1, 15, 2, 1) \
    REGISTER(CPUECTLR_EL1, 3, 0, 15, 1, 4) \
    REGISTER(APPLE_HID4, 3, 0, 15, 4, 0) \
    REGISTER(APPLE_EHID4, 3, 0, 15, 4, 1) \
    REGISTER(APPLE_HID11, 3, 0, 15, 11, 0) \
    /* The GIC's CPU interface; Apple's switch for timers of EL1 (own/delivery.c). */ \
    REGISTER(ICC_PMR_EL1, 3, 0, 4, 6, 0) \
    REGISTER(ICC_SRE_EL1, 3, 0, 12, 12, 5) \
    REGISTER(ICC_IGRPEN1_EL1, 3, 0, 12, 12, 7) \
    REGISTER(APPLE_VM_TMR_FIQ_ENA_EL2, 3, 5, 15, 1, 3) \
    /* PMUv3. */ \
    REGISTER(PMCR_EL0, 3, 3, 9, 12, 0) \
    REGISTER(PMCNTENSET_EL0, 3, 3, 9, 12, 1) \
    REGISTER(PMCNTENCLR_EL0, 3, 3, 9, 12, 2) \
    REGISTER(PMOVSCLR_EL0, 3, 3, 9, 12, 3) \
    REGISTER(PMCEID0_EL0, 3, 3, 9, 12, 6) \
    REGISTER(PMCEID1_EL0, 3, 3, 9, 12, 7) \
    REGISTER(PMCCNTR_EL0, 3, 3, 9, 13, 0) \
    REGISTER(PMOVSSET_EL0, 3, 3, 9, 14, 3) \
    REGISTER(PMINTENSET_EL1, 3, 0, 9, 14, 1) \
    REGISTER(PMINTENCLR_EL1, 3, 0, 9, 14, 2) \
    REGISTER(PMICNTR_EL0, 3, 3, 9, 4, 0) \
    REGISTER(PMICFILTR_EL0, 3, 3, 9, 6, 0) \
    REGISTER(PMCCFILTR_EL0, 3, 3, 14, 15, 7) \
    PMUV3_COUNTERS(REGISTER, PMEVCNTR, 8, 9, 10, 11) \
    PMUV3_COUNTERS(REGISTER, PMEVTYPER, 12, 13, 14, 15) \
    /* Apple's counters. */ \
    REGISTER(APPLE_PMCR0, 3, 1, 15, 0, 0) \
    REGISTER(APPLE_PMCR1, 3, 1, 15, 1, 0) \
    REGISTER(APPLE_PMCR1_EL12, 3, 1, 15, 7, 2) \
    REGISTER(APPLE_PMESR0, 3, 1, 15, 5, 0) \
    REGISTER(APPLE_PMESR1, 3, 1, 15, 6, 0) \
    REGISTER(APPLE_PMC0, 3, 2, 15, 0, 0) \
    REGISTER(APPLE_PMC1, 3, 2, 15, 1, 0) \
    REGISTER(APPLE_PMC2, 3, 2, 15, 2, 0) \
    REGISTER(APPLE_PMC3, 3, 2, 15, 3, 0) \
    REGISTER(APPLE_PMC4, 3, 2, 15, 4, 0) \
    REGISTER(APPLE_PMC5, 3, 2, 15, 5, 0) \
    REGISTER(APPLE_PMC6, 3, 2, 15, 6, 0) \
    REGISTER(APPLE_PMC7, 3, 2, 15, 7, 0) \
    REGISTER(APPLE_PMC8, 3, 2, 15, 9, 0) \
    REGISTER(APPLE_PMC9, 3, 2, 15, 10, 0)

/*
 * For the list above: the 31 registers name0 to name30, eight to a CRm (Arm ARM D19.5, PMEVCNTR<n>_EL0 and
 * PMEVTYPER<n>_EL0).
 */
#define PMUV3_COUNTERS(REGISTER, name, m0, m1, m2, m3) \
    PMUV3_SEVEN(REGISTER, name, m0, 0, 1, 2, 3, 4, 5, 6) \
    REGISTER(name##7, 3, 3, 14, m0, 7) \
    PMUV3_SEVEN(REGISTER, name, m1, 8, 9, 10, 11, 12, 13, 14) \
    REGISTER(name##15, 3, 3, 14, m1, 7) \
    PMUV3_SEVEN(REGISTER, name, m2, 16, 17, 18, 19, 20, 21, 22) \
    REGISTER(name##23, 3, 3, 14, m2, 7) \
    PMUV3_SEVEN(REGISTER, name, m3, 24, 25, 26, 27, 28, 29, 30)
#define PMUV3_SEVEN(REGISTER, name, m, a, b, c, d, e, f, g) \
    REGISTER(name##a, 3, 3, 14, m, 0) \
    REGISTER(name##b, 3, 3, 14, m, 1) \
    REGISTER(name##c, 3, 3, 14, m, 2) \
    REGISTER(name##d, 3, 3, 14, m, 3) \
    REGISTER(name##e, 3, 3, 14, m, 4) \
    REGISTER(name##f, 3, 3, 14, m, 5) \
    REGISTER(name##g, 3, 3, 14, m, 6)

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

#include "arch/access.h"

/* The numbers that struct access takes: ID_PMCR_EL0 and so on. */
enum {
#define REGISTER_ID(name, op0, op1, crn, crm, op2) ID_##name = SYSTEM_REGISTER(op0, op1, crn, crm, op2),
    SYSTEM_REGISTERS(REGISTER_ID)
#undef REGISTER_ID
};

/* The instructions that access one register: functions that make the access, without any guard, and return. */
struct register_code {
    uint64_t (*read)(void);
    void (*write)(uint64_t value);
};
/*
 * Sets *out to the instructions that access the register with that number. False for one that is not on the list above.
 */
bool register_code(uint32_t id, struct register_code *out);
#endif

#endif
