/*
 * The reader: the few instructions that run inside a window.
 *
 * It walks a prepared list, calls each kernel and stores when the call began and ended. Nothing
 * else runs between the first reading and the last: no C, no floating point of the program's own, no output.
 * The same assembly serves both platforms.
 */
#ifndef FATHOM_ARCH_READER_H
#define FATHOM_ARCH_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Counters to sample around a call, in the order of `index`. An index is the reader's own number of a counter: that of
 * RDPMC on x86-64; on AArch64 0 … 30 for PMEVCNTR<n>_EL0, READER_CYCLES for PMCCNTR_EL0, READER_APPLE + n for Apple's
 * PMC<n>, READER_INSTRUCTIONS for PMICNTR_EL0. Values have the width of the counter.
 */
enum { READER_COUNTS = 34, READER_CYCLES = 31, READER_APPLE = 32, READER_INSTRUCTIONS = 42 };
struct reader_counts {
    uint32_t count;
    uint32_t index[READER_COUNTS + 1]; /* the last one is not used */
    uint64_t begin[READER_COUNTS];
    uint64_t end[READER_COUNTS];
};

/* One timed call of a kernel. arch/<isa>/reader.S knows the offsets; reader_layout.c beside it checks them. */
struct reading {
    uintptr_t kernel;             /*  0: address of the code, as seen inside a window */
    uint64_t argument[2];         /*  8: passed to the kernel: iterations, address of the data */
    uint64_t begin_ticks;         /* 24: time stamp before the call */
    uint64_t end_ticks;           /* 32: time stamp after it */
    uint64_t begin_count[2];      /* 40: counters before: core cycles, instructions; 0 where there are none */
    uint64_t end_count[2];        /* 56: and after */
    struct reader_counts *counts; /* 72: for READER_EVENTS; else not used */
};

/* Which counters the reader samples besides the time stamp. An ISA implements those that its platforms offer. */
enum reader_counters {
    READER_TIME_ONLY,
    READER_CYCLES_INSTRUCTIONS, /* cycle counter and one event counter, set up by the platform */
    READER_CYCLES_ONLY,         /* a cycle counter */
    READER_CYCLES_AS_TIME,      /* a cycle counter, which also serves as the time stamp */
    READER_EVENTS,              /* the counters that each reading names in `counts` */
};

/*
 * Runs the list in order. Saves and restores every register the platform's calling convention
 * preserves, so a kernel may use all registers but the stack pointer.
 *
 * Time stamps are ordered against the kernel on both sides: LFENCE; RDTSC; LFENCE on x86-64 (Intel
 * SDM vol. 2B, RDTSC), ISB; MRS CNTVCT_EL0; ISB on AArch64 (Arm ARM DDI 0487, D12.2.1).
 */
void reader_run(struct reading *list, size_t count, enum reader_counters counters);

/* The cycle counter's name, as records have it. */
extern const char reader_cycle_counter[];

/*
 * Proof that a counter counts cycles: the platform runs these readings of the reference chain where a fault is caught.
 * Eight pairs of a short and a long one: the two lowest and the two highest counts may be disturbed.
 */
enum { READER_PROOF = 16 };
void reader_proof_list(struct reading list[READER_PROOF]);
/* NULL where it counts one cycle for each addition, to one in fifty; else what it does instead. */
const char *reader_proof_verdict(const struct reading list[READER_PROOF]);
/* Whether it advances further over a longer reference chain, which is enough for a time stamp. */
bool reader_proof_moves(const struct reading list[READER_PROOF]);

/* A kernel that only returns: what the reader itself costs. */
extern const char reader_empty_kernel[];

/*
 * The reference chain: READER_CHAIN dependent register-to-register additions per iteration, each of which takes one
 * core cycle on every core in scope. Additions of immediates would not do: newer cores fold those at rename.
 */
enum { READER_CHAIN = 128 };
extern const char reader_chain_kernel[];

/*
 * The kernel of the sibling detector: READER_WIDTH NOPs per iteration, which the core executes as fast as it can. A
 * sibling thread that is awake takes part of the core's width, and they take longer.
 */
enum { READER_WIDTH = 128 };
extern const char reader_width_kernel[];

/* The time stamp, unordered; the platform knows its frequency (tick_hz in lib/machine.h). */
uint64_t reader_ticks(void);

#endif
