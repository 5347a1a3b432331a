/* Calls that may run into an exception, at the level where the firmware has us. */
#ifndef FATHOM_ARCH_AARCH64_OWN_CALL_H
#define FATHOM_ARCH_AARCH64_OWN_CALL_H

#include "arch/aarch64/own/frame.h"

/* NULL, or why there can be none. */
const char *call_start(void);
void call_finish(void);

/* call.S; interrupts masked. call->exception tells how it ended. */
void guarded_call_el1(struct guarded_call *call);
void guarded_call_el2(struct guarded_call *call);

#endif
