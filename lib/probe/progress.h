/*
 * How far the run is on this core: how many probes have begun, and about how long the others will take.
 *
 * What a probe took in an earlier run of the same profile is taken as what it will take now; for a probe that no
 * earlier run knows it is the mean of those that have ended.
 */
#ifndef FATHOM_LIB_PROBE_PROGRESS_H
#define FATHOM_LIB_PROBE_PROGRESS_H

/* How far the run is on one core. */
struct progress {
    unsigned begun, planned;   /* probes */
    unsigned unknown;          /* probes that have not begun and that no earlier run knows */
    double known_seconds;      /* that the other probes that have not begun will take together */
    double probe_seconds;      /* that the one that runs now will take; 0: not known */
    double since, probe_since; /* machine_seconds when the first probe, and the one that runs now, began */
};

/*
 * Begins anew for a core: no probe is planned yet, and none has begun. To be called before progress_add and before the
 * first probe of the core.
 */
void progress_start(struct progress *p);
/* Adds a planned probe that will take about so many seconds; 0: not known. */
void progress_add(struct progress *p, double seconds);
/*
 * Notes that the next probe begins now, and will take about so many seconds; 0: not known. It need not have been
 * planned.
 */
void progress_next(struct progress *p, double seconds);
/* Seconds until the last planned probe ends; NaN while too little is known to estimate them. */
double progress_seconds_left(const struct progress *p);
/* Shows people how far the run is, followed by `text`, which says what is being done: one line (machine_progress). */
void progress_show(const struct progress *p, const char *text);

#endif
