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

/* Whether PSCI, called by `conduit`, reports the core with this affinity as off. False, too, where the call faults. */
bool secondary_is_off(enum psci_conduit conduit, uint64_t affinity);

/* How a core is started: by PSCI, or by a spin table, where the firmware keeps it waiting. */
struct secondary_way {
    enum psci_conduit conduit;
    uint64_t release; /* where it waits for the address of its first instruction (spin table); 0: PSCI starts it */
};

/*
 * Starts the core with this affinity, or takes up again one that a spin table has started and secondary_stop has left
 * waiting, and waits until it has arrived. Called on the core that booted; only one core at a time. NULL, or why it
 * does not start.
 */
const char *secondary_start(struct secondary_way way, uint64_t affinity);
/*
 * Runs a function on the core that secondary_start has started, and waits until it has returned: an own_runner
 * (arch/own.h). False when it had not returned after `limit_ms` milliseconds (0: no limit) and was stopped, or has not
 * begun.
 */
bool secondary_run(void (*function)(void *), void *argument, unsigned limit_ms);
/*
 * Has the core that secondary_start has started begin a function, and returns while it runs, so that the core that
 * booted can go on; secondary_wait is due then. False: the function has not begun.
 */
bool secondary_begin(void (*function)(void *), void *argument);
/*
 * Waits until the function that secondary_begin has begun has returned. False: it had not after `limit_ms` milliseconds
 * (0: no limit), and was stopped by making the high half invalid, or no core is in use.
 */
bool secondary_wait(unsigned limit_ms);
/*
 * Whether the core that was started last has not arrived, not begun a function, not returned from one even after it was
 * stopped, or not switched itself off, in time. It cannot be used any more, and what it may access must not be freed.
 */
bool secondary_lost(void);
/*
 * Ends the use of the core that secondary_start has started. Called on the core that booted. A core that PSCI has
 * started switches itself off; one that a spin table has started goes on waiting in a loop of this program until
 * secondary_start uses it again. NULL, also where no core is in use; else why the core may still run.
 */
const char *secondary_stop(void);
/*
 * Whether any core that a spin table has started waits in a loop of this program, or may: then this program's memory
 * must not be freed.
 */
bool secondary_kept(void);

#endif
