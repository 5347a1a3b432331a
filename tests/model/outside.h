/*
 * Modelled cores whose parameters lie outside what draw.h draws and outside the cores that probes were developed on:
 * Zen 4 and Raptor Cove. Nothing is to be tuned on them; what is decided about them has to be true.
 *
 * Each such core has everything at once: caches, TLBs, branch target buffers, an instruction window, schedulers and
 * ports, or executes in order.
 */
#ifndef FATHOM_TESTS_MODEL_OUTSIDE_H
#define FATHOM_TESTS_MODEL_OUTSIDE_H

#include "tests/model/machine.h"

enum { OUTSIDE_IN_ORDER = 4 }; /* every so many-th core executes in order */

/*
 * A core of that seed. Every fourth (OUTSIDE_IN_ORDER) executes in order, one to three instructions a cycle, and
 * renames nothing. The clock is slow, so that readings are short; the time stamp is between 50 times slower and 50
 * times faster.
 */
struct machine_design draw_outside(uint64_t seed);
/* Gives it a clock of 100 MHz to 6 GHz and a time stamp of 1 MHz to 5 GHz, at most `ratio` times slower. */
void draw_clocks_outside(struct machine_design *m, double ratio);

/* ---- What was decided, by structure -------------------------------------------------------------- */

/* Begins a table, which has a row for each name of a finding. */
void shares_start(void);
/*
 * Compares a finding with the truth, and counts it. It is right if its interval contains the truth, or, where it has no
 * interval, if its value is within 3 % of the truth. It is an error if a finding of grade A or B is wrong, if the value
 * of one of grade A is not the truth, or if one of grade U has a value; wrong ones of grade C are only counted.
 * `variant` NULL: the finding has no variants.
 */
void share_number(const struct machine_design *m, const char *name, const char *key, const char *variant, double truth);
/* The same where any truth within these bounds will do. */
void share_between(const struct machine_design *m, const char *name, const char *key, const char *variant, double least,
                   double most);
/* The same for this finding. */
void share_one(const struct machine_design *m, const char *f, double truth);
/* The same for a text, whose beginning has to be the truth. */
void share_text(const struct machine_design *m, const char *name, const char *key, const char *variant,
                const char *truth);
/* The core has no such thing: a value of grade A or B is wrong. */
void share_nothing(const struct machine_design *m, const char *name, const char *key, const char *variant);
/* Prints the table, and fails if anything was wrong, or if fewer than that part of all findings was decided. */
void shares_end(double decided_at_least);

#endif
