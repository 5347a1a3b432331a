/*
 * How the events of cores are written down: cores, what their counters can count, needs, names.
 *
 * Each vendor has a file with an event_family; a binary knows the families that are linked into it. Names and
 * numbers come from libpfm4, packed by scripts/pack-events.c into one table for each instruction set, and from
 * rows of our own for what it lacks. Which counter can count an event is ours alone: libpfm4 does not say.
 */
#ifndef FATHOM_LIB_EVENTS_TABLE_H
#define FATHOM_LIB_EVENTS_TABLE_H

#include "lib/counters/events.h"

/* ---- From libpfm4 -------------------------------------------------------------------------------- */

struct packed_event {
    uint32_t name;           /* offset in the pool of names */
    uint32_t code;           /* bits 31:0 */
    uint8_t code_32;         /* bits 39:32 */
    uint8_t code_40;         /* bits 47:40 */
    uint16_t register_value; /* index in the pool of values for the register that the event needs besides; 0: none */
};

/* The events of one of libpfm4's tables, by name. */
struct packed_table {
    const char *name; /* libpfm4's: "skl" */
    uint32_t first, count;
};

struct packed_events {
    const struct packed_table *tables; /* ended by a name of NULL */
    const struct packed_event *events;
    const char *names;
    const uint64_t *values;
};

/* libpfm4's tables for the cores of each instruction set, made at build time by scripts/pack-events.c. */
extern const struct packed_events packed_events_x86_64, packed_events_aarch64;

/* ---- Our own ------------------------------------------------------------------------------------- */

/* The name of an event, and what a selector is programmed with for it. */
struct event_row {
    const char *name; /* NULL ends a list */
    uint64_t code;
    uint64_t register_value; /* that the event needs in a register besides; 0: none */
};

/* A need, and the event that stands for it on a core: any text that events_find takes but a need. */
struct event_need {
    const char *need, *event;
};

/* For the member `umask` of a rule: it is for every unit mask. */
enum { ANY_UMASK = 0x100 };
/* The bit of fixed counter n in a bitmap of slots. */
#define FIXED(n) ((uint64_t)1 << (COUNTER_FIXED + (n)))

/*
 * Which counters can count the events whose numbers lie from `first` to `last`, both included. Of a core's list the
 * first rule that fits an event decides; the last rule fits all events.
 */
struct event_rule {
    uint16_t first, last;
    uint16_t umask; /* or ANY_UMASK */
    uint64_t slots; /* 0: none */
};

/* An event that a fixed counter counts too, as long as no modifier changes what the event means. */
struct event_fixed {
    uint64_t slot; /* 0 ends the list */
    uint16_t event, umask;
    bool only; /* no general counter counts them */
};

/*
 * An event that needs the value of a register besides. Where it can use either of two registers, it has a code of its
 * own for each.
 */
struct event_register {
    uint16_t event, umask;
    uint32_t resource[2]; /* 0 and 0 end the list */
    uint32_t second_code; /* event and umask to program when it is the second register */
};

/* All that is known of the events of one core. */
struct event_core {
    const char *name;
    enum counters_kind kind;
    unsigned code_bits; /* Apple: width of a selector; 0 else */
    uint64_t slots;     /* that it usually has, for planning where the core is not at hand */
    uint64_t most;      /* that it can have: on some cores more when the other hardware thread is off */
    const char *packed; /* libpfm4's table, or NULL */
    const struct event_row *rows[3];
    uint64_t lacks; /* bit n: the row with number n is not for this core */
    const struct event_need *needs[2];
    const struct event_rule *rules;
    const struct event_fixed *fixed;
    const struct event_register *registers;
    unsigned wide;      /* the event that takes an even counter and the next; 0: none */
    const char *source; /* of names and numbers */
};

/* All cores of one vendor. */
struct event_family {
    const struct event_core *cores;
    size_t count;
    const struct event_core *unknown[2]; /* what is true of any core of a kind, by its architecture */
    const struct packed_events *packed;
};

/* Puts a family on the list of its binary: a pointer in a linker section, whose bounds lib/counters/events.c knows. */
#define EVENT_FAMILY(id) \
    static const struct event_family *const event_family_##id __attribute__((used, section("event_families"))) = &id

#endif
