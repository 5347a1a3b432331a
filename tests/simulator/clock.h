/*
 * How many cycles instructions take in the simulator. It is built twice: in build/tests/simulator each instruction
 * takes one cycle (counted/), in build/tests/core_<ISA> as many as on a modelled core of tests/model (timed/).
 */
#ifndef FATHOM_TESTS_SIMULATOR_CLOCK_H
#define FATHOM_TESTS_SIMULATOR_CLOCK_H

#include <stdint.h>

/*
 * Starts the clock before the first instruction. `design` describes the core (timed/clock.c); NULL: the built-in one.
 */
void clock_start(const char *design);
/* Cycles since then, at an instruction at `pc` that the simulator executes in place of Unicorn. */
uint64_t clock_at(uint64_t pc);
/* Cycles since then, in a system call. */
uint64_t clock_now(void);

#endif
