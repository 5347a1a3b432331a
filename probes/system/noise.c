/*
 * Noise: how quiet is this platform?
 *
 * Two experiments, each in every kind of window (lib/machine.h): `stopped`, as all readings are taken; `masked`, with
 * the firmware's timer left running and interrupts masked in the core; `none`, with interrupts handled as they come.
 *
 * Silence. A fixed kernel that uses registers only is repeated, with the same number of iterations each time. Where
 * nothing else runs, every repetition takes the same time: the shortest equals the longest. The kernel is once as long
 * as a reading and once so long that any timer tick falls into it. Result: the share of repetitions that are as short
 * as the shortest, within the error of two time stamps, which the second experiment determines. The unit is the time
 * stamp, so a core clock that drifts against it is noise, too.
 *
 * Gaps. A list of empty kernels takes time stamps and does nothing else (lib/structure/time_gaps.h). Curve: the number
 * of gaps over their length, in powers of two. Result: how long they are, and the share of all time that they take.
 *
 * Width. Firmware or system leave the sibling threads of a core in some state, which the `environment` record names.
 * One that runs a loop takes its share of each cycle all the time, so that no comparison within this run shows it.
 * Result: the NOPs that the core executed in a cycle when it executed the most, to be compared with its width.
 *
 * Where the reader counts instructions, the number counted is shown beside the number that the kernel executes, for the
 * kernel and for one twice as long: both must differ by the same constant, the cost of reading. Under an emulator's
 * instruction counting the time stamp is such a counter, too.
 *
 * Method: docs/METHODS.md, 8.2. Minimum equals maximum as the proof of silence: article on Sushi Roll 2019; gaps as
 * Linux finds them (Documentation/trace/hwlat_detector.rst).
 */
#include <math.h>

#include "lib/base/reason.h"
#include "lib/base/record.h"
#include "lib/base/statistics.h"
#include "lib/finding/report.h"
#include "lib/kernels/fixed_work.h"
#include "lib/probe/probe.h"
#include "lib/probe/table.h"
#include "lib/structure/time_gaps.h"
#include "lib/structure/window_list.h"

enum {
    LIST_READINGS = 1024, /* 72 KiB: such a list stays in the second level of any cache */
    LIST_READINGS_SMOKE = 256,
    NUMBERS = 4096,
    /* The most iterations of a kernel: a smoke run has to be short in a simulator, the others have to fit a window. */
    ITERATIONS_SMOKE = 2500,
    ITERATIONS = 100 << 20,
};

/* Seconds that a window lasts, about: short, so that the deadline holds and no timer tick that has to wait is lost.
 * no test: it only divides the repetitions into windows. */
static const double WINDOW_SECONDS = 0.02;

static const struct window_kind {
    const char *name, *curve;
    enum silence silence;
} kinds[] = {{"stopped", "gaps stopped", SILENCE_STOPPED},
             {"masked", "gaps masked", SILENCE_MASKED},
             {"none", "gaps none", SILENCE_NONE}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* A length of the silence kernel. */
static const struct length {
    const char *name;
    double seconds;
    double repetitions[PROFILES]; /* NUMBERS at most */
} lengths[] = {{"10us", 10e-6, {12, 200, 1000, 4000}}, {"20ms", 20e-3, {0, 12, 24, 100}}};
enum { LENGTHS = sizeof lengths / sizeof lengths[0] };

struct noise {
    struct fixed_work work;
    uint64_t iterations[LENGTHS]; /* that take these lengths */
    struct reading *list;         /* LIST_READINGS of them */
    double *numbers;              /* NUMBERS: scratch */
    double *gaps;                 /* GAPS_KEPT: scratch */
    struct stamp_resolution stamps;
};

/* ---- Silence ----------------------------------------------------------------------------------- */

/*
 * Finds how many iterations take each length, by the second call of two: the first one also pays for cold caches and,
 * in an emulator, for translation.
 */
static bool find_iterations(struct probe *p, struct noise *n, enum silence silence)
{
    uint64_t most = (uint64_t)probe_smoke(p, ITERATIONS_SMOKE, ITERATIONS), iterations = 250;

    for (unsigned l = 0; l < LENGTHS; l++) {
        double wanted = lengths[l].seconds * machine_info()->tick_hz, ticks = 0;
        if (!(probe_scale(p, lengths[l].repetitions[0], lengths[l].repetitions[1], lengths[l].repetitions[2],
                          lengths[l].repetitions[3]) > 0))
            continue;
        for (;; iterations *= 2) {
            size_t ran;
            struct reading r = {.kernel = n->work.kernel.entry, .argument = {iterations, 0}};
            if (!window_list_run(p, n->list, silence, r, 2, &ran))
                return false;
            ticks = ran == 2 ? ticks_between(&n->list[1]) : 0;
            if (ticks > wanted / 8 || iterations >= most)
                break;
        }
        double found = fmin((double)iterations * wanted * 1.1 / fmax(ticks, 1) + 1, (double)most);
        n->iterations[l] = (uint64_t)found;
    }
    return true;
}

static void send_silence(struct probe *p, const struct noise *n, const char *window, const char *length,
                         uint64_t iterations, size_t repetitions, size_t ran, const double instructions[2])
{
    struct record r;

    record_table(p, &r, "silence");
    record_text(&r, "window", window);
    record_text(&r, "length", length);
    record_integer(&r, "repetitions", repetitions);
    record_integer(&r, "cut", repetitions - ran); /* repetitions that an interrupt ended early */
    record_integer(&r, "kernel_instructions", fixed_work_instructions(&n->work, iterations));
    record_number(&r, "blur_ticks", n->stamps.blur_ticks);
    record_number(&r, "min_ticks", n->numbers[0]);
    record_number(&r, "median_ticks", quantile(n->numbers, ran, 0.5));
    record_number(&r, "max_ticks", n->numbers[ran - 1]);
    if (instructions[1] > 0) { /* 0: no counter runs */
        record_number(&r, "min_instructions", instructions[0]);
        record_number(&r, "max_instructions", instructions[1]);
    }
    record_send(&r);
}

/*
 * Repeats the kernel and sends the row of the table. *percent is the share of repetitions that are as short as the
 * shortest; NaN where no repetition came to its end or took any time.
 */
static bool measure_silence(struct probe *p, struct noise *n, const struct window_kind *kind, const char *length,
                            double seconds, uint64_t iterations, size_t repetitions, double *percent)
{
    struct reading r = {.kernel = n->work.kernel.entry, .argument = {iterations, 0}};
    size_t in_window = (size_t)fmin(fmax(1, WINDOW_SECONDS / seconds), LIST_READINGS), kept = 0, now, ran, shortest = 0;
    double instructions[2] = {INFINITY, 0};

    for (size_t left = repetitions; left > 0; left -= now) {
        now = left < in_window ? left : in_window;
        if (!window_list_run(p, n->list, kind->silence, r, now, &ran))
            return false;
        for (size_t i = 0; i < ran; i++) {
            double counted = (double)(n->list[i].end_count[1] - n->list[i].begin_count[1]);
            n->numbers[kept++] = ticks_between(&n->list[i]);
            instructions[0] = fmin(instructions[0], counted);
            instructions[1] = fmax(instructions[1], counted);
        }
    }
    *percent = NAN;
    if (kept == 0)
        return true;
    sort_numbers(n->numbers, kept);
    /* both time stamps of a repetition may be off */
    while (shortest < kept && n->numbers[shortest] <= n->numbers[0] + 2 * n->stamps.blur_ticks)
        shortest++;
    if (n->numbers[kept - 1] > 0)
        *percent = 100.0 * (double)shortest / (double)repetitions;
    send_silence(p, n, kind->name, length, iterations, repetitions, kept, instructions);
    return true;
}

static bool report_silence(struct probe *p, struct noise *n, const struct window_kind *kind)
{
    for (unsigned l = 0; l < LENGTHS; l++) {
        const double *of = lengths[l].repetitions;
        size_t repetitions = (size_t)probe_scale(p, of[0], of[1], of[2], of[3]);
        double percent;

        if (repetitions == 0)
            continue;
        if (!measure_silence(p, n, kind, lengths[l].name, lengths[l].seconds, n->iterations[l], repetitions, &percent))
            return false;
        report_number(p,
                      &(struct finding){.name = "system.noise.silent_percent",
                                        .variants = {{"window", kind->name}, {"length", lengths[l].name}},
                                        .reason = REASON_NO_SILENCE_SEEN,
                                        .method = "repetitions of a fixed kernel as long as the shortest"},
                      percent);
    }
    return true;
}

/* ---- Gaps -------------------------------------------------------------------------------------- */

static bool report_gaps(struct probe *p, struct noise *n, const struct window_kind *kind)
{
    static const unsigned quantiles[] = {50, 99, 100};
    const struct gap_memory memory = {n->list, (size_t)probe_smoke(p, LIST_READINGS_SMOKE, LIST_READINGS), n->numbers,
                                      n->gaps};
    struct time_gaps g = {.lists = 0};

    if (!time_gaps_measure(p, &g, &n->stamps, kind->silence, probe_scale(p, 0, 0.1, 0.5, 2), &memory))
        return false;
    time_gaps_send(p, &g, kind->curve, kind->name);
    sort_numbers(n->gaps, g.kept);
    bool moved = g.total_ticks > 0;
    for (unsigned i = 0; i < sizeof quantiles / sizeof quantiles[0]; i++) {
        double q = g.kept ? quantile(n->gaps, g.kept, quantiles[i] / 100.0) : 0;
        /* where none was seen there may be some below the threshold */
        report(p, &(struct finding){.name = "system.noise.gap_ns",
                                    .variants = {{"window", kind->name}, {"quantile", .number = quantiles[i]}},
                                    .value = !moved               ? NAN
                                             : quantiles[i] < 100 ? q
                                                                  : g.longest_ns,
                                    .low = g.kept ? NAN : 0,
                                    .high = g.kept ? NAN : g.threshold_ns,
                                    .grade = 'C',
                                    .reason = REASON_NO_SILENCE_SEEN,
                                    .method = "distances of time stamps taken one after another",
                                    .curves = {kind->curve}});
    }
    report_number(p,
                  &(struct finding){.name = "system.noise.lost_percent",
                                    .variants = {{"window", kind->name}},
                                    .reason = REASON_NO_SILENCE_SEEN,
                                    .method = "distances of time stamps taken one after another",
                                    .curves = {kind->curve}},
                  moved ? 100 * g.lost_ticks / g.total_ticks : NAN);
    return true;
}

/* ---- All of it --------------------------------------------------------------------------------- */

/* NULL, or why the platform has no such windows. */
static const char *unavailable(enum silence silence)
{
    struct reading once = {.kernel = (uintptr_t)reader_empty_kernel};
    struct window_result result;

    return machine_window_kind(&once, 1, silence, &result);
}

/* Reports NOPs a cycle as the sibling detector (lib/measure/sibling.h) has found them so far. */
static void report_width(struct probe *p)
{
    const struct meter *m = &p->run->meter;
    bool long_enough = m->profile != PROFILE_SMOKE;

    report_number(p,
                  &(struct finding){.name = "system.noise.nops_per_cycle",
                                    .grade = 'C',
                                    .reason = long_enough ? REASON_NO_SILENCE_SEEN : REASON_TOO_SHORT,
                                    .method = "NOPs beside a chain of dependent additions, the lowest decile"},
                  long_enough && m->nop_cycles > 0 ? 1 / m->nop_cycles : NAN);
}

static bool measure_kind(struct probe *p, struct noise *n, const struct window_kind *kind)
{
    const char *why = unavailable(kind->silence);

    if (why) {
        report_number(p,
                      &(struct finding){.name = "system.noise.silent_percent",
                                        .variants = {{"window", kind->name}},
                                        .reason = REASON_PLATFORM,
                                        .detail = why},
                      NAN);
        return true;
    }
    if (!n->iterations[0] && !find_iterations(p, n, kind->silence))
        return false;
    return report_gaps(p, n, kind) && report_silence(p, n, kind);
}

static void run(struct probe *p)
{
    struct noise n = {.list = NULL};
    struct area list, numbers, gaps;
    double percent;

    if (!probe_map(p, &list, LIST_READINGS * sizeof *n.list, 0) ||
        !probe_map(p, &numbers, NUMBERS * sizeof *n.numbers, 0) ||
        !probe_map(p, &gaps, GAPS_KEPT * sizeof *n.gaps, 0) || !fixed_work_build(p, &n.work))
        return;
    n.list = (void *)list.write;
    n.numbers = (void *)numbers.write;
    n.gaps = (void *)gaps.write;
    report_width(p);
    for (unsigned k = 0; k < KINDS; k++)
        if (!measure_kind(p, &n, &kinds[k]))
            return;
    unsigned l = (unsigned)probe_smoke(p, 0, LENGTHS - 1);
    if (!unavailable(SILENCE_STOPPED))
        measure_silence(p, &n, &kinds[0], "twice", 2 * lengths[l].seconds, 2 * n.iterations[l], 3, &percent);
}

PROBE(noise, .title = "Silence of the core", .family = "system", .after = "cache", .run = run,
      .findings = FINDINGS(
          {"system.noise.silent_percent", "percent", "repetitions of a fixed kernel that are as short as the shortest"},
          {"system.noise.gap_ns", "ns",
           "length that so many percent of the gaps, in which something else had the core, do not exceed"},
          {"system.noise.lost_percent", "percent", "part of all time that gaps took"},
          {"system.noise.nops_per_cycle", "NOPs",
           "NOPs a cycle, with sibling threads in the state in which they were left"}));
