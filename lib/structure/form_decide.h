/*
 * What cycles that were measured of a form say about it, for predictions (lib/structure/form_demand.h).
 */
#ifndef FATHOM_LIB_STRUCTURE_FORM_DECIDE_H
#define FATHOM_LIB_STRUCTURE_FORM_DECIDE_H

#include <stdbool.h>

/* Whether it depends on nothing with one register for all operands, by cycles of such a chain and its latency. */
bool form_is_idiom(double one_register, double latency);
/* Cycles for which it waits for the register that it writes, by those of instances of one register; 0: it does not. */
double form_kept_cycles(double one_register, double alone);
/* Whether more limits its instances alone than the class that they keep busy for the most cycles. */
bool form_has_hidden_limit(double alone, double most);
/*
 * Cycles for which it has the front end to itself as microcode, which a sequencer delivers in whole cycles; 0: it is none.
 * By the cycles that it takes among NOPs, those of a NOP, and those of instances alone.
 */
double form_microcode_cycles(double among_nops, double nop, double alone);
/* Cycles from which on instances of two forms beside each other share what limits them, by those of each alone. */
double form_shared_from(double a, double b);
/* Whether the core is as fast as before, by cycles of the same instructions; 0: it is not known now. */
bool form_is_same_pace(double now, double before);

#endif
