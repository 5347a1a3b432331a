/* The core of tests that measure. */
#include "tests/unit/measure/core.h"

#include "lib/base/random.h"

const char reader_empty_kernel[1], reader_chain_kernel[1], reader_half_chain_kernel[1], reader_width_kernel[1];

enum { LIST_MAXIMUM = 64 };

struct fake fake;

struct fake steady(void)
{
    return (struct fake){.info = {.tick_hz = 2.1e9},
                         .core_hz = 3.3e9,
                         .harness = 70,
                         .jitter = 6e-9,
                         .stamp_steps = 1,
                         .ends_at = UINT32_MAX};
}

static double clock_now(void)
{
    if (fake.slow_hz > 0 && fmod(floor(fake.now / fake.change_every), 2) > 0)
        return fake.slow_hz;
    return fake.core_hz * (1 + fake.drift * (fake.now - fake.drift_from));
}

/* Lets core cycles pass at the clock of each moment, by no more than a thirtieth of the time between two changes. */
static void pass(double cycles)
{
    while (cycles > 0) {
        double hz = clock_now(), step = fake.change_every > 0 ? fake.change_every / 30 * hz : cycles;
        if (step > cycles)
            step = cycles;
        fake.now += step / hz;
        cycles -= step;
    }
}

static uint64_t stamp(void)
{
    return (uint64_t)(floor(fake.now * fake.info.tick_hz / fake.stamp_steps) * fake.stamp_steps);
}

/* Uniform from 0 to 1. */
static double chance(void)
{
    return (double)random_below(&fake.random, 1000001) / 1e6;
}

/* Whether the sibling is in one of its bursts, after those that have passed. */
static bool is_bursting(void)
{
    while (fake.bursts_least > 0 && fake.now >= fake.burst_ends) {
        fake.bursting = !fake.bursting;
        fake.burst_ends += fake.bursts_least * pow(fake.bursts_most / fake.bursts_least, chance());
    }
    return fake.bursting;
}

static bool sibling_is_awake(void)
{
    return is_bursting() || fake.now < fake.sibling_awake_until ||
           (fake.sibling_awake > 0 && fmod(fake.now, fake.sibling_awake + fake.sibling_asleep) >= fake.sibling_asleep);
}

static double cost_of(const struct reading *r, bool interrupted)
{
    const double slower = sibling_is_awake() && !fake.sibling_slows_chains ? 1.7 : 1;
    const double held_up = sibling_is_awake() && fake.sibling_slows_chains ? 1.2 : 1;

    if (r->kernel == (uintptr_t)reader_empty_kernel)
        return 0;
    if (r->kernel == (uintptr_t)reader_chain_kernel)
        return (double)(r->argument[0] * READER_CHAIN) * held_up;
    if (r->kernel == (uintptr_t)reader_half_chain_kernel)
        return (double)(r->argument[0] * READER_CHAIN / 2) * held_up;
    if (r->kernel == (uintptr_t)reader_width_kernel)
        return (double)(r->argument[0] * READER_WIDTH) / 4 * slower;
    const struct cost *c = (const struct cost *)r->kernel;
    double cycles = (c->per_call + (double)r->argument[0] * c->per_iteration) * slower;
    fake.iterations = r->argument[0];
    if (fake.calls++ % 3 == 0)
        cycles *= 1 + fake.disturbed;
    if (fake.cold_calls && fake.cold_calls--)
        cycles *= 100;
    cycles *= 1 + fake.varies * (2 * chance() - 1);
    return interrupted ? 1.3 * cycles : cycles; /* it emptied caches, which no reference chain shows */
}

/* SMIs that came in the time that has passed since the last call; they make it longer. */
static unsigned let_smis_in(void)
{
    unsigned smis = 0;

    for (; fake.smi_every > 0 && fake.now >= fake.smi_next; smis++) {
        fake.now += fake.smi_takes;
        fake.smi_next = fmax(fake.smi_next + fake.smi_every, fake.now);
    }
    return smis;
}

const struct machine_info *machine_info(void)
{
    return &fake.info;
}

double machine_seconds(void)
{
    return fake.now;
}

struct window_result machine_window(struct reading *list, size_t count)
{
    struct window_result result = {0};
    double cycles = 0;

    assert_in_range(count, 1, LIST_MAXIMUM);
    fake.windows++;
    if (fake.windows == fake.ends_at)
        return (struct window_result){.end = fake.ends, .fault = fake.fault};
    fake.now += fake.between * chance();
    (void)let_smis_in();
    if (fake.void_every && random_below(&fake.random, fake.void_every) == 0) {
        result.smis = fake.smis;
        result.throttled = fake.throttled;
        result.interrupts = !fake.smis && !fake.throttled;
    }
    result.limited = fake.limited_every && random_below(&fake.random, fake.limited_every) == 0;
    for (size_t i = 0; i < count; i++) {
        list[i].begin_ticks = stamp();
        list[i].begin_count[0] = (uint64_t)(cycles + fake.harness / 4);
        double cost = fake.harness + cost_of(&list[i], result.interrupts || result.smis || result.throttled);
        pass(cost / (1 + fake.uneven * (double)(i / 3 % 2)));
        cycles += cost;
        fake.now += fake.jitter * chance();
        if (chance() < fake.stolen)
            fake.now += fake.stolen_least + (fake.stolen_most - fake.stolen_least) * chance();
        result.smis += let_smis_in();
        fake.core_cycles += cost;
        list[i].end_count[0] = (uint64_t)(cycles - fake.harness / 4);
        list[i].end_ticks = stamp();
    }
    return result;
}

struct point measure(struct meter *m, const struct cost *c, double units)
{
    const struct kernel k = {.entry = (uintptr_t)c, .units = units, .warm_iterations = 10};
    struct point p = {.x = 42};

    assert_int_equal(meter_measure(m, &k, &p).end, WINDOW_RAN);
    assert_true(p.x == 42);
    return p;
}

struct meter start(void)
{
    struct meter m;

    assert_int_equal(meter_start(&m, PROFILE_QUICK).end, WINDOW_RAN);
    return m;
}

void assert_level(const struct meter *m, const struct point *p, double level, double part)
{
    assert_int_equal(p->accepted, m->readings);
    assert_true(fabs(p->q20 / level - 1) <= part);
    assert_true(fabs(p->median / level - 1) <= part);
}

void assert_counted(const struct meter *m)
{
    uint64_t sum = 0;

    for (enum cause c = 0; c < CAUSES; c++) {
        assert_non_null(cause_names[c]);
        sum += m->rejected_by[c];
    }
    assert_int_equal(sum, m->rejected);
}

/* ---- Steady clocks ------------------------------------------------------------------------------ */
