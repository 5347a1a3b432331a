/* Tables: what a probe measured, row by row, as records that follow its findings. */
#ifndef FATHOM_LIB_PROBE_TABLE_H
#define FATHOM_LIB_PROBE_TABLE_H

#include "lib/base/record.h"
#include "lib/probe/probe.h"

/*
 * Begins *r as a record `table` of that name. Keys that describe the whole table may be added next; then
 * record_columns.
 */
void record_table(const struct probe *p, struct record *r, const char *name);
/*
 * Adds the names of the columns to a record that record_table has begun, and opens the array of rows. The caller then
 * adds an array for each row, closes the array of rows by record_close, and sends the record.
 */
void record_columns(struct record *r, const char *const *columns, size_t count);

/* record_columns with the names as arguments. */
#define RECORD_COLUMNS(r, ...) \
    record_columns(r, (const char *const[]){__VA_ARGS__}, \
                   sizeof(const char *const[]){__VA_ARGS__} / sizeof(const char *))

#endif
