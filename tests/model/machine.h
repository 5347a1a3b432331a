/* A machine around a modelled core: implements lib/machine.h, and has what a test chooses of it. */
#ifndef FATHOM_TESTS_MODEL_MACHINE_H
#define FATHOM_TESTS_MODEL_MACHINE_H

#include "tests/model/coherence.h"
#include "tests/model/core.h"

struct machine_design {
    struct core_design core;
    double core_hz;
    double tick_hz;           /* slow, so that a reading has only some hundred cycles */
    bool counts;              /* has counters of some events: see counters.c */
    bool privileged;          /* measured code may execute what only operating systems may */
    bool declares;            /* reports what its data caches are, as CPUID does */
    bool declares_pages;      /* reports what its data TLBs are */
    bool declares_code_pages; /* the same of its instruction TLBs */
    double memory_bytes;      /* that can be mapped: limits the footprints that probes try */
    bool watches;             /* records what kernels touch: see touched.h */

    struct coherence_design coherence; /* with other cores; without them the machine has one */
    uint32_t unusable;                 /* a bit for each core that cannot be used */

    /* Noise, all of which the seed decides. */
    uint64_t seed;
    double jitter;        /* each reading is longer or shorter by up to this part of itself */
    double stolen;        /* the part of readings that are interrupted, for many times their length, … */
    double stolen_known;  /* … and the part of those that are known to be */
    uint64_t shared_from; /* after that many windows a sibling thread wakes and takes half of the width; 0: never */
    double drift;         /* the clock changes by up to this part between two readings, and by a third at most in all */

    /* A sibling thread occupies `others` registers of each kind, others_then between these two machine_seconds. */
    unsigned others, others_then;
    double then_from, then_to;
    bool one_beside; /* only one other core can run beside the one in use */
    /*
     * Other cores evict all lines of the last level behind the first reading of so many windows, then none for as many;
     * 0: never.
     */
    unsigned evictions;
    unsigned other_lines;        /* of other code that the instruction cache fetches before each window */
    struct around_design around; /* what else runs before each kernel; lines 0: nothing that touches data */
};

void machine_start(const struct machine_design *design);
void machine_stop(void);

#endif
