/*
 * Latencies of a form: for each operand that is read and each that is written, cycles of a dependency chain through
 * both (docs/METHODS.md, 6.9).
 */
#ifndef FATHOM_LIB_STRUCTURE_INSTRUCTION_LATENCY_H
#define FATHOM_LIB_STRUCTURE_INSTRUCTION_LATENCY_H

#include "lib/probe/probe.h"
#include "lib/structure/instruction_cost.h"

enum { INSTRUCTION_CHAINS = 24, INSTRUCTION_INDIRECT_WAYS = 8 };

struct instruction_chain {
    unsigned from, to; /* operands: the one read and the one written */
    /* Of one instance and the bridges, without the loop where a direct chain takes no whole number; NaN: not known. */
    double cycles;
    double raw;     /* `cycles` with their part of the loop */
    double spread;  /* of the samples, cycles */
    double second;  /* latency by a second experiment, an indirect or a lengthened chain; NaN: not measured */
    bool is_bound;  /* `cycles` is an upper bound only: something else may limit the chain */
    struct why why; /* why it was not measured, or shows no latency */
    const struct form_bridge *bridges[FORM_BRIDGES];
    unsigned bridge_count, bridge_cycles; /* how many bridges, and the cycles that they take at least */
    unsigned period;                      /* bytes of code until registers repeat */
    uint8_t bytes[FORM_PERIOD_BYTES];
};

struct instruction_chains {
    struct instruction_chain chain[INSTRUCTION_CHAINS];
    unsigned count;
};

/* What the ways of indirect chains cost alone: measured once, and kept for the forms that follow. Begins as zeros. */
struct indirect_ways {
    struct {
        const struct form_bridge *out; /* to the general register; NULL: nothing is known here yet */
        double cycles;                 /* there and back; NaN: it could not be measured */
    } way[INSTRUCTION_INDIRECT_WAYS];
};

/*
 * Measures a dependency chain through each pair of an operand that the form reads and one that it writes, where one can
 * be made, INSTRUCTION_CHAINS at most, and stores them in *chains. `data`: INSTRUCTION_DATA_BYTES, filled by
 * form_fill_data with FORM_VALUES_ONE. `throughput`: the form's reciprocal throughput in cycles, NaN: not known. `ways`
 * is kept from form to form of a run.
 */
void instruction_measure_chains(struct probe *p, const struct area *data, const struct form *f, double throughput,
                                struct indirect_ways *ways, struct instruction_chains *chains);
/* The latency: the chain's cycles less those that its bridges take at least, 0 at least. NaN: not known. */
double instruction_latency(const struct instruction_chain *c);
/*
 * Returns what the record says of a chain besides its cycles: why it was not measured; REASON_UNSTEADY where its cycles
 * are no whole number and samples of them differ; REASON_MEAN_OF_WAYS where they are none and samples agree; else
 * REASON_NONE.
 */
struct why instruction_chain_remark(const struct instruction_chain *c);

#endif
