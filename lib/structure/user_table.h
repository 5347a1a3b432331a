/* What is recorded and printed of a kernel of the user: how it ended, and what it takes. */
#ifndef FATHOM_LIB_STRUCTURE_USER_TABLE_H
#define FATHOM_LIB_STRUCTURE_USER_TABLE_H

#include "lib/structure/user_limits.h"
#include "lib/structure/user_model.h"

/* Sends the table `kernel`. */
void user_table_send(struct probe *p, const struct user_kernel *k, const struct user_cost *c);
/* Sends the table `kernel_limits`. */
void user_limits_send(struct probe *p, const struct user_kernel *k, const struct user_limits *l);
/* Sends the table `kernel_model`, and prints its greatest limits. `measured`: cycles of a copy; NaN: not known. */
void user_model_send(struct probe *p, const struct user_kernel *k, const struct user_model *m, double measured);
/* Writes "0 imul r64, r64; 4 add r64, r64": the instructions of the chain, by their offsets; cut to `room` bytes. */
void user_chain_text(const struct user_model *m, char *text, size_t room);
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
