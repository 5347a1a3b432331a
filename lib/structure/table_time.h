/*
 * Samples of whether a branch is predicted from a bit of chance (lib/kernels/table_trial.h), by time, as struct
 * table_search wants them.
 */
#ifndef FATHOM_LIB_STRUCTURE_TABLE_TIME_H
#define FATHOM_LIB_STRUCTURE_TABLE_TIME_H

#include "lib/kernels/table_trial.h"

struct table_time {
    struct probe *p;
    struct table_trial trial;            /* where the state is kept, and whether it is a jump */
    uint64_t iterations[HISTORY_PROBES]; /* of a reading */
    unsigned samples, unmeasured;        /* unmeasured: controls not apart */
    unsigned lost;                       /* samples that no attempt could measure: they count as not predicted */
};

/* The context is a struct table_time. False: the probe is over. */
bool table_time_sample(void *context, unsigned dummies, bool chance, uint64_t layout, bool *predicted);

#endif
