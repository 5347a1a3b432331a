#include "lib/structure/beside_capacity.h"

#include <math.h>

#include "lib/base/statistics.h"
#include "lib/structure/tolerances_smt.h"

enum {
    TIMED = 5, /* readings of a kernel, the median of which counts */
    ATTEMPTS = 4,
    TICKS_PER_READING = 100000 /* readings in a second: their length, unless a kernel has to warm up longer */
};

/* A page for code, of the smallest size that there can be beside what is mapped. NULL, or why not. */
static const char *map_code(struct beside *b)
{
    const size_t *sizes = machine_info()->page_bytes;
    const char *why = probe_try_code(&b->code, &b->frame, 1, sizes[0]);

    for (size_t i = 1; why && sizes[i]; i++)
        why = probe_try_code(&b->code, &b->frame, 1, sizes[i]);
    return why;
}

bool beside_start(struct probe *p, struct beside *b, unsigned sibling, const struct traffic_kind *fills, size_t bytes)
{
    *b = (struct beside){.fills = *fills};
    b->traffic = (struct traffic){.cores = {sibling}, .count = 1, .bytes = bytes, .small_pages = true};
    if (!traffic_map(p, &b->traffic))
        return false;
    const char *why = map_code(b);
    if (why)
        return probe_skip(p, why);
    probe_use_code(p, &b->code);
    struct code c = probe_code(p, ROUND_TRIP_CODE);
    traffic_emit_request(p, &c);
    b->traffic.request.units = 1;
    const bool good = probe_kernel(p, &c, 0, &b->traffic.request);
    probe_use_code(p, NULL);
    return good;
}

/* Runs the kernel `count` times behind one that warms up. Stores the median of their ticks; NaN where it was disturbed. */
static const char *time_kernel(struct probe *p, struct beside *b, enum smt_state state, const struct kernel *k,
                               uint64_t iterations, double *ticks, bool *good)
{
    const struct traffic_kind waits = {.duty = RESPONDER_PAUSES};
    const size_t timed = (size_t)probe_smoke(p, 1, TIMED);
    const uint64_t warm = (uint64_t)fmax(1, ceil(k->warm_iterations));
    struct reading list[BESIDE_CORES + 1 + TIMED];
    double all[TIMED];
    bool quiet = false;

    *ticks = (double)NAN;
    b->traffic.count = state != SMT_ASLEEP;
    for (unsigned attempt = 0; attempt < ATTEMPTS && !quiet; attempt++) {
        const size_t first = traffic_list(&b->traffic, list);
        for (size_t i = 0; i <= timed; i++)
            list[first + i] = (struct reading){.kernel = k->entry, .argument = {i ? iterations : warm, k->data}};
        const char *why = traffic_window(p, &b->traffic, state == SMT_FILLS ? &b->fills : &waits, list,
                                         first + 1 + timed, &quiet, good);
        if (why || !*good)
            return why;
        for (size_t i = 0; i < timed && quiet; i++) {
            all[i] = (double)(list[first + 1 + i].end_ticks - list[first + 1 + i].begin_ticks);
            p->run->meter.kernel_seconds += all[i] / machine_info()->tick_hz;
        }
    }
    if (quiet)
        *ticks = median(all, timed);
    return NULL;
}

/* The ticks of an iteration at x. Readings are as long as they should be, and go through what they use twice. */
static const char *measure(struct probe *p, struct beside *b, enum smt_state state, const struct beside_curve *c,
                           double x, double *ticks, bool *good)
{
    struct kernel k = {.units = 1};
    double once;

    *ticks = (double)NAN;
    *good = probe_goes_on(p) && c->build(p, x, c->context, &k);
    if (!*good)
        return NULL;
    const double warm = fmax(1, ceil(k.warm_iterations));
    const char *why = time_kernel(p, b, state, &k, (uint64_t)warm, &once, good);
    if (why || !*good || isnan(once))
        return why;
    const double wanted = machine_info()->tick_hz / TICKS_PER_READING;
    const double iterations = probe_smoke(p, 1, ceil(fmax(2 * warm, wanted / fmax(once / warm, 1))));
    why = time_kernel(p, b, state, &k, (uint64_t)iterations, ticks, good);
    *ticks /= iterations * k.units;
    return why;
}

/* From c->least, which fits, to c->beyond, which does not. NaN where it does not rise, or something was disturbed. */
static const char *bisect(struct probe *p, struct beside *b, enum smt_state state, const struct beside_curve *c,
                          double *capacity, bool *good)
{
    double fits = c->least, beyond = c->beyond, fast, slow, now;

    *capacity = (double)NAN;
    const char *why = measure(p, b, state, c, fits, &fast, good);
    if (!why && *good)
        why = measure(p, b, state, c, beyond, &slow, good);
    if (why || !*good || !(slow > fast * BESIDE_RISE || probe_is_smoke(p)))
        return why;
    while (beyond - fits > c->step && !probe_is_smoke(p)) {
        const double middle = fits + fmax(floor((beyond - fits) / 2 / c->step), 1) * c->step;
        why = measure(p, b, state, c, middle, &now, good);
        if (why || !*good || isnan(now))
            return why;
        *(now < (fast + slow) / 2 ? &fits : &beyond) = middle;
    }
    *capacity = fits;
    return NULL;
}

/* Far from the rise something else may take time, as the delivery of fillers does: so the range is narrowed once. */
const char *beside_capacity(struct probe *p, struct beside *b, enum smt_state state, const struct beside_curve *c,
                            double *capacity, bool *good)
{
    struct beside_curve near = *c;
    const char *why = bisect(p, b, state, c, capacity, good);

    if (why || !*good || isnan(*capacity) || probe_is_smoke(p))
        return why;
    near.beyond = fmin(c->beyond, floor(*capacity * BESIDE_BEYOND / c->step + 1) * c->step);
    near.least = fmax(c->least, floor(*capacity / BESIDE_BEYOND / c->step) * c->step);
    return bisect(p, b, state, &near, capacity, good);
}
