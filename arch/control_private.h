/* What arch/control.c, the same everywhere, needs of each ISA. */
#ifndef FATHOM_ARCH_CONTROL_PRIVATE_H
#define FATHOM_ARCH_CONTROL_PRIVATE_H

#include "arch/control.h"

/* Files a switch of the tables, with what the register holds now. */
void control_add_switch(struct control *c, const struct control_switch *row);

/* Adds this core's switches, or says in c->no_switches why there are none. */
void control_find_switches(struct control *c);
/* Fills in c->clock. */
void control_find_clock(struct control *c);

enum clock_aim { CLOCK_FIXED, CLOCK_HIGHEST, CLOCK_RATIO };

/*
 * Sets the clock. `ratio` is within lowest … highest, or anything but 0 where those are not told. NULL, or why not;
 * then everything is as it was.
 */
const char *control_set_clock(struct control *c, enum clock_aim aim, unsigned ratio);

#endif
