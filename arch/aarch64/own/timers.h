/*
 * The generic timers of EL1: silent in windows but for the deadline. All functions but virtual_timer_runs are to be
 * called on the core in use, at EL1.
 */
#ifndef FATHOM_ARCH_AARCH64_OWN_TIMERS_H
#define FATHOM_ARCH_AARCH64_OWN_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

/* What the firmware had in the registers of the timers. */
struct timers {
    uint64_t virtual_control, virtual_compare;
    uint64_t physical_control;
};

/* Stops the virtual and the physical timer, and notes in *found what their registers held. */
void timers_stop(struct timers *found);
/* Restores what timers_stop found. A timer that has expired meanwhile then interrupts at once. */
void timers_restore(const struct timers *found);

/*
 * Whether the firmware has left the virtual timer of EL1 on and not masked, so that it would interrupt outside of
 * windows too. To be called at the firmware's exception level; `e2h` is HCR_EL2.E2H there.
 */
bool virtual_timer_runs(bool e2h);
/* Sets the virtual timer to interrupt after `ticks` ticks of the time stamp. timers_restore ends that. */
void deadline_arm(uint64_t ticks);
/* Whether the time of deadline_arm has passed. */
bool deadline_due(void);

#endif
