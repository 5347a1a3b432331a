/*
 * The responder: what another core runs while the core in use measures how long a cache line takes to it and back
 * (machine_window_with_responder). Whenever it finds an odd number in *word, it replaces it by the next, even number.
 */
#ifndef FATHOM_LIB_MEASURE_RESPONDER_H
#define FATHOM_LIB_MEASURE_RESPONDER_H

#include <stdbool.h>
#include <stdint.h>

struct responder {
    volatile uint64_t *word;
    /*
     * `stop` shares no cache line with anything else that is written: twice the longest line in scope lies on each
     * side.
     */
    uint8_t before[256];
    volatile bool stop;
    uint8_t behind[256];
};

/* Runs on the other core until `stop` of the struct responder that it is given becomes true. */
void responder_run(void *responder);

#endif
