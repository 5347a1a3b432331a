/*
 * Modelled machines drawn at random. The same seed always gives the same machine, and each draw_ function seeds the
 * generator anew: what a test draws from pick() and between() afterwards follows from that seed, too.
 */
#ifndef FATHOM_TESTS_MODEL_DRAW_H
#define FATHOM_TESTS_MODEL_DRAW_H

#include "tests/model/machine.h"

enum { KIB = 1024 };

/* A whole number from `from` to `to`, both included, each as likely as any other. */
size_t pick(size_t from, size_t to);
/* One of a thousand and one evenly spaced numbers from `from` to `to`. */
double between(double from, double to);

/* A quiet machine: two or three levels of data cache, an instruction cache, a return stack, and no TLBs or BTBs. */
struct machine_design draw_machine(uint64_t seed);
/* The same with jitter, a clock that drifts, and interrupted readings, half of which are known to be interrupted. */
struct machine_design draw_noisy_machine(uint64_t seed);
/* Its conditional branches are predicted by a history, which taken conditional branches always enter. */
struct machine_design draw_machine_with_history(uint64_t seed);
/* It forwards stores to loads, by a rule drawn at random, and may rename memory. */
struct machine_design draw_machine_with_stores(uint64_t seed);
/* It is wide, and has few ports for loads and stores. */
struct machine_design draw_machine_with_ports(uint64_t seed);
/*
 * Its instruction window is limited: a reorder buffer, and for each other resource (registers, queues, branches)
 * between a quarter and five quarters as many entries. A resource larger than the reorder buffer is never full first.
 */
struct machine_design draw_machine_with_window(uint64_t seed);
/*
 * Changes an instruction window so that renames, of which each instruction that writes a register takes one, and
 * registers are full before the reorder buffer is. `halves` says where 32-bit results go: 0 each takes a whole general
 * register, 1 two share a general register, 2 they have a register file of their own.
 */
void draw_renames(struct in_flight_design *d, size_t halves);
/* Makes a reading, which lasts a certain number of clock steps, fewer cycles long: less to emulate. */
void shorten_readings(struct machine_design *d);

#endif
