/*
 * fathom counters: on which counter each event would be counted, on this or any known core, and in how many runs.
 */
#define _GNU_SOURCE
#include "boot/linux/counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/identify.h"
#include "boot/linux/machine.h"
#include "boot/linux/window.h"
#include "lib/base/record.h"
#include "lib/counters/events.h"
#include "lib/machine.h"
#include "lib/plan/config.h"

/* Exit statuses. */
enum { DONE = 0, UNMET = 1, USAGE = 2, UNKNOWN_CORE = 3 };

enum { WHY_BYTES = 320, CORES = 160 };

static const char help_text[] =
    "fathom counters: which performance counter counts which event.\n"
    "\n"
    "  fathom counters [--core NAME] EVENT…       the plan: run, counter and encoding of each event\n"
    "  fathom counters --list [--core NAME] [WORD…]   the core's events, those whose names hold all words\n"
    "  fathom counters --cores                    the known cores\n"
    "\n"
    "  --core NAME    plan for that core; by default for the one the program runs on\n"
    "  --json         records instead of text\n"
    "\n"
    "An EVENT is a name that is the same on every core (cycles, instructions, l1i_misses; --list shows these first);\n"
    "the vendor's name (uops_issued.any, ls_dispatch.ld_dispatch); or a number (0x1c2, r01c2), on x86 with the unit\n"
    "mask in bits 15:8. Modifiers may follow: :c=N counts the cycles with at least N events, :i inverts that "
    "condition,\n"
    ":e counts how often it becomes true; :x=VALUE is the value of the additional register that some Intel events\n"
    "need; :chain uses two counters of an Arm core for one event.\n"
    "\n"
    "Every event gets a counter if that is possible at all, in the fewest runs; the order in which events are named\n"
    "does not matter.\n"
    "\n"
    "Exit status: 0 every event has a counter; 1 an event is not known, or no counter can count it; 2 wrong\n"
    "arguments; 3 the core is not known.\n"
    "\n"
    "Examples: fathom counters --core apple-m1 inst_ldst l1d_tlb_miss branch_mispred_nonspec\n"
    "          fathom counters --core golden-cove cycles instructions uops_issued.any:c=1:i lsd.uops\n"
    "          fathom counters --list --core zen4 tlb\n";

struct arguments {
    const char *core; /* NULL: the one that the program runs on */
    bool list, cores, json;
    const char **words;
    size_t count;
};

static int usage_error(const char *what, const char *about)
{
    fprintf(stderr, "fathom: counters: %s%s%s\nTry 'fathom counters --help'.\n", about, *about ? ": " : "", what);
    return USAGE;
}

/* Returns DONE, or the exit status after a message to standard error. */
static int parse(struct arguments *a, int count, char **words)
{
    for (int i = 0; i < count; i++) {
        const char *word = words[i];
        if (!strcmp(word, "--list"))
            a->list = true;
        else if (!strcmp(word, "--cores"))
            a->cores = true;
        else if (!strcmp(word, "--json"))
            a->json = true;
        else if (!strcmp(word, "--core") && i + 1 < count)
            a->core = words[++i];
        else if (word[0] == '-')
            return usage_error("the option is unknown, or its value is missing", word);
        else
            a->words[a->count++] = word;
    }
    if (a->list && a->cores)
        return usage_error("only one of them can be given", "--list, --cores");
    if (a->cores && (a->count || a->core))
        return usage_error("no other argument than --json can be given with it", "--cores");
    if (!a->list && !a->cores && !a->count)
        return usage_error("no event is named; --list lists them", "");
    if (!a->list && a->count > ALLOCATE_EVENTS)
        return usage_error("there are too many events to plan at once, from here on", a->words[ALLOCATE_EVENTS]);
    return DONE;
}

/* ---- The core ------------------------------------------------------------------------------------ */

struct target {
    const struct event_core *core;
    bool here;               /* it is the one the program runs on */
    uint64_t slots;          /* counters that are free here; for another core, all that such a core has */
    const char *no_counters; /* why this program cannot use the counters of this core */
};

static void print_cores(FILE *out)
{
    const char *names[CORES];
    size_t count = events_cores(names, CORES), column = 0;

    for (size_t i = 0; i < count; i++) {
        column += (size_t)fprintf(out, "%s%s", column ? " " : "", names[i]);
        if (column > 96 || i + 1 == count) {
            fputc('\n', out);
            column = 0;
        }
    }
}

/* Returns DONE, or the exit status after a message to standard error. */
static int find_core(const struct arguments *a, struct target *t)
{
    struct identity id;
    const struct counters *have = NULL;

    *t = (struct target){0};
    identify(&id);
    const char *name = a->core ? a->core : id.core_name;
    t->core = events_core(name);
    t->here = !a->core || (*id.core_name && !strcmp(name, id.core_name));
    if (t->here) {
        struct config config;
        config_defaults(&config);
        t->no_counters = machine_start(&config);
        have = t->no_counters ? NULL : machine_counters();
        if (have)
            t->no_counters = have->why_not;
        if (have && !t->core)
            t->core = events_unknown(have->kind);
    }
    if (!t->core) {
        if (a->core)
            fprintf(stderr, "fathom: counters: no core is named %s; these are known:\n", name);
        else
            fprintf(stderr, "fathom: counters: this core (%s) is not known; choose one with --core:\n", id.model);
        print_cores(stderr);
        return UNKNOWN_CORE;
    }
    t->slots = have && !have->why_not ? have->slots & ~have->taken : events_slots(t->core);
    return DONE;
}

/* Names a counter by the vendor's number, as "3", "fixed 0", or "4 and 5" for an event that needs two. */
static void name_slot(enum counters_kind kind, unsigned slot, unsigned width, char *out, size_t room)
{
    if (slot >= COUNTER_FIXED && kind == COUNTERS_PMUV3)
        snprintf(out, room, "%s", slot == COUNTER_FIXED ? "PMCCNTR" : "PMICNTR");
    else if (slot >= COUNTER_FIXED)
        snprintf(out, room, "fixed %u", slot - COUNTER_FIXED);
    else if (width > 1)
        snprintf(out, room, "%u and %u", slot, slot + 1);
    else
        snprintf(out, room, "%u", slot);
}

/* ---- Records to standard output ------------------------------------------------------------------- */

static bool write_bytes(void *context, const char *bytes, size_t count)
{
    (void)context;
    return fwrite(bytes, 1, count, stdout) == count;
}

static void start_records(struct writer *w)
{
    writer_start(w);
    writer_add(w, (struct sink){.name = "standard output", .write = write_bytes});
}

static void record_target(struct record *r, const struct target *t)
{
    record_text(r, "core", events_name(t->core));
    record_text(r, "source", events_source(t->core));
    record_boolean(r, "here", t->here);
    if (t->no_counters)
        record_text(r, "no_counters", t->no_counters);
}

/* ---- --cores, --list ------------------------------------------------------------------------------- */

static int list_cores(const struct arguments *a)
{
    const char *names[CORES];
    size_t count = events_cores(names, CORES);

    if (!a->json) {
        for (size_t i = 0; i < count; i++)
            printf("%-16s %s\n", names[i], events_source(events_core(names[i])));
        return DONE;
    }
    struct writer w;
    struct record r;
    start_records(&w);
    record_start(&r, &w, "cores");
    record_array(&r, "cores");
    for (size_t i = 0; i < count; i++)
        record_text(&r, NULL, names[i]);
    record_close(&r);
    record_send(&r);
    writer_stop(&w);
    return DONE;
}

static bool has_words(const struct arguments *a, const char *name, const char *need)
{
    for (size_t i = 0; i < a->count; i++)
        if (!strstr(name, a->words[i]) && !(need && strstr(need, a->words[i])))
            return false;
    return true;
}

static const char *need_text(const char *need)
{
    for (size_t i = 0; i < event_need_count; i++)
        if (!strcmp(event_needs[i].name, need))
            return event_needs[i].text;
    return "";
}

/* Lists counters as "0-3" or "fixed 0, 0-7". */
static void name_slots(enum counters_kind kind, uint64_t slots, char *out, size_t room)
{
    size_t used = 0;
    char name[24];

    out[0] = 0;
    for (unsigned i = 0; i < 64; i++) {
        unsigned slot = (i + COUNTER_FIXED) % 64, end = slot;
        if (!(slots >> slot & 1) || used >= room)
            continue;
        while (slot < COUNTER_FIXED && end + 1 < COUNTER_FIXED && slots >> (end + 1) & 1)
            end++;
        name_slot(kind, slot, 1, name, sizeof name);
        used += (size_t)snprintf(out + used, room - used, "%s%s", used ? ", " : "", name);
        if (end > slot && used < room)
            used += (size_t)snprintf(out + used, room - used, "-%u", end);
        i += end - slot;
    }
    if (!slots)
        snprintf(out, room, "none");
}

static int list_events(const struct arguments *a, const struct target *t)
{
    struct event e;
    const char *need;
    struct writer w;
    struct record r;
    size_t shown = 0;

    if (a->json) {
        start_records(&w);
        record_start(&r, &w, "events");
        record_target(&r, t);
        record_array(&r, "events");
    } else {
        printf("%s: events of %s\n", events_name(t->core), events_source(t->core));
    }
    for (size_t i = 0; events_at(t->core, i, &e, &need); i++) {
        char counters[64], code[64];
        if (!has_words(a, e.name, need))
            continue;
        shown++;
        if (a->json) {
            record_object(&r, NULL);
            record_text(&r, "name", e.name);
            if (need)
                record_text(&r, "need", need);
            record_hex(&r, "code", e.code);
            record_hex(&r, "slots", e.demand.slots & events_slots(t->core));
            if (e.demand.width > 1)
                record_integer(&r, "width", e.demand.width);
            if (e.demand.resource[0])
                record_hex(&r, "value", e.demand.value);
            record_close(&r);
            continue;
        }
        name_slots(events_kind(t->core), e.demand.slots & events_slots(t->core), counters, sizeof counters);
        int n = snprintf(code, sizeof code, "0x%llx", (unsigned long long)e.code);
        if (e.demand.resource[0])
            snprintf(code + n, sizeof code - (size_t)n, ":x=0x%llx", (unsigned long long)e.demand.value);
        if (need)
            printf("  %-24s %-44s %-14s %s\n", need, e.name, code, need_text(need));
        else
            printf("  %-69s %-14s %s%s\n", e.name, code, counters, e.demand.width > 1 ? ", and the one behind" : "");
    }
    if (a->json) {
        record_close(&r);
        record_send(&r);
        writer_stop(&w);
    } else {
        printf("%zu events\n", shown);
    }
    return DONE;
}

/* ---- The plan -------------------------------------------------------------------------------------- */

struct request {
    const char *word;
    struct event event;
    size_t place; /* index into places: the same event asked for twice is counted once */
};

struct plan {
    struct request requests[ALLOCATE_EVENTS];
    size_t count;
    struct demand demands[ALLOCATE_EVENTS];
    const char *keys[ALLOCATE_EVENTS];
    struct place places[ALLOCATE_EVENTS];
    size_t distinct;
    unsigned runs;
    bool least;
};

/* Looks up all events. False when one is not known; a message names each of those. */
static bool find_events(const struct arguments *a, const struct target *t, struct plan *p)
{
    bool all = true;

    for (size_t i = 0; i < a->count; i++) {
        struct request *request = &p->requests[p->count];
        char why[WHY_BYTES];
        request->word = a->words[i];
        if (!events_find(t->core, events_kind(t->core), a->words[i], &request->event, why, sizeof why)) {
            fprintf(stderr, "fathom: counters: %s\n", why);
            all = false;
            continue;
        }
        size_t same = 0;
        while (same < p->count && strcmp(p->requests[same].event.name, request->event.name) != 0)
            same++;
        request->place = same < p->count ? p->requests[same].place : p->distinct;
        if (same == p->count) {
            p->demands[p->distinct] = request->event.demand;
            p->keys[p->distinct++] = request->event.name;
        }
        p->count++;
    }
    return all;
}

static int by_place(const void *left, const void *right, void *context)
{
    const struct request *a = left, *b = right;
    const struct plan *p = context;
    const struct place *x = &p->places[a->place], *y = &p->places[b->place];
    unsigned first = (x->slot + 32) % 64, second = (y->slot + 32) % 64; /* fixed counters first */

    if (x->run != y->run)
        return x->run < y->run ? -1 : 1;
    if (first != second)
        return first < second ? -1 : 1;
    return strcmp(a->word, b->word);
}

static void print_plan(const struct target *t, const struct plan *p)
{
    printf("%s: %zu %s in %u %s", events_name(t->core), p->distinct, p->distinct == 1 ? "event" : "events", p->runs,
           p->runs == 1 ? "run" : "runs");
    if (p->runs > 1)
        printf("%s", p->least ? ", the fewest possible" : "; fewer may be possible");
    printf("\n  run  counter   %-44s %s\n", "event", "code");
    for (size_t i = 0; i < p->count; i++) {
        const struct request *request = &p->requests[i];
        const struct place *at = &p->places[request->place];
        struct counter_setting set[2];
        char slot[24], code[24], besides[64] = "";
        bool two = events_settings(&request->event, at, set) > 1;
        name_slot(events_kind(t->core), at->slot, request->event.demand.width, slot, sizeof slot);
        snprintf(code, sizeof code, "0x%llx", (unsigned long long)set[0].code);
        if (set[0].extra)
            snprintf(besides, sizeof besides, "register 0x%x = 0x%llx", set[0].extra,
                     (unsigned long long)set[0].extra_value);
        else if (two)
            snprintf(besides, sizeof besides, "next counter 0x%llx", (unsigned long long)set[1].code);
        const char *need = strcmp(request->word, request->event.name) != 0 ? request->word : NULL;
        char name[EVENT_NAME * 2];
        snprintf(name, sizeof name, "%s%s%s%s", request->event.name, need ? " (" : "", need ? need : "",
                 need ? ")" : "");
        printf("  %3u  %-9s %-44s %-*s%s\n", at->run + 1, slot, name, *besides ? 15 : 0, code, besides);
    }
    if (t->no_counters)
        printf("This is a plan only; the counters of this core cannot be used here: %s.\n", t->no_counters);
}

static void record_plan(const struct target *t, const struct plan *p)
{
    struct writer w;
    struct record r;

    start_records(&w);
    record_start(&r, &w, "plan");
    record_target(&r, t);
    record_integer(&r, "runs", p->runs);
    record_boolean(&r, "least", p->least);
    record_array(&r, "events");
    for (size_t i = 0; i < p->count; i++) {
        const struct request *request = &p->requests[i];
        const struct place *at = &p->places[request->place];
        struct counter_setting set[2];
        char slot[24];
        size_t settings = events_settings(&request->event, at, set);
        name_slot(events_kind(t->core), at->slot, request->event.demand.width, slot, sizeof slot);
        record_object(&r, NULL);
        record_text(&r, "asked", request->word);
        record_text(&r, "event", request->event.name);
        record_text(&r, "source", request->event.source);
        record_integer(&r, "run", at->run + 1);
        record_text(&r, "counter", slot);
        record_integer(&r, "slot", at->slot);
        record_hex(&r, "code", set[0].code);
        record_integer(&r, "width", request->event.demand.width);
        if (settings > 1)
            record_hex(&r, "next_code", set[1].code);
        if (set[0].extra) {
            record_hex(&r, "register", set[0].extra);
            record_hex(&r, "value", set[0].extra_value);
        }
        record_close(&r);
    }
    record_close(&r);
    record_send(&r);
    writer_stop(&w);
}

static int plan_events(const struct arguments *a, const struct target *t)
{
    static struct plan plan;
    size_t unmet;

    if (!find_events(a, t, &plan))
        return UNMET;
    plan.runs = allocate(plan.demands, plan.keys, plan.distinct, t->slots, plan.places, &unmet, &plan.least);
    if (!plan.runs) {
        if (unmet < plan.distinct)
            fprintf(stderr, "fathom: counters: no counter that is free can count %s\n", plan.keys[unmet]);
        else
            fprintf(stderr, "fathom: counters: there is not enough memory\n");
        return UNMET;
    }
    qsort_r(plan.requests, plan.count, sizeof plan.requests[0], by_place, &plan);
    if (a->json)
        record_plan(t, &plan);
    else
        print_plan(t, &plan);
    return DONE;
}

int command_counters(int count, char **words)
{
    struct arguments a = {0};
    struct target target;

    for (int i = 0; i < count; i++) {
        if (!strcmp(words[i], "--help") || !strcmp(words[i], "-h")) {
            fputs(help_text, stdout);
            return DONE;
        }
    }
    a.words = calloc((size_t)count + 1, sizeof *a.words);
    if (!a.words)
        return usage_error("there is not enough memory", "");
    int status = parse(&a, count, words);
    if (status == DONE && a.cores)
        status = list_cores(&a);
    else if (status == DONE && (status = find_core(&a, &target)) == DONE)
        status = a.list ? list_events(&a, &target) : plan_events(&a, &target);
    if (fflush(stdout) != 0 && status == DONE)
        status = UNMET;
    free(a.words);
    return status;
}
