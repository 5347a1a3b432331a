/*
 * Parallel misses: how many misses of a level can be in flight at once?
 *
 * k walkers on one ring of lines (lib/kernels/walkers.h). While all k misses fit, a round takes as long as one of them.
 * One more has to wait until another one is done, and rounds grow. Two orders of the ring:
 *
 *   whole   lines in random order: nothing can follow it, but the TLB may be its limit
 *   pages   lines of a page in random order, then on to the next page: prefetchers might follow it
 *
 * Each level is measured by itself: its ring is longer than the level and fits the next one, or is several times as
 * long as all caches.
 *
 * Curve over k: cycles per round, flat and then a slope; the answer is the last k on the flat. Passing a walker's place
 * through memory may take time in which its miss is not in flight: k is reduced by that part of a round, which a plain
 * pointer chase over the same ring determines. A second view is Little's law: the slope is the time between two misses
 * when as many as possible are in flight, and the latency divided by it is their number. Where the two contradict each
 * other the result is undecided: latencies that grow with the number in flight raise the flat.
 *
 * The rate of lines when they are read in order may be the highest rate of the level, however many could be in flight;
 * the rate of steps that all hit the first level may be the highest rate of the core. Where rounds come near either,
 * the knee counts only if another level, with other latencies, has the same. Whichever level responds, loads wait in
 * buffers of the first level: what a further level could take beyond these does not show.
 *
 * Method: docs/METHODS.md, 7.14. Independent pointer chases as in clamchowder's suite; walkers on one ring are ours;
 * Little 1961.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/reason.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/kernels/access.h"
#include "lib/kernels/walkers.h"
#include "lib/probe/probe.h"
#include "lib/probe/sample.h"
#include "lib/probe/sweep.h"
#include "lib/structure/caches.h"
#include "lib/structure/tolerances_hierarchy.h"

enum {
    LEVELS = 4,
    WALKERS_FROM = 1,
    WALKERS_TO = 40,
    LONGER = 3, /* length of the ring by the level, where the next level has room for that */
    PAGE_LINES = 64,
    ORDERS = 2,
    SAMPLES = 3
};

/*
 * Part of the highest rate of lines, or of steps, from which on that rate may be the limit. Chosen: a growth of rounds
 * by less than 1.25 times the time of such a line or step cannot be distinguished from it.
 */
static const double NEARLY_ALL = 0.8;
/*
 * Walkers by which Little's law may lie beyond an end of the interval: the last walker of the interval may be under way
 * in part, and as many walkers as buffers, with none to spare, may take a little longer already. The interval is then
 * extended to hold what the law says.
 */
static const double PARTLY = 1;

/* ---- Levels ------------------------------------------------------------------------------------- */

/*
 * Bytes of a ring that misses this level and hits the next one or, behind the last cache, memory. 0 and the reason
 * where there is none of at most `most` bytes.
 */
static double footprint(const struct probe *p, size_t level, double most, enum reason *why_not)
{
    const double holds = caches_known(p, (unsigned)level), next = caches_known(p, (unsigned)level + 1);
    const double bytes = next > 0 ? fmin(LONGER * holds, next / 2) : CACHES_TO_REACH_MEMORY * holds;

    *why_not = !(holds > 0)                                        ? REASON_CAPACITY_UNKNOWN
               : next > 0 && bytes < CACHE_LONGER_AT_LEAST * holds ? REASON_HARDLY_LARGER
               : bytes > most                                      ? REASON_RANGE_ENDS
                                                                   : REASON_NONE;
    return *why_not ? 0 : bytes;
}

/* Cycles per line when the next level is read in order, by the widest loads; NaN: not known. */
static double cycles_in_order(const struct probe *p, size_t level)
{
    const size_t behind = level + 1;
    double best = NAN;

    for (const struct emit_access *a = emit_accesses; a->name; a++) {
        char variants[64];
        if (caches_known(p, (unsigned)behind) > 0)
            snprintf(variants, sizeof variants, "level=%zu access=load width=%u", behind, a->bits);
        else
            snprintf(variants, sizeof variants, "level=dram access=load width=%u", a->bits);
        best = fmax(best, facts_number(&p->run->facts, "memory.bandwidth.bytes_per_cycle", variants, NAN));
    }
    return POINTER_CHASE_LINE_BYTES / best;
}

/* ---- One level ---------------------------------------------------------------------------------- */

struct misses {
    struct graded graded;
    char curves[ORDERS][32];
    char little[32];        /* misses by Little's law, as text; empty: not known */
    enum reason also_limit; /* what else may be the limit; REASON_NONE: nothing */
};

/*
 * Cycles by which a round grows with each walker behind the knee; NaN where there is no knee. Measured from the first
 * walker that does not fit: from the last one that fits, the first step would show only a part of the growth, and a
 * limit of 19 would appear as 20.
 */
static double growth(const struct sweep *s)
{
    const struct verdict *v = &s->search.verdict;

    if (v->reason || !v->count || s->search.count < 2)
        return NAN;
    const struct search_point *last = &s->search.points[s->search.count - 1], *from = s->search.points;
    while (from->x < v->knees[0].high && from + 1 < last)
        from++;
    return (last->y - from->y) / (last->x - from->x);
}

/* `hits`: cycles of a step where all loads hit the first level. */
static struct misses decide_misses(const struct probe *p, size_t level, const struct sweep s[ORDERS],
                                   const double latency[ORDERS], double hits)
{
    const double in_order = cycles_in_order(p, level);
    struct experiment e[ORDERS];
    struct misses a = {.little = ""};

    experiments_of_sweeps(s, ORDERS, e);
    for (size_t i = 0; i < ORDERS; i++)
        e[i].scale = latency[i] / s[i].search.points[0].y;
    a.graded = grade_capacity(e, ORDERS, 1);
    const size_t first = a.graded.first;
    const double grows = growth(&s[first]), little = latency[first] / grows;
    const double whole = floor(little + 0.5); /* the number of buffers is whole */
    if (a.graded.grade == 'U')
        return a;
    snprintf(a.little, sizeof a.little, "%.1f", little);
    a.also_limit = !(grows > in_order / NEARLY_ALL) ? REASON_MASKED_BY_BANDWIDTH
                   : !(grows > hits / NEARLY_ALL)   ? REASON_MASKED_BY_INSTRUCTIONS
                                                    : REASON_NONE;
    if (!(little >= a.graded.low - PARTLY && little <= a.graded.high + PARTLY))
        a.graded = (struct graded){
            .value = NAN, .low = NAN, .high = NAN, .grade = 'U', .reason = REASON_VIEWS_DISAGREE};
    else
        a.graded.value = whole, a.graded.low = fmin(a.graded.low, whole), a.graded.high = fmax(a.graded.high, whole);
    return a;
}

static bool measure_level(struct probe *p, size_t level, double bytes, struct walkers *w, double hits,
                          struct misses *out)
{
    static const char *const orders[ORDERS] = {"whole", "pages"}, *const confounder[ORDERS] = {"TLB", "prefetchers"};
    const size_t lines = (size_t)bytes / POINTER_CHASE_LINE_BYTES / PAGE_LINES * PAGE_LINES;
    struct sweep s[ORDERS] = {{.name = NULL}};
    char names[ORDERS][32];
    double latency[ORDERS];
    bool good = true;

    for (size_t i = 0; i < ORDERS && good; i++) {
        snprintf(names[i], sizeof names[i], "level %zu, %s", level, orders[i]);
        s[i] = (struct sweep){.name = names[i],
                              .confounder = confounder[i],
                              .axis = "walkers",
                              .unit = "cycles/round",
                              .build = walkers_build,
                              .context = w,
                              .area = &w->chase.ring,
                              .seconds = probe_scale(p, 1, 0.4, 2, 10),
                              .search = {.kind = KNEE_SLOPE,
                                         .from = WALKERS_FROM,
                                         .to = probe_smoke(p, 8, WALKERS_TO),
                                         .step = 1,
                                         .per_octave = (unsigned)probe_smoke(p, 1, 4)}};
        walkers_link(p, w, lines, i ? PAGE_LINES : lines);
        good = sample_cycles(p, SAMPLES, walkers_build_chase, w, &latency[i]) && sweep_search(p, &s[i]);
    }
    if (good) {
        *out = decide_misses(p, level, s, latency, hits);
        memcpy(out->curves, names, sizeof names);
    }
    sweeps_free(s, ORDERS);
    return good;
}

/* Builds so many walkers on lines of the first level that only their instructions limit the rate. */
static bool build_hits(struct probe *p, void *context, struct kernel *k)
{
    if (!walkers_build(p, WALKERS_TO, context, k))
        return false;
    k->units = WALKERS_TO;
    return true;
}

static bool measure_hits(struct probe *p, struct walkers *w, double *cycles)
{
    walkers_link(p, w, PAGE_LINES, PAGE_LINES);
    return sample_cycles(p, SAMPLES, build_hits, w, cycles);
}

/* ---- Reports ------------------------------------------------------------------------------------ */

/* Whether some other level has the same knee: each value lies in the interval of the other. */
static bool confirmed_by_level(const struct misses *all, size_t levels, size_t level)
{
    const struct graded *r = &all[level].graded;

    for (size_t i = 0; i < levels; i++)
        if (i != level && all[i].graded.grade != 'U' && all[i].graded.value >= r->low &&
            all[i].graded.value <= r->high && r->value >= all[i].graded.low && r->value <= all[i].graded.high)
            return true;
    return false;
}

static void report_level(struct probe *p, const struct misses *all, size_t levels, size_t level)
{
    const struct misses *a = &all[level];
    struct finding f = {.name = "memory.parallel_misses",
                        .variants = {{"level", .number = (double)level + 1}},
                        .value = a->graded.value,
                        .low = a->graded.low,
                        .high = a->graded.high,
                        .grade = a->graded.grade,
                        .reason = a->graded.reason,
                        .agreement = a->graded.agreement[0] ? a->graded.agreement : NULL,
                        .remarks = {{a->little[0] ? "little" : NULL, a->little}},
                        .method = "last number of walkers before rounds grow",
                        .limits = {{"backend.load_queue.entries", "", 2},
                                   {"backend.store_queue.entries", "", 1},
                                   {"backend.rob.entries", "", 3},
                                   {level ? "memory.parallel_misses" : NULL, "level=1", 1}}};

    for (size_t i = 0; i < ORDERS && a->curves[i][0]; i++)
        f.curves[i] = a->curves[i];
    if (f.grade != 'U' && a->also_limit && !confirmed_by_level(all, levels, level)) {
        f.value = f.low = f.high = NAN;
        f.grade = 'U';
        f.reason = a->also_limit;
    }
    report(p, &f);
}

static void run(struct probe *p)
{
    struct misses all[LEVELS];
    double bytes[LEVELS], most = probe_scale(p, 1 << 17, 1 << 24, 1 << 25, 1 << 30),
                          longest = PAGE_LINES * POINTER_CHASE_LINE_BYTES;
    size_t levels = 0;
    struct walkers w = {.lines = 0};

    most = fmin(most, (double)machine_info()->memory_bytes / 4);
    do {
        enum reason why_not;
        bytes[levels] = footprint(p, levels + 1, most, &why_not);
        all[levels] = (struct misses){
            .graded = {.value = NAN, .low = NAN, .high = NAN, .grade = 'U', .reason = why_not}};
        longest = fmax(longest, bytes[levels]);
        levels++;
    } while (levels < LEVELS && caches_known(p, (unsigned)levels + 1) > 0);
    if (!walkers_map(p, &w, (size_t)longest, WALKERS_TO))
        return;
    double hits = NAN;
    bool good = measure_hits(p, &w, &hits);
    for (size_t i = 0; i < levels && good; i++)
        good = !(bytes[i] > 0) || measure_level(p, i + 1, bytes[i], &w, hits, &all[i]);
    for (size_t i = 0; i < levels && good; i++)
        report_level(p, all, levels, i);
    free(w.order);
}

PROBE(parallelism, .title = "Parallel misses", .family = "memory", .after = "bandwidth", .run = run,
      .findings = FINDINGS({"memory.parallel_misses", "misses", "misses of a level that can be in flight at once"}));
