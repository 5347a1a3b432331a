/* The generic timers of EL1: silent in windows but for the deadline. To be called at EL1. */
#ifndef FATHOM_ARCH_AARCH64_OWN_TIMERS_H
#define FATHOM_ARCH_AARCH64_OWN_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

struct timers {
    uint64_t virtual_control, virtual_compare;
    uint64_t physical_control;
};

/* Stops the virtual and the physical timer, and notes what was found; and restores it. */
void timers_stop(struct timers *found);
void timers_restore(const struct timers *found);

/*
 * At the firmware's level; `e2h` as HCR_EL2.E2H there: whether the firmware has left the virtual timer of EL1 on, so that
 * it would interrupt outside of windows too.
 */
bool virtual_timer_runs(bool e2h);
/* Sets the virtual timer to interrupt after a number of ticks. */
void deadline_arm(uint64_t ticks);
/* Whether that time has passed. */
bool deadline_due(void);

#endif
