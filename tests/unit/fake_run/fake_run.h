/* A run of made-up probes on a machine that executes nothing, and helpers for its records. */
#ifndef FATHOM_TESTS_FAKE_RUN_H
#define FATHOM_TESTS_FAKE_RUN_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "lib/base/lines.h"
#include "lib/finding/finding.h"
#include "lib/probe/probe.h"
#include "tests/records.h"

/* Kernels are only their addresses here: the machine ends a window as these say. */
enum { KERNEL_GOOD = 1, KERNEL_FAULT, KERNEL_TIMEOUT };
enum { CORES = 5 };

/* The machine behind lib/machine.h. */
extern struct test_machine {
    struct machine_info info;
    struct machine_core cores[CORES];
    const char *refuses[CORES]; /* the reason why a core turns out unusable when it is chosen; NULL: it is usable */
    char used[128];             /* cores in the order in which they were chosen */
    uint64_t ticks;
    unsigned windows; /* run so far */
    bool no_windows;  /* every window faults */
    size_t mapped;    /* areas that were mapped and not released */
    bool no_memory;
    uint8_t memory[4096];
    const char *writes_outside; /* the probe that writes outside its memory; NULL: none */
    bool wrote_outside;         /* it did, and that was not reported yet */
    char screen[16384];         /* what people see, with <> around text that stands out */
    struct lines page;          /* shown last for a photograph */
    unsigned pages;             /* shown so far */
    double seconds;             /* the clock */
    double seconds_a_look;      /* by which it advances whenever it is read */
    struct control *control;    /* NULL: there are no registers */
} machine;

/* The probes. */
extern struct test_probes {
    char ran[256];               /* names in the order in which the probes ran */
    const char *cause;           /* the gate's verdict: why the clock is not trusted; NULL: it is */
    bool gate_speaks;            /* whether the gate reaches a verdict */
    unsigned untrusted_core;     /* a core on which the gate does not trust the clock */
    struct finding to_report[6]; /* findings of the probe `reports`, ended by a NULL name */
    uint64_t taken;              /* readings that `reports` takes before */
    uint64_t shared, stolen;     /* those of them that are rejected as shared, or as stolen from */
    bool measures_line;          /* whether the probe `line` decides the finding that it declares */
    double line_seen;            /* the fact test.line as `needs_line` saw it */
} probing;

/* The names of all probes. */
extern const char *const ALL[];
enum { PROBES = 22 };

extern struct records records; /* of the run */
extern struct facts facts;     /* as the run has left them */

/* A run of these probes, as in the configuration key `probes`. Resets machine, probes and records. */
struct run prepared(const char *plan);
/* Makes the run; returns its status. */
int run_now(struct run *r);

/* The line of records has this value, as text, at the key; NULL: it does not have the key. */
void assert_value(const char *line, const char *key, const char *value);
/* The `end` record of a probe, behind its one `start`. */
const char *end_of(const char *probe);

#endif
