/*
 * Gaps: spans in which something else had the core, seen in a list of empty kernels. From one time stamp of such a list
 * to the next the core takes about the same time, the period, unless it is interrupted. A gap is what a distance
 * between two time stamps has beyond the period, where the distance is longer than two periods and two steps of the
 * clock.
 *
 * Method: docs/METHODS.md, 8.2; as Linux finds gaps (Documentation/trace/hwlat_detector.rst).
 */
#ifndef FATHOM_LIB_STRUCTURE_TIME_GAPS_H
#define FATHOM_LIB_STRUCTURE_TIME_GAPS_H

#include "lib/probe/probe.h"

enum {
    GAPS_LEAD =
        32, /* readings at the beginning of a list that are not used: the caches are cold after the window's entry */
    GAPS_BINS = 40,
    GAPS_KEPT = 8192
};

/* What is known of time stamps, in ticks. */
struct stamp_resolution {
    double step_ticks; /* the smallest difference of two distances in all lists so far; 0: none differed */
    /* By how much distances vary where nothing interrupts, in the list of the last call that varied least. */
    double blur_ticks;
};

struct time_gaps {
    uint64_t bins[GAPS_BINS]; /* bin n: gaps of 2^n … 2^(n+1) ns; the first and the last one also all beyond */
    uint64_t count;
    size_t kept; /* gaps in `gaps` */
    double longest_ns;
    double period_ns, threshold_ns; /* of the last list; shorter gaps than the threshold do not show */
    double total_ticks, lost_ticks; /* of all lists, and of all gaps in them */
    unsigned lists, cut;            /* lists that were walked, and those of them that an interrupt ended */
    double *gaps;                   /* room for GAPS_KEPT: the first of them, in ns */
};

/* Memory that measuring needs. */
struct gap_memory {
    struct reading *list; /* a list of empty kernels; its length is `readings` */
    size_t readings;
    double *numbers; /* scratch, room for `readings` */
    double *gaps;    /* room for GAPS_KEPT */
};

/*
 * Looks for gaps in lists of empty kernels, in windows of that kind, that take so many seconds together (fewer where
 * time stamps stand still), and adds them to *g, which begins as all zeros, and what they show of time stamps to *s.
 * m->gaps becomes g->gaps. False when the probe is over.
 */
bool time_gaps_measure(struct probe *p, struct time_gaps *g, struct stamp_resolution *s, enum silence silence,
                       double seconds, const struct gap_memory *m);
/* Sends the number of gaps by length as a curve; `window` is the kind of window. */
void time_gaps_send(struct probe *p, const struct time_gaps *g, const char *curve, const char *window);

#endif
