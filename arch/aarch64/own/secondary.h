/*
 * Another core: PSCI starts it, it runs functions, and it switches itself off (Arm DEN0022, Power State Coordination
 * Interface 1.1). A core that a spin table has started cannot switch itself off: it waits in a loop of this program
 * until it is used again.
 *
 *     the core that booted                       the other one
 *     secondary_start   PSCI CPU_ON        ->    secondary_enter: the same translation, caches on, a stack
 *     secondary_run     request, SEV       ->    waits for events, calls the function
 *                       watches the clock  <-    done
 *     secondary_stop    request to leave   ->    PSCI CPU_OFF
 *                       AFFINITY_INFO until it reports "off"
 *
 * The other core takes no interrupt, so no timer can end a kernel there. When one does not end in time, the high half
 * that it runs in is made invalid (high_half.h), and the fault ends it.
 */
#ifndef FATHOM_ARCH_AARCH64_OWN_SECONDARY_H
#define FATHOM_ARCH_AARCH64_OWN_SECONDARY_H

#include <stdbool.h>
#include <stdint.h>

/* The instruction that calls PSCI on this machine. */
enum psci_conduit { PSCI_NONE, PSCI_SMC, PSCI_HVC };

/* Whether PSCI says that the core with this affinity is off. */
bool secondary_is_off(enum psci_conduit conduit, uint64_t affinity);

/* How a core is started. */
struct secondary_way {
    enum psci_conduit conduit;
    uint64_t release; /* where it waits for the address of its first instruction (spin table); 0: PSCI starts it */
};

/* Starts a core; only one at a time. NULL, or why it does not start. */
const char *secondary_start(struct secondary_way way, uint64_t affinity);
/* An own_runner (arch/own.h) for that core. */
bool secondary_run(void (*function)(void *), void *argument, unsigned limit_ms);
/*
 * The same in two steps, between which the core that booted goes on. False: the function has not begun, or was
 * stopped as above.
 */
bool secondary_begin(void (*function)(void *), void *argument);
bool secondary_wait(unsigned limit_ms);
/* Whether the core has not returned from a function, even after it was stopped. */
bool secondary_lost(void);
/*
 * Has the core switch itself off, or, where a spin table has started it, wait until secondary_start uses it again.
 * NULL, or why it does neither.
 */
const char *secondary_stop(void);
/* Whether a core that a spin table has started waits in a loop of this program. */
bool secondary_kept(void);

#endif
