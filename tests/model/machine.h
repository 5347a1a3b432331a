/* A machine around a modelled core: lib/machine.h, and what of it a test chooses. */
#ifndef FATHOM_TESTS_MODEL_MACHINE_H
#define FATHOM_TESTS_MODEL_MACHINE_H

#include "tests/model/core.h"

struct machine_design {
    struct core_design core;
    double core_hz;
    double tick_hz;      /* slow, so that a reading is only some hundred cycles long */
    bool counts;         /* has counters for some of what happens in the core, see counters.c */
    bool declares;       /* its data caches */
    bool declares_pages; /* what its data TLBs hold */
    double memory_bytes; /* what can be mapped; bounds the footprints that are tried */
    bool watches;        /* what kernels touch is kept, see touched.h */

    /* Noise: all of it comes from the seed. */
    uint64_t seed;
    double jitter;        /* each reading is longer or shorter by up to this part */
    double stolen;        /* part of the readings in which something else runs, for many times their length … */
    double stolen_told;   /* … and part of those that are known to have been interrupted */
    uint64_t shared_from; /* after so many windows another thread is awake and has half of the width; 0: never */
    double drift;         /* the clock changes by up to this part between two readings, within a third of itself */

    /* Another thread of the core holds registers: so many, and for a while, in seconds of machine_seconds, as many. */
    unsigned others, others_then;
    double then_from, then_to;
};

void machine_start(const struct machine_design *design);
void machine_stop(void);

#endif
