/* For fathom diff: what is compared, and how differences are written. */
#ifndef FATHOM_BOOT_LINUX_DIFF_OUTPUT_H
#define FATHOM_BOOT_LINUX_DIFF_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "boot/linux/diff_run.h"
#include "lib/base/record.h"

enum { SIDES = 2 }; /* runs that are compared: A and B */

/* Two runs that are compared, and how. */
struct comparison {
    struct run_file side[SIDES];
    double tolerance; /* relative */
    bool json, values_only;
    struct writer writer;
    size_t environment, findings; /* differences so far */
    size_t compared;              /* findings that both runs have */
};

/* Prints a heading above the next differences, for people; nothing with --json. */
void heading(const struct comparison *c, const char *text);
/*
 * Writes to `out` which core a difference is about, "E core 1:", by its type and its order among the cores of that
 * type; "" where each run measured one core alone.
 */
void core_text(const struct comparison *c, unsigned order, const char *type, char *out, size_t room);
/*
 * Adds a value to a record, from its text as another record has it: numbers, true and false as such, NULL or "null" as
 * null, anything else as a text.
 */
void record_written(struct record *r, const char *key, const char *text);

#endif
