/*
 * Access lists: a short sequence of loads, done at many places of memory alike, and then one look at each place: was a
 * line nearer than its home, because a prefetcher brought it?
 *
 * Between two lists other lines are loaded in pseudorandom order, until neither the places nor what prefetchers have
 * learned of earlier lists are near. All loads of a list, and all looks, are one dependent chain, though every value
 * loaded is 0: so they are done in the order of the list, and the time of all looks together shows where the lines
 * were. A difference of a few cycles grows with the number of places, so that a coarse clock is enough. There are no
 * pointers in memory that a prefetcher could follow, but for those of a list that has some: the tables that kernels read
 * hold distances from the area's begin.
 *
 * Method: docs/METHODS.md, 7.22.
 */
#ifndef FATHOM_LIB_KERNELS_ACCESS_LISTS_H
#define FATHOM_LIB_KERNELS_ACCESS_LISTS_H

#include "lib/probe/probe.h"

enum {
    ACCESS_LINE_BYTES = 64,
    ACCESS_PAGE_BYTES = 4096, /* slots of places are whole pages of this size */
    ACCESSES = 256,           /* of a list at most */
    ACCESS_LOADS = 64,        /* load instructions at most */
    ACCESS_LEAD_LINES = 9,    /* more than a single access to the third line brings */
    ACCESS_PLACES = 16,       /* places of a trial at most */
    ACCESS_SLOTS = 512,       /* of places, at most */
    ACCESS_ASIDES = 8         /* loads of a list that no later access waits for, at most */
};

enum listed_kind {
    LISTED_LOAD,
    LISTED_STORE,
    LISTED_APART,   /* a load of other lines, beginning at another one for each place */
    LISTED_POINTER, /* a load of one of the list's pointers */
    LISTED_THROUGH, /* a load from where the latest of these leads; its `at` does not matter */
    LISTED_ONWARD,  /* the same, of one of the list's pointers again */
    LISTED_ASIDE,   /* a load of a random line of the page before the place, for which no later access waits */
    LISTED_WAIT     /* no access: all that are under way arrive before the next one */
};

/* An access: how many bytes from the begin of its place, or of the other lines, and by which of the instructions. */
struct listed_load {
    int32_t at;
    uint32_t site;
    enum listed_kind kind; /* of all accesses of one site alike, but for LISTED_APART */
};

/*
 * A pointer in a place, and where it leads: both in bytes from the begin of the place, the second a multiple of 8. Of the
 * value these bits are flipped: such a pointer must not be loaded.
 */
struct listed_pointer {
    int32_t at, to;
    uint64_t flip;
};

struct access_list {
    struct listed_load all[ACCESSES];
    size_t count;
    int32_t bytes; /* that a place takes, the looked-at line included */
    int32_t align; /* bytes: a place begins at a random multiple of this, so that pages and pairs of lines can be met */
    /*
     * The third line of the page in which a place begins is loaded before, always by the same instruction, behind loads
     * of the third lines of many other pages: what a region prefetcher remembers of that instruction is a single line.
     * The place then begins ACCESS_LEAD_LINES or more behind it.
     */
    bool led;
    size_t leaves_first; /* loads done before the first level is emptied, the others after that; 0: it is not */
    bool leaves_all;     /* not only the first level is emptied, but all before the home */
    size_t further;  /* then so many lines are loaded that are not loaded otherwise, of those of access_map_further */
    size_t rounds;   /* of these loads, each left as they are; 0: one */
    bool close;      /* the rounds follow each other: nothing is emptied between them */
    bool fresh;      /* before each trial all lines of all places are loaded, in an order that is never the same */
    bool has_asides; /* there are loads that no later access waits for */
    const struct listed_pointer *pointers; /* that are in memory at each place, pointer_count of them */
    size_t pointer_count;
    const size_t *code; /* where each load instruction lies, in bytes from the first one; NULL: close to each other */
};

struct access_area {
    struct area data, others, tables; /* places; other lines; what the kernels read */
    /*
     * Where the 4 KiB pages of slots lie, in bytes from the begin of `data`, so that a place can meet the ends of far
     * larger pages: data.bytes then counts these pages only. No bytes: they follow each other. Not for lists with
     * pointers.
     */
    struct area pages;
    struct area more;     /* further lines; no bytes: there are none yet */
    size_t empties;       /* loads of other lines that leave only the home of the places */
    size_t empties_first; /* that empty the first level */
    size_t touched;       /* trials since all places were brought to their home, … */
    size_t refresh;       /* … which is done again after so many; 0: in each window */
    bool has_pointers;    /* the trials before have left some in memory */
    struct kernel empty, touch, train, again, look,
        further;                       /* `again`: what is done after the first level is emptied */
    const struct access_list *emitted; /* what `train` does at the moment */
};

/*
 * Maps memory for places whose home is a cache level of home_bytes; near_bytes is the size of the level before it,
 * which the other lines must be able to empty. The caller then sets a->empties and a->empties_first. False: the probe
 * has ended.
 */
bool access_map(struct probe *p, struct access_area *a, size_t near_bytes, size_t home_bytes);
/* Maps at least so many further lines, unless there are some. False: the probe has ended. */
bool access_map_further(struct probe *p, struct access_area *a, size_t lines);
/* At how many different offsets in its slot a place of that list can begin. */
size_t access_begins(const struct access_list *l);
/* How many places of that list there is room for. */
size_t access_slots(const struct access_area *a, const struct access_list *l);
/* Makes the kernels for a list, which must not change while they are used. False: the probe has ended. */
bool access_emit(struct probe *p, struct access_area *a, const struct access_list *l);
/*
 * Has the places in `data` from now on, written zeroed memory of a power of two of bytes; they are brought home. pages:
 * where they lie, as above; NULL: they follow each other.
 */
void access_use(struct access_area *a, const struct area *data, const struct area *pages);
enum {
    ACCESS_TRIALS = 8, /* trials in one window, at most */
    ACCESS_ROUNDS = 4  /* of a list, at most */
};
/*
 * Makes `trials` trials, at most ACCESS_TRIALS, in one window. Trial i does the list that was emitted last at `places`
 * random places, at most ACCESS_PLACES and half of access_slots, and then loads the line at looks[i] bytes from the
 * begin of each. ticks[i] becomes the time of one such look, in ticks of the time stamp; all are NaN where the window
 * was interrupted. False: the probe has ended.
 */
#define ACCESS_ELSEWHERE INT32_MAX /* for a look: a random line of a slot in which this trial has no place */
bool access_trials(struct probe *p, struct access_area *a, size_t places, const int32_t *looks, size_t trials,
                   double *ticks);

#endif
