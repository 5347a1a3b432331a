/* For fathom diff: one of the two runs, as read from its file of records. */
#ifndef FATHOM_BOOT_LINUX_DIFF_RUN_H
#define FATHOM_BOOT_LINUX_DIFF_RUN_H

#include <stdbool.h>
#include <stddef.h>

/* Sizes of texts, the final 0 included. A name with its variants and a value are cut where they are longer. */
enum { VALUE_BYTES = 96, NAME_BYTES = 160, CORE_TYPE = 8 };

/* A record, a line in the text of the file; `at` is NULL where there is none. */
struct run_line {
    const char *at;
    size_t bytes;
};

/* A finding of the run. */
struct run_finding {
    struct run_line line;
    unsigned core; /* order of its core among those of the same type, as in struct run_core */
    char type[CORE_TYPE];
    char name[NAME_BYTES]; /* "memory.cache.bytes level=2" */
    char value[VALUE_BYTES], unit[32], grade, reason[VALUE_BYTES];
    double number, low, high; /* NaN where there is none */
    bool text;                /* the value is a text or a list */
    bool matched;
};

/* A core of the run. */
struct run_core {
    unsigned index; /* in the records */
    unsigned order; /* among the cores of its type, by which cores of the two runs are matched */
    char type[CORE_TYPE];
    struct run_line machine, environment;
};

/* A run; begins as all zero but for `path`. */
struct run_file {
    const char *path;
    char *text;
    struct run_line run, done;
    struct run_line *machines; /* also of a core that booted and did not measure */
    struct run_core *cores;    /* that measured */
    struct run_finding *found;
    size_t machine_count, machine_room, core_count, core_room, found_count, found_room;
    size_t damaged;
    bool out_of_memory;
};

/*
 * Reads the file s->path, "-" for standard input; of several runs in it, as in a serial log, the last one. NULL, or why
 * it cannot be used. run_file_free is due either way.
 */
const char *run_file_read(struct run_file *s);
/* Frees what run_file_read has allocated; records and texts of the run are then no longer valid. */
void run_file_free(struct run_file *s);

/*
 * Copies the value of a key of the record as text, cut to `room`. False, and "", where the record lacks it or there is
 * no record.
 */
bool value_of(struct run_line l, const char *key, char *out, size_t room);
/* The core of that type with that order among the cores of its type; NULL where this run did not measure it. */
const struct run_core *find_core(const struct run_file *s, unsigned order, const char *type);
/* Whether two findings have the same name, variants and core. */
bool same_finding(const struct run_finding *a, const struct run_finding *b);

#endif
