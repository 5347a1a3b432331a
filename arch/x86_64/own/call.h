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

/* The firmware's registers while ours are in force. */
struct found {
    uint64_t rflags;
    uint64_t cr0;
    uint64_t cr3;
    uint64_t cr4;
    uint64_t efer;
};

/*
 * Between these two the core has our tables and control registers, and interrupts are disabled. With
 * `firmware_interrupts`, interrupts that are let in go to the firmware's handlers.
 */
void core_take(struct found *found, bool firmware_interrupts);
void core_give_back(const struct found *found);
/* The value of CR4 between them, from the firmware's. */
uint64_t window_cr4(uint64_t firmware_cr4);

#endif
