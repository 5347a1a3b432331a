/*
 * Vectors: the handlers of every exception and interrupt in a window.
 *
 * guarded_call runs a function, on a stack of its own where it is given one. An exception or the deadline does not
 * return to that function: it is noted, and guarded_call returns instead, with the registers, flags and stack that its
 * caller had. This is done by IRETQ, which also enables non-maskable interrupts again (Intel SDM vol. 3A, 7.7.1).
 *
 * Needs our descriptor tables to be loaded (descriptors.h).
 */
#ifndef FATHOM_ARCH_X86_64_OWN_VECTORS_H
#define FATHOM_ARCH_X86_64_OWN_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/window.h"
#include "arch/x86_64/own/vectors_layout.h"

/* A call of a function that may end by an exception. */
struct guarded_call {
    void (*function)(uintptr_t, uintptr_t, uintptr_t);
    uintptr_t argument[3];
    uintptr_t stack_top;   /* multiple of 16; 0: it runs on its caller's stack */
    uint64_t interrupts;   /* not 0: they are enabled while the function runs */
    uintptr_t saved_stack; /* guarded_call's own */
};

/*
 * Runs the call on the core that runs this, with our descriptor tables loaded and interrupts disabled; only one at a
 * time. *result says how it ended, and how many interrupts came. Interrupts are disabled afterwards.
 */
void guarded_run(struct guarded_call *call, struct window_result *result);

/*
 * Ends the guarded call that runs on another core, the one whose local APIC has the number `id`, as the deadline would:
 * by an NMI. Nothing happens when none runs.
 */
void vectors_stop_other(uint32_t id);

/* The name of an exception by its vector, as records have it: "page-fault". A string constant. */
const char *exception_name(unsigned vector);

/* The code that the gates of our IDT point at: VECTORS stubs, VECTOR_STUB_BYTES apart. */
extern const char vector_stubs[] __attribute__((visibility("hidden")));

#endif
