#include "lib/counters/count.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST = 32, ATTEMPTS = 20 };

static uint64_t bits(unsigned width)
{
    return width >= 64 || width == 0 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

static uint64_t counted(const struct counters *have, unsigned slot, const struct reader_counts *c, size_t i)
{
    return (c->end[i] - c->begin[i]) & bits(slot >= COUNTER_FIXED ? have->fixed_bits : have->bits);
}

/* ---- Pairs of readings --------------------------------------------------------------------------- */

/* What a list needs: readings and where their counts go. */
struct pairs {
    struct reading list[LIST];
    struct reader_counts counts[LIST];
};

static void prepare(struct pairs *s, uintptr_t entry, uint64_t data, uint64_t iterations, size_t pairs)
{
    for (size_t i = 0; i < 2 * pairs; i++)
        s->list[i] = (struct reading){
            .kernel = entry, .argument = {i % 2 ? 2 * iterations : iterations, data}, .counts = &s->counts[i]};
}

/* Runs the pairs again until a window was not disturbed. */
static struct window_result run_pairs(struct pairs *s, const struct kernel *k, uint64_t iterations, size_t pairs)
{
    struct window_result result = {.interrupts = 1};

    for (unsigned i = 0; i < ATTEMPTS && result.end == WINDOW_RAN && (result.interrupts || result.smis); i++) {
        prepare(s, k->entry, k->data, iterations, pairs);
        result = machine_window(s->list, 2 * pairs);
    }
    return result;
}

/* ---- Kernels --------------------------------------------------------------------------------------- */

/* The events of one run, in the order in which the reader takes them: first counters, then the second ones of pairs. */
struct batch {
    size_t which[READER_COUNTS];
    size_t second[READER_COUNTS]; /* where the reader has the upper half of the event; 0: nowhere */
    size_t count;
};

static const char *program(struct batch *b, const struct event *events, const struct count *out)
{
    struct counter_setting settings[READER_COUNTS], two[2];
    size_t used = b->count;

    for (size_t i = 0; i < b->count; i++) {
        const struct event *e = &events[b->which[i]];
        size_t takes = events_settings(e, &out[b->which[i]].place, two);
        settings[i] = two[0];
        b->second[i] = 0;
        if (takes == 1)
            continue;
        if (used == READER_COUNTS)
            return "more counters than the reader can take";
        if (machine_counters()->kind == COUNTERS_PMUV3)
            b->second[i] = used;
        settings[used++] = two[1];
    }
    return machine_count(settings, used);
}

static void say(const struct batch *b, struct count *out, const char *why)
{
    for (size_t i = 0; i < b->count; i++)
        snprintf(out[b->which[i]].why, sizeof out[0].why, "%s", why);
}

/* What the i-th event of the batch counted over one reading. */
static double events_of(const struct counters *have, const struct batch *b, size_t i, const struct count *out,
                        const struct reader_counts *c)
{
    const unsigned slot = out[b->which[i]].place.slot;

    if (!b->second[i])
        return (double)counted(have, slot, c, i);
    const uint64_t begin = c->begin[b->second[i]] << 32 | (uint32_t)c->begin[i];
    const uint64_t end = c->end[b->second[i]] << 32 | (uint32_t)c->end[i];
    return (double)(end - begin);
}

/* One run with the counters set: all repetitions. */
static struct window_result count_batch(const struct kernel *k, const struct batch *b,
                                        const struct count_options *options, struct count *out)
{
    const struct counters *have = machine_counters();
    struct pairs *s = malloc(sizeof *s);
    double *values = malloc(b->count * COUNT_REPETITIONS * sizeof *values);
    unsigned wanted = options->warmup + options->repetitions, done = 0;
    struct window_result result = {.end = WINDOW_RAN};

    if (!s || !values) {
        free(s);
        free(values);
        say(b, out, "out of memory");
        return result;
    }
    while (done < wanted && result.end == WINDOW_RAN) {
        size_t pairs = wanted - done < LIST / 2 ? wanted - done : LIST / 2;
        result = run_pairs(s, k, options->iterations, pairs);
        if (result.end != WINDOW_RAN || result.interrupts || result.smis)
            break;
        for (size_t pair = 0; pair < pairs; pair++, done++)
            for (size_t i = 0; i < b->count && done >= options->warmup; i++) {
                double more = events_of(have, b, i, out, &s->counts[2 * pair + 1]);
                double few = events_of(have, b, i, out, &s->counts[2 * pair]);
                values[i * COUNT_REPETITIONS + done - options->warmup] = (more - few) /
                                                                         ((double)options->iterations * k->units);
            }
    }
    unsigned kept = done > options->warmup ? done - options->warmup : 0;
    for (size_t i = 0; i < b->count; i++)
        if (kept)
            out[b->which[i]].spread = spread_of(values + i * COUNT_REPETITIONS, kept);
    if (!kept && result.end == WINDOW_RAN)
        say(b, out, "every window was disturbed");
    free(s);
    free(values);
    return result;
}

/* Allocates a counter to each event that can have one; the others get the reason. Returns the number of runs. */
static unsigned place_all(const struct event *events, size_t count, uint64_t available, struct count *out)
{
    struct demand demands[COUNT_EVENTS];
    const char *keys[COUNT_EVENTS];
    struct place places[COUNT_EVENTS];
    size_t which[COUNT_EVENTS], left = 0, unmet = 0;
    unsigned runs = 0;

    for (size_t i = 0; i < count; i++) {
        const char *lacks = counters_lacks(machine_counters(), events[i].code);
        snprintf(out[i].why, sizeof out[i].why, "%s", lacks ? lacks : "");
        if (!lacks)
            which[left++] = i;
    }
    while (left && runs == 0) {
        for (size_t i = 0; i < left; i++) {
            demands[i] = events[which[i]].demand;
            keys[i] = events[which[i]].name;
        }
        runs = allocate(demands, keys, left, available, places, &unmet, NULL);
        for (size_t i = 0; i < left && runs == 0 && unmet == left; i++)
            snprintf(out[which[i]].why, sizeof out[0].why, "out of memory");
        if (runs == 0 && unmet == left)
            break;
        if (runs == 0) {
            snprintf(out[which[unmet]].why, sizeof out[0].why, "no counter of this core can count it");
            memmove(&which[unmet], &which[unmet + 1], (left - unmet - 1) * sizeof which[0]);
            left--;
        }
    }
    for (size_t i = 0; i < left && runs; i++)
        out[which[i]].place = places[i];
    return runs;
}

struct window_result count_kernel(const struct kernel *k, const struct event *events, size_t count,
                                  const struct count_options *options, struct count *out)
{
    const struct counters *have = machine_counters();
    struct window_result result = {.end = WINDOW_RAN};

    memset(out, 0, count * sizeof *out);
    unsigned runs = have->why_not ? 0 : place_all(events, count, have->slots & ~have->taken, out);
    for (size_t i = 0; i < count && have->why_not; i++)
        snprintf(out[i].why, sizeof out[i].why, "%s", have->why_not);
    for (unsigned run = 0; run < runs && result.end == WINDOW_RAN; run++) {
        struct batch b = {.count = 0};
        for (size_t i = 0; i < count && b.count < READER_COUNTS; i++)
            if (!out[i].why[0] && out[i].place.run == run)
                b.which[b.count++] = i;
        if (b.count == 0)
            continue;
        const char *why = program(&b, events, out);
        if (why)
            say(&b, out, why);
        else
            result = count_batch(k, &b, options, out);
    }
    machine_count(NULL, 0);
    return result;
}

/* ---- The proof --------------------------------------------------------------------------------------- */

/*
 * Iterations of the reference chain in the shorter reading; pairs; instructions of one iteration: its additions, and
 * the two that count iterations (arch/reader.h).
 */
enum { PROOF_TURNS = 40, PROOF_PAIRS = 4, TURN_INSTRUCTIONS = READER_CHAIN + 2 };

/*
 * Whether a counter counts the chain right in most pairs: one pair may have been disturbed by what no window keeps out.
 * Where the counter cannot be programmed, *refused says why.
 */
static bool counts(const struct counters *have, const struct counter_proof *row, struct pairs *s, const char **refused)
{
    const struct kernel chain = {.entry = (uintptr_t)reader_chain_kernel, .units = 1};
    const unsigned slot = row->setting.slot;
    unsigned right = 0;

    *refused = machine_count(&row->setting, 1);
    if (*refused)
        return false;
    struct window_result result = run_pairs(s, &chain, PROOF_TURNS, PROOF_PAIRS);
    for (size_t pair = 0; result.end == WINDOW_RAN && pair < PROOF_PAIRS; pair++)
        right += counters_proof_verdict(row, (uint64_t)PROOF_TURNS * TURN_INSTRUCTIONS,
                                        counted(have, slot, &s->counts[2 * pair], 0),
                                        counted(have, slot, &s->counts[2 * pair + 1], 0), 0) == NULL;
    return right > PROOF_PAIRS / 2;
}

void counters_prove(struct counters *have, const struct counter_proof *rows, size_t count)
{
    static char why_refused[128]; /* the platform's sentence is valid until its next call */
    struct pairs *s = malloc(sizeof *s);
    uint64_t proven = 0;

    why_refused[0] = 0;
    if (!s && !have->why_not)
        have->why_not = "there is no memory to try its counters";
    for (size_t i = 0; i < count && !have->why_not; i++) {
        const char *refused = NULL;
        if (counts(have, &rows[i], s, &refused))
            proven |= UINT64_C(1) << rows[i].setting.slot;
        if (refused)
            snprintf(why_refused, sizeof why_refused, "%s", refused);
    }
    free(s);
    if (have->why_not)
        return;
    machine_count(NULL, 0);
    have->slots = proven | have->taken;
    if (!proven)
        have->why_not = why_refused[0] ? why_refused
                                       : "its registers answer, but no counter counted a kernel of known length right";
}
