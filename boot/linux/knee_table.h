/* For fathom knee: the columns and rows of the file. */
#ifndef FATHOM_BOOT_LINUX_KNEE_TABLE_H
#define FATHOM_BOOT_LINUX_KNEE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boot/linux/csv.h"
#include "boot/linux/gather.h"
#include "lib/knee/knee.h"

/*
 * Conditions that can be given at most; different texts of a column that are kept, for messages; bytes of one of these,
 * and of a column's name.
 */
enum { CONDITIONS = 8, KINDS_SHOWN = 32, KIND_BYTES = 24, NAME_BYTES = 48 };

/* What the command's arguments ask for. */
struct arguments {
    const char *file;
    const char *x, *y; /* name or number of a column; NULL: not chosen */
    struct condition {
        char column[NAME_BYTES];
        const char *value;
        size_t index;
    } where[CONDITIONS];
    size_t where_count;
    enum knee_kind kind;
    bool json;
};

/* The different texts that a column has; kept only while there are few enough to be listed in a message. */
struct kinds {
    size_t count; /* KINDS_SHOWN + 1: there are more than are kept */
    char text[KINDS_SHOWN][KIND_BYTES];
};

/* The table, and what was read from it. */
struct table {
    struct arguments arguments;
    const char *source; /* the file's name, for people */
    struct gather gather;
    bool header, short_of_memory;
    size_t x, y; /* columns, from 0 */
    size_t columns;
    char names[CSV_COLUMNS][NAME_BYTES]; /* as the header has them, or "column 3" */
    struct kinds kinds[CSV_COLUMNS];
    uint64_t rows;    /* with numbers in x and y */
    uint64_t others;  /* rows that --where leaves out */
    uint64_t without; /* rows without a number in x */
    uint64_t empty;   /* rows with a number in x and none in y */
};

/*
 * Reads the whole file by means of `c` into t->gather; t->arguments and t->source are set by the caller. False when it
 * cannot be used; a message about that has been printed to standard error.
 */
bool table_read(struct table *t, struct csv *c);
/* Writes the different texts of a column as "0, 1, 2", cut where there are many. */
void table_list_kinds(char *out, size_t room, const struct kinds *k);
/* Prints to standard error why no row of the file could be used. */
void table_explain_empty(const struct table *t);

#endif
