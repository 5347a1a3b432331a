#include "arch/aarch64/own/worker.h"

#include <stddef.h>

#include "arch/aarch64/own/el1_registers.h"
#include "arch/aarch64/own/el2_controls.h"
#include "arch/aarch64/own/faults.h"
#include "arch/aarch64/own/guard.h"
#include "arch/aarch64/own/state.h"
#include "arch/aarch64/own/tables.h"
#include "arch/aarch64/registers.h"

enum { STACK_BYTES = 0x4000 };

static struct tables low_half;
static void *stack;

/*
 * SCTLR_EL1 (Arm ARM DDI 0487, D19.2): EOS 11, TSCXT 20, EIS 22, SPAN 23, nTLSMD 28 and LSMAOE 29, all
 * of which are RES1 where their feature is missing; SA 3 checks the stack's alignment; I 12, C 2 and M 0
 * turn on caches and translation.
 */
#define SCTLR_WORKER \
    (UINT64_C(1) << 11 | UINT64_C(1) << 20 | UINT64_C(1) << 22 | UINT64_C(1) << 23 | UINT64_C(1) << 28 | \
     UINT64_C(1) << 29 | UINT64_C(1) << 3 | UINT64_C(1) << 12 | UINT64_C(1) << 2 | UINT64_C(1) << 0)
#define CPACR_WORKER (UINT64_C(3) << 20 | UINT64_C(3) << 16) /* FPEN, ZEN: nothing traps */
#define ZCR_WORKER UINT64_C(0xf)                             /* LEN: the longest vectors there are */
#define MAIR_WORKER UINT64_C(0xff)                           /* index 0 (WORKER_MEMORY_INDEX), and 0 for index 1 */

/* Fine-grained traps and HCRX_EL2 have no defined reset value; el2_extensions says which of them there are. */
#define HFGRTR_EL2 S3_4_C1_C1_4
#define HFGWTR_EL2 S3_4_C1_C1_5
#define HFGITR_EL2 S3_4_C1_C1_6
#define HDFGRTR_EL2 S3_4_C3_C1_4
#define HDFGWTR_EL2 S3_4_C3_C1_5
#define CNTHV_CTL_EL2 S3_4_C14_C3_1
#define HDFGRTR2_EL2 S3_4_C3_C1_0
#define HCRX_EL2 S3_4_C1_C2_2

struct fine_grained_traps {
    uint64_t reads, writes, instructions, debug_reads, debug_writes;
};

static void traps_write(const struct fine_grained_traps *t)
{
    WRITE(HFGRTR_EL2, t->reads);
    WRITE(HFGWTR_EL2, t->writes);
    WRITE(HFGITR_EL2, t->instructions);
    WRITE(HDFGRTR_EL2, t->debug_reads);
    WRITE(HDFGWTR_EL2, t->debug_writes);
}

/* Everything that is different while the worker runs. */
struct el2 {
    uint64_t hcr, cptr, mdcr, cnthctl, hcrx, instruction_traps;
    uint64_t physical_timer, virtual_timer; /* CNTHP_CTL_EL2, CNTHV_CTL_EL2 */
    uint64_t stack;                         /* SP_EL1 */
    uint64_t return_address, return_state;  /* ELR_EL2, SPSR_EL2, which our way there and back overwrites */
    struct fine_grained_traps traps;
    uint64_t el1[EL1_REGISTER_COUNT];
};

/* ZCR, the last, exists only with SVE. */
static unsigned el1_register_count(void)
{
    return field(READ(ID_AA64PFR0_EL1), 32, 4) ? EL1_REGISTER_COUNT : EL1_ZCR;
}

static bool has_host_extensions(void)
{
    return field(READ(ID_AA64MMFR1_EL1), 8, 4) != 0; /* VH: then EL2 has a virtual timer too */
}

/* What interrupts at EL2 need to be the firmware's for a moment. */
static struct {
    uint64_t firmware_hcr, worker_hcr;
    uint64_t firmware_vectors;
} routing;

static void el2_save(struct el2 *f)
{
    *f = (struct el2){
        .hcr = READ(HCR_EL2),
        .cptr = READ(CPTR_EL2),
        .mdcr = READ(MDCR_EL2),
        .cnthctl = READ(CNTHCTL_EL2),
        .physical_timer = READ(CNTHP_CTL_EL2),
        .stack = READ(SP_EL1),
        .return_address = READ(ELR_EL2),
        .return_state = READ(SPSR_EL2),
    };
    if (has_host_extensions())
        f->virtual_timer = READ(CNTHV_CTL_EL2);
    if (own.extensions.hcrx)
        f->hcrx = READ(HCRX_EL2);
    if (own.extensions.instruction_traps)
        f->instruction_traps = READ(HDFGRTR2_EL2);
    if (own.extensions.fine_traps)
        f->traps = (struct fine_grained_traps){READ(HFGRTR_EL2), READ(HFGWTR_EL2), READ(HFGITR_EL2), READ(HDFGRTR_EL2),
                                               READ(HDFGWTR_EL2)};
    for (unsigned r = 0; r < el1_register_count(); r++)
        f->el1[r] = el1_read(r, own.e2h);
}

static void el2_restore(const struct el2 *f)
{
    for (unsigned r = 0; r < el1_register_count(); r++)
        el1_write(r, own.e2h, f->el1[r]);
    WRITE(SP_EL1, f->stack);
    WRITE(ELR_EL2, f->return_address);
    WRITE(SPSR_EL2, f->return_state);
    if (own.extensions.fine_traps)
        traps_write(&f->traps);
    if (own.extensions.instruction_traps)
        WRITE(HDFGRTR2_EL2, f->instruction_traps);
    if (own.extensions.hcrx)
        WRITE(HCRX_EL2, f->hcrx);
    if (has_host_extensions())
        WRITE(CNTHV_CTL_EL2, f->virtual_timer);
    WRITE(CNTHP_CTL_EL2, f->physical_timer);
    WRITE(CNTHCTL_EL2, f->cnthctl);
    WRITE(MDCR_EL2, f->mdcr);
    WRITE(CPTR_EL2, f->cptr);
    isb();
    /* While TGE is still off, this reaches what the worker left in the TLB (Arm ARM D8.13). */
    __asm__ volatile("tlbi vmalle1\n\tdsb nsh" ::: "memory");
    WRITE(HCR_EL2, f->hcr);
    isb();
}

static void el2_prepare(const struct el2 *f, enum silence silence)
{
    uint64_t hcr = hcr_worker(f->hcr, silence == SILENCE_NONE);

    routing.firmware_hcr = f->hcr;
    routing.worker_hcr = hcr;
    routing.firmware_vectors = READ(VBAR_EL2);

    WRITE(HCR_EL2, hcr);
    WRITE(CPTR_EL2, cptr_worker(f->cptr));
    WRITE(MDCR_EL2, mdcr_worker(f->mdcr, own.extensions.counters));
    WRITE(CNTHCTL_EL2, cnthctl_worker(f->cnthctl, own.e2h));
    if (silence == SILENCE_STOPPED) {
        WRITE(CNTHP_CTL_EL2, 0);
        if (has_host_extensions())
            WRITE(CNTHV_CTL_EL2, 0);
    }
    if (own.extensions.fine_traps)
        traps_write(&(struct fine_grained_traps){0});
    if (own.extensions.instruction_traps)
        WRITE(HDFGRTR2_EL2, hdfgrtr2_worker(f->instruction_traps));
    if (own.extensions.hcrx)
        WRITE(HCRX_EL2, hcrx_worker());
    isb();

    el1_write(EL1_SCTLR, own.e2h, SCTLR_WORKER);
    el1_write(EL1_CPACR, own.e2h, CPACR_WORKER);
    el1_write(EL1_TTBR0, own.e2h, (uintptr_t)low_half.root);
    el1_write(EL1_TTBR1, own.e2h, 0);
    el1_write(EL1_TCR, own.e2h, tcr_low_half(READ(ID_AA64MMFR0_EL1)));
    el1_write(EL1_MAIR, own.e2h, MAIR_WORKER);
    el1_write(EL1_VBAR, own.e2h, (uintptr_t)guard_vectors);
    if (el1_register_count() > EL1_ZCR)
        el1_write(EL1_ZCR, own.e2h, ZCR_WORKER);
    __asm__ volatile("dsb ishst" ::: "memory");
    isb();
    __asm__ volatile("tlbi vmalle1\n\tdsb nsh" ::: "memory");
    isb();
}

/* worker.S */
void worker_enter(struct worker_call *c);
extern const char worker_vectors[] __attribute__((visibility("hidden")));
void worker_let_firmware_handle(void);

/*
 * An interrupt came to EL2 out of the worker. With the firmware's vectors and routing it is taken once
 * more, as if it had come while the firmware ran; the ISBs give it the time to do so.
 */
__attribute__((target("general-regs-only"))) void worker_let_firmware_handle(void)
{
    WRITE(HCR_EL2, routing.firmware_hcr);
    WRITE(VBAR_EL2, routing.firmware_vectors);
    isb();
    __asm__ volatile("msr daifclr, #3\n\tisb\n\tmsr daifset, #0xf" ::: "memory");
    WRITE(VBAR_EL2, (uintptr_t)worker_vectors);
    WRITE(HCR_EL2, routing.worker_hcr);
    isb();
}

const char *worker_start(void)
{
    stack = own.services->pages(STACK_BYTES, 0x1000);
    low_half = (struct tables){
        .services = own.services,
        .granule_bits = 12,
        .address_bits = LOW_ADDRESS_BITS,
        .memory_index = WORKER_MEMORY_INDEX,
    };
    if (!stack || !tables_start(&low_half))
        return "no memory for the EL1 worker";
    for (size_t i = 0; i < own.services->ram_count; i++) {
        const char *reason = tables_map_identity(&low_half, &own.services->ram[i], TABLE_FIRMWARE);

        if (reason)
            return reason;
    }
    return NULL;
}

void worker_finish(void)
{
    tables_free(&low_half);
    if (stack)
        own.services->free_pages(stack, STACK_BYTES);
    stack = NULL;
}

struct exception call_at_el1(void (*function)(void *), void *argument, enum silence silence)
{
    struct el2 found;
    struct worker_call call = {
        .function = function,
        .argument = argument,
        .stack = (uintptr_t)stack + STACK_BYTES,
    };
    struct exception *e = &call.exception;

    if (own.level == 1) {
        function(argument);
        return (struct exception){.vector = VECTOR_NONE};
    }
    el2_save(&found);
    el2_prepare(&found, silence);
    worker_enter(&call);

    if (e->vector == VECTOR_LOWER_SYNCHRONOUS && exception_class(e->syndrome) == CLASS_HYPERVISOR_CALL) {
        uint64_t table = (uintptr_t)guard_vectors;

        if (e->pc >= table && e->pc < table + 0x800) {
            /* The vectors of EL1 (guard.S) called EL2 because of an exception at EL1: report that one. */
            e->syndrome = el1_read(EL1_ESR, own.e2h);
            e->address = el1_read(EL1_FAR, own.e2h);
            e->pc = el1_read(EL1_ELR, own.e2h);
        } else {
            e->pc -= 4; /* ELR_EL2 is the instruction after the HVC */
        }
    }
    el2_restore(&found);
    return *e;
}
