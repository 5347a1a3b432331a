/*
 * What a form asks of the core, measured for the prediction of code that holds it (docs/METHODS.md, 6.10): time of the
 * units of each class of operations, slots of the front end, and latencies.
 *
 * Blockers of one class keep its units busy; what an instance beside them adds is the time of these units that it
 * takes. So no map of units is needed: a class whose units an operation can leave adds nothing, and what conflicts
 * without sharing a unit shows, too.
 *
 * Method: Abel and Reineke, uops.info, 2019 (blocking); Derumigny et al., PALMED, 2022 (each class as a resource).
 */
#ifndef FATHOM_LIB_STRUCTURE_FORM_DEMAND_H
#define FATHOM_LIB_STRUCTURE_FORM_DEMAND_H

#include "lib/structure/form_bench.h"
#include "lib/structure/instruction_latency.h"

enum {
    DEMAND_FRONT_END = FORM_UNITS_BLANK,
    DEMAND_CLASSES = DEMAND_FRONT_END + 1,
    DEMAND_KEPT = 2,
    DEMAND_GROUPS = 32
};

struct form_demand {
    const struct form *form;
    struct why why;            /* why nothing more is known; REASON_NONE: it is */
    double alone;              /* cycles of one of many independent instances … */
    bool is_serial;            /* … of which each depends on the one before, whatever registers are chosen */
    bool is_idiom;             /* with one register for all operands it depends on nothing, and needs no unit */
    double of[DEMAND_CLASSES]; /* cycles for which an instance keeps the units of each class busy; the front end last */
    /* Cycles from an operand read to one written; of memory that is changed, to the next change. NaN: not known. */
    double latency[FORM_OPERANDS][FORM_OPERANDS];
    /*
     * Cycles from what a register held to what is written of it, where that keeps a part of it; 0: it waits for nothing.
     * Of vectors first where only the part that instructions of 128 bits write was in use, then where all was.
     */
    double kept[FORM_OPERANDS][DEMAND_KEPT];
    /*
     * Something that no class keeps busy limits instances alone, such as the way between two register files or a
     * microcode sequencer. Forms of one group share it: one beside another takes as long as both alone. 0: no group.
     */
    unsigned group;
};

struct form_demands {
    struct form_bench group;
    struct form_units_sets sets; /* only what form_units_measure_best reads of it */
    struct indirect_ways ways;
    const char *classes[DEMAND_CLASSES]; /* names; NULL: there is no such class */
    uint16_t units[DEMAND_CLASSES];      /* of each class in the core's map, a bit each; 0: not known */
    double each[DEMAND_CLASSES];         /* cycles of one blocker of the class among many; 0: not measured yet */
    double blocked[DEMAND_CLASSES][FORM_UNITS_MOST + 1]; /* cycles of so many; 0: not measured yet */
    struct form_demand *all;                             /* forms that were measured */
    size_t count, room;
    const struct form *first_of_group[DEMAND_GROUPS]; /* of the group with the number of its index, less one */
    unsigned groups;
    unsigned
        forgotten; /* how often all of these were forgotten, since they had been measured while the core was slower */
};

/* Maps what is needed and chooses the blockers. *d begins as zeros. False: the probe is over. */
bool form_demands_start(struct form_demands *d, struct probe *p);
/* Frees what was measured; *d is all zero then. */
void form_demands_end(struct form_demands *d);
/*
 * What a form asks for; it is measured when it is asked for the first time. Valid until the next call, and out of date
 * once d->forgotten has changed. NULL: memory is
 * short, or the probe is over.
 */
const struct form_demand *form_demands_of(struct form_demands *d, const struct form *f);

#endif
