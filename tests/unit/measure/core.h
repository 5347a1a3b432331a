/* A core whose kernels are only costs, its time stamp, and everything that may disturb readings on it. */
#ifndef FATHOM_TESTS_MEASURE_H
#define FATHOM_TESTS_MEASURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/measure/meter.h"

/* A kernel: not code, only what it costs. */
struct cost {
    double per_call, per_iteration; /* core cycles */
};

/* One core and its time stamp. Time passes only in windows. */
extern struct fake {
    struct machine_info info;
    double now;                 /* seconds */
    double core_hz;             /* at the start */
    double slow_hz;             /* where not 0, the clock changes between core_hz and this ... */
    double change_every;        /* ... after each this many seconds */
    double drift;               /* the clock rises by this fraction of itself each second ... */
    double drift_from;          /* ... from this time on */
    double uneven;              /* the clock is faster by this fraction in every second group of three readings */
    double sibling_awake;       /* the sibling thread is awake for this many seconds, in turn with ... */
    double sibling_asleep;      /* ... this many asleep; awake, it makes all but chains take 1.7 times as long */
    double sibling_awake_until; /* it is awake all the time until then */
    double bursts_least; /* where not 0, it wakes and sleeps in turn, each time for at least so many seconds ... */
    double bursts_most;  /* ... and at most so many, as many short times as long ones (log-uniform) */
    double burst_ends;   /* when it does next */
    bool bursting;       /* it is awake now */
    bool sibling_slows_chains; /* awake, it slows only chains, by 1.2 */
    unsigned cold_calls;       /* this many calls of kernels to come take 100 times as long */
    double disturbed;          /* each third call of a kernel takes longer by this fraction */
    unsigned calls;            /* of kernels so far */
    uint64_t iterations;       /* of the last call of a kernel */
    double harness;            /* core cycles that the reader spends around each call */
    double jitter;             /* each reading takes up to this many seconds more, so that none repeat */
    double stamp_steps;        /* the time stamp advances by this many ticks at once */
    unsigned windows;          /* run so far */
    double core_cycles;        /* spent in them */
    unsigned void_every;       /* at random, one in this many windows has an interrupt, or with ... */
    bool smis, throttled;      /* ... these, an SMI or throttling by heat */
    unsigned limited_every;    /* at random, one in this many windows sees a limit of power or current */
    double smi_every;          /* an SMI comes after each so many seconds ... */
    double smi_takes;          /* ... and lasts for so many */
    double smi_next;           /* when the next one is due */
    double between;            /* up to so many seconds pass before each window */
    uint64_t random;
    double stolen;        /* from this fraction of all readings ... */
    double stolen_least;  /* ... at least this many seconds ... */
    double stolen_most;   /* ... and at most this many are taken without a sign */
    double varies;        /* at random, a kernel takes up to this fraction more or less */
    unsigned ends_at;     /* the window of this number ends ... */
    enum window_end ends; /* ... like this ... */
    struct fault fault;   /* ... with this fault */
} fake;

/* A core of 3.3 GHz on which nothing disturbs. */
struct fake steady(void);

/* A meter of profile quick. */
struct meter start(void);
/* The point of this kernel, which has this many units in an iteration; its window must run. */
struct point measure(struct meter *m, const struct cost *c, double units);

/* All wanted readings were accepted, and both quantiles are the true level, give or take `part` of it. */
void assert_level(const struct meter *m, const struct point *p, double level, double part);
/* Each rejected reading is counted under one cause. */
void assert_counted(const struct meter *m);

#endif
