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

/*
 * Write protection on, which U-Boot leaves off, or read-only pages could be written; no-execute pages and machine
 * checks on; shadow stacks off, since there is none for our own stack. Loading CR3 invalidates the translations of
 * earlier windows, none of which is global.
 */
void core_take(struct found *c, bool firmware_interrupts)
{
    c->rflags = read_rflags();
    interrupts_off();
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

void core_give_back(const struct found *c)
{
    write_cr3(c->cr3);
    if (!(c->efer & EFER_NXE))
        write_msr(MSR_EFER, c->efer);
    write_cr0(c->cr0);
    write_cr4(c->cr4);
    descriptors_restore();
    if (c->rflags & RFLAGS_IF)
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

static void call_here(void *call)
{
    struct call *c = call;
    struct guarded_call guarded = {.function = call_function, .argument = {(uintptr_t)c}, .stack_top = own.stack_top};
    struct found found;

    core_take(&found, false);
    guarded_run(&guarded, &c->result);
    core_give_back(&found);
}

struct window_result own_call(void (*function)(void *), void *argument)
{
    struct call call = {.function = function, .argument = argument};

    if (!on_core(call_here, &call, FIRMWARE_LATER_MS))
        return (struct window_result){.end = WINDOW_TIMEOUT};
    return call.result;
}
