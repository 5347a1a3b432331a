#include "arch/aarch64/own/gic.h"

#include "arch/aarch64/system_registers.h"

/* Offsets in the distributor, and of this core's own interrupts: IHI 0048, 4.1.2; IHI 0069, 12.8 and 12.10. */
enum {
    GICD_CTLR = 0x0000,
    GICD_PIDR2_V2 = 0x0fe8,
    GICD_PIDR2_V3 = 0xffe8,
    IGROUPR0 = 0x080,
    ISENABLER0 = 0x100,
    ICENABLER0 = 0x180,
    IPRIORITYR = 0x400, /* a byte for each interrupt */
};
/* In the CPU interface (IHI 0048, 4.1.3) and in the redistributor's first frame (IHI 0069, 12.10). */
enum { GICC_CTLR = 0x0, GICC_PMR = 0x4 };
enum { GICR_CTLR = 0x0, GICR_TYPER = 0x8, GICR_WAKER = 0x14, GICR_OWN_INTERRUPTS = 0x10000 };

/* GICD_CTLR of GICv3 (IHI 0069, 12.9); with two security states this is the non-secure view of it. */
#define CONTROL_GROUP_1 (UINT64_C(1) << 1)
#define CONTROL_AFFINITY (UINT64_C(1) << 4)      /* ARE, ARE_NS */
#define CONTROL_ONE_SECURITY (UINT64_C(1) << 6)  /* DS */
#define CONTROL_PENDING (UINT64_C(1) << 31)      /* RWP: a write has not taken effect yet */
#define REDISTRIBUTOR_PENDING (UINT64_C(1) << 3) /* GICR_CTLR.RWP */
#define PROCESSOR_SLEEP (UINT64_C(1) << 1)       /* GICR_WAKER (12.11) */
#define CHILDREN_ASLEEP (UINT64_C(1) << 2)

/*
 * Lower is more urgent, and what is not below the mask does not arrive. Every implementation has bits 7 to 4 of either,
 * in the non-secure view too (IHI 0048, 3.3; IHI 0069, 4.8).
 */
enum { PRIORITY = 0x80, PRIORITY_MASK = 0xf0 };

/* Reads while a write is waited for. It takes the controller a few cycles of its clock, and a read is a window. */
enum { PATIENCE = 100 };

/* ---- Registers as changes.h wants them: what was written reads back ----------------------------------- */

static bool is_bit(const struct gic *g, uint32_t id, uint64_t mask, bool set)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < PATIENCE; i++) {
        if (!g->raw->read(g->raw->context, id, &value))
            return false;
        if (((value & mask) != 0) == set)
            return true;
    }
    return false;
}

static bool read_register(void *gic, uint32_t id, uint64_t *value)
{
    const struct gic *g = gic;

    return g->raw->read(g->raw->context, id, value);
}

/* Whether what was written to a register of GICv3 has taken effect, or does so now. */
static bool in_effect(const struct gic *g, uint32_t id, uint64_t value)
{
    if (id == GIC_DISTRIBUTOR + GICD_CTLR)
        return is_bit(g, id, CONTROL_PENDING, false);
    if (id == g->bank + ISENABLER0)
        return is_bit(g, GIC_REDISTRIBUTOR + GICR_CTLR, REDISTRIBUTOR_PENDING, false);
    if (id == GIC_REDISTRIBUTOR + GICR_WAKER)
        return is_bit(g, id, CHILDREN_ASLEEP, value & PROCESSOR_SLEEP);
    return true;
}

/* One register sets enable bits, another one clears them, and only that of our interrupt is touched. */
static bool write_register(void *gic, uint32_t id, uint64_t value)
{
    struct gic *g = gic;
    bool written;

    if (id == g->bank + ISENABLER0)
        written = g->raw->write(g->raw->context, value & g->bit ? id : g->bank + ICENABLER0, g->bit);
    else
        written = g->raw->write(g->raw->context, id, value);
    if (written && g->bank != GIC_DISTRIBUTOR && !in_effect(g, id, value))
        g->trouble = "what is written to the GIC does not take effect (GICR_WAKER, RWP)";
    return written;
}

/* ---- The steps ---------------------------------------------------------------------------------------- */

static const char *set(struct gic *g, const char *name, uint32_t id, uint64_t mask, uint64_t value)
{
    return changes_set(&g->changes, name, id, mask, value);
}

static uint64_t get(struct gic *g, uint32_t id)
{
    uint64_t value = 0;

    if (!g->raw->read(g->raw->context, id, &value))
        g->trouble = "a register of the GIC cannot be read";
    return value;
}

/* Of the interrupt itself. Where it belongs to the secure world alone, none of this can be written. */
static const char *enable(struct gic *g, unsigned interrupt)
{
    const unsigned shift = interrupt % 4 * 8;
    const bool v2 = g->bank == GIC_DISTRIBUTOR;
    const char *why = set(g, v2 ? "GICD_IPRIORITYR" : "GICR_IPRIORITYR", g->bank + IPRIORITYR + interrupt / 4 * 4,
                          UINT64_C(0xff) << shift, (uint64_t)PRIORITY << shift);

    return why ? why : set(g, v2 ? "GICD_ISENABLER0" : "GICR_ISENABLER0", g->bank + ISENABLER0, g->bit, g->bit);
}

/*
 * The interrupt stays in its group, and that group is let through, as an IRQ or an FIQ. Without security states these
 * are groups 0 and 1, by bits 0 and 1; with them, bit 0 is the non-secure group, and the interrupt's group reads as 0.
 */
static const char *deliver_v2(struct gic *g, unsigned interrupt)
{
    const char *why;

    if (get(g, GIC_DISTRIBUTOR + GICD_PIDR2_V2) >> 4 != 2)
        return "there is no GICv2 where the firmware's tables place it (GICD_PIDR2)";
    const uint64_t group = get(g, g->bank + IGROUPR0) & g->bit ? 2 : 1;
    why = enable(g, interrupt);
    if (!why)
        why = set(g, "GICC_PMR", GIC_CPU_INTERFACE + GICC_PMR, 0xff, PRIORITY_MASK);
    if (!why)
        why = set(g, "GICC_CTLR", GIC_CPU_INTERFACE + GICC_CTLR, group, group);
    return why ? why : set(g, "GICD_CTLR", GIC_DISTRIBUTOR + GICD_CTLR, group, group);
}

/*
 * As an interrupt of group 1, by the system registers. Affinity routing and the system registers must be on already, as
 * Linux demands of firmware (Documentation/arch/arm64/booting.rst): turning them off again is UNPREDICTABLE.
 */
static const char *deliver_v3(struct gic *g, unsigned interrupt)
{
    const uint64_t control = get(g, GIC_DISTRIBUTOR + GICD_CTLR);
    const uint64_t revision = get(g, GIC_DISTRIBUTOR + GICD_PIDR2_V3) >> 4;
    const char *why = NULL;

    if (revision != 3 && revision != 4)
        return "there is no GICv3 where the firmware's tables place it (GICD_PIDR2)";
    if (!(control & CONTROL_AFFINITY))
        return "the firmware uses the GICv3 as a GICv2 (GICD_CTLR.ARE)";
    if (!(get(g, ID_ICC_SRE_EL1) & 1))
        return "the firmware has not turned on the GIC's system registers (ICC_SRE_EL1.SRE)";
    if (control & CONTROL_ONE_SECURITY) {
        why = set(g, "GICR_WAKER", GIC_REDISTRIBUTOR + GICR_WAKER, PROCESSOR_SLEEP, 0);
        if (!why)
            why = set(g, "GICR_IGROUPR0", g->bank + IGROUPR0, g->bit, g->bit);
    } else if (get(g, GIC_REDISTRIBUTOR + GICR_WAKER) & PROCESSOR_SLEEP) {
        why = "the firmware has not woken this core's redistributor (GICR_WAKER)";
    }
    if (!why)
        why = enable(g, interrupt);
    if (!why)
        why = set(g, "ICC_PMR_EL1", ID_ICC_PMR_EL1, 0xff, PRIORITY_MASK);
    if (!why)
        why = set(g, "ICC_IGRPEN1_EL1", ID_ICC_IGRPEN1_EL1, 1, 1);
    return why ? why : set(g, "GICD_CTLR", GIC_DISTRIBUTOR + GICD_CTLR, CONTROL_GROUP_1, CONTROL_GROUP_1);
}

const char *gic_deliver(struct gic *g, const struct access *raw, unsigned version, unsigned interrupt)
{
    *g = (struct gic){
        .raw = raw,
        .access = {.context = g, .read = read_register, .write = write_register},
        .bank = version == 2 ? GIC_DISTRIBUTOR : GIC_REDISTRIBUTOR + GICR_OWN_INTERRUPTS,
        .bit = UINT32_C(1) << interrupt % 32,
    };
    g->changes.access = &g->access;
    if (interrupt < 16 || interrupt >= 32)
        return "the timer's interrupt is none of the core's own (16 to 31)";
    const char *why = version == 2 ? deliver_v2(g, interrupt) : deliver_v3(g, interrupt);
    return why ? why : g->trouble;
}

bool gic_restore(struct gic *g)
{
    return changes_restore(&g->changes, 0);
}

/*
 * IHI 0069, 12.10, and GICR_TYPER in 12.11: frames of 128 KiB, or of 256 KiB where VLPIS says so; Last ends a region.
 */
uint64_t gic_redistributor(const struct own_range *regions, size_t count, uint64_t mpidr, gic_read32 *read)
{
    enum { VLPIS = 1 << 1, LAST = 1 << 4, FRAME = 0x20000 };
    /* Aff3 stands in bits 39 to 32 of MPIDR_EL1, the others in 23 to 0; in GICR_TYPER they follow each other. */
    const uint32_t affinity = (uint32_t)(mpidr >> 32 & 0xff) << 24 | (uint32_t)(mpidr & 0xffffff);

    for (size_t i = 0; i < count; i++) {
        uint32_t type = 0, owner;
        uint64_t step;

        for (uint64_t at = 0; at + FRAME <= regions[i].bytes && !(type & LAST); at += step) {
            const uint64_t frame = regions[i].base + at;
            if (!read(frame + GICR_TYPER, &type) || !read(frame + GICR_TYPER + 4, &owner))
                return 0;
            if (owner == affinity)
                return frame;
            step = type & VLPIS ? 2 * FRAME : FRAME;
        }
    }
    return 0;
}

/* MIDR_EL1.Implementer is Apple's; CurrentEL.EL (Arm ARM DDI 0487, D19.2 and C5.2). */
bool timer_raises_fiq(const struct access *a)
{
    enum { APPLE = 0x61 };
    uint64_t midr, level;

    return a->read(a->context, ID_MIDR_EL1, &midr) && (midr >> 24 & 0xff) == APPLE &&
           a->read(a->context, ID_CurrentEL, &level) && level >> 2 == 2;
}

/* Bit 0 is the virtual timer, bit 1 the physical one (Linux, drivers/irqchip/irq-apple-aic.c). No emulator has it. */
const char *timer_fiq_deliver(struct changes *c)
{
    enum { VIRTUAL = 1 << 0 };

    return changes_set(c, "VM_TMR_FIQ_ENA_EL2", ID_APPLE_VM_TMR_FIQ_ENA_EL2, VIRTUAL, VIRTUAL);
}
