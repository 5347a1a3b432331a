/* What is recorded and printed of a kernel of the user: how it ended, and what it takes. */
#ifndef FATHOM_LIB_STRUCTURE_USER_TABLE_H
#define FATHOM_LIB_STRUCTURE_USER_TABLE_H

#include "lib/structure/user_limits.h"

/* Sends the table `kernel`. */
void user_table_send(struct probe *p, const struct user_kernel *k, const struct user_cost *c);
/* Sends the table `kernel_limits`. */
void user_limits_send(struct probe *p, const struct user_kernel *k, const struct user_limits *l);
/* Prints how a kernel ended that was not measured. */
void user_end_print(const struct user_kernel *k, const struct user_end *end);
/*
 * Counts the events that the kernel asks for, if any, sends and prints them, or why there are none; c->end says how
 * that ended. False: the probe is over.
 */
bool user_events_count(struct probe *p, struct user_place *w, struct user_cost *c);
/*
 * Measures a kernel that asks for it with the prefetchers as they are, with each of them turned, and with all off.
 * False: the probe is over, also because a switch does not go back.
 */
bool user_prefetchers_switch(struct probe *p, struct user_place *w, struct user_cost *c);

#endif
