/*
 * Shared bandwidth: how many bytes does each level deliver to several cores that load or store at the same time?
 *
 * Experiment: this core and as many others as are asked for, 1, 2, 4 … all, access line after line, each of a buffer of
 * its own, again and again (lib/kernels/traffic.h). The kernel of this core reads how many lines the others have
 * accessed, before its walk and behind it: their lines and its own by the time of the walk are the bandwidth of all.
 *
 * Buffers lie in one level, as those of the probe bandwidth do: several times what the level before holds. In the last
 * cache all buffers together are a part of it; in memory each is at least twice as large as that cache. The first level
 * is left out: who loads one word of each line does not see its bandwidth.
 *
 * There is no curve: each level, access and number of cores gives one number, the median of readings in each of three
 * passes, by two sizes of buffers. Bytes are those of the lines, in nanoseconds since cores may run at different clocks.
 * Whoever else uses the level misleads all of that alike: never grade A.
 *
 * Method: docs/METHODS.md, 9.2. STREAM (McCalpin 1995) by number of threads, reduced to a level.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/reason.h"
#include "lib/base/statistics.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/kernels/line_walk.h"
#include "lib/kernels/traffic.h"
#include "lib/probe/probe.h"
#include "lib/structure/caches.h"
#include "lib/structure/level_footprints.h"

/* Lines of a reading at least: of a block that is not counted yet there is less than a hundredth. */
enum { LINES_LEAST = 100 * RESPONDER_BLOCK };
enum { TIMED = 5, WALKS = 1 + TIMED, ATTEMPTS = 6, PASSES = 3, NUMBERS = 8, CODE_BYTES = 4096 };

static const char name[] = "memory.bandwidth.shared_bytes_per_ns";
static const char method[] = "cores that access lines of buffers of their own; two sizes, three passes";

/* Where a walk continues, and what it has read of the others' counts. Of each reading one. */
struct walk {
    struct line_walk lines; /* at the beginning, where line_walk_emit has it */
    uint64_t first, last;
};

struct shared {
    struct traffic traffic;
    struct area own, page;
    struct kernel walk;
    size_t passes;
};

/* What is measured: one level, by so many cores, this one among them. */
struct shared_point {
    const struct level_footprints *level;
    unsigned cores;
    bool stores;
    double bytes[FOOTPRINTS]; /* of each core's buffer */
};

/* This core walks a buffer of t->bytes, too. */
static bool build(struct probe *p, struct shared *s, bool stores)
{
    struct code c = probe_code(p, CODE_BYTES);
    const size_t request = c.used;

    traffic_emit_request(p, &c);
    const size_t walk = c.used;
    traffic_emit_counts(&c, &s->traffic);
    emit_store(&c, REG_T2, REG_DATA, (int32_t)offsetof(struct walk, first));
    line_walk_emit(&c, s->own.at, s->traffic.bytes, stores);
    emit_fence(&c, FENCE_MEMORY);
    traffic_emit_counts(&c, &s->traffic);
    emit_store(&c, REG_T2, REG_DATA, (int32_t)offsetof(struct walk, last));
    emit_return(&c);
    for (size_t i = 0; i < WALKS; i++)
        ((struct walk *)s->page.write)[i] = (struct walk){.lines = line_walk_start(s->own.at, s->traffic.bytes)};
    s->traffic.request.units = s->walk.units = 1;
    return probe_kernel(p, &c, request, &s->traffic.request) && probe_kernel(p, &c, walk, &s->walk);
}

/*
 * Measures bytes a nanosecond of all of them: NaN where nothing could be read. Returns NULL, or why so many cores cannot
 * be used. *good: the probe is not over.
 */
static const char *measure(struct probe *p, struct shared *s, bool stores, double *rate, bool *good)
{
    const struct traffic_kind kind = {.duty = RESPONDER_STREAMS, .stores = stores ? RESPONDER_BLOCK : 0};
    const double lines = fmax(LINES_LEAST, (double)s->traffic.bytes / TRAFFIC_LINE);
    const uint64_t iterations = (uint64_t)probe_smoke(p, 2, lines / LINE_WALK_LINES);
    struct reading list[BESIDE_CORES + WALKS];
    const struct walk *w = (const struct walk *)s->page.write;
    double rates[TIMED];
    bool quiet = false;

    *rate = (double)NAN;
    if (!build(p, s, stores)) {
        *good = false;
        return NULL;
    }
    for (unsigned attempt = 0; attempt < ATTEMPTS && !quiet; attempt++) {
        const size_t first = traffic_list(&s->traffic, list);
        for (size_t i = 0; i < WALKS; i++)
            list[first + i] = (struct reading){.kernel = s->walk.entry,
                                               .argument = {iterations, s->page.at + i * sizeof(struct walk)}};
        const char *why = traffic_window(p, &s->traffic, &kind, list, first + WALKS, &quiet, good);
        if (why || !*good)
            return why;
        for (size_t i = 0; i < TIMED && quiet; i++) { /* the first walk only warms up */
            const struct reading *r = &list[first + 1 + i];
            const double ns = (double)(r->end_ticks - r->begin_ticks) / machine_info()->tick_hz * 1e9;
            p->run->meter.kernel_seconds += ns / 1e9;
            rates[i] = ((double)(w[1 + i].last - w[1 + i].first) + (double)iterations * LINE_WALK_LINES) *
                       TRAFFIC_LINE / ns;
        }
    }
    *rate = quiet ? median(rates, TIMED) : (double)NAN;
    return NULL;
}

static void report_without(struct probe *p, const struct shared_point *q, enum reason reason, const char *why)
{
    report_number(p,
                  &(struct finding){.name = name,
                                    .variants = {{"level", q->level->name},
                                                 {"access", q->stores ? "store" : "load"},
                                                 {"cores", .number = q->cores}},
                                    .reason = reason,
                                    .detail = why,
                                    .method = method},
                  (double)NAN);
}

/* Measures both sizes in each pass, and reports. False: the probe is over. */
static bool measure_point(struct probe *p, struct shared *s, const struct shared_point *q)
{
    struct experiment_value v[FOOTPRINTS * PASSES];
    double least = INFINITY, most = 0;
    char range[32];
    size_t count = 0;
    bool good = true;

    s->traffic.count = q->cores - 1;
    for (size_t pass = 0; pass < s->passes; pass++)
        for (size_t i = 0; i < FOOTPRINTS; i++) {
            double rate;
            s->traffic.bytes = (size_t)q->bytes[i] / FOOTPRINT_PAGE_BYTES * FOOTPRINT_PAGE_BYTES;
            const char *why = measure(p, s, q->stores, &rate, &good);
            if (why)
                report_without(p, q, REASON_PLATFORM, why);
            if (why || !good)
                return good;
            v[count++] = (struct experiment_value){i ? "larger" : "smaller", "others", rate};
            least = fmin(least, rate);
            most = fmax(most, rate);
        }
    snprintf(range, sizeof range, "%.3g to %.3g", least, most);
    const bool decided = grade_number(v, count).grade != 'U';
    report_graded_number(p,
                         &(struct finding){.name = name,
                                           .variants = {{"level", q->level->name},
                                                        {"access", q->stores ? "store" : "load"},
                                                        {"cores", .number = q->cores}},
                                           .remarks = {{decided || !(most > 0) ? NULL : "between", range}},
                                           .method = method},
                         v, count);
    return true;
}

/* The buffers of each of `cores` cores in this level, the number of which is `index`. Returns why there are none. */
static enum reason place(const struct probe *p, const struct level_footprints *l, size_t index, bool last,
                         struct shared_point *q)
{
    const bool memory = !strcmp(l->name, "dram");

    for (size_t i = 0; i < FOOTPRINTS; i++)
        q->bytes[i] = memory ? l->bytes[i] / 2 : last ? l->bytes[i] / q->cores : l->bytes[i];
    if (l->why_not)
        return l->why_not;
    if (last && q->bytes[0] < CACHE_LONGER_AT_LEAST * caches_known(p, (unsigned)index))
        return REASON_HARDLY_LARGER;
    return q->bytes[FOOTPRINTS - 1] * q->cores > (double)machine_info()->memory_bytes / 4 ? REASON_NO_MEMORY
                                                                                          : REASON_NONE;
}

/* 1, 2, 4 … and all. Returns how many numbers. */
static size_t numbers_of_cores(unsigned all, unsigned numbers[NUMBERS])
{
    size_t count = 0;

    for (unsigned n = 1; n < all && count + 1 < NUMBERS; n *= 2)
        numbers[count++] = n;
    numbers[count++] = all;
    return count;
}

static void run(struct probe *p)
{
    struct level_footprints levels[FOOTPRINT_LEVELS];
    struct shared_point points[FOOTPRINT_LEVELS * NUMBERS * 2];
    struct shared *s = probe_calloc(p, 1, sizeof *s);
    unsigned numbers[NUMBERS];
    size_t count = 0;
    double longest = LINE_WALK_LINES * TRAFFIC_LINE;
    bool good = s != NULL;

    if (!good)
        return;
    traffic_find(&s->traffic);
    s->passes = (size_t)probe_smoke(p, 1, PASSES);
    const size_t level_count = level_footprints(p, probe_smoke(p, 1 << 16, INFINITY), levels);
    const size_t number_count = numbers_of_cores((unsigned)s->traffic.count + 1, numbers);
    for (size_t l = 1; l < level_count; l++)
        for (size_t n = 0; n < 2 * number_count; n++) {
            struct shared_point *q = &points[count];
            *q = (struct shared_point){.level = &levels[l], .cores = numbers[n / 2], .stores = n % 2};
            const enum reason why = place(p, &levels[l], l, l + 2 == level_count, q);
            if (why) {
                report_without(p, q, why, NULL);
                continue;
            }
            longest = fmax(longest, q->bytes[FOOTPRINTS - 1]);
            count++;
        }
    s->traffic.bytes = (size_t)longest;
    good = traffic_map(p, &s->traffic) && probe_map_large(p, &s->own, s->traffic.bytes) &&
           probe_map(p, &s->page, WALKS * sizeof(struct walk), 0);
    if (good)
        memset(s->own.write, 1, s->own.bytes);
    for (size_t i = 0; i < count && good; i++)
        good = measure_point(p, s, &points[i]);
    free(s);
}

PROBE(shared_bandwidth, .title = "Shared bandwidth", .family = "memory", .after = "cache", .run = run,
      .findings = FINDINGS({"memory.bandwidth.shared_bytes_per_ns", "bytes/ns",
                            "bytes of lines that so many cores load or store together, by level"}));
