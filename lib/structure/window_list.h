/*
 * The same kernel many times in one window of a chosen kind, to show how silent such windows are (docs/METHODS.md,
 * 8.2).
 */
#ifndef FATHOM_LIB_STRUCTURE_WINDOW_LIST_H
#define FATHOM_LIB_STRUCTURE_WINDOW_LIST_H

#include "lib/probe/probe.h"

/* Ticks between the two time stamps of a reading. */
double ticks_between(const struct reading *r);
/* Nanoseconds of that many ticks. */
double ticks_to_ns(double ticks);
/*
 * Runs `kernel` `count` times in one window of that kind of silence and stores the readings in `list`, which has room
 * for them. *ran is the number of readings taken: fewer than count where an interrupt that only the firmware can
 * acknowledge ended the window. False when the probe is over.
 */
bool window_list_run(struct probe *p, struct reading *list, enum silence silence, struct reading kernel, size_t count,
                     size_t *ran);

#endif
