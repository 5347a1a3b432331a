/*
 * The EL1 worker: where firmware runs at EL2, it runs windows at EL1.
 *
 * EL1 gets a translation regime of its own. It maps the RAM that the firmware describes to its own addresses and
 * nothing else, so that no device is ever mapped as memory; the functions of high_half.h add the high half as they do
 * on a machine without EL2. The worker is entered by ERET and left by HVC.
 *
 * While it runs, EL2 lets it use timers, counters and vectors (HCR_EL2, CPTR_EL2, MDCR_EL2, CNTHCTL_EL2, and where
 * there are any, HCRX_EL2 and fine-grained traps), stage 2 is off, and EL2's own timers may be stopped. All of that,
 * and every register of EL1 that is used, is restored.
 */
#ifndef FATHOM_ARCH_AARCH64_OWN_WORKER_H
#define FATHOM_ARCH_AARCH64_OWN_WORKER_H

#include <stdint.h>

#include "arch/aarch64/own/frame.h"
#include "arch/window.h"

/* MAIR_EL1 of the worker: index 0 is normal write-back memory, read- and write-allocating; 1 Device-nGnRnE. */
enum { WORKER_MEMORY_INDEX = 0, WORKER_DEVICE_INDEX = 1 };

/*
 * Builds the worker's low half and its stack. To be called where the firmware runs at EL2. NULL, or the reason;
 * worker_finish frees what was built either way.
 */
const char *worker_start(void);
/* Frees what worker_start has built. */
void worker_finish(void);

/*
 * Calls the function at EL1 on the core that runs this: directly where this code runs at EL1, else through the worker.
 * Interrupts must be masked. Returns VECTOR_NONE in .vector when the function returned, else the exception that was
 * taken to EL2; the function is then abandoned.
 *
 * With SILENCE_NONE the firmware handles interrupts at EL2 while the function runs in the worker. Otherwise interrupts
 * reach EL1, and with SILENCE_STOPPED the timers of EL2 are stopped too.
 */
struct exception call_at_el1(void (*function)(void *), void *argument, enum silence silence);

#endif
