/*
 * System registers for the support file (Arm ARM DDI 0487, D19). A register of EL2 faults at EL1, which is recorded;
 * with HCR_EL2.E2H set, those named _EL1 give what EL2 has.
 *
 * Left out are registers of optional parts whose accesses EL3 may trap (trace, profiling, MPAM, RAS, GICv3's interface,
 * debug): firmware at EL3 may stop the machine at a trap that it does not expect (TF-A of 2018 handles no exception of
 * lower levels but SMC: bl31/aarch64/runtime_exceptions.S). Reserved encodings among the ID registers read as zero
 * (D19.1.1).
 */
#include "arch/support.h"

#include "arch/aarch64/system_registers.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define NAMED(name) \
    { \
#name, ID_##name \
    }

/* clang-format off: tables */
static const struct support_register identity[] = {
    NAMED(MIDR_EL1),         NAMED(REVIDR_EL1),       NAMED(AIDR_EL1),         NAMED(MPIDR_EL1),
    NAMED(CTR_EL0),          NAMED(DCZID_EL0),        NAMED(CLIDR_EL1),        NAMED(CNTFRQ_EL0),
    NAMED(ID_AA64PFR0_EL1),  NAMED(ID_AA64PFR1_EL1),  NAMED(ID_AA64PFR2_EL1),  NAMED(ID_AA64ZFR0_EL1),
    NAMED(ID_AA64SMFR0_EL1), NAMED(ID_AA64DFR0_EL1),  NAMED(ID_AA64DFR1_EL1),  NAMED(ID_AA64ISAR0_EL1),
    NAMED(ID_AA64ISAR1_EL1), NAMED(ID_AA64ISAR2_EL1), NAMED(ID_AA64ISAR3_EL1), NAMED(ID_AA64MMFR0_EL1),
    NAMED(ID_AA64MMFR1_EL1), NAMED(ID_AA64MMFR2_EL1), NAMED(ID_AA64MMFR3_EL1), NAMED(ID_AA64MMFR4_EL1)};

static const struct support_register control[] = {
    NAMED(CurrentEL), NAMED(SCTLR_EL1),   NAMED(ACTLR_EL1), NAMED(CPACR_EL1),   NAMED(TCR_EL1),
    NAMED(MAIR_EL1),  NAMED(CNTKCTL_EL1), NAMED(VPIDR_EL2), NAMED(VMPIDR_EL2),  NAMED(SCTLR_EL2),
    NAMED(ACTLR_EL2), NAMED(HCR_EL2),     NAMED(MDCR_EL2),  NAMED(CPTR_EL2),    NAMED(HSTR_EL2),
    NAMED(HACR_EL2),  NAMED(TCR_EL2),     NAMED(MAIR_EL2),  NAMED(CNTHCTL_EL2), NAMED(CNTVOFF_EL2)};

/* What counters_find reads too. */
static const struct support_register counters[] = {NAMED(PMCR_EL0), NAMED(PMCEID0_EL0), NAMED(PMCEID1_EL0)};
/* clang-format on */

size_t support_groups(const struct access *a, struct support_group out[SUPPORT_GROUPS])
{
    static const char text[] = "reads system registers for the support file";

    (void)a; /* the same for all cores */
    out[0] = (struct support_group){"support-identity", text, identity, COUNT(identity)};
    out[1] = (struct support_group){"support-control", text, control, COUNT(control)};
    out[2] = (struct support_group){"support-counters", text, counters, COUNT(counters)};
    return 3;
}
