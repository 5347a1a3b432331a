/*
 * Contention: how many accesses a microsecond do several cores make to one line, all together and each?
 *
 * Experiment: this core and as many others as are asked for, 1, 2, 4 … all, repeat one kind of access to a word: an
 * atomic addition, an atomic comparison with exchange that finds what it expects, a plain store or a plain load. The
 * word is
 *
 *   word  the same one for all cores
 *   line  for each core another one of the same line, which no core needs from any other: false sharing
 *   own   for each core one of its own line: the control, in which nothing is contended for
 *
 * The others count their accesses (lib/measure/responder.h). The kernel of this core reads all counts, makes its own
 * accesses, and reads them again: the accesses of all of them, by the time of the kernel. Additions add 0 and
 * comparisons exchange 0 for 0, so that no comparison fails, whoever was first.
 *
 * There is no curve: each kind, place and number of cores gives the median of several readings in each of three passes.
 * The middle one of the passes counts, its interval is that of all three. One experiment: grade C. Fairness is what the
 * core with the fewest accesses has made of what the one with the most has. It is told of atomic accesses only, beside
 * which the loop that makes them takes nothing: plain ones show how its few other instructions differ from this core's.
 *
 * Method: docs/METHODS.md, 9.5. Increments of one variable by all threads: multichase (Google), its test of fairness.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/reason.h"
#include "lib/base/statistics.h"
#include "lib/finding/report.h"
#include "lib/finding/tolerances.h"
#include "lib/kernels/contended.h"
#include "lib/probe/probe.h"
#include "lib/structure/instruction_cost.h"
#include "lib/structure/instruction_once.h"

enum { WORDS = 8 /* of a line of 64 bytes, of 64 bits */, APART = 1024 /* bytes between lines of different cores */ };
/* Of a block that is not counted yet there is less than a hundredth, if all cores make as many accesses. */
enum { ITERATIONS_LEAST = 128, PASSES = 3 };

static const char rate_name[] = "system.contention.operations_per_us", fairness_name[] = "system.contention.fairness";
static const char method[] = "cores that repeat one access; what each has counted while this core's kernel ran";

static const struct contended accesses[] = {{"add", "add", RESPONDER_ADDS},
                                            {"cas", "cas", RESPONDER_COMPARES},
                                            {"store", NULL, RESPONDER_RESTORES},
                                            {"load", NULL, RESPONDER_RELOADS}};
enum { ACCESSES = sizeof accesses / sizeof accesses[0] };

static const char *const places[] = {"word", "line", "own"};
enum place { WORD, LINE, OWN, PLACES };

struct points {
    struct contention contention;
    struct area own; /* the word of this core, where each has its own line */
    size_t passes;
};

static struct finding finding_of(const char *name, const struct contended *a, enum place place, unsigned cores)
{
    return (struct finding){.name = name,
                            .variants = {{"access", a->access}, {"place", places[place]}, {"cores", .number = cores}},
                            .method = method};
}

static void report_without(struct probe *p, const struct contended *a, enum place place, unsigned cores,
                           enum reason reason, const char *why)
{
    struct finding f = finding_of(rate_name, a, place, cores);

    f.reason = reason;
    f.detail = why;
    report_number(p, &f, (double)NAN);
}

/* Reports a number by its values in all passes: the middle one, and all as its interval. */
static void report_middle(struct probe *p, struct finding f, double *values, size_t count)
{
    sort_numbers(values, count);
    f.low = values[0];
    f.high = values[count - 1];
    if (!(f.high <= VAGUE_FACTOR * f.low)) {
        f.reason = isnan(f.high) ? REASON_NO_READINGS : REASON_NOISE;
        report_number(p, &f, (double)NAN);
        return;
    }
    f.value = quantile(values, count, 0.5);
    f.grade = 'C';
    report(p, &f);
}

static void report_rates(struct probe *p, const struct contended *a, enum place place, unsigned cores,
                         const struct contended_rates *r, size_t count)
{
    struct finding f = finding_of(rate_name, a, place, cores);
    double values[PASSES], least = INFINITY, most = 0;
    char each[64];

    for (size_t i = 0; i < count; i++) {
        values[i] = r[i].all;
        least = fmin(least, r[i].least);
        most = fmax(most, r[i].most);
    }
    snprintf(each, sizeof each, "%.3g to %.3g by each core", least, most);
    f.remarks[0].key = cores > 1 && most > 0 ? "condition" : NULL;
    f.remarks[0].text = each;
    report_middle(p, f, values, count);
    if (cores == 1 || !a->atomic)
        return;
    for (size_t i = 0; i < count; i++)
        values[i] = 100 * r[i].least / r[i].most;
    report_middle(p, finding_of(fairness_name, a, place, cores), values, count);
}

/* Measures one access at one place by so many cores in all passes, and reports. False: the probe is over. */
static bool measure_point(struct probe *p, struct points *q, const struct contended *a, enum place place,
                          unsigned cores)
{
    struct contention *s = &q->contention;
    const size_t apart = place == WORD ? 0 : place == LINE ? sizeof(uint64_t) : APART;
    const uint64_t word = place == OWN ? q->own.at : s->traffic.buffers.at + (cores - 1) * apart;
    struct contended_rates r[PASSES];
    bool good = true;

    s->traffic.count = cores - 1;
    s->traffic.bytes = apart;
    s->iterations = (uint64_t)probe_smoke(p, 2, ITERATIONS_LEAST);
    if (!contended_build(p, s, a, word))
        return false;
    for (size_t pass = 0; pass < q->passes; pass++) {
        const char *why = contended_measure(p, s, a->duty, &r[pass], &good);
        if (why)
            report_without(p, a, place, cores, REASON_PLATFORM, why);
        if (why || !good)
            return good;
    }
    report_rates(p, a, place, cores, r, q->passes);
    return true;
}

/* Whether a core that is alone, or a load that leaves the line with all cores, has nothing to contend for there. */
static bool is_pointless(const struct contended *a, enum place place, unsigned cores)
{
    return (cores == 1 && place != OWN) || (place == LINE && (a->duty == RESPONDER_RELOADS || cores > WORDS));
}

/* One kind of access at all places, by 1, 2, 4 … and all cores. False: the probe is over. */
static bool measure_access(struct probe *p, struct points *q, const struct contended *a, unsigned all)
{
    bool good = true;

    for (unsigned cores = 1, last = 0; cores != last && good; last = cores, cores = cores * 2 < all ? cores * 2 : all)
        for (enum place place = WORD; place < PLACES && good; place++)
            if (!is_pointless(a, place, cores))
                good = measure_point(p, q, a, place, cores);
    return good;
}

/* Whether the core has this access; an atomic one is executed once, where a fault is caught. */
static bool has(struct probe *p, const struct area *data, const struct contended *a)
{
    const struct form *f = contended_form(a);

    return !a->atomic || (f && !instruction_execute_once(p, data, f).why.reason);
}

static void run(struct probe *p)
{
    struct points q = {.passes = (size_t)probe_smoke(p, 1, PASSES)};
    struct area data;
    size_t count;
    const struct machine_core *cores = machine_cores(&count);

    traffic_find(&q.contention.traffic);
    if (!q.contention.traffic.count) {
        const char *why = NULL;
        for (size_t i = 0; i < count && !why; i++)
            why = cores[i].why_not;
        report_without(p, &accesses[0], WORD, 2, count > 1 ? REASON_PLATFORM : REASON_ONE_CORE, why);
        return;
    }
    const unsigned all = (unsigned)q.contention.traffic.count + 1;
    q.contention.traffic.bytes = APART;
    q.contention.traffic.small_pages = true;
    if (!traffic_map(p, &q.contention.traffic) || !probe_map(p, &q.own, APART, 0) || !contended_map(p, &q.contention) ||
        !probe_map(p, &data, INSTRUCTION_DATA_BYTES, 0))
        return;
    memset(q.contention.traffic.buffers.write, 0, q.contention.traffic.buffers.bytes); /* so that comparisons find 0 */
    memset(q.own.write, 0, q.own.bytes);
    for (size_t i = 0; i < ACCESSES; i++)
        if (has(p, &data, &accesses[i]) && !measure_access(p, &q, &accesses[i], all))
            return;
}

PROBE(contention, .title = "Contention", .family = "system", .run = run,
      .findings = FINDINGS({"system.contention.operations_per_us", "operations/us",
                            "accesses that so many cores make together to one line, or each to its own"},
                           {"system.contention.fairness", "percent",
                            "accesses of the core that makes the fewest beside those of the one that makes the most"}));
