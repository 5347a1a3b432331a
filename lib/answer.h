/*
 * What another core does while the one in use asks it (machine_window_answered): whenever it finds an odd number in the
 * word, it puts the even one behind it there.
 */
#ifndef FATHOM_LIB_ANSWER_H
#define FATHOM_LIB_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

struct answer {
    volatile uint64_t *word;
    /* Far from all that is written meanwhile: twice a line of any core in scope on both sides. */
    uint8_t before[256];
    volatile bool stop;
    uint8_t behind[256];
};

/* Takes a struct answer, and returns soon after it is told to stop. */
void answer(void *asked);

#endif
