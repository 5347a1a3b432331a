/* What each ISA implements for arch/control.c, which is the same on every ISA. */
#ifndef FATHOM_ARCH_CONTROL_PRIVATE_H
#define FATHOM_ARCH_CONTROL_PRIVATE_H

#include "arch/control.h"

/*
 * In arch/control.c: adds a switch of the ISA's tables to *c, with the state that its register holds now, or with
 * `why_not` where it cannot be read. The list holds CONTROL_SWITCHES; more are dropped.
 */
void control_add_switch(struct control *c, const struct control_switch *row);

/* Adds this core's switches by control_add_switch, or sets c->no_switches to the reason why there are none. */
void control_find_switches(struct control *c);
/* Fills in c->clock from the core's registers. Changes nothing. */
void control_find_clock(struct control *c);

/* What control_set_clock is to set. */
enum clock_aim { CLOCK_FIXED, CLOCK_HIGHEST, CLOCK_RATIO };

/*
 * Sets the clock, noting each register in c->changes. With CLOCK_RATIO, `ratio` is within c->clock's lowest … highest,
 * or any number but 0 where those are not known; else it is not used. NULL, or why not; then everything is as it was.
 */
const char *control_set_clock(struct control *c, enum clock_aim aim, unsigned ratio);

#endif
