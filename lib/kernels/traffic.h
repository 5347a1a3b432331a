/*
 * Traffic of other cores: each accesses the lines of a buffer of its own, on and on, with a pause after each few
 * (lib/measure/responder.h), and counts them, while the core in use measures and reads those counts.
 */
#ifndef FATHOM_LIB_KERNELS_TRAFFIC_H
#define FATHOM_LIB_KERNELS_TRAFFIC_H

#include "lib/kernels/round_trip.h"
#include "lib/measure/responder.h"
#include "lib/probe/probe.h"

enum { TRAFFIC_LINE = 64 /* bytes from one line to the next, which count as the line's bytes */ };

/* What the core in use shares with another one, each on lines of its own. */
struct traffic_partner {
    struct round_trip_line request;
    uint8_t before[ROUND_TRIP_LINE - sizeof(struct round_trip_line)];
    struct round_trip_state state;
    uint8_t behind[ROUND_TRIP_LINE - sizeof(struct round_trip_state)];
    uint64_t loaded; /* lines, by the other core */
    uint8_t apart[ROUND_TRIP_LINE - sizeof(uint64_t)];
};

struct traffic {
    struct area partners, buffers;
    unsigned cores[BESIDE_CORES]; /* the other ones */
    size_t count;                 /* how many of them are used; the caller may make it smaller */
    /* Of each one's buffer, and so far apart they begin, as long as the caller makes it no larger than mapped. */
    size_t bytes;
    bool small_pages; /* the buffers have the smallest pages; else the largest that can be had */
    struct kernel request;
};

/* What all of them do. RESPONDER_STREAMS: of each RESPONDER_BLOCK lines so many are stored to. */
struct traffic_kind {
    enum responder_duty duty;
    size_t stores, pause;
    size_t pitch; /* bytes from one line to the next; 0: TRAFFIC_LINE */
};

/* Finds the other cores, and maps nothing yet: for traffic_map, t->bytes and the number of cores are the caller's. */
void traffic_find(struct traffic *t);
/* Maps a buffer of t->bytes for each of t->count cores, whole blocks of lines. False: the probe is over. */
bool traffic_map(struct probe *p, struct traffic *t);
/* Emits the kernel of requests, which traffic_list needs. The caller makes a kernel of it: t->request, by probe_kernel. */
void traffic_emit_request(struct probe *p, struct code *c);
/* Emits the sum of what all cores have counted so far, to T2. Uses T1 and T3. */
void traffic_emit_counts(struct code *c, const struct traffic *t);
/*
 * Emits stores of what each core has counted so far, one word after the other, to that offset of what REG_DATA points
 * to. Uses T1 and T3.
 */
void traffic_emit_each_count(struct code *c, const struct traffic *t, size_t offset);
/* Lists a request to each of the other cores, behind which they are at work. Returns the number of these readings. */
size_t traffic_list(const struct traffic *t, struct reading list[BESIDE_CORES]);
/*
 * Runs the list beside them in a window. Returns NULL, or why so many cores cannot be used. *good: the probe is not
 * over; *quiet: all have answered, and nothing interrupted the window.
 */
const char *traffic_window(struct probe *p, struct traffic *t, const struct traffic_kind *kind, struct reading *list,
                           size_t readings, bool *quiet, bool *good);

#endif
