#include "arch/aarch64/own/call.h"

#include <stdbool.h>

#include "arch/aarch64/own/faults.h"
#include "arch/aarch64/own/state.h"
#include "arch/aarch64/registers.h"

/*
 * The largest functions that run on it identify a core, which prints numbers into texts. A call takes less than a
 * millisecond: a core that has not returned after a second has hung.
 */
enum { STACK_BYTES = 0x8000, LIMIT_MS = 1000 };

static void *stack;

const char *call_start(void)
{
    stack = own.services->pages(STACK_BYTES, 0x1000);
    return stack ? NULL : "no memory for the stack of calls";
}

void call_finish(void)
{
    if (stack)
        own.services->free_pages(stack, STACK_BYTES);
    stack = NULL;
}

bool own_on_core(void (*function)(void *), void *argument, unsigned limit_ms)
{
    if (own.runner)
        return own.runner(function, argument, limit_ms);
    function(argument);
    return true;
}

/* On the core in use, whose exception registers the firmware may still need. */
static void call_here(void *call)
{
    uint64_t daif = READ(DAIF);
    bool el2 = own.level == 2;
    uint64_t return_address = el2 ? READ(ELR_EL2) : READ(ELR_EL1);
    uint64_t return_state = el2 ? READ(SPSR_EL2) : READ(SPSR_EL1);

    __asm__ volatile("msr daifset, #0xf" ::: "memory");
    if (el2) {
        guarded_call_el2(call);
        WRITE(ELR_EL2, return_address);
        WRITE(SPSR_EL2, return_state);
    } else {
        guarded_call_el1(call);
        WRITE(ELR_EL1, return_address);
        WRITE(SPSR_EL1, return_state);
    }
    WRITE(DAIF, daif);
}

struct window_result own_call(void (*function)(void *), void *argument)
{
    struct guarded_call call = {.function = function, .argument = argument, .stack = (uintptr_t)stack + STACK_BYTES};
    const struct exception *e = &call.exception;

    if (!stack || !own_on_core(call_here, &call, LIMIT_MS))
        return (struct window_result){.end = WINDOW_TIMEOUT};
    if (e->vector == VECTOR_NONE)
        return (struct window_result){.end = WINDOW_RAN};
    return (struct window_result){.end = WINDOW_FAULT,
                                  .fault = e->vector == VECTOR_SYNCHRONOUS
                                               ? fault_describe(e->syndrome, e->address, e->pc)
                                               : fault_serror(e->syndrome, e->pc)};
}
