/*
 * Counters: which performance counters does this core have, do they count, and what do kernels cost in events?
 *
 * A counter is accepted only after it has counted a chain of known length correctly: registers that can be written
 * prove nothing. Instructions and cycles are counted on each counter that can, and all must agree. Then every event of
 * the configuration (`events`) is counted over built-in kernels (`kernels`; lib/kernels/built_in.h), of which it is
 * known what one iteration executes, so that names and numbers can be checked.
 *
 * Result: the number of counters, and a table of kernels by events: mean and standard deviation, minimum and maximum,
 * of one iteration, after a warm-up. Each value is the difference of a reading and one twice as long. With
 * `counters = discover`, also which event numbers count anything, on which counters, and what they seem to mean.
 *
 * Method: docs/METHODS.md, 8.3.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/record.h"
#include "lib/counters/count.h"
#include "lib/finding/report.h"
#include "lib/kernels/built_in.h"
#include "lib/probe/count.h"
#include "lib/probe/probe.h"
#include "lib/probe/table.h"
#include "lib/structure/counter_discovery.h"

enum { EVENTS_AT_MOST = 48 };

static const char default_events[] = "cycles instructions branches mispredicts loads stores l1d_misses";

/* Whether a list of names, separated by blanks or commas, has this one. */
static bool list_has(const char *list, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = list; (at = strstr(at, name)); at += length)
        if ((at == list || strchr(" ,", at[-1])) && strchr(" ,", at[length]))
            return true;
    return false;
}

/* ---- The table ------------------------------------------------------------------------------------- */

static void send_table(struct probe *p, const char *name, const struct built_in *kind, const struct work *work,
                       const struct event *events, size_t count, const struct count *counts)
{
    struct record r;

    record_table(p, &r, name);
    record_text(&r, "kernel", kind->name);
    record_text(&r, "text", kind->text);
    record_object(&r, "emitted"); /* by one iteration */
    record_integer(&r, "instructions", work->instructions);
    record_integer(&r, "branches", work->branches);
    record_integer(&r, "loads", work->loads);
    record_integer(&r, "stores", work->stores);
    record_close(&r);
    record_array(&r, "rows");
    for (size_t i = 0; i < count; i++)
        count_send_row(&r, &events[i], &counts[i]);
    record_close(&r);
    record_send(&r);
}

static void print_table(const struct built_in *kind, const struct work *work, const struct event *events, size_t count,
                        const struct count *counts)
{
    char line[160];

    snprintf(line, sizeof line, "  %s (%s; %llu instructions): an iteration\n", kind->name, kind->text,
             (unsigned long long)work->instructions);
    machine_print(line);
    for (size_t i = 0; i < count; i++)
        count_print_row(&events[i], &counts[i]);
}

/*
 * Counts the same event on each counter that can count it, over the chain of additions: they must agree, whatever
 * tables and registers say. `work` is what an iteration of `k` executes.
 */
static bool count_on_each(struct probe *p, const struct work *work, const struct kernel *k, const char *need,
                          const struct count_options *options)
{
    static struct event each[COUNTER_SLOTS];
    static struct count counts[COUNTER_SLOTS];
    const struct counters *have = machine_counters();
    struct event event;
    char why[160];
    size_t count = 0;

    if (!events_find(events_core(machine_info()->core_name), have->kind, need, &event, why, sizeof why))
        return true; /* this core has none */
    for (unsigned slot = 0; slot < COUNTER_SLOTS; slot++) {
        uint64_t bit = UINT64_C(1) << slot;
        if (!(event.demand.slots & have->slots & ~have->taken & bit))
            continue;
        each[count] = event;
        each[count++].demand.slots = bit;
    }
    struct window_result result = count_kernel(k, each, count, options, counts);
    if (!probe_survived(p, &result))
        return false;
    send_table(p, "each-counter", &built_in_kernels[0], work, each, count, counts);
    return true;
}

static unsigned ones(uint64_t bits)
{
    unsigned n = 0;

    for (; bits; bits &= bits - 1)
        n++;
    return n;
}

static void report_counters(struct probe *p, const struct counters *have)
{
    const unsigned general = ones(general_counters(have)), fixed = ones(have->slots & ~general_counters(have));
    const char *method = "announced, and each counted a chain of known length correctly";

    report(p, &(struct finding){.name = "system.counters.number",
                                .variants = {{"kind", "general", 0}},
                                .value = general,
                                .low = NAN,
                                .high = NAN,
                                .grade = 'B',
                                .method = method});
    report(p, &(struct finding){.name = "system.counters.number",
                                .variants = {{"kind", "fixed", 0}},
                                .value = fixed,
                                .low = NAN,
                                .high = NAN,
                                .grade = 'B',
                                .method = method});
}

/* ---- Discovery ------------------------------------------------------------------------------------- */

/* The name of the event of that code, in the core's table or in the architecture's; "" for none. */
static const char *known_name(uint64_t code)
{
    const struct event_core *core = events_core(machine_info()->core_name);
    const char *need;
    static struct event event;

    if (!core)
        core = events_unknown(machine_counters()->kind);
    for (size_t i = 0; core && events_at(core, i, &event, &need); i++)
        if (!need && event.code == code)
            return event.name;
    return "";
}

static void send_discovered(struct probe *p, const struct discovery *d, const struct discovered_event *e)
{
    const char *means = discovery_meaning(d, e), *name = known_name(e->code);
    struct record r;
    char line[240], code[24], slots[24];

    record_table(p, &r, "discovered");
    record_hex(&r, "code", e->code);
    if (name[0])
        record_text(&r, "event", name);
    slots[0] = 0;
    if (machine_info()->privileged) { /* else the system chooses the counter */
        record_hex(&r, "slots", e->slots);
        snprintf(slots, sizeof slots, "0x%llx", (unsigned long long)e->slots);
    }
    if (means)
        record_text(&r, "means", means);
    RECORD_COLUMNS(&r, "kernel", "count");
    snprintf(code, sizeof code, "0x%llx", (unsigned long long)e->code);
    int used = snprintf(line, sizeof line, "  %-13s %-9s %-17s", code, slots, means ? means : "");
    for (size_t i = 0; i < DISCOVERY_KERNELS; i++) {
        record_array(&r, NULL);
        record_text(&r, NULL, built_in_kernels[i].name);
        record_number(&r, NULL, e->counts[i]);
        record_close(&r);
        used += snprintf(line + used, sizeof line - (size_t)used, " %7.4g", e->counts[i]);
    }
    record_close(&r);
    record_send(&r);
    snprintf(line + used, sizeof line - (size_t)used, "  %s\n", name);
    machine_print(line);
}

/* Finds out which event numbers count. False: the probe is over. */
static bool discover(struct probe *p, const struct built_in_memory *m)
{
    struct discovery d;
    char line[240];
    const bool done = discovery_run(p, m, &d);

    if (done) {
        snprintf(line, sizeof line, "  %zu of %zu event numbers count something; of one iteration of each kernel:\n",
                 d.count, d.tried);
        machine_print(line);
        int used = snprintf(line, sizeof line, "  %-13s %-9s %-17s", "number", "counters", "means");
        for (size_t i = 0; i < DISCOVERY_KERNELS; i++)
            used += snprintf(line + used, sizeof line - (size_t)used, " %7.7s", built_in_kernels[i].name);
        snprintf(line + used, sizeof line - (size_t)used, "\n");
        machine_print(line);
    }
    for (size_t i = 0; i < d.count && done; i++)
        send_discovered(p, &d, &d.events[i]);
    discovery_free(&d);
    return done;
}

static void run(struct probe *p)
{
    static struct event events[EVENTS_AT_MOST];
    static struct count counts[EVENTS_AT_MOST];
    const struct counters *have = machine_counters();
    const struct count_options options = {.iterations = 200,
                                          .warmup = (unsigned)probe_scale(p, 1, 3, 5, 10),
                                          .repetitions = (unsigned)probe_scale(p, 3, 10, 20, 100)};
    struct built_in_memory memory;
    struct work work;
    struct kernel k;

    if (have->why_not) {
        probe_skip(p, have->why_not);
        return;
    }
    report_counters(p, have);
    if (!built_in_map(p, &memory) || !built_in_build(p, &memory, &built_in_kernels[0], &work, &k) ||
        !count_on_each(p, &work, &k, "instructions", &options) || !count_on_each(p, &work, &k, "cycles", &options) ||
        (p->run->config.discover && !discover(p, &memory)))
        return;
    const char *asked = p->run->config.events;
    size_t count = probe_find_events(p, asked[0] ? asked : default_events, asked[0], events, EVENTS_AT_MOST);
    for (const struct built_in *kind = built_in_kernels; kind->name && count; kind++) {
        if (p->run->config.kernels[0] && !list_has(p->run->config.kernels, kind->name))
            continue;
        machine_progress(kind->text);
        if (!built_in_build(p, &memory, kind, &work, &k))
            return;
        struct window_result result = count_kernel(&k, events, count, &options, counts);
        if (!probe_survived(p, &result))
            return;
        send_table(p, "events", kind, &work, events, count, counts);
        print_table(kind, &work, events, count, counts);
    }
}

PROBE(counters, .title = "Performance counters", .family = "system", .run = run,
      .findings = FINDINGS({"system.counters.number", "counters",
                            "performance counters that this core has and that were shown to count"}));
