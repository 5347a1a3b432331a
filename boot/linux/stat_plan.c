#define _GNU_SOURCE
#include "boot/linux/stat_plan.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool openable(const struct perf_pmu *pmu, const struct counter_setting *setting, char *why, size_t room)
{
    int fd = perf_open(pmu, setting, -1, true);

    if (fd < 0)
        perf_explain(errno, why, room);
    else
        close(fd);
    return fd >= 0;
}

bool stat_find_events(struct plan *plan, const struct event_core *core, char *list, char *error, size_t room)
{
    char why[320], *rest;

    perf_find(-1, &plan->pmu);
    enum counters_kind kind = core ? events_kind(core) : plan->pmu.kind;
    for (char *name = strtok_r(list, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        struct request *e = &plan->events[plan->count];
        if (plan->count == STAT_EVENTS)
            return snprintf(error, room, "too many events: %s", name) < 0;
        snprintf(e->name, sizeof e->name, "%s", name);
        snprintf(e->why, sizeof e->why, "%s", plan->pmu.why);
        /* where nothing can be counted and the core is not known, there is no table to look names up in */
        if (kind != COUNTERS_NONE && !events_find(core, kind, name, &e->event, why, sizeof why))
            return snprintf(error, room, "%s: %s", name, why) < 0;
        plan->count++;
    }
    return true;
}

void stat_place_events(struct plan *plan, uint64_t slots)
{
    struct demand demands[STAT_EVENTS];
    const char *keys[STAT_EVENTS];
    struct place places[STAT_EVENTS];
    struct request *which[STAT_EVENTS];
    size_t count = 0, unmet;

    for (size_t i = 0; i < plan->count; i++) {
        struct request *e = &plan->events[i];
        if (e->why[0])
            continue;
        if (e->event.demand.width > 1) { /* some kernels pair counters by themselves, which a program cannot ask for */
            snprintf(e->why, sizeof e->why, "it needs two counters, and perf_event_open does not offer pairs");
            continue;
        }
        e->setting = (struct counter_setting){
            .code = e->event.code, .extra = e->event.demand.resource[0], .extra_value = e->event.demand.value};
        if (!openable(&plan->pmu, &e->setting, e->why, sizeof e->why))
            continue;
        demands[count] = e->event.demand;
        keys[count] = e->event.name;
        which[count++] = e;
    }
    plan->batches = count ? allocate(demands, keys, count, slots, places, &unmet, NULL) : 1;
    for (size_t i = 0; i < count && plan->batches; i++) {
        which[i]->place = places[i];
        which[i]->setting.slot = places[i].slot;
    }
    if (!plan->batches) { /* the counters are not known: one event in each batch, since the kernel accepts each */
        for (size_t i = 0; i < count; i++)
            which[i]->place.run = (unsigned)i;
        plan->batches = (unsigned)count;
    }
}
