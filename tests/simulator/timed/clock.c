/*
 * Cycles of a modelled core (tests/model/core.h) that executes the whole program, its C code too.
 *
 * A design is described by settings with commas between them, each a key and a number: "rob=96,return_stack=12". What
 * is not set is as in `defaults`: a small out-of-order core, with every structure that fathom has to find.
 */
#include "tests/simulator/clock.h"

#include <stdlib.h>
#include <string.h>

#include "tests/model/core.h"
#include "tests/simulator/simulator.h"

static struct core *core;

static const struct core_design defaults = {
    .width = 4,
    .retire = 4,
    .multiply = 3,
    .root = 12,
    .units = 4,
    .in_flight = {.most = {[RESOURCE_ENTRY] = 128,
                           [RESOURCE_GENERAL] = 80,
                           [RESOURCE_VECTOR] = 72,
                           [RESOURCE_LOAD] = 40,
                           [RESOURCE_STORE] = 32},
                  .flags_are_general = true},
    .schedulers = {.entries = {[WAITS_GENERAL] = 32, [WAITS_VECTOR] = 24, [WAITS_LOAD] = 20, [WAITS_STORE] = 16}},
    .data = {{.bytes = 32 << 10, .ways = 8, .latency = 4}, {.bytes = 512 << 10, .ways = 8, .latency = 14}},
    .memory_latency = 120,
    .load_store = {.loads = 2, .stores = 1, .port_bytes = 16, .forward = 5},
    .contiguous = true,
    .l1i = {.bytes = 32 << 10, .ways = 8},
    .l1i_fetch = 32,
    .l2_fetch = 8,
    .far_fetch = 2,
    .fetch_bytes = 32,
    .targets = {{.sets = 256, .ways = 4, .low = 4, .cycles = 1}},
    .redirect = 8,
    .pages = {{.sets = 1, .ways = 48, .miss = 7}, {.sets = 128, .ways = 8, .miss = 30}},
    .data_pages = {{.sets = 1, .ways = 64, .miss = 7}, {.sets = 128, .ways = 8, .miss = 30}},
    .prefetchers = {.stride = {.train = 3, .degree = 4, .distance = 4, .lines = 32, .into = 1}}, /* without entries */
    .return_stack = 16,
    .outcomes = 4096,
    .history = 16,
    .history_enters = {[HISTORY_TAKEN] = true},
    .penalty = 14,
};

/* Kinds of numbers that a setting may change. */
enum type { COUNT, SIZE, CYCLES, FLAG };
static const struct setting {
    const char *key;
    enum type type;
    size_t at; /* in struct core_design */
} settings[] = {
#define AT(member) offsetof(struct core_design, member)
    {"width", COUNT, AT(width)},
    {"retire", COUNT, AT(retire)},
    {"units", COUNT, AT(units)},
    {"multiply", CYCLES, AT(multiply)},
    {"root", CYCLES, AT(root)},
    {"rob", COUNT, AT(in_flight.most[RESOURCE_ENTRY])},
    {"group", COUNT, AT(in_flight.group)},
    {"registers", COUNT, AT(in_flight.most[RESOURCE_GENERAL])},
    {"flags", COUNT, AT(in_flight.most[RESOURCE_FLAGS])},
    {"flags_are_general", FLAG, AT(in_flight.flags_are_general)},
    {"vectors", COUNT, AT(in_flight.most[RESOURCE_VECTOR])},
    {"loads", COUNT, AT(in_flight.most[RESOURCE_LOAD])},
    {"stores", COUNT, AT(in_flight.most[RESOURCE_STORE])},
    {"branches", COUNT, AT(in_flight.most[RESOURCE_BRANCH])},
    {"scheduler", COUNT, AT(schedulers.entries[WAITS_GENERAL])},
    {"vector_scheduler", COUNT, AT(schedulers.entries[WAITS_VECTOR])},
    {"load_scheduler", COUNT, AT(schedulers.entries[WAITS_LOAD])},
    {"store_scheduler", COUNT, AT(schedulers.entries[WAITS_STORE])},
    {"single_scheduler", FLAG, AT(schedulers.single)},
    {"load_ports", COUNT, AT(load_store.loads)},
    {"store_ports", COUNT, AT(load_store.stores)},
    {"misses", COUNT, AT(load_store.misses)},
    {"return_stack", COUNT, AT(return_stack)},
    {"l1d", SIZE, AT(data[0].bytes)},
    {"l1d_ways", SIZE, AT(data[0].ways)},
    {"l1d_latency", CYCLES, AT(data[0].latency)},
    {"l2", SIZE, AT(data[1].bytes)},
    {"l2_ways", SIZE, AT(data[1].ways)},
    {"l2_latency", CYCLES, AT(data[1].latency)},
    {"l3", SIZE, AT(data[2].bytes)},
    {"l3_ways", SIZE, AT(data[2].ways)},
    {"l3_latency", CYCLES, AT(data[2].latency)},
    {"memory", CYCLES, AT(memory_latency)},
    {"l1i", SIZE, AT(l1i.bytes)},
    {"l1i_ways", SIZE, AT(l1i.ways)},
    {"l1i_fetch", CYCLES, AT(l1i_fetch)},
    {"l2_fetch", CYCLES, AT(l2_fetch)},
    {"far_fetch", CYCLES, AT(far_fetch)},
    {"fetch_bytes", COUNT, AT(fetch_bytes)},
    {"dtlb", SIZE, AT(data_pages[0].ways)},
    {"dtlb_miss", CYCLES, AT(data_pages[0].miss)},
    {"dtlb2_sets", SIZE, AT(data_pages[1].sets)},
    {"dtlb2_ways", SIZE, AT(data_pages[1].ways)},
    {"dtlb2_miss", CYCLES, AT(data_pages[1].miss)},
    {"itlb", SIZE, AT(pages[0].ways)},
    {"itlb_miss", CYCLES, AT(pages[0].miss)},
    {"itlb2_sets", SIZE, AT(pages[1].sets)},
    {"itlb2_ways", SIZE, AT(pages[1].ways)},
    {"itlb2_miss", CYCLES, AT(pages[1].miss)},
    {"btb_sets", SIZE, AT(targets[0].sets)},
    {"btb_ways", SIZE, AT(targets[0].ways)},
    {"btb_low", COUNT, AT(targets[0].low)},
    {"btb_cycles", CYCLES, AT(targets[0].cycles)},
    {"btb2_sets", SIZE, AT(targets[1].sets)},
    {"btb2_ways", SIZE, AT(targets[1].ways)},
    {"btb2_low", COUNT, AT(targets[1].low)},
    {"btb2_cycles", CYCLES, AT(targets[1].cycles)},
    {"redirect", CYCLES, AT(redirect)},
    {"stride_entries", COUNT, AT(prefetchers.stride.entries)},
    {"stride_degree", COUNT, AT(prefetchers.stride.degree)},
    {"stride_distance", COUNT, AT(prefetchers.stride.distance)},
    {"penalty", CYCLES, AT(penalty)},
#undef AT
};

static void set_one(struct core_design *d, const char *key, size_t length, const char *value)
{
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        const struct setting *s = &settings[i];
        if (strlen(s->key) != length || strncmp(s->key, key, length) != 0)
            continue;
        void *const at = (uint8_t *)d + s->at;
        if (s->type == COUNT)
            *(unsigned *)at = (unsigned)strtoul(value, NULL, 10);
        else if (s->type == SIZE)
            *(size_t *)at = strtoul(value, NULL, 10);
        else if (s->type == FLAG)
            *(bool *)at = strtoul(value, NULL, 10) != 0;
        else
            *(double *)at = strtod(value, NULL);
        return;
    }
    die("the core has no such setting", length);
}

void clock_start(const char *design)
{
    struct core_design d = defaults;

    for (const char *at = design; at && *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',')) {
        const size_t length = strcspn(at, "=");
        set_one(&d, at, length, at + length + 1);
    }
    core = core_around(&d, sim.uc);
}

uint64_t clock_at(uint64_t pc)
{
    return (uint64_t)core_reach(core, pc);
}

uint64_t clock_now(void)
{
    return (uint64_t)core_time(core);
}
