/*
 * Units of a form: on which execution units its operations run, by blocking (docs/METHODS.md, 6.11).
 *
 * A map of units (lib/structure/ports.h) gives sets of units, and for each set blockers: instructions of one operation
 * that can run on exactly these units. Blockers for m cycles of a set of p units take m cycles. If k operations of the
 * form can run nowhere else, one instance more takes k / p cycles more; if it has other ways, it takes no time. Sets
 * are tried from small to large: an operation belongs to the smallest set that it cannot escape. Where no single set
 * holds all operations, two sets are blocked at once.
 *
 * Method: Abel and Reineke, uops.info, ASPLOS 2019, section 5.1, with time instead of counters of units.
 */
#ifndef FATHOM_LIB_STRUCTURE_FORM_UNITS_H
#define FATHOM_LIB_STRUCTURE_FORM_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/reason.h"
#include "lib/structure/ports.h"

enum {
    FORM_UNITS_SETS = 128,  /* sets that are tried, at most */
    FORM_UNITS_OPS = 6,     /* sets that hold operations of a form, at most */
    FORM_UNITS_ORDERS = 24, /* of instances and blockers that are tried, the best of which counts */
    FORM_UNITS_LENGTHS = 3, /* numbers of blockers beside an instance that are measured */
    FORM_UNITS_MOST = 40,   /* blockers beside an instance, at most */
    FORM_UNITS_SLOTS = 4,   /* of the front end that a form may take: longer ones are microcoded on most cores */
    FORM_UNITS_BLANK = PORTS_CLASSES /* in a mix: instructions that take a slot of the front end and no unit */
};

/* What is measured: blockers of each class, and blanks, for each instance of the form, if there is one. */
struct form_units_mix {
    uint8_t times[PORTS_CLASSES + 1];
    bool instance;
    unsigned order; /* below FORM_UNITS_ORDERS: which order of all these */
};

/*
 * Sets *cycles to those of one such group, by a quick sample that only chooses an order, or by a measurement that
 * counts; NaN: no reading was accepted. False: nothing more can be measured.
 */
typedef bool form_units_measure(void *context, const struct form_units_mix *mix, bool quick, double *cycles);

/* Units that blockers keep busy. */
struct form_units_set {
    uint16_t ports;               /* a bit each */
    unsigned count;               /* of ports */
    uint8_t times[PORTS_CLASSES]; /* blockers of each class that take one cycle */
    uint16_t parts[2];            /* the two sets of the map of which it is the union; 0: it is one of them itself */
    bool is_usable;               /* its blockers were seen to take the time that they should */
    double alone[FORM_UNITS_MOST + 1]; /* cycles of the blockers of so many cycles; 0: not measured yet */
};

/* The sets of a map, and the core's front end. */
struct form_units_sets {
    size_t count, classes;
    struct form_units_set all[FORM_UNITS_SETS]; /* small ones first, unions behind those of the map */
    double width;                               /* instructions that begin in a cycle; infinite: not known */
    unsigned orders;                            /* of a mix that are tried, FORM_UNITS_ORDERS at most */
    form_units_measure *measure;
    void *context;
};

/* Operations of the form that can run on these units and on no others. */
struct form_units_op {
    uint16_t ports;
    unsigned times;
    unsigned cycles; /* for which each keeps its unit busy */
    bool is_exact;   /* they can run on each of these units; else on some of them at least */
};

/* How a set came out. */
struct form_units_test {
    const struct form_units_set *set;
    /*
     * Operations that can run nowhere else, by each number of blockers; NaN: not measured. One number is enough where
     * there are none, since hardware is never faster than its units.
     */
    double ops[FORM_UNITS_LENGTHS];
    bool is_decided;
    /*
     * The form alone is faster than so many operations on these units allow, so that something else than units made it
     * wait, as results do that return on one port. It counts as undecided.
     */
    bool is_refuted;
    unsigned times;
};

struct form_units {
    enum reason why;   /* undecided; REASON_NONE: it is decided */
    bool is_partial;   /* it is, but the form may have more operations than those that sets of the map hold */
    unsigned accesses; /* to memory, of an instance */
    unsigned per_slot; /* operations behind a slot of the front end, at most */
    double cycles;     /* of an instance alone */
    double slots;      /* of the front end that an instance takes; NaN: not known, or no whole number */
    double slots_most; /* the same, rounded up where it is no whole number; NaN: not known */
    struct form_units_op ops[FORM_UNITS_OPS];
    size_t op_count;
    struct form_units_test tests[FORM_UNITS_SETS];
    size_t test_count;
};

/*
 * Lists the sets of the map, of `classes` classes: ports[i] are those of class i, one operation, or 0 where it is more
 * than one. The caller then sets `width`, `measure` and `context`.
 */
void form_units_sets(struct form_units_sets *s, const uint16_t *ports, size_t classes);
/*
 * Finds the units of the form that s->measure measures, which reads and writes memory `accesses` times, and has up to
 * `per_slot` operations behind each slot of the front end. False: a measurement ended everything, and *u is of no use.
 */
bool form_units_find(struct form_units_sets *s, unsigned accesses, unsigned per_slot, struct form_units *u);
/*
 * Sets *best to the cycles of the mix in the best of several orders, since hardware is never faster than its units, and
 * slower in a bad order. Quick samples choose it; no more orders are tried once one takes no more than `enough`. NaN:
 * none was measured. False: as form_units_find.
 */
bool form_units_measure_best(struct form_units_sets *s, struct form_units_mix m, double enough, double *best);

#endif
