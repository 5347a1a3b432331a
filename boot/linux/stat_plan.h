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

/* An event that was asked for. */
struct request {
    struct event event;
    char name[EVENT_NAME]; /* as asked for */
    struct place place;    /* its counter, and in `run` its batch: the events that are counted in one run */
    struct counter_setting setting;
    char why[200]; /* why it is not counted; "" where it is */
};

/* All events that were asked for, and the runs that they take. */
struct plan {
    struct perf_pmu pmu;
    struct request events[STAT_EVENTS];
    size_t count;
    unsigned batches; /* runs that it takes to count every event once; 1 where nothing is counted */
};

/*
 * Looks up the events in `list`, separated by commas, and adds them to the plan; `list` is changed. Events that cannot
 * be counted here are kept with the reason. False when one is not known, or there are more than STAT_EVENTS: `error`
 * says which.
 */
bool stat_find_events(struct plan *plan, const struct event_core *core, char *list, char *error, size_t room);
/*
 * Gives each event of the plan a counter and a batch; `slots` is the bitmap of counters that the core has. Each event
 * is tried first, since the kernel may keep some counters for itself, as its watchdog does; one that cannot be opened,
 * or needs two counters, gets the reason.
 */
void stat_place_events(struct plan *plan, uint64_t slots);

#endif
