/*
 * Another core: switched on by PSCI, given work, switched off by itself (Arm DEN0022, Power State Coordination
 * Interface 1.1).
 *
 *     the core that booted                       the other one
 *     secondary_start   PSCI CPU_ON        ->    secondary_enter: translation, caches, stack as there
 *     secondary_run     request, SEV       ->    waits for events, calls the function
 *                       watches the clock  <-    done
 *     secondary_stop    request to leave   ->    PSCI CPU_OFF
 *                       AFFINITY_INFO until it says that it is off
 *
 * It takes no interrupt, so it cannot be interrupted either: a kernel that does not end in time loses the high
 * half it runs in (high_half.h), and finds its way back by the fault.
 */
#ifndef FATHOM_ARCH_AARCH64_OWN_SECONDARY_H
#define FATHOM_ARCH_AARCH64_OWN_SECONDARY_H

#include <stdbool.h>
#include <stdint.h>

/* How this machine takes PSCI calls. */
enum psci_conduit { PSCI_NONE, PSCI_SMC, PSCI_HVC };

/* Whether PSCI says that the core with this affinity is off. */
bool secondary_is_off(enum psci_conduit conduit, uint64_t affinity);

/* One at a time. NULL, or why it does not start. */
const char *secondary_start(enum psci_conduit conduit, uint64_t affinity);
/* An own_runner. */
bool secondary_run(void (*function)(void *), void *argument, unsigned limit_ms);
/* The same in two steps, while the core that booted goes on. False: it has not begun, or was stopped as above. */
bool secondary_begin(void (*function)(void *), void *argument);
bool secondary_wait(unsigned limit_ms);
/* Whether it did not come back from what it was given. */
bool secondary_lost(void);
/* NULL, or why it could not be switched off again. */
const char *secondary_stop(void);

#endif
