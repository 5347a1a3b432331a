/*
 * What a kernel of the user costs (docs/METHODS.md, 6.10): warm, as a loop and unrolled; and cold.
 */
#ifndef FATHOM_LIB_STRUCTURE_USER_COST_H
#define FATHOM_LIB_STRUCTURE_USER_COST_H

#include "lib/kernels/user_code.h"
#include "lib/probe/probe.h"

/* How a kernel of the user ended. */
struct user_end {
    enum window_end end;
    struct fault fault;
    const char *where; /* user_where of the fault; NULL where none was met */
    uint64_t offset;
    const char *breaks; /* what it does that it must not; NULL: nothing */
};

/* Cycles of one copy. */
struct user_cycles {
    double cycles; /* median of the samples; NaN: no reading was accepted */
    double least,
        most; /* of the samples; of `unrolled` what both kernels' allow; of `cold` where the median should lie */
};

enum { USER_LAYOUTS = 2 };

struct user_cost {
    struct user_end end;
    unsigned copies;                           /* n: the unrolled kernels have n and 2n */
    struct user_cycles loop[USER_LAYOUTS];     /* of an iteration of one copy and the loop's two instructions */
    struct user_cycles unrolled[USER_LAYOUTS]; /* of a copy, without the loop */
    struct user_cycles cold; /* of one copy with its code and the first MiB of its memory displaced from the caches */
    double hz;               /* core clock behind the layouts; 0: not measured */
};

/* Copies of the shorter unrolled kernel. */
unsigned user_copies(const struct user_kernel *k);
/*
 * Executes one copy, and then, unless that faults, does not end or breaks the harness, the longest kernel, of 2n
 * copies; faults and endless loops are caught. c->end says how that ended. c->copies must be set. False: the probe is
 * over.
 */
bool user_try(struct probe *p, struct user_place *w, struct user_cost *c);
/*
 * Measures a variant: `samples` times, anew each time. How the last one ended is noted in *end; *out is NaN where one
 * ended in a fault or at the deadline, or no reading was accepted. False: the probe is over.
 */
bool user_measure(struct probe *p, struct user_place *w, const struct user_variant *v, unsigned samples,
                  struct user_end *end, struct user_cycles *out);
/*
 * Measures all of *c that the kernel wants, after user_try; stops where c->end is no longer WINDOW_RAN, and leaves the
 * rest as it was. False: the probe is over.
 */
bool user_cost_measure(struct probe *p, struct user_place *w, struct user_cost *c);

#endif
