/* Running code on the core in use with our descriptor tables and page tables. */
#ifndef FATHOM_ARCH_X86_64_OWN_CALL_H
#define FATHOM_ARCH_X86_64_OWN_CALL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * How long the firmware waits for another core beyond our own deadline before it stops the core by INIT. Our own
 * timer should end a kernel first, also when a hypervisor lets the core stand still for a few seconds.
 */
enum { FIRMWARE_LATER_MS = 5000 };

/*
 * Runs a function on the core in use: directly when that is the core that booted, else through its runner. False when
 * it had not returned after `limit_ms` and was stopped.
 */
bool on_core(void (*function)(void *), void *argument, unsigned limit_ms);

/*
 * Calls a function while the core has our tables and control registers, and interrupts are disabled. With
 * `firmware_interrupts`, interrupts that the function lets in go to the firmware's handlers.
 */
void with_core_taken(void (*function)(void *), void *argument, bool firmware_interrupts);
/* The value of CR4 meanwhile, from the firmware's. */
uint64_t window_cr4(uint64_t firmware_cr4);

#endif
