/*
 * Interrupt controllers: Arm's GICv2 and GICv3, and what stands in for one in Apple's cores. Each lets one private
 * interrupt (PPI) through to the core that runs this, and everything is put back. No register is touched but through
 * struct access, so that tests can model it.
 *
 * Arm IHI 0048 (GICv2) and IHI 0069 (GICv3 and later, which all work as GICv3 does here).
 */
#ifndef FATHOM_ARCH_AARCH64_OWN_GIC_H
#define FATHOM_ARCH_AARCH64_OWN_GIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/access.h"
#include "arch/own.h"

/*
 * Numbers of memory-mapped registers of 32 bits, for struct access: one of these blocks plus the register's offset in
 * it. They are above all numbers of system registers. The block of a redistributor has two frames: its own and, 64 KiB
 * after it, that of its SGIs and PPIs.
 */
enum {
    GIC_BLOCK_SHIFT = 20,
    GIC_DISTRIBUTOR = 1 << GIC_BLOCK_SHIFT,   /* GICD */
    GIC_CPU_INTERFACE = 2 << GIC_BLOCK_SHIFT, /* GICC; GICv2 */
    GIC_REDISTRIBUTOR = 3 << GIC_BLOCK_SHIFT, /* GICR of this core; GICv3 */
};

/* An interrupt controller, and what was changed in it. */
struct gic {
    const struct access *raw; /* each access as it stands */
    struct access access;     /* on top of it: setting and clearing registers are one, and writes are waited for */
    uint32_t bank;            /* of this core's own interrupts: distributor or redistributor */
    uint32_t bit;             /* of the interrupt */
    const char *trouble;      /* what went wrong beside the changes; NULL: nothing */
    struct changes changes;
};

/*
 * Enables the interrupt with that number, 16 to 31, and whatever else has to be on for it to arrive, in a GIC of that
 * version (2, or 3 for all later ones); fills in *g. `raw` accesses the registers above and system registers, and must
 * stay valid. NULL, or why not; gic_restore is due either way.
 */
const char *gic_deliver(struct gic *g, const struct access *raw, unsigned version, unsigned interrupt);
/* Restores every register that gic_deliver has changed. False when one does not read back as it was found. */
bool gic_restore(struct gic *g);

/* Whether this is one of Apple's cores and runs at EL2, where timers of EL1 interrupt as FIQs without a controller. */
bool timer_raises_fiq(const struct access *a);
/*
 * Lets the virtual timer of EL1 raise its FIQ, on a core of which timer_raises_fiq is true; `c` notes the change, and
 * its `access` is set. NULL, or why not; changes_restore is due either way.
 */
const char *timer_fiq_deliver(struct changes *c);

/* Reads 32 bits at a physical address into *value. False where that faults. */
typedef bool gic_read32(uint64_t address, uint32_t *value);
/*
 * Physical address of the redistributor that belongs to the core with that MPIDR_EL1, in any of `count` regions; 0:
 * there is none, or one of them cannot be read.
 */
uint64_t gic_redistributor(const struct own_range *regions, size_t count, uint64_t mpidr, gic_read32 *read);

#endif
