/*
 * Somebody who watches a run and may interfere with it: the screen and the keys of the machine under test.
 *
 * Records say everything, to programs; a watcher is told what people look at. Called between windows only.
 */
#ifndef FATHOM_LIB_WATCH_H
#define FATHOM_LIB_WATCH_H

#include <stdbool.h>
#include <stddef.h>

struct search_point;

/* A finding as people read it; the texts last as long as the call. */
struct watched_finding {
    const char *name, *variants; /* "memory.cache.bytes", "level=1" */
    const char *value;           /* "48 KiB"; "-" where it is undecided */
    char grade;
    const char *detail;    /* the interval, or why it is undecided */
    const char *published; /* "48", "46: +2"; "" where nothing is */
    bool agrees;           /* with what is published */
};

struct watched_curve {
    const char *probe, *name, *axis, *unit;
    const struct search_point *points;
    size_t count;
    const double *knees;
    size_t knee_count;
};

enum wish { WISH_NONE, WISH_SKIP, WISH_STOP };

struct watcher {
    void (*finding)(const struct watched_finding *f);
    void (*curve)(const struct watched_curve *c);
    /* What whoever sits there wants now. A pause is waited out inside. Asked often: it has to be cheap. */
    enum wish (*wish)(void);
};

#endif
