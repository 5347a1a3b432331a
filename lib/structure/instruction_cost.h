/*
 * What one kernel of a form costs for each instance (docs/METHODS.md, 6.9): the measurement that throughput and latency
 * of an instruction are built on.
 */
#ifndef FATHOM_LIB_STRUCTURE_INSTRUCTION_COST_H
#define FATHOM_LIB_STRUCTURE_INSTRUCTION_COST_H

#include "lib/base/reason.h"
#include "lib/kernels/forms.h"
#include "lib/probe/probe.h"

/* Bytes of data that kernels of forms need; their content is form_fill_data's. */
enum { INSTRUCTION_DATA_BYTES = 4096 };

struct instruction_cost {
    double cycles; /* of one instance, with its part of the loop around all; NaN: no reading was accepted */
    double spread; /* 80 % quantile less minimum of the samples, cycles; NaN: not known */
    struct why
        why; /* why it could not be measured; detail: the kind of fault. What was measured before that may be kept */
};

/*
 * Returns n, the number of instances of the instruction that an iteration of a kernel has in this run's profile. A
 * second kernel of 2n instances shows what the loop costs (instruction_cost_without_loop).
 */
unsigned instruction_instances(const struct probe *p);
/*
 * Makes the kernel *w (form_kernel_make) on `data`, INSTRUCTION_DATA_BYTES, and measures what one instance costs. A
 * dependency chain whose cycles are no whole number is measured more often. The result's `why` says why it could not be
 * measured: the kernel cannot be made, it ended in a fault or at the deadline, or no reading was accepted.
 */
struct instruction_cost instruction_cost_measure(struct probe *p, const struct area *data, struct form_kernel *w);
/*
 * Sets *cycles to the core cycles of one instance without the loop's part, from those with it in kernels of n (`once`)
 * and of 2n instances (`twice`). False where the two differ by more than a loop can cost; then *cycles is left as it
 * was.
 */
bool instruction_cost_without_loop(double once, double twice, double *cycles);
/* The difference from a whole number, in cycles, up to which `cycles` count as whole. */
double instruction_whole_within(double cycles);
/* Whether the cycles are a whole number, of at least 1. */
bool instruction_is_whole(double cycles);
/* What a record has for this reason: its token, for a fault its detail; NULL where there is none. */
const char *instruction_why_text(struct why why);

#endif
