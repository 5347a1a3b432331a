/*
 * Loaded latency: how long does a load from memory take while other cores read and write memory as fast as they can, or
 * as fast as they are allowed to?
 *
 * Experiment: all other cores access line after line, each of a buffer of its own twice as large as the largest cache,
 * and pause after each 16 lines for a number of iterations of an empty loop (lib/measure/responder.h). Of each 16 lines
 * they load all, or store to 4, 8, 12 or all. This core meanwhile walks a pointer chase in random order over four times
 * the largest cache. The kernel reads how many lines the other cores have accessed, before the walk and behind it:
 * their number by the time of the walk is the bandwidth. The first point has no load: the other cores only spin.
 *
 * Curve: latency over bandwidth, in the order of shorter pauses: flat, and then rising where requests wait for each
 * other. Where memory is saturated the bandwidth no longer grows, or falls, while latency goes on rising. There is one
 * curve for each ratio of loads to stores.
 *
 * Inference: the knee is the bandwidth at which latency is a fifth above the least, between the two points around. The
 * most bandwidth counts where the last pause, none, gives hardly more than the last but one
 * (lib/structure/loaded_latency.h). Each point is the median of several readings; one experiment, grade C. The matrices
 * have the latency of each reading, by bandwidth.
 *
 * Bytes are those of the lines that the other cores access: of a line that is stored to, memory may move twice as many.
 * The least latency need not be the idle one: what lies between core and memory may be clocked higher under load. Few
 * cores often cannot saturate a large machine's memory: no knee. A hypervisor's other guests load the same memory.
 *
 * Sources: Mess (Esmaili-Dokht et al. 2024), curves of latency over bandwidth by paced traffic and its ratio of reads to
 * writes; Arm's loaded-latency. docs/METHODS.md, 9.1.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/reason.h"
#include "lib/base/statistics.h"
#include "lib/finding/report.h"
#include "lib/kernels/pointer_chase.h"
#include "lib/kernels/traffic.h"
#include "lib/probe/matrix.h"
#include "lib/probe/probe.h"
#include "lib/structure/loaded_latency.h"

enum {
    UNROLL = 16,
    TIMED = 6, /* readings of a window that count, behind the requests and one that only warms up */
    WALKS = 1 + TIMED,
    SAMPLES = 12,  /* readings of a point */
    ATTEMPTS = 12, /* windows of a point */
    STREAM = 64,   /* bytes from one streamed line to the next: what counts as a line's bytes */
    LEVELS = 4,
    CODE_BYTES = 4096
};
static const size_t pauses[] = {2048, 1024, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1, 0};
enum { POINTS = 1 + sizeof pauses / sizeof pauses[0] };
_Static_assert((int)POINTS <= (int)LOADED_POINTS, "all points are decided about together");

/* What the other cores do, by loads to stores: of a block of RESPONDER_BLOCK lines they store to so many. */
static const struct {
    const char *name;
    size_t stores;
} ratios[] = {{"1:0", 0}, {"3:1", 4}, {"1:1", 8}, {"1:3", 12}, {"0:1", 16}};
enum { RATIOS = sizeof ratios / sizeof ratios[0] };

/* Where a walk continues, and what it has read of the other cores' counts together. Of each reading one. */
struct walk {
    uint64_t at, first, last;
};

struct loaded {
    struct pointer_chase chase;
    struct traffic traffic;
    struct area page;
    struct kernel walk;
    uint64_t iterations;
    size_t samples; /* readings of a point */
    struct matrix matrix;
    double rows[POINTS], columns[SAMPLES], cells[POINTS * SAMPLES];
};

static struct walk *walk_of(const struct loaded *l, size_t i)
{
    return (struct walk *)l->page.write + i;
}

static bool build(struct probe *p, struct loaded *l)
{
    struct code c = probe_code(p, CODE_BYTES);
    const size_t request = c.used;

    traffic_emit_request(p, &c);
    const size_t walk = c.used;
    emit_load(&c, REG_T0, REG_DATA, (int32_t)offsetof(struct walk, at));
    traffic_emit_counts(&c, &l->traffic);
    emit_store(&c, REG_T2, REG_DATA, (int32_t)offsetof(struct walk, first));
    emit_fence(&c, FENCE_MEMORY);
    const size_t loop = c.used;
    for (unsigned i = 0; i < UNROLL; i++)
        emit_load(&c, REG_T0, REG_T0, 0);
    emit_loop(&c, loop);
    emit_store(&c, REG_T0, REG_DATA, (int32_t)offsetof(struct walk, at));
    emit_fence(&c, FENCE_MEMORY);
    traffic_emit_counts(&c, &l->traffic);
    emit_store(&c, REG_T2, REG_DATA, (int32_t)offsetof(struct walk, last));
    emit_return(&c);
    l->traffic.request.units = l->walk.units = 1;
    return probe_kernel(p, &c, request, &l->traffic.request) && probe_kernel(p, &c, walk, &l->walk);
}

/*
 * Takes readings of one point into its row of the matrix. Returns NULL, or why the other cores cannot be used. *good: the
 * probe is not over.
 */
static const char *measure_point(struct probe *p, struct loaded *l, const struct traffic_kind *kind, double *row,
                                 struct loaded_point *point, bool *good)
{
    double latency[SAMPLES], rate[SAMPLES];
    struct reading list[BESIDE_CORES + WALKS];
    size_t got = 0;

    for (unsigned attempt = 0; attempt < ATTEMPTS && got < l->samples; attempt++) {
        const size_t first = traffic_list(&l->traffic, list);
        bool quiet;
        for (size_t i = 0; i < WALKS; i++)
            list[first + i] = (struct reading){.kernel = l->walk.entry,
                                               .argument = {l->iterations, l->page.at + i * sizeof(struct walk)}};
        const char *why = traffic_window(p, &l->traffic, kind, list, first + WALKS, &quiet, good);
        if (why || !*good)
            return why;
        for (size_t i = 1; i < WALKS && got < l->samples && quiet; i++, got++) { /* the first one only warms up */
            const struct walk *w = walk_of(l, i);
            const struct reading *r = &list[first + i];
            const double ns = (double)(r->end_ticks - r->begin_ticks) / machine_info()->tick_hz * 1e9;
            p->run->meter.kernel_seconds += ns / 1e9;
            row[got] = latency[got] = ns / (double)(l->iterations * UNROLL);
            rate[got] = kind->duty == RESPONDER_STREAMS ? (double)(w->last - w->first) * TRAFFIC_LINE / ns : 0;
        }
    }
    *point = (struct loaded_point){.bytes_per_ns = median(rate, got), .ns = median(latency, got)}; /* sorts them */
    median_bounds(latency, got, &point->ns_low, &point->ns_high);
    return NULL;
}

/* What is reported of one ratio; `ratio` NULL: of no load at all. */
static void report_one(struct probe *p, const struct loaded *l, const char *ratio, const char *name, enum reason reason,
                       const double value[3])
{
    char condition[32];

    snprintf(condition, sizeof condition, "%zu other core%s", l->traffic.count, l->traffic.count > 1 ? "s" : "");
    report(p, &(struct finding){.name = name,
                                .variants = {{ratio ? "ratio" : NULL, ratio}},
                                .value = reason ? (double)NAN : value[0],
                                .low = reason ? (double)NAN : value[1],
                                .high = reason ? (double)NAN : value[2],
                                .grade = reason ? 'U' : 'C',
                                .reason = reason,
                                .remarks = {{"condition", condition}},
                                .method = "a chase beside other cores that stream lines with ever shorter pauses"});
}

static void report_ratio(struct probe *p, const struct loaded *l, size_t ratio, const struct loaded_point *points,
                         size_t count)
{
    const char *name = ratios[ratio].name;
    enum reason unread = REASON_NONE;
    struct loaded_verdict v;

    for (size_t i = 0; i < count; i++)
        if (isnan(points[i].ns))
            unread = REASON_NO_READINGS;
    loaded_latency_decide(points, count, &v);
    if (!ratio)
        report_one(p, l, NULL, "memory.loaded_latency.idle_ns", unread,
                   (double[]){points[0].ns, points[0].ns_low, points[0].ns_high});
    report_one(p, l, name, "memory.loaded_latency.knee", unread ? unread : v.no_knee,
               (double[]){v.knee, v.low, v.high});
    report_one(p, l, name, "memory.loaded_latency.saturation", unread ? unread : v.not_saturated,
               (double[]){v.most, v.most_low, v.most_high});
    report_one(p, l, name, "memory.loaded_latency.saturated_ns", unread ? unread : v.not_saturated,
               (double[]){v.most_ns, (double)NAN, (double)NAN});
}

static void report_none(struct probe *p, enum reason reason, const char *detail)
{
    report_number(p, &(struct finding){.name = "memory.loaded_latency.idle_ns", .reason = reason, .detail = detail},
                  (double)NAN);
}

/* The largest cache; 0 where none is known. */
static double largest_cache(const struct probe *p)
{
    double most = 0;

    for (unsigned level = 1; level <= LEVELS; level++) {
        char variants[16];
        snprintf(variants, sizeof variants, "level=%u", level);
        most = fmax(most, facts_number(&p->run->facts, "memory.cache.bytes", variants, 0));
    }
    return most;
}

/*
 * Measures all points of one ratio. Returns NULL, or why so many other cores cannot be used; *good: the probe is not
 * over.
 */
static const char *measure_ratio(struct probe *p, struct loaded *l, size_t ratio, bool *good)
{
    struct loaded_point points[POINTS];
    struct traffic_kind kind = {RESPONDER_ANSWERS, ratios[ratio].stores, 0, 0};
    char name[32];

    /* the first point is measured twice, since the cores were idle before it, and their clocks may be slow */
    const char *why = measure_point(p, l, &kind, l->cells, &points[0], good);
    for (size_t i = 0; i < POINTS && !why && *good; i++) {
        for (size_t s = 0; s < SAMPLES; s++)
            l->cells[i * SAMPLES + s] = (double)NAN;
        kind = (struct traffic_kind){i ? RESPONDER_STREAMS : RESPONDER_ANSWERS, kind.stores, i ? pauses[i - 1] : 0, 0};
        why = measure_point(p, l, &kind, &l->cells[i * SAMPLES], &points[i], good);
        l->rows[i] = points[i].bytes_per_ns;
    }
    if (why || !*good)
        return why;
    snprintf(name, sizeof name, "latency %s", ratios[ratio].name);
    l->matrix.name = name;
    l->matrix.row_count = POINTS;
    matrix_send(p, &l->matrix);
    report_ratio(p, l, ratio, points, POINTS);
    return NULL;
}

/* With all other cores; where the platform cannot run so many at once, with one. */
static void measure_all(struct probe *p, struct loaded *l)
{
    const size_t step = (size_t)probe_smoke(p, RATIOS - 1, 1);
    const char *why = NULL;
    bool good = true;

    for (size_t ratio = 0; ratio < RATIOS && good && !why; ratio += step) {
        why = measure_ratio(p, l, ratio, &good);
        if (why && good && l->traffic.count > 1) {
            l->traffic.count = 1;
            good = build(p, l);
            why = good ? measure_ratio(p, l, ratio, &good) : NULL;
        }
    }
    if (why && good)
        report_none(p, REASON_PLATFORM, why);
}

/* Each walk begins at an equal part of the ring, and goes on where it has stopped before. */
static bool map_all(struct probe *p, struct loaded *l, size_t bytes)
{
    const size_t lines = bytes / POINTER_CHASE_LINE_BYTES;

    l->traffic.bytes = bytes / 2;
    if (!pointer_chase_map(p, &l->chase, bytes) || !traffic_map(p, &l->traffic) ||
        !probe_map(p, &l->page, WALKS * sizeof(struct walk), 0) || !build(p, l))
        return false;
    pointer_chase_link(p, &l->chase, 0, lines, lines);
    for (size_t i = 0; i < WALKS; i++)
        walk_of(l, i)->at = l->chase.ring.at + i * (lines / WALKS) * POINTER_CHASE_LINE_BYTES;
    return true;
}

static void run(struct probe *p)
{
    const double caches = largest_cache(p), room = (double)machine_info()->memory_bytes / 4;
    size_t bytes = (size_t)probe_smoke(p, 1 << 16, 1 << 22);
    struct loaded *l = probe_calloc(p, 1, sizeof *l);

    if (!l)
        return;
    traffic_find(&l->traffic);
    while ((double)bytes < probe_smoke(p, 0, 4 * caches) && 2.0 * (double)bytes <= room)
        bytes *= 2;
    while (l->traffic.count > 1 && (double)l->traffic.count * (double)bytes / 2 > room)
        l->traffic.count--;
    if (!l->traffic.count)
        report_none(p, REASON_ONE_CORE, NULL);
    else if (!(caches > 0))
        report_none(p, REASON_NO_DECLARED_SIZE, NULL);
    else if ((double)bytes < probe_smoke(p, 0, 4 * caches))
        report_none(p, REASON_NO_MEMORY, NULL);
    else {
        l->matrix = (struct matrix){NULL,    "bytes_per_ns", "reading",  "ns",     0,
                                    SAMPLES, l->rows,        l->columns, l->cells, SAMPLES};
        for (size_t i = 0; i < SAMPLES; i++)
            l->columns[i] = (double)i;
        l->iterations = (uint64_t)probe_smoke(p, 1, 16);
        l->samples = (size_t)probe_smoke(p, TIMED, SAMPLES);
        if (map_all(p, l, bytes))
            measure_all(p, l);
    }
    free(l);
}

PROBE(loaded_latency, .title = "Loaded latency", .family = "memory", .after = "cache", .run = run,
      .findings = FINDINGS({"memory.loaded_latency.idle_ns", "ns", "latency of memory while other cores are idle"},
                           {"memory.loaded_latency.knee", "bytes/ns",
                            "bandwidth that other cores take when latency is a fifth above the least"},
                           {"memory.loaded_latency.saturation", "bytes/ns",
                            "most bandwidth that other cores take from memory"},
                           {"memory.loaded_latency.saturated_ns", "ns", "latency of memory while they do"}));
