#include "lib/probe/count.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/record.h"

/* Iterations of the shorter of two readings, and how often they are repeated. */
enum { ITERATIONS = 16, REPETITIONS = 5 };

bool probe_count(struct probe *p, const struct kernel *k, const char *need, double *per_unit)
{
    const struct counters *have = machine_counters();
    struct event event;
    struct count count = {0};
    char why[160];

    *per_unit = NAN;
    if (have->why_not ||
        !events_find(events_core(machine_info()->core_name), have->kind, need, &event, why, sizeof why))
        return true;
    /* a pair of readings has three times as many iterations as its shorter one */
    const struct count_options options = {.iterations = ITERATIONS,
                                          .warmup = 1 + (unsigned)(k->warm_iterations / (3 * ITERATIONS)),
                                          .repetitions = REPETITIONS};
    struct window_result result = count_kernel(k, &event, 1, &options, &count);
    if (!count.why[0])
        *per_unit = count.spread.mean;
    return probe_survived(p, &result);
}

static const char EVENT_SEPARATORS[] = " ,\t";

size_t probe_find_events(struct probe *p, const char *list, bool all_wanted, struct event *out, size_t room)
{
    const struct event_core *core = events_core(machine_info()->core_name);
    size_t count = 0;

    for (const char *at = list; *at;) {
        char name[EVENT_NAME], why[160], text[240];
        size_t length = strcspn(at, EVENT_SEPARATORS);
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        at += length + strspn(at + length, EVENT_SEPARATORS);
        if (length == 0)
            continue;
        if (count == room) {
            snprintf(text, sizeof text, "more than %zu are asked for, %s and those behind it are left out", room, name);
            record_warning(&p->run->writer, "events", text);
            break;
        }
        if (events_find(core, machine_counters()->kind, name, &out[count], why, sizeof why)) {
            count++;
        } else if (all_wanted) { /* a core need not have all default events */
            snprintf(text, sizeof text, "%s: %s", name, why);
            record_warning(&p->run->writer, "events", text);
        }
    }
    return count;
}

void count_send_row(struct record *r, const struct event *e, const struct count *c)
{
    record_object(r, NULL);
    record_text(r, "event", e->name);
    record_hex(r, "code", e->code);
    if (c->why[0]) {
        record_text(r, "reason", c->why);
    } else {
        record_integer(r, "slot", c->place.slot);
        record_integer(r, "run", c->place.run);
        record_integer(r, "repetitions", c->spread.count);
        record_number(r, "mean", c->spread.mean);
        record_number(r, "sigma", c->spread.sigma);
        record_number(r, "min", c->spread.least);
        record_number(r, "max", c->spread.most);
    }
    record_close(r);
}

void count_print_row(const struct event *e, const struct count *c)
{
    char line[200];

    if (c->why[0])
        snprintf(line, sizeof line, "    %-40s %s\n", e->name, c->why);
    else
        snprintf(line, sizeof line, "    %-40s %12.3f +- %-10.3f %12.3f to %.3f\n", e->name, c->spread.mean,
                 isnan(c->spread.sigma) ? 0 : c->spread.sigma, c->spread.least, c->spread.most);
    machine_print(line);
}
