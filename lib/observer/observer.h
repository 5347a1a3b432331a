/*
 * The observer: the screen and the keys of the machine under test, for the person who sits there.
 *
 * Records carry everything, for programs; an observer gets what people look at. Its functions are called between
 * windows only.
 */
#ifndef FATHOM_LIB_OBSERVER_OBSERVER_H
#define FATHOM_LIB_OBSERVER_OBSERVER_H

#include <stdbool.h>
#include <stddef.h>

struct search_point;

/* A finding as people read it; the texts last as long as the call. */
struct observed_finding {
    const char *name, *variants; /* "memory.cache.bytes", "level=1" */
    const char *value;           /* "48 KiB"; "-" where it is undecided */
    char grade;
    const char *detail;    /* the interval, or why it is undecided */
    const char *published; /* "48", "46: +2"; "" where nothing is */
    bool agrees;           /* with what is published */
};

/* A curve that a probe has measured; valid as long as the call. */
struct observed_curve {
    const char *probe, *name, *axis, *unit;
    const struct search_point *points;
    size_t count;
    const double *knees;
    size_t knee_count;
};

/* What the person asks for: nothing, to skip this probe, to stop the run. */
enum wish { WISH_NONE, WISH_SKIP, WISH_STOP };

struct observer {
    void (*finding)(const struct observed_finding *f); /* shows it */
    void (*curve)(const struct observed_curve *c);     /* shows it */
    /* What the person asks for now; waits while the run is paused. Called often, so it has to be fast. */
    enum wish (*wish)(void);
};

#endif
