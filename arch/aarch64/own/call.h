/* Calls of functions that may run into an exception, at the exception level of the firmware. */
#ifndef FATHOM_ARCH_AARCH64_OWN_CALL_H
#define FATHOM_ARCH_AARCH64_OWN_CALL_H

#include <stdbool.h>

#include "arch/aarch64/own/frame.h"

/* Allocates the stack of calls. NULL, or why there is none. */
const char *call_start(void);
/* Frees it. */
void call_finish(void);

/*
 * Runs a function on the core in use: directly when that is the core that booted, else through its runner. False when
 * it had not returned after `limit_ms` and was stopped.
 */
bool own_on_core(void (*function)(void *), void *argument, unsigned limit_ms);

/* call.S; interrupts must be masked. call->exception says how the call ended. */
void guarded_call_el1(struct guarded_call *call);
void guarded_call_el2(struct guarded_call *call);

#endif
