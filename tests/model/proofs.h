/* Counting on modelled cores, and knees proven by it. */
#ifndef FATHOM_TESTS_MODEL_PROOFS_H
#define FATHOM_TESTS_MODEL_PROOFS_H

#include "tests/model/machine.h"

/* Code that is too long for the instruction cache of the machine misses it, on either side as time says. */
void proofs_check(const struct machine_design *m);

#endif
