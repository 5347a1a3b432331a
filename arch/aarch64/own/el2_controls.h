/*
 * What EL2's control registers hold while the EL1 worker runs, from what was found in them. Layouts depend on
 * HCR_EL2.E2H, so this is computed apart from where it is written, and tested.
 */
#ifndef FATHOM_ARCH_AARCH64_OWN_EL2_CONTROLS_H
#define FATHOM_ARCH_AARCH64_OWN_EL2_CONTROLS_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/access.h"

#define HCR_E2H (UINT64_C(1) << 34)

/*
 * HCR_EL2: EL1 is AArch64, nothing traps, stage 2 is off. Interrupts go to EL1, or to EL2 where `interrupts_to_el2`.
 */
uint64_t hcr_worker(uint64_t found, bool interrupts_to_el2);
/* CPTR_EL2: CPACR_EL1 and activity monitors do not trap either. */
uint64_t cptr_worker(uint64_t found);
/* CNTHCTL_EL2: EL1 may use counters and timers; `e2h` is HCR_EL2.E2H, by which the layout differs. */
uint64_t cnthctl_worker(uint64_t found, bool e2h);
/*
 * MDCR_EL2: EL1 may use the performance monitors. `counters` is how many event counters the core has: EL1 gets all of
 * them where HPMN left it none.
 */
uint64_t mdcr_worker(uint64_t found, unsigned counters);
/* HDFGRTR2_EL2: EL1 may read the instruction counter too. */
uint64_t hdfgrtr2_worker(uint64_t found);
/* HCRX_EL2: all extensions that it enables are off. */
uint64_t hcrx_worker(void);

/*
 * Which registers there are that only some cores have, or that EL3 may keep from EL2. Where the identification
 * registers announce a register and EL3 keeps it, reading it faults; then it has the effect of 0, and it is left alone.
 */
struct el2_extensions {
    bool fine_traps;        /* HFGRTR_EL2, HFGWTR_EL2, HFGITR_EL2, HDFGRTR_EL2 and HDFGWTR_EL2 */
    bool instruction_traps; /* HDFGRTR2_EL2, and the instruction counter PMICNTR_EL0, whose reads it may trap */
    bool hcrx;              /* HCRX_EL2 */
    unsigned counters;      /* event counters that the core has; 0: none, or PMCR_EL0 cannot be read */
};
/*
 * Finds out which of these registers and counters the core in use has, by reading registers through `a`; nothing is
 * changed. To be called at EL2.
 */
struct el2_extensions el2_extensions(const struct access *a);

#endif
