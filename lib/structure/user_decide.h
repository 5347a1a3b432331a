/* Decisions about what limits a kernel of the user, by cycles of a copy. */
#ifndef FATHOM_LIB_STRUCTURE_USER_DECIDE_H
#define FATHOM_LIB_STRUCTURE_USER_DECIDE_H

#include <stdbool.h>

/* Whether something that takes so many cycles is certainly faster than something that takes `other`. NaN: no. */
bool user_is_faster(double cycles, double other);
/* Whether the kernel waited for what was taken away: it became faster, and faster than with NOPs in its place. */
bool user_waited(double as_it_is, double without, double control);
/*
 * Whether giving one register its value did more than giving most registers theirs, which took `usual` cycles. What any
 * register does is no chain: one instruction more may let units be used better, which NOPs need not show. NaN: yes.
 */
bool user_is_unusual(double cycles, double usual);
/*
 * Whether the kernel had used up what executes the NOPs, or the operations, that were added: by this part of what they
 * take alone it became slower. Of operations a part of USER_UNIT_PART_MOST and more says no, too. NaN: no.
 */
bool user_is_full_width(double part);
bool user_is_full_unit(double part);
/* Whether each took an entry of something that is full and that others keep for long. NaN: no. */
bool user_is_full_queue(double part);
/* Whether bytes limit and not instructions: so many cycles more for short NOPs, and for as many long ones. */
bool user_is_full_fetch(double short_cycles, double long_cycles);
/* Whether operations that take so many cycles each have more units than others that take `other`. */
bool user_has_more_units(double cycles, double other);

#endif
