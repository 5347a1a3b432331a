/*
 * Runs probes on a modelled machine and compares their findings with the design of the machine. A finding has to be
 * right, or of grade U with a reason: both are counted, and whatever is wrong is printed with the seed of the machine.
 */
#ifndef FATHOM_TESTS_MODEL_CHECK_H
#define FATHOM_TESTS_MODEL_CHECK_H

#include "lib/probe/probe.h"
#include "tests/model/machine.h"
#include "tests/records.h"

/* Of the latest run. */
extern struct records records;

/* What this test has found so far. */
extern struct checked {
    unsigned decided, undecided; /* findings by grade: A, B and C; U, or not reported at all */
    unsigned wrong;              /* complaints */
    unsigned vague;              /* findings checked by check_one_of that are wrong, be it with grade C */
} checked;

/* A new test: nothing is checked so far, and no probe has run. */
void check_start(void);
/* Whether a probe of that name ran to its end since then; true where no probe ran. */
bool check_ran(const char *probe);

/* ---- Runs ---------------------------------------------------------------------------------------- */

/*
 * The seeds of a test, in turn: 1 up to `count`, or up to `count_when_long` when the environment has LONG; with
 * MODEL_SEED=n only n. Begin with *seed = 0.
 */
bool next_seed(uint64_t *seed, uint64_t count, uint64_t count_when_long);
/* `count` on that instruction set and 0 on the other: for a test that would repeat itself where time is short. */
uint64_t seeds_on(const char *isa, uint64_t count);

/* Runs these probes, names with spaces between them, and what they come after, as `fathom run` does. */
void run_probes_on(const struct machine_design *m, const char *probes, enum profile profile);
/* Runs the probe `instructions` on the forms that match a pattern. */
void run_forms_on(const struct machine_design *m, const char *pattern, enum profile profile);
/* Runs these probes as run_probes_on does, on the forms that match a pattern where they measure forms. */
void run_probes_on_forms(const struct machine_design *m, const char *probes, const char *pattern, enum profile profile);
/* Runs the probe `user_kernel` on the kernels of this text (docs/KERNELS.md). */
void run_kernels_on(const struct machine_design *m, const char *text, enum profile profile);
/* Runs the probe `counters` with `counters = discover`. */
void run_discovery_on(const struct machine_design *m);
/* What the `end` record of a probe says under this key, 0 where it says nothing; of all probes together for NULL. */
double end_number(const char *probe, const char *key);

/* ---- Findings ------------------------------------------------------------------------------------ */

/* The next finding of that name after `f`; the first one for NULL. NULL when there is none. */
const char *next_finding(const char *f, const char *name);
/* The finding in which `key` is `variant`, or NULL; with a NULL key the first one of that name. */
const char *finding_of(const char *name, const char *key, const char *variant);
/* NaN where the finding has no such number. */
double number(const char *finding, const char *key);
bool has_field(const char *finding, const char *key, const char *text);
/* Names of levels, as findings have them: level_names[0] is the first level's. */
extern const char *const level_names[5];

/* Counts and prints a mistake, with instruction set and seed. */
void complain(const struct machine_design *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
/*
 * Counts a finding, which may be NULL. True when it is decided. Complains when it is not reported, undecided without a
 * reason, or undecided and has a number; `name` and `variant` are for that message.
 */
bool is_decided(const struct machine_design *m, const char *f, const char *name, const char *variant);

/* ---- Checks of one finding against what is true -------------------------------------------------- */

/* The interval holds the truth, and the value. */
void check_capacity(const struct machine_design *m, const char *name, const char *key, const char *variant,
                    double truth);
/* The value is the truth within 3 %. */
void check_number(const struct machine_design *m, const char *name, const char *key, const char *variant, double truth);
/* The value begins with this text. */
void check_text(const struct machine_design *m, const char *name, const char *key, const char *variant,
                const char *truth);
/* The value of this finding is exactly the truth, a count. */
void check_whole(const struct machine_design *m, const char *f, const char *name, const char *variant, double truth);
/* The core has no such thing: the finding must not be decided, where there is one. */
void check_undecided(const struct machine_design *m, const char *name, const char *key, const char *variant);
/* The interval of this finding holds one of these truths. One of grade C may be wrong: that is counted, no mistake. */
void check_one_of(const struct machine_design *m, const char *f, const double *truths, size_t count);

/*
 * Ends a test: fails when anything was wrong, when fewer findings were decided, or when more were not. A test that is
 * content when nothing is decided could not fail. With MODEL_SEED only mistakes count.
 */
void end(unsigned decided_at_least, unsigned undecided_at_most);
/*
 * Behind `end`: when time is short the cores are the same in every run, and exactly so many findings have to be decided
 * on each instruction set. So a change that loses a finding, or gains one, is noticed. Where it is wanted, put in the
 * number that `end` prints.
 */
void decides(unsigned on_x86_64, unsigned on_aarch64);

#endif
