/*
 * Counters: what performance counters does this core have, do they count, and what do kernels cost in events?
 *
 * Each counter has to count a chain of known length right before it counts as there: registers that take writes
 * prove nothing. Instructions and cycles are counted on each counter that can, which must agree. Then every event asked
 * for (`events` in the configuration) is counted over built-in kernels (`kernels`), each of which says what one
 * iteration of it executes, so that names and numbers can be believed.
 *
 * Answer: how many counters, and a table, kernel by event: mean ± standard deviation, least … most, for one
 * iteration, after a warm-up. Each value is the difference of a reading and one twice as long.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/counters/count.h"
#include "lib/probe.h"
#include "lib/table.h"

enum { UNROLL = 32, LINE_BYTES = 64, RANDOM_WORDS = 4096, RING_BYTES = 16 << 20, EVENTS_AT_MOST = 48 };

static const char default_events[] = "cycles instructions branches mispredicts loads stores l1d_misses";

struct built_in {
    const char *name, *text;
    /* Emits what is repeated. REG_DATA points at random words, REG_T5 into a random ring of lines, REG_T4 begins with 0. */
    void (*emit)(struct code *c);
};

static void emit_additions(struct code *c)
{
    for (unsigned i = 0; i < UNROLL; i++)
        emit_add(c, REG_T0, REG_T1);
}

static void emit_multiplications(struct code *c)
{
    for (unsigned i = 0; i < UNROLL; i++)
        emit_multiply(c, REG_T0, REG_T1);
}

static void emit_row_of_nops(struct code *c)
{
    for (unsigned i = 0; i < UNROLL; i++)
        emit_nop(c, emit_nop_lengths[0]);
}

static void emit_loads(struct code *c)
{
    for (unsigned i = 0; i < UNROLL; i++)
        emit_load(c, REG_T2, REG_DATA, (int32_t)(8 * i));
}

static void emit_stores(struct code *c)
{
    for (unsigned i = 0; i < UNROLL; i++)
        emit_store(c, REG_T1, REG_DATA, (int32_t)(8 * i));
}

static void emit_taken_branches(struct code *c)
{
    for (unsigned i = 0; i < UNROLL; i++)
        emit_land(c, emit_branch_ahead(c));
}

/*
 * Taken or not by a bit that nothing can predict: half of them are mispredicted. Either way leads to the next
 * instruction, so that the number of instructions is known.
 */
static void emit_random_branches(struct code *c)
{
    emit_move(c, REG_T3, REG_T4);
    emit_and_constant(c, REG_T3, 12); /* RANDOM_WORDS */
    emit_load_indexed(c, REG_T2, REG_DATA, REG_T3);
    for (unsigned i = 0; i < UNROLL; i++) {
        emit_move(c, REG_T3, REG_T2);
        emit_and_constant(c, REG_T3, 1);
        emit_land(c, emit_branch_if_zero_ahead(c, REG_T3));
        emit_shift_right(c, REG_T2, 1);
    }
    emit_add_constant(c, REG_T4, 1);
}

/* A chase through more than the second level holds. */
static void emit_misses(struct code *c)
{
    for (unsigned i = 0; i < UNROLL; i++)
        emit_load(c, REG_T5, REG_T5, 0);
}

static const struct built_in built_in[] = {
    {"additions", "a chain of dependent additions", emit_additions},
    {"multiplications", "a chain of dependent multiplications", emit_multiplications},
    {"nops", "NOPs", emit_row_of_nops},
    {"loads", "independent loads that hit the first-level cache", emit_loads},
    {"stores", "independent stores to the first-level cache", emit_stores},
    {"taken-branches", "unconditional branches to the next instruction", emit_taken_branches},
    {"random-branches", "conditional branches that nothing can predict", emit_random_branches},
    {"misses", "a chase through 16 MiB, or a quarter of the memory", emit_misses},
};
enum { KERNELS = sizeof built_in / sizeof built_in[0] };

/* Whether a list of names, separated by blanks or commas, has this one. */
static bool names(const char *list, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = list; (at = strstr(at, name)); at += length)
        if ((at == list || strchr(" ,", at[-1])) && strchr(" ,", at[length]))
            return true;
    return false;
}

/* ---- Kernels ------------------------------------------------------------------------------------- */

struct bench {
    struct area words; /* RANDOM_WORDS random ones */
    struct area ring;  /* a random cycle through its lines */
    struct work work;  /* of one iteration */
};

static bool fill(struct probe *p, struct bench *b)
{
    size_t room = machine_info()->memory_bytes / 4, ring = room < RING_BYTES ? room : RING_BYTES;

    if (!probe_map(p, &b->words, RANDOM_WORDS * sizeof(uint64_t), 0) || !probe_map_large(p, &b->ring, ring))
        return false;
    uint32_t lines = (uint32_t)(b->ring.bytes / LINE_BYTES), *next = malloc(lines * sizeof *next);
    if (!next)
        return probe_skip(p, "out of memory");
    for (size_t i = 0; i < RANDOM_WORDS; i++)
        ((uint64_t *)b->words.write)[i] = random_next(&p->random);
    random_cycle(next, lines, &p->random);
    for (size_t i = 0; i < lines; i++)
        *(uint64_t *)(b->ring.write + i * LINE_BYTES) = b->ring.at + (size_t)next[i] * LINE_BYTES;
    free(next);
    return true;
}

static bool build(struct probe *p, struct bench *b, const struct built_in *kind, struct kernel *k)
{
    struct code c = probe_code(p, 4096);

    emit_constant(&c, REG_T0, 3);
    emit_constant(&c, REG_T1, 5);
    emit_constant(&c, REG_T4, 0);
    emit_constant(&c, REG_T5, b->ring.at);
    size_t loop = c.used;
    struct work before = c.work;
    kind->emit(&c);
    emit_loop(&c, loop);
    b->work = (struct work){c.work.instructions - before.instructions, c.work.branches - before.branches,
                            c.work.loads - before.loads, c.work.stores - before.stores};
    emit_return(&c);
    *k = (struct kernel){.data = b->words.at, .units = 1};
    return probe_kernel(p, &c, 0, k);
}

/* ---- Events ---------------------------------------------------------------------------------------- */

static size_t find_events(struct probe *p, struct event out[EVENTS_AT_MOST])
{
    const struct event_core *core = events_core(machine_info()->core_name);
    const char *list = p->run->config.events[0] ? p->run->config.events : default_events;
    size_t count = 0;

    for (const char *at = list; *at;) {
        char name[EVENT_NAME], why[160], text[240];
        size_t length = strcspn(at, " ,");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        at += length + strspn(at + length, " ,");
        if (length == 0)
            continue;
        if (count == EVENTS_AT_MOST) {
            snprintf(text, sizeof text, "more than %d are asked for, %s and those behind it are left out",
                     EVENTS_AT_MOST, name);
            record_warning(&p->run->writer, "events", text);
            break;
        }
        if (events_find(core, machine_counters()->kind, name, &out[count], why, sizeof why)) {
            count++;
        } else if (list != default_events) { /* a core need not have all of those */
            snprintf(text, sizeof text, "%s: %s", name, why);
            record_warning(&p->run->writer, "events", text);
        }
    }
    return count;
}

/* ---- The table ------------------------------------------------------------------------------------- */

static void send_row(struct record *r, const struct event *e, const struct count *c)
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

static void print_row(const struct event *e, const struct count *c)
{
    char line[200];

    if (c->why[0])
        snprintf(line, sizeof line, "    %-40s %s\n", e->name, c->why);
    else
        snprintf(line, sizeof line, "    %-40s %12.3f +- %-10.3f %12.3f to %.3f\n", e->name, c->spread.mean,
                 isnan(c->spread.sigma) ? 0 : c->spread.sigma, c->spread.least, c->spread.most);
    machine_print(line);
}

static void send_table(struct probe *p, const char *name, const struct built_in *kind, const struct work *work,
                       const struct event *events, size_t count, const struct count *counts)
{
    struct record r;

    record_table(p, &r, name);
    record_text(&r, "kernel", kind->name);
    record_text(&r, "text", kind->text);
    record_object(&r, "emitted"); /* what one iteration executes */
    record_integer(&r, "instructions", work->instructions);
    record_integer(&r, "branches", work->branches);
    record_integer(&r, "loads", work->loads);
    record_integer(&r, "stores", work->stores);
    record_close(&r);
    record_array(&r, "rows");
    for (size_t i = 0; i < count; i++)
        send_row(&r, &events[i], &counts[i]);
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
        print_row(&events[i], &counts[i]);
}

/*
 * The same event on each counter that can count it, over the chain of additions: they must agree, whatever
 * tables and registers say.
 */
static bool count_on_each(struct probe *p, const struct bench *bench, const struct kernel *k, const char *need,
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
    send_table(p, "each-counter", &built_in[0], &bench->work, each, count, counts);
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
    const uint64_t low = (UINT64_C(1) << COUNTER_FIXED) - 1, apple = have->kind == COUNTERS_APPLE ? 3 : 0;
    const unsigned general = ones(have->slots & low & ~apple), fixed = ones(have->slots & (~low | apple));
    const char *method = "announced, and each counted a chain of known length right";

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

static void run(struct probe *p)
{
    static struct event events[EVENTS_AT_MOST];
    static struct count counts[EVENTS_AT_MOST];
    const struct counters *have = machine_counters();
    const struct count_options options = {.iterations = 200,
                                          .warmup = (unsigned)probe_scale(p, 1, 3, 5, 10),
                                          .repetitions = (unsigned)probe_scale(p, 3, 10, 20, 100)};
    struct bench bench = {0};
    struct kernel k;

    if (have->why_not) {
        probe_skip(p, have->why_not);
        return;
    }
    report_counters(p, have);
    if (!fill(p, &bench) || !build(p, &bench, &built_in[0], &k) ||
        !count_on_each(p, &bench, &k, "instructions", &options) || !count_on_each(p, &bench, &k, "cycles", &options))
        return;
    size_t count = find_events(p, events);
    for (size_t i = 0; i < KERNELS && count; i++) {
        if (p->run->config.kernels[0] && !names(p->run->config.kernels, built_in[i].name))
            continue;
        machine_progress(built_in[i].text);
        if (!build(p, &bench, &built_in[i], &k))
            return;
        struct window_result result = count_kernel(&k, events, count, &options, counts);
        if (!probe_survived(p, &result))
            return;
        send_table(p, "events", &built_in[i], &bench.work, events, count, counts);
        print_table(&built_in[i], &bench.work, events, count, counts);
    }
}

PROBE(counters, .title = "Performance counters", .family = "system", .run = run,
      .findings = FINDINGS({"system.counters.number", "counters",
                            "performance counters that this core has and that count"}));
