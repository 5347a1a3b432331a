/*
 * Identification registers.
 *
 * All of them are readable at EL1 and EL2. At EL0 the core traps the ID space (op0 3, op1 0, CRn 0)
 * and Linux returns what a program may rely on (Documentation/arch/arm64/cpu-feature-registers.rst); CTR_EL0, DCZID_EL0
 * and CNTFRQ_EL0 can be read at EL0 (Arm ARM DDI 0487, D19.2). Cache sizes (CCSIDR_EL1) trap at EL0 and are read only
 * by privileged code.
 * MPIDR_EL1 is left out, since it differs from core to core of one machine.
 */
#include "arch/identify.h"

#include <stdio.h>
#include <string.h>

#include "arch/aarch64/caches.h"
#include "arch/aarch64/cores.h"
#include "arch/aarch64/registers.h"

static bool may_trap = true;

/* A register of the ID space, which EL0 may read only where the system emulates it. */
#define READ_ID(name) (may_trap ? READ(name) : 0)

void identify_may_trap(bool may)
{
    may_trap = may;
}

static void name_core(struct identity *id, uint64_t midr)
{
    const struct core *core = core_find(midr);
    const char *implementer = core_implementer(midr);
    unsigned major = field(midr, 20, 4), minor = field(midr, 0, 4); /* Variant, Revision: rNpM */

    if (core)
        snprintf(id->core_name, sizeof id->core_name, "%s", core->name);
    if (core && implementer)
        snprintf(id->model, sizeof id->model, "%s %s r%up%u", implementer, core->model, major, minor);
    else if (core)
        snprintf(id->model, sizeof id->model, "%s", core->model);
    else if (implementer)
        snprintf(id->model, sizeof id->model, "%s part 0x%03x r%up%u", implementer, field(midr, 4, 12), major, minor);
    else
        snprintf(id->model, sizeof id->model, "implementer 0x%02x part 0x%03x r%up%u", field(midr, 24, 8),
                 field(midr, 4, 12), major, minor);
}

void identify(struct identity *id)
{
    uint64_t midr = READ_ID(MIDR_EL1);

    memset(id, 0, sizeof *id);
    name_core(id, midr);
    /*
     * This ISA has no architected way for a hypervisor to give its name. Only one is sure: no silicon
     * carries implementer 0, which Arm reserves for software use, and QEMU's `max` does.
     */
    if (midr != 0 && field(midr, 24, 8) == 0) {
        snprintf(id->hypervisor, sizeof id->hypervisor, "QEMU TCG (MIDR_EL1)");
        id->emulator = true;
    }
    struct identity_tick tick[IDENTITY_TICKS];
    if (identify_ticks(tick) == 0)
        return;
    id->tick_hz = tick[0].hz;
    id->tick_source = tick[0].source;
    id->tick_by_firmware = true; /* CNTFRQ_EL0 only holds what was written (D19.12) */
}

size_t identify_ticks(struct identity_tick out[IDENTITY_TICKS])
{
    out[0] = (struct identity_tick){"cntfrq_el0", (double)READ(CNTFRQ_EL0), false};
    return out[0].hz > 0;
}

void identify_core_type(char out[4])
{
    out[0] = 0; /* MIDR_EL1 identifies the design, and does not say which of two designs is the faster one */
}

size_t identify_raw(struct identity_value *out, size_t room)
{
    const struct identity_value values[] = {
        {"midr_el1", READ_ID(MIDR_EL1)},
        {"revidr_el1", READ_ID(REVIDR_EL1)},
        {"id_aa64pfr0_el1", READ_ID(ID_AA64PFR0_EL1)},
        {"id_aa64pfr1_el1", READ_ID(ID_AA64PFR1_EL1)},
        {"id_aa64zfr0_el1", READ_ID(ID_AA64ZFR0_EL1)},
        {"id_aa64smfr0_el1", READ_ID(ID_AA64SMFR0_EL1)},
        {"id_aa64dfr0_el1", READ_ID(ID_AA64DFR0_EL1)},
        {"id_aa64isar0_el1", READ_ID(ID_AA64ISAR0_EL1)},
        {"id_aa64isar1_el1", READ_ID(ID_AA64ISAR1_EL1)},
        {"id_aa64isar2_el1", READ_ID(ID_AA64ISAR2_EL1)},
        {"id_aa64mmfr0_el1", READ_ID(ID_AA64MMFR0_EL1)},
        {"id_aa64mmfr1_el1", READ_ID(ID_AA64MMFR1_EL1)},
        {"id_aa64mmfr2_el1", READ_ID(ID_AA64MMFR2_EL1)},
        {"ctr_el0", READ(CTR_EL0)},
        {"dczid_el0", READ(DCZID_EL0)},
        {"cntfrq_el0", READ(CNTFRQ_EL0)},
    };
    size_t count = sizeof values / sizeof values[0];

    if (count > room)
        count = room;
    memcpy(out, values, count * sizeof values[0]);
    return count;
}

static uint64_t ccsidr(uint64_t selector)
{
    WRITE(CSSELR_EL1, selector);
    isb();
    return READ(CCSIDR_EL1);
}

size_t identify_caches(struct identity_cache *out, size_t room, bool privileged)
{
    size_t count = 0;

    if (privileged) {
        uint64_t chosen = READ(CSSELR_EL1);
        bool wide = field(READ_ID(ID_AA64MMFR2_EL1), 20, 4) == 1; /* CCIDX */

        count = caches_from(READ(CLIDR_EL1), wide, ccsidr, out, room);
        WRITE(CSSELR_EL1, chosen);
        isb();
    }
    return count + lines_from(READ(CTR_EL0), out + count, room - count);
}

size_t identify_tlbs(struct identity_tlb *out, size_t room)
{
    (void)out, (void)room; /* no register describes TLBs */
    return 0;
}

unsigned identify_vector_bits(void)
{
    return 128; /* scalable vectors are reported by identify_scalable_bits */
}

/*
 * ID_AA64PFR0_EL1.SVE; Linux shows it to programs where they may use it. RDVL X0, #1 (Arm ARM DDI 0487, C8.2) gives
 * bytes: at EL0 those that the process was given (Documentation/arch/arm64/sve.rst), else the most there are, since
 * own_vector_state_on asks for them.
 */
unsigned identify_scalable_bits(void)
{
    register uint64_t bytes __asm__("x0") = 0;

    if (field(READ_ID(ID_AA64PFR0_EL1), 32, 4) != 0)
        __asm__ volatile(".inst 0x04bf5020" : "+r"(bytes));
    return (unsigned)bytes * 8;
}

/* DCZID_EL0 (Arm ARM DDI 0487, D24.2): bits 3:0 the logarithm of words of 4 bytes; bit 4, DZP: prohibited. */
size_t identify_zero_bytes(void)
{
    uint64_t zid;

    __asm__ volatile("mrs %0, dczid_el0" : "=r"(zid));
    return zid & 0x10 ? 0 : (size_t)4 << (zid & 0xf);
}
