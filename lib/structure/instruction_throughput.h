/*
 * Reciprocal throughput of a form: cycles for each of many instances that do not depend on each other
 * (docs/METHODS.md, 6.9).
 *
 * It is measured in several rounds, with other forms between them, since some cores slow wide operations down for
 * milliseconds when current runs short. The minimum counts when three rounds confirm it; else it is a bound.
 */
#ifndef FATHOM_LIB_STRUCTURE_INSTRUCTION_THROUGHPUT_H
#define FATHOM_LIB_STRUCTURE_INSTRUCTION_THROUGHPUT_H

#include "lib/probe/probe.h"
#include "lib/structure/instruction_cost.h"

enum { INSTRUCTION_ROUNDS = 10 }; /* of one form, at most */

struct instruction_throughput {
    double cycles;        /* of one instance without the loop; NaN: it has no throughput of its own, or none is known */
    double once, twice;   /* with its part of the loop, in kernels of n and 2n instances */
    bool is_bound;        /* `cycles` is an upper bound only */
    bool varies_location; /* the cycles are of a kernel whose memory operand is at another address each time */
};

/* Kernels that are measured besides, each with one change. */
enum instruction_variant {
    VARIANT_FEW_NOPS,           /* an eighth of a NOP for each instance */
    VARIANT_MANY_NOPS,          /* as many NOPs as the core takes beside an instance */
    VARIANT_ONE_REGISTER,       /* one register for all operands of a kind, another one for each instance */
    VARIANT_ONE_REGISTER_CHAIN, /* one register for all operands and all instances: shows a latency, except of idioms */
    VARIANT_VALUES,             /* and as many more as there are values (enum form_values) */
    INSTRUCTION_VARIANTS = VARIANT_VALUES + FORM_VALUES
};

struct instruction_rounds {
    struct instruction_throughput round[INSTRUCTION_ROUNDS], best;
    double variant[INSTRUCTION_VARIANTS][INSTRUCTION_ROUNDS]; /* cycles; NaN: not measured */
    unsigned count;                                           /* of rounds so far */
    bool is_confirmed;                                        /* further rounds are of no use */
};

/* Starts without rounds: nothing is known. */
void instruction_rounds_start(struct instruction_rounds *t);
/*
 * Measures one more round of the form, of which t->count must be less than INSTRUCTION_ROUNDS, and sets t->best to the
 * best of all rounds so far and of the variants with NOPs; its cycles are NaN where half the rounds or more have none.
 * Fills `data`, whose content may be of any values afterwards. Returns the reason why the round could not be measured,
 * which does not count then; REASON_NONE: it was.
 */
struct why instruction_round(struct probe *p, const struct area *data, const struct form *f,
                             struct instruction_rounds *t);
/*
 * Returns the core cycles of one instance in this variant (enum instruction_variant): the minimum of all rounds that
 * other rounds confirm, or the plain minimum where none is confirmed. NaN where no round measured the variant.
 */
double instruction_variant_cycles(const struct instruction_rounds *t, unsigned variant);

#endif
