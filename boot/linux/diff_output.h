/* For fathom diff: what is compared, and how differences are written. */
#ifndef FATHOM_BOOT_LINUX_DIFF_OUTPUT_H
#define FATHOM_BOOT_LINUX_DIFF_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "boot/linux/diff_run.h"
#include "lib/base/record.h"

enum { SIDES = 2 }; /* runs that are compared: A and B */

struct comparison {
    struct run_file side[SIDES];
    double tolerance; /* relative */
    bool json, values_only;
    struct writer writer;
    size_t environment, findings; /* differences so far */
    size_t compared;              /* findings that both runs have */
};

/* Prints a heading; nothing with --json. */
void heading(const struct comparison *c, const char *text);
/* Writes "E core 1:" for a difference of one core, by type and order; "" where each run measured one core alone. */
void core_text(const struct comparison *c, unsigned order, const char *type, char *out, size_t room);
/* Adds a value as a record has it: a number as a number, NULL or "null" as null. */
void record_written(struct record *r, const char *key, const char *text);

#endif
