/*
 * The EL1 worker: how a firmware at EL2 gets its windows at EL1.
 *
 * EL1 gets a translation regime of its own: address = frame for the RAM the firmware describes, and
 * nothing else, so that no device is ever mapped as memory; the functions of high_half.h then add the
 * high half as they do on a machine without EL2. The worker is entered by ERET and left by HVC.
 *
 * For as long as it runs, EL2 lets it use timers, counters and vectors (HCR_EL2, CPTR_EL2, MDCR_EL2,
 * CNTHCTL_EL2), stage 2 is off, and EL2's own timers may be silent. All of that, and every register of EL1
 * that is used, is put back.
 */
#ifndef FATHOM_ARCH_AARCH64_OWN_WORKER_H
#define FATHOM_ARCH_AARCH64_OWN_WORKER_H

#include <stdint.h>

#include "arch/aarch64/own/frame.h"
#include "arch/window.h"

/* MAIR_EL1 of the worker: index 0 is normal write-back memory, read- and write-allocating. */
enum { WORKER_MEMORY_INDEX = 0 };

/* Builds the low half. NULL, or the reason; worker_finish frees what was built either way. */
const char *worker_start(void);
void worker_finish(void);

/*
 * Calls the function at EL1: directly where we are there, else through the worker. Interrupts must be
 * masked. Returns VECTOR_NONE in .vector when the function returned, else the exception that came to
 * EL2 instead; the function is then left where it was.
 *
 * With SILENCE_NONE, interrupts that come meanwhile are handled by the firmware at EL2 and the function
 * goes on; else they are the function's own, and with SILENCE_STOPPED the timers of EL2 make none.
 */
struct exception call_at_el1(void (*function)(void *), void *argument, enum silence silence);

#endif
