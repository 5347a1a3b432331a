/*
 * Does what an instruction takes depend on who made its operand? Chains of two kinds of instruction against chains of
 * each kind alone (docs/METHODS.md, 6.12).
 *
 * Each link of a chain takes what lies between its operand and its result, and what lies on the way from one unit to
 * the next. A chain that goes from one kind to the other and back shows the sum of both ways and no way by itself: were
 * one kind to deliver all its results a cycle later, and to take its operands from others a cycle earlier, all chains
 * would take the same. So the answer is about both ways together.
 */
#ifndef FATHOM_LIB_STRUCTURE_BYPASS_H
#define FATHOM_LIB_STRUCTURE_BYPASS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/reason.h"

/* Cycles of chains, divided by bypass_scale; NaN: not measured. */
struct bypass {
    double one, other;  /* of a link in a chain of one kind alone, and of the other kind alone */
    double alternating; /* of a round of one link of each */
    double in_pairs;    /* of a round of two of the one kind and two of the other */
};

struct bypass_verdict {
    double extra;       /* cycles from the one kind to the other and back beyond those of each alone; NaN: undecided */
    enum reason reason; /* why; REASON_NONE: it is decided */
};

/*
 * Whether the cycles of a round of a chain are a whole number, *whole, as are those of every instruction and of every
 * way between units.
 */
bool bypass_is_whole(double cycles, double *whole);
/*
 * By what all cycles are too many, as a factor: 1.01 where the clock counts 1 % more of them than there are. The median of
 * what `count` chains of one kind of instruction alone take over the next whole number; those that are off by more than
 * a trusted clock can be do not count. 1 where few are left.
 */
double bypass_scale(const double *alone, size_t count);
/* Decides from four chains, each of which must take whole cycles; both mixed ones must show the same extra cycles. */
struct bypass_verdict bypass_decide(const struct bypass *b);

/* What several moments have shown of one pair of kinds. Begins as zeros. */
struct bypass_looks {
    double extra;       /* of the first look that decided */
    unsigned all;       /* looks so far */
    unsigned alike;     /* that decided so */
    unsigned against;   /* that decided otherwise, or whose two orders disagreed */
    enum reason reason; /* of the latest look that did not decide */
};

/* Adds what the chains show now. */
void bypass_look(struct bypass_looks *l, const struct bypass *b);
/*
 * The verdict of all looks. One is enough on a core that nothing disturbs. Where others disturb it, or the first look
 * did not decide, two must be alike, and more than those against them: what takes time from a chain takes other parts of
 * its rounds at another moment.
 */
struct bypass_verdict bypass_of_looks(const struct bypass_looks *l, bool is_disturbed);
/* Whether two looks, or more, have decided alike, and more than those against them. */
bool bypass_is_confirmed(const struct bypass_looks *l);
/* Whether another look may decide what these have left open. */
bool bypass_wants_look(const struct bypass_looks *l, bool is_disturbed);

/* Whether a pair of links (arch/form_links.h), by their names, is a finding where the core has both. */
bool bypass_is_reported(const char *one, const char *other);

#endif
