/* Running code on the core in use with our descriptor tables and page tables. */
#ifndef FATHOM_ARCH_X86_64_OWN_CALL_H
#define FATHOM_ARCH_X86_64_OWN_CALL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Milliseconds by which the firmware waits longer for another core than our own deadline, before it stops that core by
 * INIT. Our own timer should end a kernel first, also when a hypervisor lets the core stand still for a few seconds.
 */
enum { FIRMWARE_LATER_MS = 5000 };

/*
 * Runs a function on the core in use: directly when that is the core that booted, else through its runner. Exceptions
 * are not caught. False when it had not returned after `limit_ms` milliseconds (0: no limit) and was stopped, which
 * only happens on another core.
 */
bool on_core(void (*function)(void *), void *argument, unsigned limit_ms);

/*
 * Calls a function while the core that runs this has our tables and control registers, and interrupts are disabled; the
 * firmware's are restored afterwards. With `firmware_interrupts`, interrupts that the function lets in go to the
 * firmware's handlers. Exceptions that guarded_run does not catch go to the firmware.
 */
void with_core_taken(void (*function)(void *), void *argument, bool firmware_interrupts);
/* The value that CR4 has in with_core_taken, where the firmware's is `firmware_cr4`. */
uint64_t window_cr4(uint64_t firmware_cr4);

#endif
