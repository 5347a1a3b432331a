/*
 * The responder: what another core runs while the core in use measures how cache lines are passed between the two
 * (machine_window_beside). Whenever it finds an odd number in *word it does its duty, and then replaces the
 * number by the next, even one; from RESPONDER_STREAMS on it replaces the number first.
 */
#ifndef FATHOM_LIB_MEASURE_RESPONDER_H
#define FATHOM_LIB_MEASURE_RESPONDER_H

#include <stddef.h>
#include <stdint.h>

enum { RESPONDER_BLOCK = 16 }; /* lines, of which `count` is a multiple where they are streamed */

enum responder_duty {
    RESPONDER_ANSWERS, /* it does nothing before it responds */
    RESPONDER_LOADS,   /* it loads a word of each line */
    RESPONDER_STORES,  /* it stores to a word of each line */
    /* The others respond at once, and then do it again and again, until they find the next odd number. */
    RESPONDER_STREAMS,       /* it accesses line after line; after each RESPONDER_BLOCK lines it pauses */
    RESPONDER_PAUSES,        /* it waits in a loop of PAUSE or YIELD (arch/spin.h) */
    RESPONDER_FILLS_ENTRIES, /* it has as many instructions in flight as it can, … */
    RESPONDER_FILLS_LOADS,   /* … as many loads, … */
    RESPONDER_FILLS_STORES,  /* … as many stores; of the first line */
    /* It accesses the word of the first line, which stays 0, and counts in `loaded`, as where it streams. */
    RESPONDER_ADDS,     /* by atomic additions, … */
    RESPONDER_COMPARES, /* … by atomic comparisons with exchange (arch/atomic.h), … */
    RESPONDER_RESTORES, /* … by plain stores, … */
    RESPONDER_RELOADS   /* … by plain loads */
};

struct responder_task {
    volatile uint64_t *word; /* where numbers are exchanged */
    enum responder_duty duty;
    volatile uint64_t *lines; /* the word of the first line of the duty */
    size_t count;             /* of lines; 0: none, but not where they are streamed */
    size_t pitch;             /* bytes from one line to the next, a multiple of 8 */
    /* RESPONDER_STREAMS, and for `loaded` all from RESPONDER_ADDS on: */
    size_t pause;              /* iterations of an empty loop for which it pauses */
    volatile uint64_t *loaded; /* lines that it has accessed so far; it goes on behind them */
    size_t stores;             /* of each RESPONDER_BLOCK lines it stores to so many, and loads the others */
};

/* A core that works beside the one in use, and what it does. */
struct core_task {
    unsigned core;
    struct responder_task task;
};

enum { BESIDE_CORES = 15 }; /* at once, at most */

struct responder {
    struct responder_task task;
    /*
     * `stop` shares no cache line with anything else that is written: twice the longest line in scope lies on each
     * side.
     */
    uint8_t before[256];
    volatile uint8_t stop; /* no bool: GCC 12 with its sanitizer of bool reads a volatile one only once in a loop */
    uint8_t behind[256];
};

/* Runs on the other core until `stop` of the struct responder that it is given is no longer 0. */
void responder_run(void *responder);

#endif
