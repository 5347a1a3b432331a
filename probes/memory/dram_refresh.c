/*
 * DRAM refresh: how often is memory refreshed, and for how long does a load wait that meets a refresh?
 *
 * Experiment: one line of memory is loaded and flushed a thousand times, each load in a reading of its own, so that it is
 * known when it was made and how long it took. Such bursts are made of other lines again and again: *dense*, as fast as
 * can be, and *sparse*, with a chain of multiplications behind each load, so that loads come at other distances. Control:
 * the same, not flushed, so that loads hit.
 *
 * Shape: most loads take the same; one in some tens, and each time after as long, waits for a refresh of its rank. There
 * is no curve.
 *
 * Inference: the period with which the times of loads that were held up repeat, by epoch folding against the times of all
 * loads (lib/structure/refresh_period.h). Dense and sparse bursts must agree. A line lies in one rank, so the period is
 * that of the rank, not the distance between refreshes of several.
 *
 * What could mislead: what else holds up loads at regular intervals, in the core, which the control shows, or in memory,
 * which nothing shows: grade B at best. What is repeated after so many readings has another period where loads are
 * sparse. Controllers that put refreshes off until memory is idle have no period. No row is opened more than 1,000 times
 * in 64 ms (lib/measure/activations.h); since others may use the machine, the probe runs only when it is named.
 *
 * docs/METHODS.md, 9.9. Sources: JEDEC JESD79-4 and JESD79-5 (tREFI, tRFC); Leahy et al. 1983 (epoch folding); that
 * refreshes show in the times of loads: Pessl et al. 2016 and later work on DRAM addressing.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/random.h"
#include "lib/base/reason.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/measure/activations.h"
#include "lib/probe/probe.h"
#include "lib/structure/refresh_period.h"

enum { DENSE, SPARSE, HITS, EXPERIMENTS };
static const char *const names[] = {"dense", "sparse", "hits"};
enum {
    LOADS = 1000,     /* of a burst */
    BURSTS = 256,     /* of an experiment, at most */
    ATTEMPTS = 4,     /* at a burst, as often as there are bursts */
    MULTIPLIES = 128, /* behind each sparse load */
    LINE_BYTES = 256, /* the longest */
    AREA_BYTES = 1 << 22,
    CODE_BYTES = 4096
};

struct refresh {
    struct probe *p;
    struct activations activations;
    struct area area;
    struct kernel kernels[EXPERIMENTS];
    struct reading list[LOADS];
    struct load_burst *bursts; /* of one experiment */
    struct refresh_period found[EXPERIMENTS];
};

/* The address is REG_DATA itself. The fence waits for the load, and for the flush behind it. */
static size_t emit(struct code *c, size_t experiment)
{
    const size_t entry = c->used;

    emit_load(c, REG_T0, REG_DATA, 0);
    emit_fence(c, FENCE_MEMORY);
    if (experiment != HITS)
        emit_flush(c, REG_DATA);
    for (unsigned i = 0; i < MULTIPLIES && experiment == SPARSE; i++)
        emit_multiply(c, REG_T0, REG_T0);
    emit_fence(c, FENCE_MEMORY);
    emit_return(c);
    return entry;
}

static bool start(struct refresh *r)
{
    struct code c = probe_code(r->p, CODE_BYTES);
    size_t entries[EXPERIMENTS];

    for (size_t i = 0; i < EXPERIMENTS; i++)
        entries[i] = emit(&c, i);
    for (size_t i = 0; i < EXPERIMENTS; i++) {
        r->kernels[i] = (struct kernel){.units = 1};
        if (!probe_kernel(r->p, &c, entries[i], &r->kernels[i]))
            return false;
    }
    r->bursts = probe_calloc(r->p, BURSTS, sizeof *r->bursts);
    return r->bursts && probe_map_large(r->p, &r->area, AREA_BYTES);
}

/* Loads a line drawn at random. *quiet: the burst counts. False: the probe has ended. */
static bool measure_burst(struct refresh *r, size_t experiment, size_t loads, struct load_burst *out, bool *quiet)
{
    const double ns = 1e9 / machine_info()->tick_hz;
    const uint64_t line = random_below(&r->p->random, AREA_BYTES / LINE_BYTES) * LINE_BYTES;
    struct window_result result;

    for (size_t i = 0; i < loads; i++)
        r->list[i] = (struct reading){.kernel = r->kernels[experiment].entry, .argument = {1, r->area.at + line}};
    if (!probe_goes_on(r->p))
        return false;
    if (!activations_run(&r->activations, &r->p->run->meter, r->list, loads, 1, &result))
        return probe_skip(r->p, "there is no clock by which the number of accesses to DRAM could be limited");
    if (!probe_survived(r->p, &result))
        return false;
    *quiet = !result.interrupts && !result.smis && !result.throttled;
    r->p->run->meter.taken += loads;
    r->p->run->meter.rejected += *quiet ? 0 : loads;
    r->p->run->meter.rejected_by[CAUSE_INTERRUPTED] += *quiet ? 0 : loads;
    out->count = loads;
    for (size_t i = 0; i < loads; i++)
        out->loads[i] = (struct timed_load){.at = (double)(r->list[i].end_ticks - r->list[0].begin_ticks) * ns,
                                            .took = (double)(r->list[i].end_ticks - r->list[i].begin_ticks) * ns};
    return true;
}

/* Decides one experiment. False: the probe has ended. */
static bool measure(struct refresh *r, size_t experiment)
{
    const size_t bursts = (size_t)probe_scale(r->p, 1, 32, 128, BURSTS), loads = (size_t)probe_smoke(r->p, 16, LOADS);
    size_t count = 0;

    for (size_t attempt = 0; attempt < ATTEMPTS * bursts && count < bursts; attempt++) {
        bool quiet = false;
        if (!measure_burst(r, experiment, loads, &r->bursts[count], &quiet))
            return false;
        count += quiet;
    }
    refresh_period_find(r->bursts, count, &r->found[experiment]);
    return true;
}

/* Whether loads that hit are held up at the same distance: that is no refresh. */
static bool control_shows(const struct refresh *r)
{
    const struct experiment_value both[] = {{names[DENSE], names[DENSE], r->found[DENSE].ns},
                                            {names[HITS], names[HITS], r->found[HITS].ns}};

    return !r->found[HITS].reason && !r->found[DENSE].reason && grade_number(both, 2).grade != 'U';
}

static void report_both(struct refresh *r)
{
    const struct refresh_period *f = r->found;
    struct experiment_value periods[HITS];
    const enum reason reason = control_shows(r) ? REASON_NOISE : f[DENSE].reason ? f[DENSE].reason : f[SPARSE].reason;

    for (size_t i = 0; i < HITS; i++)
        periods[i] = (struct experiment_value){names[i], "other requests", reason ? (double)NAN : f[i].ns};
    const bool decided = grade_number(periods, HITS).grade != 'U';
    const enum reason undecided = reason ? reason : REASON_EXPERIMENTS_DISAGREE;
    report_graded_number(r->p,
                         &(struct finding){.name = "memory.dram.refresh_period_ns",
                                           .reason = reason,
                                           .method = "epoch folding of single loads of one line, dense and sparse"},
                         periods, HITS);
    report(r->p, &(struct finding){.name = "memory.dram.refresh_wait_ns",
                                   .value = decided ? f[DENSE].wait : (double)NAN,
                                   .low = decided ? f[DENSE].least : (double)NAN,
                                   .high = decided ? f[DENSE].most : (double)NAN,
                                   .grade = decided ? 'C' : 'U',
                                   .reason = decided ? REASON_NONE : undecided,
                                   .method = "how much longer loads take at one part of the period, by period"});
}

static void run(struct probe *p)
{
    struct refresh *r = probe_calloc(p, 1, sizeof *r);
    bool good = r != NULL;

    if (good) {
        r->p = p;
        good = start(r);
    }
    for (size_t i = 0; i < EXPERIMENTS && good; i++)
        good = measure(r, i);
    if (good)
        report_both(r);
    if (r)
        free(r->bursts);
    free(r);
}

PROBE(dram_refresh, .title = "DRAM: refresh", .family = "memory", .only_named = true, .run = run,
      .findings = FINDINGS(
          {"memory.dram.refresh_period_ns", "ns", "time from one refresh of a rank of memory to the next"},
          {"memory.dram.refresh_wait_ns", "ns", "time that loads lose to each refresh, where one follows the other"}));
