/*
 * Another core: PSCI starts it, it runs functions, and it switches itself off (Arm DEN0022, Power State Coordination
 * Interface 1.1). A core that a spin table has started cannot switch itself off: it waits in a loop of this program
 * until it is used again.
 *
 *     the core that booted                       the other one
 *     secondary_start   PSCI CPU_ON        ->    secondary_enter: the same translation, caches on, a stack
 *     secondary_begin   request, SEV       ->    waits for events, calls the function
 *     secondary_wait    watches the clock  <-    done
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

/* A core that was started, from secondary_start until secondary_stop. There may be several. */
struct secondary;

/*
 * Starts the core with this affinity, or takes up again one that a spin table has started and secondary_stop has left
 * waiting, and waits until it has arrived. Called on the core that booted. NULL, and the core in *out; or why it does not
 * start.
 */
const char *secondary_start(struct secondary_way way, uint64_t affinity, struct secondary **out);
/*
 * Has a core begin a function, and returns while it runs, so that the core that booted can go on; secondary_wait is due
 * then. False: the function has not begun.
 */
bool secondary_begin(struct secondary *s, void (*function)(void *), void *argument);
/*
 * Waits until the function that secondary_begin has begun has returned. False: it had not after `limit_ms` milliseconds
 * (0: no limit), and was stopped by making the high half invalid, which every core runs in that runs kernels.
 */
bool secondary_wait(struct secondary *s, unsigned limit_ms);
/*
 * Whether the core has not begun a function, or not returned from one even after it was stopped, in time. It cannot be
 * used any more, and what it may access must not be freed.
 */
bool secondary_lost(const struct secondary *s);
/*
 * Ends the use of a core. Called on the core that booted. A core that PSCI has started switches itself off; one that a
 * spin table has started goes on waiting in a loop of this program until secondary_start uses it again. NULL, or why the
 * core may still run; *s must not be used any more.
 */
const char *secondary_stop(struct secondary *s);
/*
 * Whether any core that a spin table has started waits in a loop of this program, or may: then this program's memory
 * must not be freed.
 */
bool secondary_kept(void);

#endif
