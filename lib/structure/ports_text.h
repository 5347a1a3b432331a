/*
 * Maps of ports and conflicts as text for people: "add: 0 1 2 3; load: 4 5 6". All texts are cut where the room ends.
 */
#ifndef FATHOM_LIB_STRUCTURE_PORTS_TEXT_H
#define FATHOM_LIB_STRUCTURE_PORTS_TEXT_H

#include "lib/structure/ports_predict.h"

/* Both kinds of operations of an instruction: "0 1 5", "0 1 + 2x 3". */
void ports_text_of_ops(const struct ports_op ops[PORTS_OPS], char *text, size_t room);
/* All classes of a map. */
void ports_text_of_map(const struct ports_map *map, const struct mixes *m, char *text, size_t room);
/* "add (0.5 of shift) and vector to general: up to 25 % slower", or "none". */
void ports_text_of_conflicts(const struct ports_conflicts *c, const struct mixes *m, char *text, size_t room);

#endif
