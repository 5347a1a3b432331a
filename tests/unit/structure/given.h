/*
 * For tests of lib/structure and of probes: a machine, a run of profile `standard` and curves that are given instead of
 * measured. given.c defines the functions that measure, map memory and report, in place of those of lib/probe.
 */
#ifndef FATHOM_TESTS_UNIT_STRUCTURE_GIVEN_H
#define FATHOM_TESTS_UNIT_STRUCTURE_GIVEN_H

#include "lib/finding/report.h"
#include "lib/machine.h"
#include "lib/probe/probe.h"
#include "lib/probe/sweep.h"

enum { KB = 1024, MB = 1024 * KB, PAGE_BYTES = 4096, GIVEN_MOST = 64 };

extern struct machine_info given_info;
extern struct probe given_probe;

/* Begins anew: 4 GiB of memory, pages of PAGE_BYTES, no facts, nothing reported and nothing searched. */
void given_start(bool contiguous);
/* Adds a declared fact about that level. */
void given_fact(const char *name, unsigned level, double value);
/* The last finding of that name and, if it is not 0, of that level; the test fails where there is none. */
const struct finding *given_finding(const char *name, unsigned level);
/* The last finding of that name whose first variant is that text; the test fails where there is none. */
const struct finding *given_variant(const char *name, const char *variant);

/* Levels of these heights, each of which ends by a step behind a count; the last one does not end. */
struct verdict given_staircase(size_t levels, const double *heights, const double *counts);
/* The same with two levels. */
struct verdict given_step(double before, double after, double count);
/* What a search of this sweep shows; chosen by the test. */
extern struct verdict (*given_curve)(const struct sweep *s);
/* The samples of each sweep that is searched: none, unless the test sets them. */
extern struct sweep_sample *given_samples;
extern size_t given_sample_count;
/* The sweeps that were searched. */
extern struct sweep given_searched[GIVEN_MOST];
extern size_t given_searches;

#endif
