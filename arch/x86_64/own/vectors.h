/*
 * Vectors: every exception and interrupt of a window ends here, and faults find their way back.
 *
 * guarded_call runs a function on a stack of its own. While it runs, an exception or the deadline
 * does not return to where it struck: it is noted, and guarded_call returns instead, with the
 * registers, flags and stack its caller had. The way back is taken by IRETQ, which also lets
 * non-maskable interrupts in again (Intel SDM vol. 3A, 7.7.1).
 *
 * Needs our descriptor tables to be loaded (descriptors.h).
 */
#ifndef FATHOM_ARCH_X86_64_OWN_VECTORS_H
#define FATHOM_ARCH_X86_64_OWN_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/window.h"
#include "arch/x86_64/own/instructions.h"
#include "arch/x86_64/own/vectors_layout.h"

/* Exceptions, by number (Intel SDM vol. 3A, table 7-1; AMD APM vol. 2, table 8-1). */
enum {
    VECTOR_NMI = 2,
    VECTOR_DOUBLE_FAULT = 8,
    VECTOR_PAGE_FAULT = 14,
    VECTOR_MACHINE_CHECK = 18,
    EXCEPTIONS = 32,
    VECTORS = 256
};

/*
 * The local APIC's two vectors of ours. Both are of the highest priority class, 0xf, the only one
 * that the task priority of a window lets in.
 */
enum { VECTOR_DEADLINE = 0xfe, VECTOR_SPURIOUS = 0xff };

struct guarded_call {
    void (*function)(uintptr_t, uintptr_t, uintptr_t);
    uintptr_t argument[3];
    uintptr_t stack_top;   /* multiple of 16 */
    uint64_t interrupts;   /* not 0: let in while the function runs */
    uintptr_t saved_stack; /* guarded_call's own */
};

/* Runs the call; `result` says how it ended and what got in. Leaves interrupts disabled. */
void guarded_run(struct guarded_call *call, struct window_result *result);

/* The record's name of an exception: "page-fault". */
const char *exception_name(unsigned vector);

/* Code that the descriptor tables point at: VECTORS stubs, VECTOR_STUB_BYTES apart. */
extern const char vector_stubs[] __attribute__((visibility("hidden")));

#endif
