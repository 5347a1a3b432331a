/*
 * One number, where there is no axis to search: the median of several samples.
 */
#ifndef FATHOM_LIB_SAMPLE_H
#define FATHOM_LIB_SAMPLE_H

#include "lib/sweep.h"

enum { SAMPLES_MAXIMUM = 16 };

/*
 * Cycles per unit of what `build` makes, anew for each sample: the median of so many. Once only at smoke. NaN where no
 * reading was accepted.
 */
bool sample_cycles(struct probe *p, unsigned samples, bool (*build)(struct probe *p, void *context, struct kernel *k),
                   void *context, double *cycles);

#endif
