/*
 * Noise: how silent is the core while we own it?
 *
 * One fixed kernel of registers only, the same number of iterations each time, long enough (20 ms) for
 * any timer tick to fall into it. Where nothing else runs, every repetition takes the same time: the
 * shortest equals the longest. It is repeated in windows, and again with the firmware's tick and
 * interrupts left as they are, for comparison.
 *
 * Where the reader counts instructions, what was counted is shown beside what the kernel executes, for
 * the kernel and for one twice as long: the difference must be the same, the constant that reading
 * costs. Under an emulator's instruction counting the time stamp is such a counter, too.
 *
 * Answer: the share of repetitions that are as short as the shortest.
 * Method: min equals max as the proof of silence, after the article on Sushi Roll 2019.
 */
#include <math.h>

#include "lib/probe.h"

enum { REPETITIONS = 12, ADDITIONS = 8, CODE_BYTES = 4096 };
static const double LENGTH_SECONDS = 0.02;

/* Repetitions as short as the shortest within what a time stamp can tell. */
static const double SAME_TICKS = 2;

struct spin {
    struct kernel kernel;
    struct work once; /* executed by every call: what surrounds the loop */
    struct work loop; /* executed by every iteration */
};

struct spread {
    double min_ticks, max_ticks, min_instructions, max_instructions;
    unsigned shortest; /* repetitions as long as the shortest */
    bool done;
};

static bool build(struct probe *p, struct spin *s)
{
    struct code c = probe_code(p, CODE_BYTES);

    emit_constant(&c, REG_T1, 1);
    struct work before = c.work;
    size_t start = c.used;
    for (unsigned i = 0; i < ADDITIONS; i++)
        emit_add(&c, REG_T0, REG_T1);
    emit_loop(&c, start);
    s->loop.instructions = c.work.instructions - before.instructions;
    emit_return(&c);
    s->once.instructions = c.work.instructions - s->loop.instructions;
    s->kernel.units = 1;
    return probe_kernel(p, &c, 0, &s->kernel);
}

static double ticks_of(const struct reading *r)
{
    return (double)(r->end_ticks - r->begin_ticks);
}

static bool read_once(struct probe *p, const struct spin *s, uint64_t iterations, bool window, struct reading *r)
{
    *r = (struct reading){.kernel = s->kernel.entry, .argument = {iterations, 0}};
    struct window_result result;

    if (window)
        result = machine_window(r, 1);
    else if (machine_window_kind(r, 1, SILENCE_NONE, &result))
        return false;
    if (result.end == WINDOW_RAN)
        return true;
    if (window) {
        p->outcome = result.end == WINDOW_FAULT ? OUTCOME_FAULT : OUTCOME_TIMEOUT;
        p->fault = result.fault;
    }
    return false;
}

/* Iterations that last as long as wanted. */
static uint64_t find_iterations(struct probe *p, const struct spin *s)
{
    struct reading r;
    double wanted = LENGTH_SECONDS * machine_info()->tick_hz;

    for (uint64_t n = 1000; n < (uint64_t)1 << 40; n *= 2)
        if (!read_once(p, s, n, true, &r))
            return 0;
        else if (ticks_of(&r) > wanted / 16)
            return (uint64_t)((double)n * wanted / ticks_of(&r) * 1.1) + 1;
    return 0;
}

static struct spread repeat(struct probe *p, const struct spin *s, uint64_t iterations, bool window)
{
    double ticks[REPETITIONS], instructions[REPETITIONS];
    struct spread out = {.shortest = 0};

    for (unsigned i = 0; i < REPETITIONS; i++) {
        struct reading r;
        if (!read_once(p, s, iterations, window, &r))
            return out;
        ticks[i] = ticks_of(&r);
        instructions[i] = (double)(r.end_count[1] - r.begin_count[1]);
    }
    sort_numbers(ticks, REPETITIONS);
    sort_numbers(instructions, REPETITIONS);
    while (out.shortest < REPETITIONS && ticks[out.shortest] <= ticks[0] + SAME_TICKS)
        out.shortest++;
    out.min_ticks = ticks[0];
    out.max_ticks = ticks[REPETITIONS - 1];
    out.min_instructions = instructions[0];
    out.max_instructions = instructions[REPETITIONS - 1];
    out.done = true;
    return out;
}

static void send(struct probe *p, const struct spin *s, uint64_t iterations, bool window, const struct spread *x)
{
    struct record r;

    record_start(&r, &p->run->writer, "table");
    record_text(&r, "probe", p->definition->name);
    record_text(&r, "name", "silence");
    record_boolean(&r, "window", window);
    record_integer(&r, "repetitions", REPETITIONS);
    record_integer(&r, "kernel_instructions", s->once.instructions + iterations * s->loop.instructions);
    record_number(&r, "min_ticks", x->min_ticks);
    record_number(&r, "max_ticks", x->max_ticks);
    if (x->max_instructions > 0) { /* a counter that stands still counts nothing */
        record_number(&r, "min_instructions", x->min_instructions);
        record_number(&r, "max_instructions", x->max_instructions);
    }
    record_send(&r);
}

static bool compare(struct probe *p, const struct spin *s, uint64_t iterations, bool window, const char *name)
{
    struct spread x = repeat(p, s, iterations, window);
    if (!x.done && p->outcome != OUTCOME_OK)
        return false;
    if (x.done)
        send(p, s, iterations, window, &x);
    report(p, &(struct finding){.name = "system.noise.silent_percent",
                                .variants = {{"window", name}},
                                .value = x.done ? 100.0 * x.shortest / REPETITIONS : NAN,
                                .low = NAN,
                                .high = NAN,
                                .grade = 'C',
                                .reason = "this place cannot run the list outside a window",
                                .method = "repetitions of a fixed kernel as long as the shortest"});
    return true;
}

static void run(struct probe *p)
{
    struct spin s = {.kernel = {.units = 1}};
    uint64_t iterations;

    if (!build(p, &s) || !(iterations = find_iterations(p, &s)))
        return;
    if (!compare(p, &s, iterations, true, "yes") || !compare(p, &s, iterations, false, "no"))
        return;
    struct spread twice = repeat(p, &s, 2 * iterations, true);
    if (twice.done)
        send(p, &s, 2 * iterations, true, &twice);
}

PROBE(noise, .title = "Silence of the core", .family = "system", .after = "cache", .run = run,
      .findings = FINDINGS({"system.noise.silent_percent", "percent",
                            "repetitions of a fixed kernel whose length equals the shortest"}));
