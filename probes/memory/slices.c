/*
 * Slices: which address bits choose the part of the third level that a line lies in, and how many parts are there?
 *
 * Experiment: a hit takes longer the farther its slice is from the core. So the time of a hit in the third level is
 * measured for each line of a page of 2 MiB, twice, in random order, by one core and, where there are others, by each
 * of them (lib/structure/slice_times.h).
 *
 * There is no curve: the matrix `hit times` has cycles by core and by combination of parities.
 *
 * Inference: all differences of addresses that change no time show by which parities of address bits slices are chosen,
 * linear or not (lib/structure/slices.h). Times say which slices are equally far, not which slice it is: what they
 * distinguish is the least number of slices. It is their number if each combination of at most six parities has times
 * of its own, seen by two cores that see different ones.
 *
 * What could mislead: from one core, slices that lie in pairs at equal distances, which look like one; bits above the
 * page do not show. A hash of the second level's sets lets lines stay there, which is noticed. Other cores that fill
 * the third level make lines miss, and times scatter.
 *
 * docs/METHODS.md, 9.6. Sources: McCalpin 2021, TR-2021-03 (base sequences moved by XOR); Rainer et al. 2025 (hit times
 * of several cores); correlation over all differences instead of labels is ours.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/probe/matrix.h"
#include "lib/probe/probe.h"
#include "lib/structure/replacement_span.h"
#include "lib/structure/slice_times.h"
#include "lib/structure/slice_views.h"
#include "lib/structure/slices.h"

enum { VIEWS = 8, PASSES = 2, TEXT = 768 };

struct slices {
    struct probe *p;
    struct slice_times times;
    struct slice_sums all, own; /* of all cores, and of one */
    double *passes;             /* of one core, one after the other */
    struct slice_view views[VIEWS];
    double cores[VIEWS]; /* their numbers */
    size_t count;
    const char *why_not; /* why a core cannot measure */
};

static struct finding finding_of(const char *name, enum reason reason)
{
    return (struct finding){.name = name,
                            .variants = {{"level", .number = 3}},
                            .value = NAN,
                            .low = NAN,
                            .high = NAN,
                            .grade = 'U',
                            .reason = reason,
                            .method = "differences of addresses that do not change the time of a hit"};
}

/* ---- Measuring --------------------------------------------------------------------------------------------------- */

/* Measures all lines from the core in use. *reason: why they do not count. False: the probe has ended. */
static bool measure_view(struct slices *s, enum reason *reason)
{
    const size_t lines = (size_t)1 << s->times.line_bits;
    struct slice_view *v = &s->views[s->count];

    *reason = REASON_NONE;
    for (size_t pass = 0; pass < PASSES && !*reason; pass++)
        if (!slice_times_measure(&s->times, s->passes + pass * lines, reason))
            return false;
    if (*reason)
        return true;
    v->cycles = probe_calloc(s->p, lines, sizeof *v->cycles);
    if (!v->cycles || !slice_sums_start(&s->own, s->times.line_bits))
        return v->cycles && probe_skip(s->p, "there is not enough memory to compare all lines");
    for (size_t i = 0; i < lines; i++)
        v->cycles[i] = (s->passes[i] + s->passes[lines + i]) / PASSES;
    slice_sums_add(&s->all, s->passes, s->passes + lines);
    slice_sums_add(&s->own, s->passes, s->passes + lines);
    slice_function_find(&s->own, &v->function);
    slice_sums_free(&s->own);
    s->own = (struct slice_sums){0};
    s->cores[s->count++] = machine_info()->core;
    return true;
}

/* This core first, then the others. *reason: why this one's times do not count. False: the probe has ended. */
static bool measure_views(struct slices *s, enum reason *reason)
{
    const unsigned first = machine_info()->core;
    const size_t most = (size_t)probe_scale(s->p, 1, 2, 4, VIEWS);
    size_t count;
    const struct machine_core *all = machine_cores(&count);

    if (!measure_view(s, reason))
        return false;
    for (size_t i = 0; i < count && s->count < most && !*reason; i++) {
        enum reason others;
        if (all[i].index == first)
            continue;
        const char *why = all[i].why_not ? all[i].why_not : machine_use_core(all[i].index);
        if (!why && !measure_view(s, &others))
            return false;
        s->why_not = s->why_not ? s->why_not : why;
    }
    return machine_info()->core == first || !machine_use_core(first) ||
           probe_skip(s->p, "the core that measured could not be taken again");
}

/* ---- Reporting --------------------------------------------------------------------------------------------------- */

/* Whether two cores that see different distances each show this function. */
static bool seen_by_two(const struct slices *s, const struct slice_function *f)
{
    for (size_t i = 0; i < s->count; i++)
        for (size_t j = 0; j < i; j++)
            if (slice_functions_equal(&s->views[i].function, f) && slice_functions_equal(&s->views[j].function, f) &&
                !slice_views_alike(&s->views[i], &s->views[j], (size_t)1 << f->count))
                return true;
    return false;
}

/* Averages all views. False: there is no memory, and the probe has ended. */
static bool average(struct slices *s, const struct slice_function *f)
{
    const size_t combinations = (size_t)1 << f->count;
    double *means = probe_calloc(s->p, VIEWS * combinations, sizeof *means);

    for (size_t i = 0; means && i < s->count; i++) {
        s->views[i].means = means + i * combinations;
        if (!slice_view_average(&s->views[i], f))
            return probe_skip(s->p, "there is not enough memory to average all lines");
    }
    return means != NULL;
}

static bool send_matrix(struct slices *s, const struct slice_function *f)
{
    const size_t combinations = (size_t)1 << f->count;
    double *columns = probe_calloc(s->p, combinations, sizeof *columns);

    for (size_t i = 0; columns && i < combinations; i++)
        columns[i] = (double)i;
    const struct matrix m = {.name = "hit times",
                             .row_axis = "core",
                             .column_axis = "parities",
                             .unit = "cycles",
                             .row_count = s->count,
                             .column_count = combinations,
                             .rows = s->cores,
                             .columns = columns,
                             .cells = s->views[0].means,
                             .pitch = combinations};
    if (columns)
        matrix_send(s->p, &m);
    free(columns);
    return columns != NULL;
}

static void report_function(struct slices *s, const struct slice_function *f)
{
    const size_t combinations = (size_t)1 << f->count;
    struct finding function = finding_of("memory.cache.slice_function", REASON_NONE),
                   distances = finding_of("memory.cache.slice_distances", REASON_NONE),
                   slices = finding_of("memory.cache.slices", REASON_EQUALLY_FAR);
    char text[TEXT], bits[64];

    if (!average(s, f) || !send_matrix(s, f))
        return;
    const bool two = seen_by_two(s, f);
    const size_t known = slice_views_distances(s->views, s->count, combinations);
    const unsigned line_shift = (unsigned)__builtin_ctzll(s->times.line_bytes);
    snprintf(bits, sizeof bits, "address bits %u to %u", line_shift, line_shift + f->line_bits - 1);
    slice_function_text(f, s->times.line_bytes, text, sizeof text);
    function.text = text;
    function.grade = distances.grade = two ? 'B' : 'C';
    function.agreement = two ? "times of one core with those of another" : NULL;
    function.remarks[0].key = "condition";
    function.remarks[0].text = bits;
    report(s->p, &function);
    distances.value = (double)known;
    report(s->p, &distances);
    if (two && f->count <= SLICE_LINEAR_MASKS && known == combinations) {
        slices.value = (double)known;
        slices.grade = 'B';
        slices.reason = REASON_NONE;
        slices.agreement = function.agreement;
    }
    slices.detail = s->why_not;
    report(s->p, &slices);
}

static void report_undecided(struct probe *p, enum reason reason)
{
    static const char *const names[] = {"memory.cache.slice_function", "memory.cache.slice_distances",
                                        "memory.cache.slices"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct finding f = finding_of(names[i], reason);
        report(p, &f);
    }
}

static void decide(struct slices *s)
{
    struct slice_function f;

    slice_function_find(&s->all, &f);
    if (f.reason)
        report_undecided(s->p, f.reason);
    else
        report_function(s, &f);
}

static void run(struct probe *p)
{
    const struct cache_span second = cache_span_of(p, 2);
    struct slices s = {.p = p};
    const bool third = facts_number(&p->run->facts, "memory.cache.bytes", "level=3", 0) > 0;
    enum reason reason = third ? REASON_TOO_LONG_TO_SIMULATE : REASON_CAPACITY_UNKNOWN;
    bool good = !third || probe_is_simulated(p) || slice_times_start(p, &s.times, &second, &reason);

    if (good && !reason) {
        s.passes = probe_calloc(p, (size_t)PASSES << s.times.line_bits, sizeof *s.passes);
        good = s.passes &&
               (slice_sums_start(&s.all, s.times.line_bits) ||
                probe_skip(p, "there is not enough memory to compare all lines")) &&
               measure_views(&s, &reason);
    }
    if (good && reason)
        report_undecided(p, reason);
    else if (good)
        decide(&s);
    for (size_t i = 0; i < VIEWS; i++)
        free(s.views[i].cycles);
    free(s.views[0].means);
    free(s.passes);
    slice_sums_free(&s.all);
    slice_sums_free(&s.own);
    slice_times_free(&s.times);
}

PROBE(slices, .title = "Third level: slices", .family = "memory", .after = "cache_sets", .run = run,
      .needs = NEEDS("memory.cache.ways level=2", "memory.cache.bytes level=2"),
      .findings = FINDINGS({"memory.cache.slice_function", "bits",
                            "parities of address bits by which a line's slice of a cache is chosen"},
                           {"memory.cache.slice_distances", "distances",
                            "distances of slices from the cores that differ: there are as many slices at least"},
                           {"memory.cache.slices", "slices", "slices of a cache"}));
