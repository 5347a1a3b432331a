/*
 * Noise: how quiet is this place?
 *
 * Two experiments, each in every kind of window (lib/machine.h): `stopped`, as all readings are taken; `masked`, with
 * the firmware's tick left running and only the core's own mask set; `none`, with interrupts handled as they come.
 *
 * Silence. One fixed kernel of registers only, the same number of iterations each time. Where nothing else runs, every
 * repetition takes the same time: the shortest equals the longest. Once as long as a reading, once long enough for
 * any timer tick to fall into it. Answer: the share of repetitions that are as short as the shortest, within what two
 * time stamps may be off; the second experiment tells how much that is. The unit is the time stamp, so a core clock
 * that wanders against it is noise, too.
 *
 * Gaps. The core walks a list of empty kernels and so takes time stamps and does nothing else. From one to the next it
 * always takes the same, the period of that loop, unless something else has the core meanwhile. A gap is what a
 * distance has beyond the period, where it is more than two of them. Curve: how many gaps there are of each length, in
 * powers of two. Answer: how long they are, and the share of all time that they take.
 *
 * Width. The other hardware threads of a core are as firmware or system left them, and the `environment` record says
 * how. One that is parked in a loop takes its part of what the core can take in a cycle all the time, so that no
 * comparison within this run shows it. Answer: the NOPs that the core took in a cycle when it took the most, to be held
 * against its width.
 *
 * Where the reader counts instructions, what was counted is shown beside what the kernel executes, for the kernel and
 * for one twice as long: the difference must be the same, the constant that reading costs. Under an emulator's
 * instruction counting the time stamp is such a counter, too.
 *
 * Method: min equals max as the proof of silence, after the article on Sushi Roll 2019; gaps as Linux finds them
 * (Documentation/trace/hwlat_detector.rst).
 */
#include <math.h>

#include "lib/probe.h"
#include "lib/table.h"

enum {
    ADDITIONS = 8,
    CODE_BYTES = 4096,
    LIST_READINGS = 1024, /* 72 KiB: walking it does not leave the second level of any cache */
    LIST_READINGS_SMOKE = 256,
    LEAD_READINGS = 32, /* of each list: they warm up what the way into the window has displaced */
    NUMBERS = 4096,
    GAPS_KEPT = 8192,
    BINS = 40,
    /* Kernels at most so long: a smoke run has to fit a simulator, the others a window. */
    ITERATIONS_SMOKE = 2500,
    ITERATIONS = 100 << 20,
};

/* No window lasts much longer, so that a short deadline holds, and a tick that has to wait is not lost. */
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

static const char not_seen[] = "the time stamp does not move, or interrupts end every list";

struct noise {
    struct kernel kernel;
    struct work once; /* executed by every call: what surrounds the loop */
    struct work loop; /* executed by every iteration */
    uint64_t iterations[LENGTHS];
    struct reading *list; /* LIST_READINGS of them */
    double *numbers;      /* NUMBERS */
    double *gaps;         /* GAPS_KEPT */
    double step_ticks;    /* how finely a time stamp tells; 0: no two distances differed yet */
    double blur_ticks;    /* by how much taking a time stamp varies by itself, when nothing disturbs it */
};

static double ticks_of(const struct reading *r)
{
    return (double)(r->end_ticks - r->begin_ticks);
}

static double ns_of(double ticks)
{
    return ticks / machine_info()->tick_hz * 1e9;
}

static bool build(struct probe *p, struct noise *n)
{
    struct code c = probe_code(p, CODE_BYTES);

    emit_constant(&c, REG_T1, 1);
    struct work before = c.work;
    size_t start = c.used;
    for (unsigned i = 0; i < ADDITIONS; i++)
        emit_add(&c, REG_T0, REG_T1);
    emit_loop(&c, start);
    n->loop.instructions = c.work.instructions - before.instructions;
    emit_return(&c);
    n->once.instructions = c.work.instructions - n->loop.instructions;
    n->kernel.units = 1;
    return probe_kernel(p, &c, 0, &n->kernel);
}

/*
 * The same kernel so many times in one window. `ran` is how many were: an interrupt that nobody but the firmware
 * can acknowledge ends a list early. False when the probe is over.
 */
static bool run_list(struct probe *p, struct noise *n, enum silence silence, struct reading kernel, size_t count,
                     size_t *ran)
{
    struct window_result result;

    *ran = 0;
    for (size_t i = 0; i < count; i++)
        n->list[i] = kernel;
    const char *why = machine_window_kind(n->list, count, silence, &result);
    if (why)
        return probe_skip(p, why);
    if (!probe_survived(p, &result))
        return false;
    for (; *ran < count && n->list[*ran].end_ticks; ++*ran)
        p->run->meter.kernel_seconds += ns_of(ticks_of(&n->list[*ran])) / 1e9;
    p->run->meter.windows++;
    p->run->meter.taken += *ran;
    return true;
}

/* ---- Silence ----------------------------------------------------------------------------------- */

/* The second call of each two: the first one also pays for cold caches and, in an emulator, translation. */
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
            struct reading r = {.kernel = n->kernel.entry, .argument = {iterations, 0}};
            if (!run_list(p, n, silence, r, 2, &ran))
                return false;
            ticks = ran == 2 ? ticks_of(&n->list[1]) : 0;
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
    record_integer(&r, "cut", repetitions - ran); /* those that an interrupt ended early */
    record_integer(&r, "kernel_instructions", n->once.instructions + iterations * n->loop.instructions);
    record_number(&r, "blur_ticks", n->blur_ticks);
    record_number(&r, "min_ticks", n->numbers[0]);
    record_number(&r, "median_ticks", quantile(n->numbers, ran, 0.5));
    record_number(&r, "max_ticks", n->numbers[ran - 1]);
    if (instructions[1] > 0) { /* a counter that stands still counts nothing */
        record_number(&r, "min_instructions", instructions[0]);
        record_number(&r, "max_instructions", instructions[1]);
    }
    record_send(&r);
}

/* Repeats the kernel, and sends the row. *percent is NaN where no repetition came to its end or took any time. */
static bool repeat(struct probe *p, struct noise *n, const struct window_kind *kind, const char *length, double seconds,
                   uint64_t iterations, size_t repetitions, double *percent)
{
    struct reading r = {.kernel = n->kernel.entry, .argument = {iterations, 0}};
    size_t in_window = (size_t)fmin(fmax(1, WINDOW_SECONDS / seconds), LIST_READINGS), kept = 0, now, ran, shortest = 0;
    double instructions[2] = {INFINITY, 0};

    for (size_t left = repetitions; left > 0; left -= now) {
        now = left < in_window ? left : in_window;
        if (!run_list(p, n, kind->silence, r, now, &ran))
            return false;
        for (size_t i = 0; i < ran; i++) {
            double counted = (double)(n->list[i].end_count[1] - n->list[i].begin_count[1]);
            n->numbers[kept++] = ticks_of(&n->list[i]);
            instructions[0] = fmin(instructions[0], counted);
            instructions[1] = fmax(instructions[1], counted);
        }
    }
    *percent = NAN;
    if (kept == 0)
        return true;
    sort_numbers(n->numbers, kept);
    /* Each of the two time stamps may be off. */
    while (shortest < kept && n->numbers[shortest] <= n->numbers[0] + 2 * n->blur_ticks)
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
        if (!repeat(p, n, kind, lengths[l].name, lengths[l].seconds, n->iterations[l], repetitions, &percent))
            return false;
        report_number(p,
                      &(struct finding){.name = "system.noise.silent_percent",
                                        .variants = {{"window", kind->name}, {"length", lengths[l].name}},
                                        .reason = not_seen,
                                        .method = "repetitions of a fixed kernel as long as the shortest"},
                      percent);
    }
    return true;
}

/* ---- Gaps -------------------------------------------------------------------------------------- */

struct gaps {
    uint64_t bins[BINS]; /* of 2^n … 2^(n+1) ns */
    uint64_t count;
    size_t kept; /* in noise.gaps, in ns */
    double longest_ns, period_ns, threshold_ns;
    double ticks, lost_ticks;
    unsigned lists, cut;
};

static void add_gap(struct noise *n, struct gaps *g, double ns)
{
    unsigned bin = 0;

    for (double edge = 2; edge <= ns && bin + 1 < BINS; edge *= 2)
        bin++;
    g->bins[bin]++;
    g->count++;
    if (g->kept < GAPS_KEPT)
        n->gaps[g->kept++] = ns;
    g->longest_ns = fmax(g->longest_ns, ns);
}

/*
 * How finely a time stamp tells: the smallest difference between two distances, or the smallest distance where there
 * are some of 0. Those that may be gaps tell nothing.
 */
static void find_step(struct noise *n, size_t count, double period)
{
    for (size_t i = 1; i < count && (n->numbers[i] <= 2 * period || n->numbers[i - 1] <= 0); i++) {
        double step = n->numbers[i] - n->numbers[i - 1];
        if (step > 0 && (n->step_ticks <= 0 || step < n->step_ticks))
            n->step_ticks = step;
    }
}

/* Looks for gaps in a list that was walked. The period is that of this list: the core clock may change. */
static void reap(struct noise *n, struct gaps *g, size_t ran)
{
    const struct reading *list = n->list + LEAD_READINGS;
    size_t count = ran - LEAD_READINGS - 1;

    for (size_t i = 0; i < count; i++)
        n->numbers[i] = (double)(list[i + 1].end_ticks - list[i].end_ticks);
    g->ticks += (double)(list[count].end_ticks - list[0].end_ticks);
    sort_numbers(n->numbers, count);
    double period = quantile(n->numbers, count, 0.5);
    find_step(n, count, period);
    double threshold = 2 * (period + n->step_ticks);
    while (count > 0 && n->numbers[count - 1] > threshold) {
        double gap = n->numbers[--count] - period;
        add_gap(n, g, ns_of(gap));
        g->lost_ticks += gap;
    }
    /* The list that was disturbed least tells. */
    if (count > 0)
        n->blur_ticks = fmin(n->blur_ticks, n->numbers[count - 1] - n->numbers[0]);
    g->period_ns = ns_of(period);
    g->threshold_ns = ns_of(threshold - period);
}

static void send_gaps(struct probe *p, const struct window_kind *kind, const struct gaps *g)
{
    struct record r;
    unsigned first = 0, last = BINS - 1;

    while (first + 1 < BINS && ldexp(2, (int)first) <= g->threshold_ns)
        first++;
    while (last > first && !g->bins[last])
        last--;
    record_start(&r, &p->run->writer, "curve");
    record_text(&r, "probe", p->definition->name);
    record_text(&r, "name", kind->curve);
    record_core(&r);
    record_text(&r, "axis", "gap_ns_from");
    record_text(&r, "unit", "gaps");
    record_array(&r, "x");
    for (unsigned i = first; i <= last; i++)
        record_number(&r, NULL, ldexp(1, (int)i));
    record_close(&r);
    record_array(&r, "count");
    for (unsigned i = first; i <= last; i++)
        record_integer(&r, NULL, g->bins[i]);
    record_close(&r);
    record_text(&r, "window", kind->name);
    record_number(&r, "period_ns", rounded(g->period_ns));
    record_number(&r, "threshold_ns", rounded(g->threshold_ns));
    record_number(&r, "seconds", ns_of(g->ticks) / 1e9);
    record_integer(&r, "lists", g->lists);
    record_integer(&r, "cut", g->cut);
    record_send(&r);
}

/* Walks lists for so long; the first one warms up what they touch. */
static bool spin(struct probe *p, struct noise *n, const struct window_kind *kind, double seconds, struct gaps *g)
{
    struct reading empty = {.kernel = (uintptr_t)reader_empty_kernel};
    size_t count = (size_t)probe_smoke(p, LIST_READINGS_SMOKE, LIST_READINGS), ran;
    /* No reading takes less than 5 ns; this ends it where the time stamp stands still. */
    double most = 1 + seconds * 1e9 / 5 / (double)count;

    if (!run_list(p, n, kind->silence, empty, count, &ran))
        return false;
    n->blur_ticks = INFINITY;
    do {
        if (!run_list(p, n, kind->silence, empty, count, &ran))
            return false;
        g->lists++;
        g->cut += ran < count;
        if (ran > LEAD_READINGS + 1)
            reap(n, g, ran);
    } while (ns_of(g->ticks) < seconds * 1e9 && g->lists < most);
    if (isinf(n->blur_ticks)) /* no list was walked to its end */
        n->blur_ticks = 0;
    return true;
}

static bool report_gaps(struct probe *p, struct noise *n, const struct window_kind *kind)
{
    static const unsigned quantiles[] = {50, 99, 100};
    struct gaps g = {.lists = 0};

    if (!spin(p, n, kind, probe_scale(p, 0, 0.1, 0.5, 2), &g))
        return false;
    send_gaps(p, kind, &g);
    sort_numbers(n->gaps, g.kept);
    bool moved = g.ticks > 0;
    for (unsigned i = 0; i < sizeof quantiles / sizeof quantiles[0]; i++) {
        double q = g.kept ? quantile(n->gaps, g.kept, quantiles[i] / 100.0) : 0;
        /* Where none was seen, there may be some too short to be told from the loop itself. */
        report(p, &(struct finding){.name = "system.noise.gap_ns",
                                    .variants = {{"window", kind->name}, {"quantile", .number = quantiles[i]}},
                                    .value = !moved               ? NAN
                                             : quantiles[i] < 100 ? q
                                                                  : g.longest_ns,
                                    .low = g.kept ? NAN : 0,
                                    .high = g.kept ? NAN : g.threshold_ns,
                                    .grade = 'C',
                                    .reason = not_seen,
                                    .method = "distances of time stamps taken one after another",
                                    .curves = {kind->curve}});
    }
    report_number(p,
                  &(struct finding){.name = "system.noise.lost_percent",
                                    .variants = {{"window", kind->name}},
                                    .reason = not_seen,
                                    .method = "distances of time stamps taken one after another",
                                    .curves = {kind->curve}},
                  moved ? 100 * g.lost_ticks / g.ticks : NAN);
    return true;
}

/* ---- All of it --------------------------------------------------------------------------------- */

/* NULL where this place has such windows. */
static const char *unavailable(enum silence silence)
{
    struct reading once = {.kernel = (uintptr_t)reader_empty_kernel};
    struct window_result result;

    return machine_window_kind(&once, 1, silence, &result);
}

/* The meter's own yardstick (lib/measure.h), as far as it is known by now. */
static void report_width(struct probe *p)
{
    const struct meter *m = &p->run->meter;
    bool long_enough = m->profile != PROFILE_SMOKE;

    report_number(p,
                  &(struct finding){.name = "system.noise.nops_per_cycle",
                                    .grade = 'C',
                                    .reason = long_enough ? not_seen : "too-short",
                                    .method = "NOPs beside a chain of dependent additions, the lowest decile"},
                  long_enough && m->width > 0 ? 1 / m->width : NAN);
}

static bool examine(struct probe *p, struct noise *n, const struct window_kind *kind)
{
    const char *why = unavailable(kind->silence);

    if (why) {
        report_number(p,
                      &(struct finding){
                          .name = "system.noise.silent_percent", .variants = {{"window", kind->name}}, .reason = why},
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
        !probe_map(p, &gaps, GAPS_KEPT * sizeof *n.gaps, 0) || !build(p, &n))
        return;
    n.list = (void *)list.write;
    n.numbers = (void *)numbers.write;
    n.gaps = (void *)gaps.write;
    report_width(p);
    for (unsigned k = 0; k < KINDS; k++)
        if (!examine(p, &n, &kinds[k]))
            return;
    unsigned l = (unsigned)probe_smoke(p, 0, LENGTHS - 1);
    if (!unavailable(SILENCE_STOPPED))
        repeat(p, &n, &kinds[0], "twice", 2 * lengths[l].seconds, 2 * n.iterations[l], 3, &percent);
}

PROBE(noise, .title = "Silence of the core", .family = "system", .after = "cache", .run = run,
      .findings = FINDINGS(
          {"system.noise.silent_percent", "percent", "repetitions of a fixed kernel whose length equals the shortest"},
          {"system.noise.gap_ns", "ns", "gaps seen by a spinning core: so many percent are not longer"},
          {"system.noise.lost_percent", "percent", "time that gaps took from a spinning core"},
          {"system.noise.nops_per_cycle", "NOPs", "NOPs a cycle beside the other hardware threads as they were left"}));
