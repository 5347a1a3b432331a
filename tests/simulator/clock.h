/*
 * What an instruction takes in the simulator. Two programs are made: in build/tests/simulator each takes one cycle
 * (counted/), in build/tests/core_<ISA> as many as on a modelled core of tests/model (timed/).
 */
#ifndef FATHOM_TESTS_SIMULATOR_CLOCK_H
#define FATHOM_TESTS_SIMULATOR_CLOCK_H

#include <stdint.h>

/* Begins with the first instruction; `design` describes the core (timed/clock.c), NULL: one that is built in. */
void clock_start(const char *design);
/* Cycles since then, at an instruction at `pc` that the simulator executes in place of Unicorn. */
uint64_t clock_at(uint64_t pc);
/* Cycles since then, in a system call. */
uint64_t clock_now(void);

#endif
