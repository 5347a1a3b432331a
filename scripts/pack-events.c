/*
 * Writes the events that libpfm4 knows for some cores as one C table (lib/counters/events/table.h), at build time.
 *
 * usage: pack-events SYMBOL TABLE... >FILE
 * e.g.:  build/events/pack-x86_64 packed_events_x86_64 skl icl >events.c
 *
 * TABLE is libpfm4's name of a core, such as skl. Only libpfm4's public interface is used: it lists events and unit
 * masks, and encodes each for the core's event selector, with bits for privilege and enabling that are dropped here.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/pfmlib.h>

enum { NAME_BYTES = 160, EVENTS = 65535, VALUES = 65535 };

/* USR, OS, INT and EN of an x86 selector (SDM vol. 3B, 20.2.1.1; APM vol. 2, 13.2.1). */
static const uint64_t x86_enables = 0x530000;
/* evtCount of an Arm one (DDI 0487, PMEVTYPER<n>_EL0). */
static const uint64_t arm_event = 0xffff;

struct event {
    char *name;
    uint64_t code;
    size_t value; /* index into values */
};

static struct event events[EVENTS];
static size_t event_count;
static uint64_t values[VALUES] = {0}; /* the first stands for none */
static size_t value_count = 1;

/*
 * Events that libpfm4 4.13 encodes wrongly, according to Intel's lists; lib/counters/events/intel.c has the right
 * codes. In most of them libpfm4 has the event number 0, which only fixed counters have, instead of A4 or 3C.
 */
static const struct {
    const char *table, *event;
} mistakes[] = {
    {"glm", "cpu_clk_unhalted.core_p"},
    {"glm", "cpu_clk_unhalted.ref"},
    {"icl", "topdown.backend_bound_slots"},
    {"icl", "topdown.br_mispredict_slots"},
    {"spr", "topdown.backend_bound_slots"},
    {"spr", "topdown.bad_spec_slots"},
    {"spr", "topdown.br_mispredict_slots"},
    {"spr", "topdown.memory_bound_slots"},
    {"spr", "uops_retired.ms"},                /* C2/08, which is C2/04 with a value in FRONTEND */
    {"spr", "int_misc.unknown_branch_cycles"}, /* AD/07, which is AD/40 with one */
};

static bool is_mistake(const char *table, const char *event)
{
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++)
        if (!strcmp(mistakes[i].table, table) && !strcmp(mistakes[i].event, event))
            return true;
    return false;
}

static void die(const char *what, const char *about)
{
    fprintf(stderr, "pack-events: %s: %s\n", about, what);
    exit(1);
}

static size_t value_index(uint64_t value)
{
    for (size_t i = 1; i < value_count; i++)
        if (values[i] == value)
            return i;
    if (value_count == VALUES)
        die("too many register values", "libpfm4");
    values[value_count] = value;
    return value_count++;
}

/* Adds "event.umask" if libpfm4 can encode it by itself: some masks only select among others' answers. */
static void add(const pfm_pmu_info_t *pmu, const char *event, const char *umask)
{
    char text[NAME_BYTES], name[NAME_BYTES];

    pfm_pmu_encode_arg_t encoded = {.size = sizeof encoded};

    snprintf(text, sizeof text, "%s::%s%s%s", pmu->name, event, umask ? ":" : "", umask ? umask : "");
    if (pfm_get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &encoded) != PFM_SUCCESS)
        return;
    snprintf(name, sizeof name, "%s%s%s", event, umask ? "." : "", umask ? umask : "");
    for (char *at = name; *at; at++)
        *at = *at == ':' ? '.' : (char)tolower((unsigned char)*at);
    if (is_mistake(pmu->name, name))
        return;
    if (event_count == EVENTS)
        die("too many events", pmu->name);
    struct event *e = &events[event_count++];
    bool arm = !strncmp(pmu->name, "arm_", 4);
    e->name = strdup(name);
    e->code = arm ? encoded.codes[0] & arm_event : encoded.codes[0] & ~x86_enables;
    e->value = !arm && encoded.count > 1 ? value_index(encoded.codes[1]) : 0;
    free(encoded.codes);
    if (e->code >> 48)
        die("its code is wider than a selector", text);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct event *)a)->name, ((const struct event *)b)->name);
}

/* Gathers one core's events behind those that are there, sorted, each name once. Returns how many. */
static size_t gather(const char *table)
{
    pfm_pmu_info_t pmu = {0};
    size_t first = event_count, kept = event_count;
    int i;

    pfm_for_all_pmus(i)
    {
        pmu = (pfm_pmu_info_t){.size = sizeof pmu};
        if (pfm_get_pmu_info((pfm_pmu_t)i, &pmu) == PFM_SUCCESS && !strcmp(pmu.name, table))
            break;
        pmu.name = NULL;
    }
    if (!pmu.name)
        die("libpfm4 has no such table", table);
    for (int e = pmu.first_event; e != -1; e = pfm_get_event_next(e)) {
        pfm_event_info_t event = {.size = sizeof event};
        bool masks = false;
        if (pfm_get_event_info(e, PFM_OS_NONE, &event) != PFM_SUCCESS)
            die("an event cannot be read", table);
        for (int a = 0; a < event.nattrs; a++) {
            pfm_event_attr_info_t attribute = {.size = sizeof attribute};
            if (pfm_get_event_attr_info(e, a, PFM_OS_NONE, &attribute) != PFM_SUCCESS)
                die("an attribute cannot be read", event.name);
            if (attribute.type != PFM_ATTR_UMASK)
                continue;
            masks = true;
            add(&pmu, event.name, attribute.name);
        }
        if (!masks)
            add(&pmu, event.name, NULL);
    }
    qsort(events + first, event_count - first, sizeof events[0], by_name);
    for (size_t n = first; n < event_count; n++)
        if (n == first || strcmp(events[n].name, events[kept - 1].name) != 0)
            events[kept++] = events[n];
    event_count = kept;
    if (kept == first)
        die("libpfm4's table is empty", table);
    return kept - first;
}

/* ---- Output -------------------------------------------------------------------------------------- */

static int by_pointed_name(const void *a, const void *b)
{
    return by_name(*(struct event *const *)a, *(struct event *const *)b);
}

/* Prints every different name once, and leaves in offset[] where each event's begins. */
static void print_names(size_t *offset)
{
    struct event **sorted = calloc(event_count, sizeof(struct event *));
    size_t next = 0, at = 0;

    if (!sorted)
        die("memory is short", "names");
    for (size_t i = 0; i < event_count; i++)
        sorted[i] = &events[i];
    qsort(sorted, event_count, sizeof(struct event *), by_pointed_name);
    printf("static const char names[] =\n");
    for (size_t i = 0; i < event_count; i++) {
        if (i == 0 || strcmp(sorted[i]->name, sorted[i - 1]->name) != 0) {
            printf("    \"%s\\0\"\n", sorted[i]->name);
            at = next;
            next += strlen(sorted[i]->name) + 1;
        }
        offset[sorted[i] - events] = at;
    }
    printf("    ;\n\n");
    free(sorted);
}

int main(int count, char **words)
{
    static size_t offset[EVENTS];

    if (count < 3)
        die("usage: pack-events SYMBOL TABLE… >FILE", "arguments");
    /* The cores are not this machine's. */
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    if (pfm_initialize() != PFM_SUCCESS)
        die("cannot be initialised", "libpfm4");

    printf("/* Made by scripts/pack-events.c from libpfm4. */\n#include \"lib/counters/events/table.h\"\n\n");
    printf("static const struct packed_table tables[] = {\n");
    for (int i = 2; i < count; i++) {
        size_t first = event_count;
        printf("    {\"%s\", %zu, %zu},\n", words[i], first, gather(words[i]));
    }
    printf("    {NULL, 0, 0},\n};\n\n");
    print_names(offset);
    printf("static const struct packed_event events[] = {\n");
    for (size_t i = 0; i < event_count; i++)
        printf("    {%zu, 0x%x, 0x%x, 0x%x, %zu},\n", offset[i], (unsigned)(events[i].code & 0xffffffff),
               (unsigned)(events[i].code >> 32 & 0xff), (unsigned)(events[i].code >> 40 & 0xff), events[i].value);
    printf("};\n\nstatic const uint64_t values[] = {\n");
    for (size_t i = 0; i < value_count; i++)
        printf("    0x%llx,\n", (unsigned long long)values[i]);
    printf("};\n\nconst struct packed_events %s = {tables, events, names, values};\n", words[1]);
    return fflush(stdout) == 0 ? 0 : 1;
}
