/*
 * Accesses of several cores to one word, or each to its own: the core in use and others repeat one access at the same
 * time, the others count theirs (lib/measure/responder.h), and the kernel of the core in use reads those counts before
 * its own accesses and behind them.
 */
#ifndef FATHOM_LIB_KERNELS_CONTENDED_H
#define FATHOM_LIB_KERNELS_CONTENDED_H

#include "lib/kernels/forms.h"
#include "lib/kernels/traffic.h"

struct contended {
    const char *access, *atomic; /* its name in form_atomics, or NULL: it is a plain one */
    enum responder_duty duty;
};

struct contention {
    struct traffic traffic; /* its buffers begin with the others' words */
    struct area page;       /* for counts */
    struct kernel walk;
    uint64_t iterations; /* of a reading; each makes RESPONDER_BLOCK accesses */
};

struct contended_rates {
    double all, least, most; /* accesses a microsecond: of all cores, of the one with the fewest, and with the most */
};

/* The form of an atomic access; NULL: it is a plain one, or the instruction set has none. */
const struct form *contended_form(const struct contended *a);
/* Maps s->page. False: the probe is over. */
bool contended_map(struct probe *p, struct contention *s);
/* Emits both kernels, for these other cores, and for a word that is 0. False: the probe is over. */
bool contended_build(struct probe *p, struct contention *s, const struct contended *a, uint64_t word);
/*
 * Measures the medians of several readings; all numbers are NaN where nothing could be read. Makes s->iterations larger
 * where readings are too short. Returns NULL, or why so many cores cannot be used. *good: the probe is not over.
 */
const char *contended_measure(struct probe *p, struct contention *s, enum responder_duty duty,
                              struct contended_rates *rates, bool *good);

#endif
