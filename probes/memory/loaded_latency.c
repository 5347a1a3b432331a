/*
 * Loaded latency: how long does a load from memory take while another core reads from memory as fast as it can, or as
 * fast as it is allowed to?
 *
 * Experiment: another core loads line after line of a buffer twice as large as the largest cache, and pauses after each
 * 16 lines for a number of iterations of an empty loop (lib/measure/responder.h). This core meanwhile walks a pointer
 * chase in random order over four times the largest cache. The kernel reads how many lines the other core has loaded,
 * before the walk and behind it: their number by the time of the walk is the bandwidth. The first point has no load:
 * the other core only spins.
 *
 * Curve: latency over bandwidth, in the order of shorter pauses: flat, and then rising where requests wait for each
 * other. Where memory is saturated the bandwidth no longer grows, or falls, while latency goes on rising.
 *
 * Inference: the knee is the bandwidth at which latency is a fifth above the least, between the two points
 * around. The most bandwidth counts as that of one core where the last pause, none, gives hardly more than the last but
 * one (lib/structure/loaded_latency.h). Each point is the median of several readings; one experiment, grade C. The
 * matrix has the latency of each reading, by bandwidth.
 *
 * The least latency need not be the idle one: what lies between core and memory may be clocked higher under load.
 * One core often cannot saturate the memory of a large machine: then there is no knee, and the finding says so. A
 * hypervisor's other guests load the same memory.
 *
 * Sources: Mess (Esmaili-Dokht et al. 2024), curves of latency over bandwidth by paced traffic; Arm's loaded-latency.
 * docs/METHODS.md, 9.1.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/reason.h"
#include "lib/base/statistics.h"
#include "lib/finding/report.h"
#include "lib/kernels/pointer_chase.h"
#include "lib/kernels/round_trip.h"
#include "lib/probe/beside.h"
#include "lib/probe/matrix.h"
#include "lib/probe/probe.h"
#include "lib/structure/loaded_latency.h"

enum {
    UNROLL = 16,
    TIMED = 4, /* readings of a window that count, behind the request and one that only warms up */
    READINGS = 2 + TIMED,
    SAMPLES = 12,  /* readings of a point */
    ATTEMPTS = 12, /* windows of a point */
    STREAM = 64,   /* bytes from one streamed line to the next: what counts as a line's bytes */
    LEVELS = 4,
    CODE_BYTES = 4096
};
static const size_t pauses[] = {2048, 1024, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1, 0};
enum { POINTS = 1 + sizeof pauses / sizeof pauses[0] };
_Static_assert((int)POINTS <= (int)LOADED_POINTS, "all points are decided about together");

/* Where a walk continues, and what it has read of the other core's count. Of each reading one. */
struct walk {
    uint64_t at, counted, first, last;
};

/* A page for what both cores write, each on lines of its own. */
struct shared {
    struct round_trip_line request;
    uint8_t before[ROUND_TRIP_LINE - sizeof(struct round_trip_line)];
    struct round_trip_state state;
    uint8_t behind[ROUND_TRIP_LINE - sizeof(struct round_trip_state)];
    struct walk walks[READINGS];
    uint8_t apart[2 * ROUND_TRIP_LINE - READINGS * sizeof(struct walk)];
    uint64_t loaded; /* lines, by the other core */
};

struct loaded {
    struct pointer_chase chase;
    struct area stream, page;
    struct shared *shared;
    uint64_t at; /* of the shared page, in windows */
    struct kernel request, walk;
    uint64_t iterations;
    size_t samples; /* readings of a point */
    struct matrix matrix;
    double rows[POINTS], columns[SAMPLES], cells[POINTS * SAMPLES];
};

static bool build(struct probe *p, struct loaded *l)
{
    struct code c = probe_code(p, CODE_BYTES);
    const size_t request = c.used;

    round_trip_emit(p, &c);
    const size_t walk = c.used;
    emit_load(&c, REG_T1, REG_DATA, (int32_t)offsetof(struct walk, counted));
    emit_load(&c, REG_T0, REG_DATA, (int32_t)offsetof(struct walk, at));
    emit_load(&c, REG_T2, REG_T1, 0);
    emit_store(&c, REG_T2, REG_DATA, (int32_t)offsetof(struct walk, first));
    emit_fence(&c, FENCE_MEMORY);
    const size_t loop = c.used;
    for (unsigned i = 0; i < UNROLL; i++)
        emit_load(&c, REG_T0, REG_T0, 0);
    emit_loop(&c, loop);
    emit_store(&c, REG_T0, REG_DATA, (int32_t)offsetof(struct walk, at));
    emit_fence(&c, FENCE_MEMORY);
    emit_load(&c, REG_T2, REG_T1, 0);
    emit_store(&c, REG_T2, REG_DATA, (int32_t)offsetof(struct walk, last));
    emit_return(&c);
    l->request.units = l->walk.units = 1;
    return probe_kernel(p, &c, request, &l->request) && probe_kernel(p, &c, walk, &l->walk);
}

/* Each reading walks on where it has stopped before, an equal part of the ring behind the one before it. */
static void place_walks(struct loaded *l, size_t lines)
{
    l->shared = (struct shared *)l->page.write;
    l->at = l->page.at;
    l->shared->request.state = l->at + offsetof(struct shared, state);
    for (size_t i = 0; i < READINGS; i++)
        l->shared->walks[i] = (struct walk){.at = l->chase.ring.at + i * (lines / READINGS) * POINTER_CHASE_LINE_BYTES,
                                            .counted = l->at + offsetof(struct shared, loaded)};
}

/*
 * Takes readings of one point, `pause` NULL without load, into its row of the matrix: *got of them. Returns NULL, or
 * why the other core cannot be used. *good: the probe is not over.
 */
static const char *measure_point(struct probe *p, struct loaded *l, unsigned other, const size_t *pause, double *row,
                                 struct loaded_point *point, bool *good)
{
    const struct responder_task task = {.word = &l->shared->request.word,
                                        .duty = pause ? RESPONDER_STREAMS : RESPONDER_ANSWERS,
                                        .lines = (volatile uint64_t *)l->stream.write,
                                        .count = l->stream.bytes / STREAM,
                                        .pitch = STREAM,
                                        .pause = pause ? *pause : 0,
                                        .loaded = &l->shared->loaded};
    double latency[SAMPLES], rate[SAMPLES];
    struct reading list[READINGS];
    struct window_result result;
    size_t got = 0;

    for (unsigned attempt = 0; attempt < ATTEMPTS && got < l->samples; attempt++) {
        list[0] = (struct reading){.kernel = l->request.entry,
                                   .argument = {1, l->at + offsetof(struct shared, request)}};
        for (size_t i = 1; i < READINGS; i++)
            list[i] = (struct reading){
                .kernel = l->walk.entry,
                .argument = {l->iterations, l->at + offsetof(struct shared, walks) + i * sizeof(struct walk)}};
        const char *why = probe_window_beside(p, other, &task, list, READINGS, &result, good);
        if (why || !*good)
            return why;
        if (result.interrupts || result.smis || l->shared->state.left)
            continue;
        for (size_t i = 2; i < READINGS && got < l->samples; i++, got++) {
            const struct walk *w = &l->shared->walks[i];
            const double ns = (double)(list[i].end_ticks - list[i].begin_ticks) / machine_info()->tick_hz * 1e9;
            p->run->meter.kernel_seconds += ns / 1e9;
            row[got] = latency[got] = ns / (double)(l->iterations * UNROLL);
            rate[got] = pause ? (double)(w->last - w->first) * STREAM / ns : 0;
        }
    }
    *point = (struct loaded_point){.bytes_per_ns = median(rate, got), .ns = median(latency, got)}; /* sorts them */
    median_bounds(latency, got, &point->ns_low, &point->ns_high);
    return NULL;
}

static void report_one(struct probe *p, const char *name, enum reason reason, double value, double low, double high)
{
    report(p, &(struct finding){.name = name,
                                .value = reason ? (double)NAN : value,
                                .low = reason ? (double)NAN : low,
                                .high = reason ? (double)NAN : high,
                                .grade = reason ? 'U' : 'C',
                                .reason = reason,
                                .curves = {"latency"},
                                .method = "a chase beside another core that streams lines with ever shorter pauses"});
}

static void report_all(struct probe *p, const struct loaded_point *points, size_t count)
{
    struct loaded_verdict v;
    const double none = (double)NAN;
    enum reason unread = REASON_NONE;

    for (size_t i = 0; i < count; i++)
        if (isnan(points[i].ns))
            unread = REASON_NO_READINGS;
    loaded_latency_decide(points, count, &v);
    report_one(p, "memory.loaded.idle_ns", unread, points[0].ns, none, none);
    report_one(p, "memory.loaded.knee_bytes_per_ns", unread ? unread : v.no_knee, v.knee, v.low, v.high);
    report_one(p, "memory.loaded.most_bytes_per_ns", unread ? unread : v.not_saturated, v.most, none, none);
    report_one(p, "memory.loaded.most_ns", unread ? unread : v.not_saturated, v.most_ns, none, none);
}

/* Why nothing can be measured, all of which the first finding says. */
static void report_none(struct probe *p, enum reason reason, const char *detail)
{
    report_number(p, &(struct finding){.name = "memory.loaded.idle_ns", .reason = reason, .detail = detail},
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

/* Measures all points with the first of the other cores that can be used. */
static void measure_all(struct probe *p, struct loaded *l, unsigned other)
{
    struct loaded_point points[POINTS];
    bool good = true;
    const char *why = NULL;

    /* the first point is measured twice, since the cores were idle before it, and their clocks may be slow */
    why = measure_point(p, l, other, NULL, l->cells, &points[0], &good);
    for (size_t i = 0; i < POINTS && !why && good; i++) {
        for (size_t s = 0; s < SAMPLES; s++)
            l->cells[i * SAMPLES + s] = (double)NAN;
        why = measure_point(p, l, other, i ? &pauses[i - 1] : NULL, &l->cells[i * SAMPLES], &points[i], &good);
        l->rows[i] = points[i].bytes_per_ns;
    }
    if (!good)
        return;
    if (why) {
        report_none(p, REASON_PLATFORM, why);
        return;
    }
    l->matrix.row_count = POINTS;
    matrix_send(p, &l->matrix);
    report_all(p, points, POINTS);
}

static void run(struct probe *p)
{
    const double caches = largest_cache(p);
    size_t bytes = (size_t)probe_smoke(p, 1 << 16, 1 << 22), count, other = 0;
    const struct machine_core *all = machine_cores(&count);
    struct loaded *l;

    while (other < count && (all[other].index == machine_info()->core || all[other].why_not))
        other++;
    while ((double)bytes < probe_smoke(p, 0, 4 * caches) &&
           2.0 * (double)bytes <= (double)machine_info()->memory_bytes / 4)
        bytes *= 2;
    if (other == count)
        report_none(p, REASON_ONE_CORE, NULL);
    else if (!(caches > 0))
        report_none(p, REASON_NO_DECLARED_SIZE, NULL);
    else if ((double)bytes < probe_smoke(p, 0, 4 * caches))
        report_none(p, REASON_NO_MEMORY, NULL);
    else if ((l = probe_calloc(p, 1, sizeof *l))) {
        l->matrix = (struct matrix){"latency", "bytes_per_ns", "reading",  "ns",     0,
                                    SAMPLES,   l->rows,        l->columns, l->cells, SAMPLES};
        for (size_t i = 0; i < SAMPLES; i++)
            l->columns[i] = (double)i;
        l->iterations = (uint64_t)probe_smoke(p, 1, 16);
        l->samples = (size_t)probe_smoke(p, TIMED, SAMPLES);
        if (pointer_chase_map(p, &l->chase, bytes) && probe_map_large(p, &l->stream, bytes / 2) &&
            probe_map(p, &l->page, sizeof *l->shared, 0) && build(p, l)) {
            pointer_chase_link(p, &l->chase, 0, bytes / POINTER_CHASE_LINE_BYTES, bytes / POINTER_CHASE_LINE_BYTES);
            place_walks(l, bytes / POINTER_CHASE_LINE_BYTES);
            measure_all(p, l, all[other].index);
        }
        free(l);
    }
}

PROBE(loaded_latency, .title = "Loaded latency", .family = "memory", .after = "cache", .run = run,
      .findings = FINDINGS({"memory.loaded.idle_ns", "ns", "latency of memory while another core is idle"},
                           {"memory.loaded.knee_bytes_per_ns", "bytes/ns",
                            "bandwidth that another core takes when latency is a fifth above the least"},
                           {"memory.loaded.most_bytes_per_ns", "bytes/ns",
                            "most bandwidth that one other core takes from memory by loads"},
                           {"memory.loaded.most_ns", "ns", "latency of memory while it does"}));
