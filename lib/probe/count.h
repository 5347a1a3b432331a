/* Counting what a kernel causes, with the performance counters of the core. */
#ifndef FATHOM_LIB_PROBE_COUNT_H
#define FATHOM_LIB_PROBE_COUNT_H

#include "lib/counters/count.h"
#include "lib/probe/probe.h"

/*
 * Sets *per_unit to how many events of a need (lib/counters/events.h, "l1i_misses") one unit of the kernel causes; NaN
 * where this core or platform cannot count it, or every window was disturbed. False: the kernel ended by a fault or a
 * timeout, and the probe is over.
 */
bool probe_count(struct probe *p, const struct kernel *k, const char *need, double *per_unit);

/*
 * Finds the events of a list of names, separated by blanks or commas, on this core, and writes them to `out`, at most
 * `room`; returns how many. A warning is sent about names for which there is no room, and, where `all_wanted`, about
 * each that is not found.
 */
size_t probe_find_events(struct probe *p, const char *list, bool all_wanted, struct event *out, size_t room);
/* Adds what an event counted, or why it could not be counted, to the open array of a record. */
void count_send_row(struct record *r, const struct event *e, const struct count *c);
/* Prints what an event counted, or why it could not be counted, as a line. */
void count_print_row(const struct event *e, const struct count *c);

#endif
