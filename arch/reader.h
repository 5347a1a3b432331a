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

/* READER_COUNTS: counters that one reading samples at most. The others are numbers of counters on AArch64. */
enum { READER_COUNTS = 34, READER_CYCLES = 31, READER_APPLE = 32, READER_INSTRUCTIONS = 42 };
/*
 * Counters to sample around a call: their numbers in `index`, and what they held before and after it. A number is the
 * reader's own for a counter: that of RDPMC on x86-64; on AArch64 0 … 30 for PMEVCNTR<n>_EL0, READER_CYCLES for
 * PMCCNTR_EL0, READER_APPLE + n for Apple's PMC<n>, READER_INSTRUCTIONS for PMICNTR_EL0. Values have the width of the
 * counter.
 */
struct reader_counts {
    uint32_t count;
    uint32_t index[READER_COUNTS + 1]; /* the last one is not used */
    uint64_t begin[READER_COUNTS];
    uint64_t end[READER_COUNTS];
};

/* One timed call of a kernel. arch/<isa>/reader.S knows the offsets; reader_layout.c beside it checks them. */
struct reading {
    uintptr_t kernel;     /*  0: address of the code, as seen inside a window */
    uint64_t argument[2]; /*  8: passed to the kernel: iterations, address of the data */
    uint64_t begin_ticks; /* 24: time stamp before the call */
    uint64_t end_ticks;   /* 32: time stamp after it */
    /*
     * 40, 56: core cycles and instructions before and after it, as far as the reader samples them. What it does not
     * sample it sets to 0 or leaves as it is: set both to 0 before.
     */
    uint64_t begin_count[2];
    uint64_t end_count[2];
    struct reader_counts *counts; /* 72: for READER_EVENTS; else not used */
};

/*
 * Which counters the reader samples besides the time stamp. AArch64 implements all of them; on x86-64
 * READER_CYCLES_INSTRUCTIONS and READER_CYCLES_AS_TIME give time stamps only.
 */
enum reader_counters {
    READER_TIME_ONLY,
    READER_CYCLES_INSTRUCTIONS, /* cycle counter and one event counter, set up by the platform */
    READER_CYCLES_ONLY,         /* a cycle counter */
    READER_CYCLES_AS_TIME,      /* a cycle counter, which also serves as the time stamp */
    READER_EVENTS,              /* the counters that each reading names in `counts` */
};

/*
 * Runs the list of `count` readings in order, and fills in their time stamps and the counts that `counters` selects.
 * Saves and restores the general and vector registers that a function has to preserve, so a kernel may use those
 * freely. A kernel has to leave the stack pointer, on AArch64 x18, and the control registers of floating point (MXCSR
 * and the x87 control word, FPCR) as it found them, and returns as a function does. With READER_EVENTS each reading has
 * to name at least one counter. Platforms call it inside a window.
 *
 * Time stamps are ordered against the kernel on both sides: LFENCE; RDTSC; LFENCE on x86-64 (Intel SDM vol. 2B, RDTSC),
 * ISB; MRS CNTVCT_EL0; ISB on AArch64 (Arm ARM DDI 0487, D12.2.1).
 */
void reader_run(struct reading *list, size_t count, enum reader_counters counters);

/* Name of the cycle counter that the reader samples, as records have it: "pmccntr_el0". */
extern const char reader_cycle_counter[];

/* Readings of the proof that a counter counts cycles: eight pairs, of which up to four may be disturbed. */
enum { READER_PROOF = 16 };
/*
 * Fills in the readings of the proof: pairs of a short and a long run of the reference chain. The platform then runs
 * them where a fault is caught, with the counter to be proven.
 */
void reader_proof_list(struct reading list[READER_PROOF]);
/*
 * NULL where the readings show that the counter counts one cycle for each addition, to one in fifty; else what it does
 * instead. The two pairs of readings with the lowest difference and the two with the highest do not matter: they may
 * have been disturbed.
 */
const char *reader_proof_verdict(const struct reading list[READER_PROOF]);
/*
 * Whether the readings show that the counter advances further over a longer reference chain, which is enough for a time
 * stamp.
 */
bool reader_proof_moves(const struct reading list[READER_PROOF]);

/* A kernel that only returns: its reading shows what the reader itself costs. */
extern const char reader_empty_kernel[];

/* Additions in one iteration of the reference chain. */
enum { READER_CHAIN = 128 };
/*
 * The reference chain, a kernel: READER_CHAIN dependent register-to-register additions per iteration, each of which
 * takes one core cycle on every core in scope. Additions of immediates would not do: newer cores fold those at rename.
 */
extern const char reader_chain_kernel[];
/*
 * The same with half of the additions in an iteration, and with the same loop around them: on a core that executes one
 * instruction a cycle the loop takes time too, which the difference of both does not have.
 */
extern const char reader_half_chain_kernel[];

/* NOPs in one iteration of the sibling detector's kernel. */
enum { READER_WIDTH = 128 };
/*
 * The kernel of the sibling detector: READER_WIDTH NOPs per iteration, which the core executes as fast as it can. A
 * sibling thread that is awake takes part of the core's width, and then they take longer.
 */
extern const char reader_width_kernel[];

/* The time stamp now, read without ordering against other instructions; its frequency is tick_hz in lib/machine.h. */
uint64_t reader_ticks(void);

#endif
