/*
 * Fallback: what a taken branch costs whose target no level of the branch target buffer holds, and which part of the
 * front end supplies the target then.
 *
 * NOPs are put between each target and its branch, far past the last level. A target that arrives with the line from
 * the instruction cache is known while those NOPs are still being delivered: they are hidden behind the wait. A target
 * that is known only when the branch is decoded comes after all of them: their time is added.
 *
 * Method: docs/METHODS.md, 5.1.
 */
#ifndef FATHOM_LIB_STRUCTURE_BTB_FALLBACK_H
#define FATHOM_LIB_STRUCTURE_BTB_FALLBACK_H

#include <stdbool.h>

#include "lib/base/reason.h"
#include "lib/probe/probe.h"
#include "lib/structure/branch_cost.h"

enum btb_origin { BTB_ORIGIN_UNKNOWN, BTB_ORIGIN_DECODE, BTB_ORIGIN_L1I, BTB_ORIGINS };
/* NULL, "decode", "l1i": the variant `cause` of findings. */
extern const char *const btb_origin_names[BTB_ORIGINS];

enum { BTB_FALLBACK_STRIDE = 256 }; /* bytes: the largest level known to us holds a few thousand branches then */

/* Cycles per branch. */
struct btb_fallback {
    double half;             /* of half as many branches, without NOPs */
    double bare, some, more; /* far past the last level: without NOPs, with some, and with twice as many */
    double resident;         /* what the most NOPs add where all branches are resident */
};

/*
 * Measures all members of *out with chains of branches of that pattern that span up to `span` bytes of `room`. A member
 * is NaN where a reading was not accepted. False where the probe has ended.
 */
bool btb_fallback_measure(struct probe *p, enum branch_chain_pattern pattern, const struct branch_chain_room *room,
                          size_t span, struct btb_fallback *out);
/*
 * Which part of the front end supplies the target of a branch that no level of the BTB holds. BTB_ORIGIN_L1I: the
 * instruction cache, while NOPs before the branch are still being delivered, so that all of them, or the first half,
 * add hardly any time. BTB_ORIGIN_DECODE: the decoders, which reach the branch after those NOPs, so that their time is
 * added to that of the branch. Otherwise BTB_ORIGIN_UNKNOWN, and *why is REASON_NO_READINGS where a cost is NaN,
 * REASON_NOT_LEFT where a branch costs clearly less or more among half as many, so that some level may still hold a
 * part of them, else REASON_AMBIGUOUS: the time that NOPs add is neither nothing nor all of theirs. *why is set in the
 * other cases, too.
 */
enum btb_origin btb_fallback_origin(const struct btb_fallback *f, enum reason *why);

#endif
