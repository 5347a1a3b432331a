/*
 * The reader: the few instructions that run inside a window.
 *
 * It walks a prepared list, calls each kernel and stores when the call began and ended. Nothing
 * else runs between the first reading and the last: no C, no floating point of ours, no output.
 * The same assembly serves both platforms.
 */
#ifndef FATHOM_ARCH_READER_H
#define FATHOM_ARCH_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Counters to sample around a call, in the order of `index`, which is the reader's own numbering: RDPMC's
 * on x86-64; on AArch64 0 … 30 for PMEVCNTR<n>_EL0, READER_CYCLES for PMCCNTR_EL0, READER_APPLE + n for
 * Apple's PMC<n>, READER_INSTRUCTIONS for PMICNTR_EL0. Values are as wide as the counter is.
 */
enum { READER_COUNTS = 34, READER_CYCLES = 31, READER_APPLE = 32, READER_INSTRUCTIONS = 42 };
struct reader_counts {
    uint32_t count;
    uint32_t index[READER_COUNTS + 1]; /* the last one is not used */
    uint64_t begin[READER_COUNTS];
    uint64_t end[READER_COUNTS];
};

/* One timed call of a kernel. Offsets are known to arch/<isa>/reader.S, which checks them. */
struct reading {
    uintptr_t kernel;             /*  0: address of the code, as seen inside a window */
    uint64_t argument[2];         /*  8: handed to the kernel: iterations, data address */
    uint64_t begin_ticks;         /* 24: time stamp before the call */
    uint64_t end_ticks;           /* 32: time stamp after it */
    uint64_t begin_count[2];      /* 40: counters before: core cycles, instructions; 0 where there are none */
    uint64_t end_count[2];        /* 56: and after */
    struct reader_counts *counts; /* 72: for READER_EVENTS; else not looked at */
};

/* Which counters the reader samples besides the time stamp. An ISA implements those that its platforms offer. */
enum reader_counters {
    READER_TIME_ONLY,
    READER_CYCLES_INSTRUCTIONS, /* cycle counter and one event counter, set up by the platform */
    READER_CYCLES_ONLY,         /* a cycle counter */
    READER_CYCLES_AS_TIME,      /* nothing but a cycle counter: it is the time stamp, too */
    READER_EVENTS,              /* of each reading the counters that it names, each of them, and the time stamp */
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
 * Does what should be a cycle counter count cycles? Readings of the yardstick tell, to be run by the platform
 * where a fault has a way back.
 */
enum { READER_PROOF = 16 };
void reader_proof_list(struct reading list[READER_PROOF]);
/* NULL where it does: it counts one cycle an addition, to one in fifty. Else what it does instead. */
const char *reader_proof_verdict(const struct reading list[READER_PROOF]);
/* Whether it moves at all, and more the longer the yardstick: enough for a time stamp. */
bool reader_proof_moves(const struct reading list[READER_PROOF]);

/* A kernel that only returns: what the reader itself costs. */
extern const char reader_empty_kernel[];

/*
 * The yardstick: READER_CHAIN dependent register-to-register additions an iteration, one core cycle
 * each on every core in scope. Not immediates: newer cores fold those at rename.
 */
enum { READER_CHAIN = 128 };
extern const char reader_chain_kernel[];

/*
 * As many instructions as the core can take at once: READER_WIDTH NOPs an iteration. A hardware thread
 * that shares the core takes its part of them, and the time they need tells that it is awake.
 */
enum { READER_WIDTH = 128 };
extern const char reader_width_kernel[];

/* The time stamp, unordered; its frequency is the platform's business. */
uint64_t reader_ticks(void);

#endif
