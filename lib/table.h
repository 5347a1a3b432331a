/* Records of tables: what a probe measured, row by row, behind its findings. */
#ifndef FATHOM_LIB_TABLE_H
#define FATHOM_LIB_TABLE_H

#include "lib/probe.h"
#include "lib/record.h"

/* Begins the record; what describes the whole table may follow, then its columns and rows. */
void record_table(const struct probe *p, struct record *r, const char *name);
/* Names the columns and begins the rows, an array each. The caller ends them, and sends. */
void record_columns(struct record *r, const char *const *columns, size_t count);

#define RECORD_COLUMNS(r, ...) \
    record_columns(r, (const char *const[]){__VA_ARGS__}, \
                   sizeof(const char *const[]){__VA_ARGS__} / sizeof(const char *))

#endif
