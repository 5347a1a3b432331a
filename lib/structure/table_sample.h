/*
 * Samples of which histories a table of the conditional predictor holds together (lib/kernels/table_set.h), by time, and
 * what the probes that take them share.
 */
#ifndef FATHOM_LIB_STRUCTURE_TABLE_SAMPLE_H
#define FATHOM_LIB_STRUCTURE_TABLE_SAMPLE_H

#include "lib/kernels/table_set.h"
#include "lib/structure/table_ways.h"

struct table_sample {
    struct probe *p;
    struct table_set set;
    uint64_t *list;                      /* of histories, for the kernel */
    struct table_bits bits;              /* of histories; without any, bit i is bearer i */
    uint64_t iterations[HISTORY_PROBES]; /* of a reading */
    unsigned samples, unmeasured;
};

/*
 * Lengths of histories, in branches, as far as they are known: of the table that is looked at, and of the next shorter
 * one.
 */
struct table_lengths {
    unsigned longest, second; /* longest 0: they are not known */
};

/* Those of the table with the longest history. */
struct table_lengths table_lengths_known(const struct probe *p);
/* Maps the list. False: the probe has ended. */
bool table_sample_start(struct probe *p, struct table_sample *t);
/* How many bearers there is room for, where the shorter table does not see them. */
unsigned table_sample_room(struct table_lengths l);
/* Draws another layout, with that many bearers. */
void table_sample_draw(struct table_sample *t, struct table_lengths l, unsigned bearers);
/* A sample as struct table_ways wants it; the context is a struct table_sample. TABLE_OTHER is the second place. */
bool table_sample_take(void *context, const uint32_t *histories, unsigned count, enum table_fit *fit);

/*
 * The first address bit that is not to be tried with branches in two places: of page numbers only where none is known to
 * enter the history as a target's.
 */
unsigned table_address_end(const struct probe *p);
/*
 * Maps a block whose highest bit separates two branches so that `separates` finds nothing that the bit shows in. NULL, or
 * why it cannot be mapped; *reason then, or where no bit is such. The probe may have ended.
 */
const char *table_room_map(const struct probe *p, struct code_block *room, unsigned end,
                           bool (*separates)(void *context, bool *good), void *context, enum reason *reason);

#endif
