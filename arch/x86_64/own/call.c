#include "arch/x86_64/own/call.h"

#include "arch/own.h"
#include "arch/x86_64/own/descriptors.h"
#include "arch/x86_64/own/instructions.h"
#include "arch/x86_64/own/page_tables.h"
#include "arch/x86_64/own/state.h"
#include "arch/x86_64/own/vectors.h"

bool on_core(void (*function)(void *), void *argument, unsigned limit_ms)
{
    if (core.runner != NULL)
        return core.runner(function, argument, limit_ms);
    function(argument);
    return true;
}

uint64_t window_cr4(uint64_t firmware_cr4)
{
    return (firmware_cr4 | core.cr4_set) & ~(uint64_t)CR4_CET;
}

/* The firmware's registers while ours are in force. */
struct found {
    uint64_t cr0;
    uint64_t cr3;
    uint64_t cr4;
    uint64_t efer;
};

/*
 * Write protection on, which U-Boot leaves off, or read-only pages could be written; no-execute pages and machine
 * checks on. Loading CR3 invalidates the translations of earlier windows, none of which is global.
 */
static void take(struct found *c, bool firmware_interrupts)
{
    c->cr0 = read_cr0();
    c->cr3 = read_cr3();
    c->cr4 = read_cr4();
    c->efer = read_msr(MSR_EFER);

    descriptors_load(vector_stubs, firmware_interrupts);
    write_cr4(window_cr4(c->cr4));
    write_cr0(c->cr0 | CR0_WP);
    if (!(c->efer & EFER_NXE))
        write_msr(MSR_EFER, c->efer | EFER_NXE);
    page_tables_follow(&own.tables, (const uint64_t *)(uintptr_t)(c->cr3 & PAGE_FRAME));
    write_cr3((uintptr_t)own.tables.root);
}

static void give_back(const struct found *c)
{
    write_cr3(c->cr3);
    if (!(c->efer & EFER_NXE))
        write_msr(MSR_EFER, c->efer);
    write_cr0(c->cr0);
    write_cr4(c->cr4);
    descriptors_restore();
}

/*
 * The firmware may run with shadow stacks (CR4.CET; Intel SDM vol. 1, chapter 17), and there is none for our own stacks
 * and handlers, so they are off meanwhile. While they are on, CALL pushes to the shadow stack and RET compares; while
 * they are off, neither does, and the shadow stack pointer stays (edk2 rests on that too: DisableCet and EnableCet in
 * UefiCpuPkg/PiSmmCpuDxeSmm/X64/Cet.nasm). Every function that was entered with them on therefore has to return with
 * them on. So this one function switches them off and on again, and whatever it calls in between is entered and left
 * with them off. It is off before anything else changes and on after all is back: CR4.CET cannot be set without CR0.WP
 * (SDM vol. 3A, 2.5), and an interrupt of the firmware's must not find it off.
 */
void with_core_taken(void (*function)(void *), void *argument, bool firmware_interrupts)
{
    const uint64_t rflags = read_rflags();
    struct found found;

    interrupts_off();
    const uint64_t cr4 = read_cr4();
    if (cr4 & CR4_CET)
        write_cr4(cr4 & ~(uint64_t)CR4_CET);
    take(&found, firmware_interrupts);
    function(argument);
    give_back(&found);
    if (cr4 & CR4_CET)
        write_cr4(cr4);
    if (rflags & RFLAGS_IF)
        interrupts_on();
}

/* A function that may fault, and how it ended. */
struct call {
    void (*function)(void *);
    void *argument;
    struct window_result result;
};

static void call_function(uintptr_t call, uintptr_t unused, uintptr_t unused_too)
{
    const struct call *c = (const struct call *)call;

    (void)unused, (void)unused_too;
    c->function(c->argument);
}

static void call_taken(void *call)
{
    struct call *c = call;
    struct guarded_call guarded = {.function = call_function, .argument = {(uintptr_t)c}, .stack_top = own.stack_top};

    guarded_run(&guarded, &c->result);
}

static void call_here(void *call)
{
    with_core_taken(call_taken, call, false);
}

struct window_result own_call(void (*function)(void *), void *argument)
{
    struct call call = {.function = function, .argument = argument};

    if (!on_core(call_here, &call, FIRMWARE_LATER_MS))
        return (struct window_result){.end = WINDOW_TIMEOUT};
    return call.result;
}
