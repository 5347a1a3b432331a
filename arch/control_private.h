/* What arch/control.c, which is the same on every ISA, needs of each ISA. */
#ifndef FATHOM_ARCH_CONTROL_PRIVATE_H
#define FATHOM_ARCH_CONTROL_PRIVATE_H

#include "arch/control.h"

/* Adds a switch of the tables to *c, with the state that its register holds now. */
void control_add_switch(struct control *c, const struct control_switch *row);

/* Adds this core's switches, or says in c->no_switches why there are none. */
void control_find_switches(struct control *c);
/* Fills in c->clock. */
void control_find_clock(struct control *c);

enum clock_aim { CLOCK_FIXED, CLOCK_HIGHEST, CLOCK_RATIO };

/*
 * Sets the clock. `ratio` is within lowest … highest, or any number but 0 where those are not known. NULL, or why
 * not; then everything is as it was.
 */
const char *control_set_clock(struct control *c, enum clock_aim aim, unsigned ratio);

#endif
