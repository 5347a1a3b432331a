/* For fathom stat: which events are counted, and in how many runs. */
#ifndef FATHOM_BOOT_LINUX_STAT_PLAN_H
#define FATHOM_BOOT_LINUX_STAT_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/counters.h"
#include "boot/linux/perf.h"
#include "lib/counters/events.h"

enum { STAT_EVENTS = 64 }; /* that can be asked for at once */

struct request {
    struct event event;
    char name[EVENT_NAME]; /* as asked for */
    struct place place;
    struct counter_setting setting;
    char why[200]; /* why it is not counted; "" where it is */
};

struct plan {
    struct perf_pmu pmu;
    struct request events[STAT_EVENTS];
    size_t count;
    unsigned batches; /* runs that it takes to count every event once; 1 where nothing is counted */
};

/*
 * Looks up the events of a list separated by commas, which is changed. Events that cannot be counted here are kept with
 * the reason. False when one is not known, with a message in `error`.
 */
bool stat_find_events(struct plan *plan, const struct event_core *core, char *list, char *error, size_t room);
/*
 * Gives each event a counter and a batch; `slots` are the counters that the core has. The kernel may keep some of them
 * for itself, as its watchdog does, so each event is tried first.
 */
void stat_place_events(struct plan *plan, uint64_t slots);

#endif
