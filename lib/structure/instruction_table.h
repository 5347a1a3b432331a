/*
 * The instruction table: what is known of each form, and its record (docs/INSTRUCTION_TABLES.md,
 * `backend.instruction`).
 */
#ifndef FATHOM_LIB_STRUCTURE_INSTRUCTION_TABLE_H
#define FATHOM_LIB_STRUCTURE_INSTRUCTION_TABLE_H

#include "lib/probe/probe.h"
#include "lib/structure/instruction_latency.h"
#include "lib/structure/instruction_throughput.h"

/* Events that are counted for each instance: operations, by kind, where the core's counters distinguish them. */
enum { INSTRUCTION_EVENTS = 8 };
extern const char *const instruction_events[INSTRUCTION_EVENTS];

struct instruction {
    const struct form *form;
    bool is_absent; /* the form is undefined here, and `why` says so; else `why` says why it was not measured */
    struct why why;
    struct instruction_rounds throughput;
    struct instruction_chains latency;
    double events[INSTRUCTION_EVENTS]; /* of one instance; NaN: not counted */
    uint8_t bytes[FORM_BYTES];         /* the machine code that was executed */
};

/* Starts the row of a form, of which nothing is known yet. */
void instruction_start(struct instruction *row, const struct form *f);
/* Counts the events of one instance; those that cannot be counted stay NaN. */
void instruction_count_events(struct probe *p, const struct area *data, struct instruction *row);
/* Sends the rows as records of a few forms each. */
void instruction_table_send(struct probe *p, const struct instruction *rows, size_t count);

#endif
