/* Tables: what a probe measured, row by row, as records that follow its findings. */
#ifndef FATHOM_LIB_PROBE_TABLE_H
#define FATHOM_LIB_PROBE_TABLE_H

#include "lib/base/record.h"
#include "lib/probe/probe.h"

/* Begins the record. Keys that describe the whole table may follow; then record_columns. */
void record_table(const struct probe *p, struct record *r, const char *name);
/* Names the columns and begins the array of rows. The caller adds an array for each row, closes, and sends. */
void record_columns(struct record *r, const char *const *columns, size_t count);

#define RECORD_COLUMNS(r, ...) \
    record_columns(r, (const char *const[]){__VA_ARGS__}, \
                   sizeof(const char *const[]){__VA_ARGS__} / sizeof(const char *))

#endif
