/*
 * What threads of a core share of a structure: decided from the capacity that one of them finds while the other one
 * sleeps, waits, or fills the structure (docs/METHODS.md, 9.4).
 *
 *                beside one that waits   … that fills it
 *   halves       half                    half              each has its half as soon as the other one is awake
 *   capped       between half and all    no more           a part is kept for the other one as soon as it is awake
 *   by demand    all                     less              what the other one does not use is free
 *   not shared   all                     all
 */
#ifndef FATHOM_LIB_STRUCTURE_SMT_SHARING_H
#define FATHOM_LIB_STRUCTURE_SMT_SHARING_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/reason.h"

enum smt_state { SMT_ASLEEP, SMT_WAITS, SMT_FILLS, SMT_STATES };
enum {
    SMT_ROUNDS = 32,      /* of which six may be disturbed in one direction before the bounds of their median move */
    SMT_ROUNDS_ALIKE = 11 /* so many are enough where all are alike: the fewest whose median has bounds */
};
enum smt_kind { SMT_HALVES, SMT_CAPPED, SMT_BY_DEMAND, SMT_NOT_SHARED, SMT_KINDS };

/* "halves", "capped", "by demand", "not shared" */
extern const char *const smt_kind_names[SMT_KINDS];

struct smt_rounds {
    size_t count;
    double capacity[SMT_STATES][SMT_ROUNDS];
};

struct smt_verdict {
    enum reason reason; /* why nothing is decided; REASON_NONE: it is */
    enum smt_kind kind;
    double median[SMT_STATES], low[SMT_STATES], high[SMT_STATES]; /* of each capacity; NaN: there are too few */
};

/* Whether further rounds would add nothing: there are enough, and all are the same. */
bool smt_rounds_are_enough(const struct smt_rounds *rounds);
/* Decides from what was measured in turn: in each round once in each state. */
void smt_sharing_decide(const struct smt_rounds *rounds, struct smt_verdict *out);

#endif
