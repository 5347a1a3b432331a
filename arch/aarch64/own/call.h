/*
 * Calls of functions that may run into an exception, at the exception level of the firmware: the parts that implement
 * own_call (arch/own.h).
 */
#ifndef FATHOM_ARCH_AARCH64_OWN_CALL_H
#define FATHOM_ARCH_AARCH64_OWN_CALL_H

#include <stdbool.h>

#include "arch/aarch64/own/frame.h"

/* Allocates the stack on which called functions run. For own_start. NULL, or why there is none. */
const char *call_start(void);
/* Frees the stack that call_start has allocated. For own_finish. */
void call_finish(void);

/*
 * Runs a function on the core in use: directly when that is the core that booted, else through its runner. Exceptions
 * are not caught. False when it had not returned after `limit_ms` milliseconds (0: no limit) and was stopped, which
 * only happens on another core.
 */
bool own_on_core(void (*function)(void *), void *argument, unsigned limit_ms);

/*
 * In call.S: runs call->function at EL1, where the caller runs, on call->stack, with vectors that return here from any
 * exception. Interrupts must be masked. call->exception says how it ended.
 */
void guarded_call_el1(struct guarded_call *call);
/* Does at EL2 what guarded_call_el1 does at EL1. */
void guarded_call_el2(struct guarded_call *call);

#endif
