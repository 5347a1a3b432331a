/*
 * What EL2's control registers hold while the EL1 worker runs, from what was found in them. Layouts depend on
 * HCR_EL2.E2H, so this is computed apart from where it is written, and tested.
 */
#ifndef FATHOM_ARCH_AARCH64_OWN_EL2_CONTROLS_H
#define FATHOM_ARCH_AARCH64_OWN_EL2_CONTROLS_H

#include <stdbool.h>
#include <stdint.h>

#define HCR_E2H (UINT64_C(1) << 34)

uint64_t hcr_worker(uint64_t found, bool interrupts_to_el2);
uint64_t cptr_worker(uint64_t found);
uint64_t cnthctl_worker(uint64_t found, bool e2h);
/* `counters`: how many event counters the core has; EL1 gets all of them where HPMN left it none. */
uint64_t mdcr_worker(uint64_t found, unsigned counters);

#endif
