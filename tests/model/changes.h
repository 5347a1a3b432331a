/*
 * Whether a call of a kernel leaves a modelled core as it was. Whoever is about to change something that lasts from one
 * call to the next says so. What was there is kept, and compared with what is there when the call has ended.
 */
#ifndef FATHOM_TESTS_MODEL_CHANGES_H
#define FATHOM_TESTS_MODEL_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern struct changes {
    uint32_t call; /* the number of the call that runs; 0: none runs, or nothing is kept of the one that does */
    bool other;    /* something has changed, and was not kept */
} changes;

/* A call begins. */
void changes_begin(void);
/* The call has ended. Whether everything is as it was when it began. */
bool changes_end(void);
/* Keeps a block of the core's state as it is. It stays where it is until the call has ended. */
void changes_save(const void *block, size_t bytes);

/* The same before it is changed, once in a call: *kept is the number of the call that has kept it. */
static inline void changes_keep(const void *block, size_t bytes, uint32_t *kept)
{
    if (!changes.call)
        changes.other = true;
    else if (*kept != changes.call) {
        *kept = changes.call;
        changes_save(block, bytes);
    }
}

#endif
