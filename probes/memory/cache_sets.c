/*
 * Second data cache: how many pages does it hold when no set is overfilled, how many ways has a set, and which address
 * bits choose it?
 *
 * Experiment: frames choose the set, and a process cannot choose its frames. So pages are collected by what they do
 * (lib/structure/eviction_sets.h): a pointer chase over one line of each page, at the same place in all of them, in
 * random order; pages that bring misses are not kept. The control has the same pages with lines at two places, so that
 * only half as many fall into one set: TLBs see the same, and their cost is subtracted. Both miss the first level,
 * which has room for few lines of one place. Each load of the code visits all pages in an order drawn anew for each
 * measurement, so that no predictor learns where it goes (lib/kernels/pointer_chase.h).
 *
 * There is no curve over an axis: misses are counted in rounds with and without a page. When no further page fits, the
 * collection is all that these sets hold. One rejected page more brings misses, which go away only when a page of its
 * own set is left out: these are counted.
 *
 * Inference: pages of one set are the ways. Pages of the collection, divided by the ways, are the sets among which
 * frames choose, a power of two; the place in the page chooses the others. Three sets have to agree, and the capacity
 * has to be near what the staircase shows (probe `cache`).
 *
 * Where place and frame are hashed together, lines of one place lie in more sets than frames choose: then all pages may
 * fit, or a number of pages from which no power of two of sets follows, or not the capacity. The second level of Zen 4
 * holds 2048 lines of one place, 8 times its share, and no more if lines are at places 512 bytes apart. So where one
 * line of each page decides nothing, eight lines of each page are used, as far apart as possible: together they reach
 * all sets to which the hash moves one of them, and what frames choose besides is found as above. Where that decides
 * nothing either, the result is undecided.
 *
 * Sources: Vila, Köpf and Morales 2019 (group testing); lmbench's `cache` (exchanging pages that raise the latency).
 * docs/METHODS.md, 7.5.
 */
#include <math.h>

#include "lib/base/reason.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/finding/tolerances.h"
#include "lib/probe/probe.h"
#include "lib/structure/eviction_sets.h"
#include "lib/structure/set_associativity.h"
#include "lib/structure/tolerances_hierarchy.h"

/* Capacity of the second level that the size of the pool follows from, where none is known; bytes. */
enum { L2_BYTES = 2 << 20 };

static struct finding second_level(const char *name, enum reason reason)
{
    return (struct finding){.name = name,
                            .variants = {{"level", .number = 2}},
                            .value = NAN,
                            .low = NAN,
                            .high = NAN,
                            .grade = 'U',
                            .reason = reason};
}

static double power_of_two(double bits)
{
    double x = 1;

    for (; bits > 0.5; bits--)
        x *= 2;
    return x;
}

/*
 * The capacity by pages that do not conflict replaces the one that probe `cache` reports half way up a ramp, which
 * frames at random widen. It is the number of ways times sets, since a few pages were rejected, or collected, by
 * mistake.
 */
static void report_capacity_of_sets(struct probe *p, const struct eviction_sets *e, double pages_of_sets)
{
    const double collected = (double)e->collected_count, most = fmax(collected, pages_of_sets);
    struct finding f = second_level("memory.cache.bytes", REASON_NONE);

    f.grade = fabs(collected - pages_of_sets) <= AGREE * pages_of_sets ? 'B' : 'C';
    f.value = pages_of_sets * (double)e->page_bytes;
    f.low = fmin(f.value, collected * (double)e->page_bytes);
    f.high = (most + 1) * (double)e->page_bytes;
    f.method = "pages that do not conflict";
    f.agreement = f.grade == 'B' ? "pages with ways times sets" : NULL;
    f.replaces = true;
    report(p, &f);
}

/* What the collection shows of the cache; the values of both findings are NaN where it is undecided. */
struct shape {
    struct finding ways, index_bits;
    struct graded graded; /* the ways */
    double pages_of_sets; /* ways times the sets among which frames choose */
};

static void infer_shape(struct probe *p, const struct eviction_sets *e, const double ways[EVICTION_SETS],
                        struct shape *s)
{
    static const char *const names[EVICTION_SETS] = {"a set", "another set", "a third set"};
    const double line = facts_number(&p->run->facts, "memory.cache.line_bytes", "level=1", POINTER_CHASE_LINE_BYTES);
    struct experiment_value v[EVICTION_SETS];

    *s = (struct shape){.ways = second_level("memory.cache.ways", e->reason),
                        .index_bits = second_level("memory.cache.index_bits", e->reason),
                        .pages_of_sets = NAN};
    if (e->reason)
        return;
    for (size_t i = 0; i < EVICTION_SETS; i++)
        v[i] = (struct experiment_value){names[i], "frames", ways[i]};
    s->graded = grade_number(v, EVICTION_SETS);
    const struct graded *r = &s->graded;
    const double frame_bits = exponent_of_two((double)e->collected_count / r->value, EVICTION_SETS_ALIKE),
                 page_bits = exponent_of_two((double)e->page_bytes / line, EVICTION_SETS_ALIKE),
                 capacity = (double)(e->collected_count * e->page_bytes),
                 staircase = facts_number(&p->run->facts, "memory.cache.bytes", "level=2", capacity);
    s->ways.method = s->index_bits.method = "pages that do not conflict, and those of one set among them";
    s->ways.reason = s->index_bits.reason = r->grade == 'U' ? r->reason : REASON_HASHED_OR_NOISY;
    if (isnan(frame_bits))
        return;
    /* they may differ as two experiments on one level may: else something other than the cache's sets was filled */
    if (fmax(staircase, capacity) > SAME_LEVEL * fmin(staircase, capacity)) {
        s->ways.reason = s->index_bits.reason = REASON_EXPERIMENTS_DISAGREE;
        return;
    }
    s->ways.value = r->value;
    s->ways.agreement = r->agreement;
    s->ways.grade = s->index_bits.grade = r->grade;
    s->index_bits.value = frame_bits + page_bits;
    s->pages_of_sets = r->value * power_of_two(frame_bits);
}

/*
 * The third level is not attempted. It is mostly shared: its slices are chosen by a hash of all address bits, and
 * other cores fill its sets meanwhile (Maurice et al. 2015, Reverse Engineering Intel Last-Level Cache Complex
 * Addressing Using Performance Counters). The experiment above would work, but each measurement walks all pages of
 * the collection, thousands for each 8 MiB of it, and there are more measurements than pages, so that it takes from
 * some seconds for the smallest to an hour. Eviction sets of one line take few measurements (Vila et al. 2019), but
 * these need the time of one load among thousands, and a reading here is the time of a whole kernel.
 */
static void report_third_level(struct probe *p)
{
    if (facts_number(&p->run->facts, "memory.cache.bytes", "level=3", 0) > 0)
        report_number(p,
                      &(struct finding){.name = "memory.cache.ways",
                                        .variants = {{"level", .number = 3}},
                                        .reason = REASON_NOT_TRIED,
                                        .method = "none"},
                      (double)NAN);
}

/* Infers the shape from chases over so many lines of each page. False: the probe has ended. */
static bool find_shape(struct eviction_sets *e, size_t lines, struct shape *s)
{
    const double seconds = probe_simulated(e->p, 2, probe_scale(e->p, 1, 8, 8, 20));
    double ways[EVICTION_SETS];

    if (!eviction_sets_find(e, lines, seconds, ways))
        return false;
    infer_shape(e->p, e, ways, s);
    return true;
}

static void run(struct probe *p)
{
    const double l2 = facts_number(&p->run->facts, "memory.cache.bytes", "level=2", L2_BYTES);
    const size_t page_bytes = machine_info()->page_bytes[0];
    size_t pool = (size_t)probe_smoke(p, 4 * EVICTION_POOL_FACTOR, EVICTION_POOL_FACTOR * l2 / (double)page_bytes);
    struct eviction_sets e;
    struct shape shape;

    while (pool * page_bytes > machine_info()->memory_bytes / 2)
        pool /= 2;
    if (pool < (size_t)probe_smoke(p, 1, EVICTION_POOL_LEAST)) {
        probe_skip(p, "the second level holds too few pages to be distinguished from the first");
        return;
    }
    if (!eviction_sets_map(p, &e, pool, page_bytes))
        return;
    bool good = find_shape(&e, 1, &shape);
    if (good && isnan(shape.ways.value))
        good = find_shape(&e, EVICTION_LINES, &shape);
    if (good) {
        report(p, &shape.ways);
        report(p, &shape.index_bits);
        if (!isnan(shape.ways.value))
            report_capacity_of_sets(p, &e, shape.pages_of_sets);
        report_third_level(p);
    }
    eviction_sets_free(&e);
}

PROBE(cache_sets, .title = "Second data cache: sets", .family = "memory", .after = "cache_ways", .run = run,
      .findings = FINDINGS({"memory.cache.bytes", "bytes", "capacity of a data cache level"},
                           {"memory.cache.ways", "ways", "lines of one set of a data cache"},
                           {"memory.cache.index_bits", "bits",
                            "address bits that choose the set, from the line's length on"}));
