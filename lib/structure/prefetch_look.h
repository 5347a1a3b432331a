/*
 * Where are lines after a list of accesses (lib/kernels/access_lists.h): at home, or nearer, because a prefetcher
 * brought them?
 *
 * The time of a look is compared with that of lines whose place is known. Looking trains, too: a region prefetcher
 * learns that the looked-at line follows the list. So lines are looked at in random order, with looks at places where
 * nothing was done between them. Trials go on until they agree where the line is, up to a fixed number, but for a
 * quarter of them that took longer, and as many that took less where it is nearer than home. A mean between two
 * levels is unclear: the line is brought at some places only.
 *
 * Method: docs/METHODS.md, 7.22.
 */
#ifndef FATHOM_LIB_STRUCTURE_PREFETCH_LOOK_H
#define FATHOM_LIB_STRUCTURE_PREFETCH_LOOK_H

#include "lib/kernels/access_lists.h"

/* Either: nearer than home, in the second level at some places and in the first at others. */
enum nearness { NEAR_UNCLEAR, NEAR_HOME, NEAR_EITHER, NEAR_SECOND, NEAR_FIRST, NEARNESSES };
enum { LOOK_LINES = 64 /* that are looked at together, at most */ };

/* Loads of other lines that are put before the last access of a list, but for those that follow pointers. */
enum look_aside {
    ASIDE_NONE,
    ASIDE_ARRIVED,  /* they have arrived before that access is done */
    ASIDE_UNDER_WAY /* they are under way when it is done */
};

struct prefetch_look {
    struct probe *p;
    enum look_aside aside;
    struct access_area area;
    size_t first_lines;       /* of the first level */
    size_t home_lines;        /* of the home, where that is a cache */
    bool in_memory;           /* the home is memory; for the caller to set */
    size_t sharing;           /* places that may share its sets */
    bool has_second;          /* there is a level between the first one and the home */
    double once_ticks;        /* that a chain of looks takes once, besides its looks */
    double ticks[NEARNESSES]; /* of a look at a line that is there */
    uint64_t looks, trials;   /* so far */
    uint64_t moved;           /* looks that were repeated because lines at home had moved */
};

/* A line that is looked at. */
struct looked {
    int32_t at; /* bytes from the begin of its place in memory to the line */
    enum nearness where;
    double part; /* how near: 0 at home, 1 in the first level; NaN: not known */
};

/* Lines that were looked at, as bits: bit i is the line number i of them. */
struct looked_bits {
    uint64_t in, unclear; /* that are nearer than home; of which it is not certain where they are */
};
struct looked_bits looked_bits_of(const struct looked *lines, size_t count);

/*
 * Maps memory and times lines that are certainly at home, in the second level and in the first level. The arguments are
 * the sizes of these levels in bytes; second_bytes 0: the home is the level next to the first one. *reason is
 * NO_READINGS, NO_CONTRAST where a line at home hardly takes longer than one in the first level, so that nothing can be
 * seen, or LEVELS_TOO_CLOSE where it hardly takes longer than one in the second; else REASON_NONE. False: the probe has
 * ended.
 */
bool prefetch_look_start(struct probe *p, struct prefetch_look *w, double first_bytes, double second_bytes,
                         double home_bytes, enum reason *reason);
/*
 * Sets `where` and `part` of `count` lines, LOOK_LINES at most, whose `at` is given, to where they are after the list
 * *l was done: NEAR_UNCLEAR where the mean lies between two levels, and with NaN where the area has no room for the
 * list or too few readings were accepted. Where lines at home keep moving to another level nothing more is decided:
 * lines stay as they were found until then, the others are NEAR_UNCLEAR with NaN. False: the probe has ended.
 */
bool prefetch_look(struct prefetch_look *w, const struct access_list *l, struct looked *lines, size_t count);
/* At how many places a list is done at once. */
size_t prefetch_look_places(const struct prefetch_look *w, const struct access_list *l);
/*
 * Whether trials of that list, up to the fixed number, show a line's place in spite of the clock's steps. A list whose
 * places are many needs no such question.
 */
bool prefetch_look_resolves(const struct prefetch_look *w, const struct access_list *l);
/*
 * Some prefetchers bring a line at most places only: whether the line is as near as half of one that is known to be
 * brought, whose `part` is `known`.
 */
bool looked_brought(const struct looked *line, double known);
/* Whether a line is so near that it can show others to be brought. */
bool looked_known(const struct looked *line);
/*
 * The level that a line is in, for a finding about levels: NEAR_EITHER also where it costs more than one in the second
 * level, since so does a line that is in the first level at most places and at home at the others.
 */
enum nearness looked_level(const struct prefetch_look *w, const struct looked *line);

#endif
