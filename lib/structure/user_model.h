/*
 * What a kernel of the user should take, by what was measured of its instructions alone (docs/METHODS.md, 6.10): each
 * limit asks for some cycles, and the greatest number is the prediction.
 *
 *   front end     slots of all instructions
 *   units         time of the units of each class of operations that all instructions take
 *   group         as many of forms as share something that no class keeps busy, alone
 *   instruction   as many of one form as the kernel has, alone
 *   chain         the longest cycle of dependences through registers, flags, and words at fixed addresses, by latencies
 *   schedule      all of these together, where the oldest instructions get the units (lib/structure/model_schedule.h)
 *
 * Schedulers that bind operations badly, queues, predictors, caches and values are no part of the model.
 */
#ifndef FATHOM_LIB_STRUCTURE_USER_MODEL_H
#define FATHOM_LIB_STRUCTURE_USER_MODEL_H

#include "arch/form_read.h"
#include "lib/kernels/user_code.h"
#include "lib/structure/form_demand.h"

enum { MODEL_INSTRUCTIONS = 512, MODEL_BOUNDS = 24, MODEL_CHAIN = 32 };

struct model_bound {
    const char *limit; /* "front end", "units", "group", "instruction", "chain", "schedule" */
    const char *of;    /* the class, or the form; NULL: neither */
    double cycles;
};

struct user_model {
    const char *why;  /* why there is no prediction; NULL: there is one */
    unsigned offset;  /* of the instruction for which there is none, in the code; `why` is about it */
    const char *form; /* its form; NULL: the catalogue has none */
    struct form_use use[MODEL_INSTRUCTIONS];
    unsigned at[MODEL_INSTRUCTIONS];         /* offsets of the instructions */
    size_t count;                            /* of instructions */
    struct model_bound bounds[MODEL_BOUNDS]; /* the greatest first */
    size_t bound_count;
    double cycles;               /* the greatest */
    unsigned chain[MODEL_CHAIN]; /* instructions of the longest cycle of dependences, or of several that are as long */
    size_t chain_count;
};

/* Predicts the kernel; what is not known yet of its forms is measured. False: the probe is over. */
bool user_model_predict(struct form_demands *d, const struct user_kernel *k, struct user_model *m);

#endif
