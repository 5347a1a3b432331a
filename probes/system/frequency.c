/*
 * Frequency: how does the clock change from idle to busy, and under wide vectors?
 *
 * Ramp: the core idles for a while, then executes one reference chain after the other, each of additions and some
 * microseconds long, which shows the clock of that moment. Curve: the clock over the time since the core woke up,
 * medians over many wakes, so that a disturbance of one of them does not count. Result: the moment from which on the
 * clock stays within 5 % of where it ends. Two halves of the wakes have to agree.
 *
 * Vectors: a core with a clock of its own for wide vectors changes to it while vectors are executed, and keeps it for
 * some hundred microseconds behind them. Once the core had time to follow, two experiments show it: the reference
 * chains between readings of nothing but vector multiplications; and vectors with a chain of scalar multiplications
 * behind them, in a second kernel twice as long, so that the difference is the chain alone. There is no curve.
 *
 * Only times are used: chains against the time stamp. Registers that claim to report the clock are not read.
 *
 * Method: docs/METHODS.md, 8.4. uarch-bench's chains; Travis Downs, "Gathering Intel on Intel AVX-512 Transitions",
 * 2020.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/numbers.h"
#include "lib/base/reason.h"
#include "lib/base/record.h"
#include "lib/base/statistics.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"

enum { WAKES = 16, READINGS = 3000, SMOOTH = 5, CODE_BYTES = 8192, UNROLL = 64, CURVE_FINE = 64 };

/*
 * Part of the clock by which it may change without being a ramp: a step of most clocks, 100 MHz, is up to a twentieth.
 */
static const double TOLERANCE = 0.05;
/* Seconds: IDLE_SECONDS of idling before a wake, and SETTLE_SECONDS of vectors before the clock under vectors. */
static const double IDLE_SECONDS = 0.02;
static const double SETTLE_SECONDS = 0.02;
/* Seconds of measuring behind a wake. no test: a ramp that is longer is undecided. */
static const double RAMP_SECONDS = 0.03;

/* ---- From idle -------------------------------------------------------------------------------------------- */

struct ramp {
    struct reading *list;
    size_t readings;
    double *hz, *us; /* of each reading of each wake: [reading * WAKES + wake] */
    size_t wakes;
};

/* Lets the core idle and measures the clock behind it, once. False when the probe is over. */
static bool wake(struct probe *p, struct ramp *r)
{
    const struct meter *m = &p->run->meter;

    (void)machine_idle(IDLE_SECONDS); /* measure_ramp has made sure that it can */
    for (size_t i = 0; i < r->readings; i++)
        r->list[i] = (struct reading){.kernel = (uintptr_t)reader_chain_kernel, .argument = {m->chain_iterations, 0}};
    struct window_result result = machine_window(r->list, r->readings);
    if (!probe_survived(p, &result))
        return false;
    for (size_t i = 0; i < r->readings; i++) {
        double ticks = (double)(r->list[i].end_ticks - r->list[i].begin_ticks) - m->harness_ticks;
        double since = (double)(r->list[i].begin_ticks - r->list[0].begin_ticks);
        r->hz[i * WAKES + r->wakes] = (double)(m->chain_iterations * READER_CHAIN) / ticks * m->tick_hz;
        r->us[i * WAKES + r->wakes] = since / m->tick_hz * 1e6;
    }
    r->wakes++;
    return true;
}

/* The median over every `step`th wake from `first` on. */
static double over_wakes(const double *values, size_t wakes, size_t first, size_t step)
{
    double kept[WAKES];
    size_t count = 0;

    for (size_t i = first; i < wakes; i += step)
        kept[count++] = values[i];
    return median(kept, count);
}

/* The clock at one moment: the median over some readings around it, so that no single reading decides. */
static double smooth(const double *clock, size_t count, size_t at)
{
    double kept[SMOOTH];
    size_t from = at < SMOOTH / 2 ? 0 : at - SMOOTH / 2, n = 0;

    for (size_t i = from; i < count && n < SMOOTH; i++)
        kept[n++] = clock[i];
    return median(kept, n);
}

/*
 * Index of the first reading from which on the clock stays within TOLERANCE of where it ends. *end_hz: the median clock
 * of the last quarter. `scratch` has room for that quarter.
 */
static size_t settled(double *clock, size_t count, double *scratch, double *end_hz)
{
    size_t at = count;

    memcpy(scratch, clock + count - count / 4, count / 4 * sizeof *scratch);
    *end_hz = median(scratch, count / 4);
    while (at > 0 && fabs(smooth(clock, count, at - 1) - *end_hz) <= TOLERANCE * *end_hz)
        at--;
    return at;
}

/* Sends the curve: each of the first CURVE_FINE readings, later ones farther and farther apart. */
static void send_curve(struct probe *p, const struct ramp *r, const double *us, const double *hz)
{
    struct record record;

    record_start(&record, &p->run->writer, "curve");
    record_text(&record, "probe", p->definition->name);
    record_text(&record, "name", "ramp");
    record_core(&record);
    record_text(&record, "axis", "us");
    record_text(&record, "unit", "Hz");
    record_array(&record, "x");
    for (size_t i = 0; i < r->readings; i += 1 + i / CURVE_FINE)
        record_number(&record, NULL, rounded(us[i]));
    record_close(&record);
    record_array(&record, "median");
    for (size_t i = 0; i < r->readings; i += 1 + i / CURVE_FINE)
        record_number(&record, NULL, rounded(hz[i]));
    record_close(&record);
    record_send(&record);
}

static struct finding ramp_finding(const char *name)
{
    return (struct finding){.name = name,
                            .value = NAN,
                            .low = NAN,
                            .high = NAN,
                            .grade = 'U',
                            .method = "chains of additions one after the other, after 20 ms of idling",
                            .curves = {"ramp"}};
}

/* Decides from all wakes, and from each half of them, which must agree; and reports. Behind `hz` there is scratch. */
static void decide_ramp(struct probe *p, const struct ramp *r, double *us, double *hz)
{
    struct finding f = ramp_finding("system.clock.ramp_us"), idle = ramp_finding("system.clock.idle_hz");
    size_t at[3];
    double end_hz[3];

    for (size_t part = 0; part < 3; part++) { /* all wakes come last, since the curve shows them */
        for (size_t i = 0; i < r->readings; i++) {
            size_t first = part < 2 ? part : 0, step = part < 2 ? 2 : 1;
            hz[i] = over_wakes(r->hz + i * WAKES, r->wakes, first, step);
            us[i] = over_wakes(r->us + i * WAKES, r->wakes, first, step);
        }
        at[part] = settled(hz, r->readings, hz + r->readings, &end_hz[part]);
    }
    send_curve(p, r, us, hz);
    size_t low = at[0] < at[1] ? at[0] : at[1], high = at[0] < at[1] ? at[1] : at[0];
    if (isnan(end_hz[2]) || at[2] > r->readings / 2 || high + 1 >= r->readings) {
        f.reason = REASON_NOT_SETTLED;
    } else if (fabs(end_hz[0] - end_hz[1]) > TOLERANCE * end_hz[2] || high > low + 2 * SMOOTH + low / 4) {
        f.reason = REASON_HALVES_DISAGREE;
    } else {
        f.value = at[2] ? us[at[2]] : 0;
        f.low = low ? us[low - 1] : 0;
        f.high = us[high + 1];
        f.grade = 'C';
        idle.value = at[2] ? hz[0] : end_hz[2];
        idle.grade = 'C';
    }
    idle.reason = f.reason;
    report(p, &f);
    report(p, &idle);
}

/* Reports that the ramp is undecided where the core cannot idle; vectors are measured all the same. */
static bool cannot_idle(struct probe *p)
{
    struct finding f = ramp_finding("system.clock.ramp_us"), idle = ramp_finding("system.clock.idle_hz");

    const struct why why = why_platform(machine_idle(IDLE_SECONDS));
    if (!why.reason)
        return false;
    f.reason = idle.reason = why.reason;
    f.detail = idle.detail = why.detail;
    f.curves[0] = idle.curves[0] = NULL;
    report(p, &f);
    report(p, &idle);
    return true;
}

static bool measure_ramp(struct probe *p)
{
    const struct meter *m = &p->run->meter;
    double reading_seconds = m->span_ticks / m->tick_hz;
    struct ramp r = {.readings = (size_t)fmin(READINGS, RAMP_SECONDS / reading_seconds)};
    size_t wakes = (size_t)probe_scale(p, 2, 8, WAKES, WAKES);

    if (cannot_idle(p))
        return true;
    r.readings = (size_t)probe_scale(p, 64, (double)r.readings, (double)r.readings, (double)r.readings);
    r.list = calloc(r.readings, sizeof *r.list);
    r.hz = calloc(r.readings * (2 * WAKES + 3), sizeof *r.hz);
    bool good = r.list && r.hz && r.readings >= 64;
    if (!good)
        probe_skip(p, "out of memory for the readings");
    r.us = good ? r.hz + r.readings * WAKES : NULL;
    while (good && r.wakes < wakes)
        good = wake(p, &r);
    if (good)
        decide_ramp(p, &r, r.us + r.readings * WAKES, r.us + r.readings * (WAKES + 1));
    free(r.hz);
    free(r.list);
    return good;
}

/* ---- Under wide vectors ------------------------------------------------------------------------------------ */

/*
 * Each iteration multiplies vectors of `bits` bits, unless that is 0, as fast as the core can, and then executes
 * `chains` times a chain of dependent multiplications.
 */
static bool build_chain(struct probe *p, unsigned bits, unsigned chains, struct kernel *k)
{
    struct code c = probe_code(p, CODE_BYTES);

    emit_constant(&c, REG_T0, 3);
    emit_constant(&c, REG_T1, 5);
    for (enum vreg v = VREG_0; v < VREGS && bits; v++)
        emit_wide_clear(&c, v, bits);
    size_t loop = c.used;
    for (unsigned i = 0; i < UNROLL && bits; i++) /* eight registers in turn, so that none is waited for */
        emit_wide_multiply(&c, (enum vreg)(i % VREGS), (enum vreg)(i % VREGS), bits);
    for (unsigned i = 0; i < chains * UNROLL; i++)
        emit_multiply(&c, REG_T0, REG_T1);
    emit_loop(&c, loop);
    if (bits)
        emit_wide_end(&c, bits);
    emit_return(&c);
    *k = (struct kernel){.units = 1};
    if (!probe_kernel(p, &c, 0, k))
        return false;
    k->warm_iterations = probe_scale(p, 0, 1, 1, 1) * SETTLE_SECONDS * p->run->meter.core_hz / (3 * UNROLL);
    return true;
}

/* Measures one iteration, and the clock by the reference chains before and behind the readings. */
static bool measure_chain(struct probe *p, unsigned bits, unsigned chains, struct point *pt, double *reference_hz)
{
    struct kernel k;

    if (!build_chain(p, bits, chains, &k) || !probe_measure(p, &k, pt))
        return false;
    *reference_hz = p->run->meter.core_hz;
    return true;
}

static bool measure_vectors(struct probe *p, double multiply_cycles, unsigned bits)
{
    struct point vectors, once, twice;
    double hz, other_hz;

    if (!measure_chain(p, bits, 0, &vectors, &hz) || !measure_chain(p, bits, 1, &once, &other_hz) ||
        !measure_chain(p, bits, 2, &twice, &other_hz))
        return false;
    const struct experiment_value v[] = {
        {"reference chains", "a clock that recovers at once", hz},
        {"multiplications", "two clocks", multiply_cycles * UNROLL / (twice.ns - once.ns) * 1e9}};
    report_graded_number(p,
                         &(struct finding){.name = "system.clock.vector_hz",
                                           .variants = {{"width", NULL, bits}},
                                           .method = "chains between and behind multiplications of vectors"},
                         v, 2);
    return true;
}

static void run(struct probe *p)
{
    const unsigned widest = machine_info()->vector_bits;
    struct point alone;
    double hz;

    if (!measure_ramp(p) || !measure_chain(p, 0, 1, &alone, &hz))
        return;
    for (const unsigned *bits = emit_wide_bits; *bits && *bits <= widest; bits++)
        if (!measure_vectors(p, floor(alone.q20 / UNROLL + 0.5), *bits))
            return;
}

PROBE(frequency, .title = "Clock from idle, and under wide vectors", .family = "system", .after = "clock", .run = run,
      .findings = FINDINGS({"system.clock.ramp_us", "us",
                            "time from the end of idling until the clock stays where it is"},
                           {"system.clock.idle_hz", "Hz", "core clock right after it has idled"},
                           {"system.clock.vector_hz", "Hz", "core clock while vectors of that width are multiplied"}));
