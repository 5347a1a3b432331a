/* Points come back in core cycles whatever clock and time stamp do, or say that they could not be had. */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/measure.h"
#include "lib/engine/statistics.h"

/* ---- A machine of numbers ----------------------------------------------------------------------- */

const char reader_empty_kernel[1], reader_chain_kernel[1], reader_width_kernel[1];

/* A kernel is no code here, only what it costs. */
struct cost {
    double per_call, per_iteration; /* core cycles */
};

enum { LIST_MAXIMUM = 64 };

/* One core and its time stamp. Time goes on only in windows. */
static struct fake {
    struct machine_info info;
    double now;           /* seconds */
    double core_hz;       /* at the start */
    double slow_hz;       /* where not 0: the clock changes between the two … */
    double change_every;  /* … every so many seconds */
    double drift;         /* the clock gains this part of itself each second … */
    double drift_from;    /* … from then on */
    double uneven;        /* it is faster by this part in every second three readings */
    double neighbour;     /* a second hardware thread is awake for so many seconds … */
    double alone;         /* … in so many, in turn; then all but chains takes 1.7 times as long */
    double awake_until;   /* it is awake all the time until then */
    bool holds_up_chains; /* it, and nothing else */
    unsigned cold_calls;  /* so many calls of kernels are to come that take 100 times as long */
    double disturbed;     /* each third call of a kernel takes longer by this part */
    unsigned calls;       /* of kernels so far */
    uint64_t iterations;  /* of the last call of one */
    double harness;       /* core cycles that the reader spends around each call */
    double jitter;        /* each reading takes longer by up to so many seconds, so that none repeat */
    double stamp_steps;   /* the time stamp moves on by this many ticks at once */
    unsigned windows;     /* run so far */
    double core_cycles;   /* spent in them */
    unsigned void_every;  /* one in so many windows an interrupt gets in, or an SMI … */
    bool smis;            /* … that one … */
    uint64_t random;      /* … at random */
    double stolen;        /* from this part of all readings, … */
    double stolen_least;  /* … so many seconds … */
    double stolen_most;   /* … to so many are taken, and nobody tells */
    double varies;        /* a kernel takes more or less by up to this part, as it pleases */
    unsigned ends_at;     /* this window does not end as it should … */
    enum window_end ends; /* … but so */
    struct fault fault;
} fake;

static struct fake steady(void)
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

/* Lets core cycles pass, at the clock of each moment: no more than a thirtieth of a change at a time. */
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

static bool shared(void)
{
    return fake.now < fake.awake_until ||
           (fake.neighbour > 0 && fmod(fake.now, fake.neighbour + fake.alone) >= fake.alone);
}

/* Uniform in 0 … 1. */
static double chance(void)
{
    return (double)random_below(&fake.random, 1000001) / 1e6;
}

static double cost_of(const struct reading *r, bool interrupted)
{
    const double slower = shared() && !fake.holds_up_chains ? 1.7 : 1;
    const double held_up = shared() && fake.holds_up_chains ? 1.2 : 1;

    if (r->kernel == (uintptr_t)reader_empty_kernel)
        return 0;
    if (r->kernel == (uintptr_t)reader_chain_kernel)
        return (double)(r->argument[0] * READER_CHAIN) * held_up;
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
    return interrupted ? 1.3 * cycles : cycles; /* caches were taken, which no yardstick shows */
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
    if (fake.void_every && random_below(&fake.random, fake.void_every) == 0)
        *(fake.smis ? &result.smis : &result.interrupts) = 1;
    for (size_t i = 0; i < count; i++) {
        list[i].begin_ticks = stamp();
        list[i].begin_count[0] = (uint64_t)(cycles + fake.harness / 4);
        double cost = fake.harness + cost_of(&list[i], result.interrupts || result.smis);
        pass(cost / (1 + fake.uneven * (double)(i / 3 % 2)));
        cycles += cost;
        fake.now += fake.jitter * chance();
        if (chance() < fake.stolen)
            fake.now += fake.stolen_least + (fake.stolen_most - fake.stolen_least) * chance();
        fake.core_cycles += cost;
        list[i].end_count[0] = (uint64_t)(cycles - fake.harness / 4);
        list[i].end_ticks = stamp();
    }
    return result;
}

static struct point measure(struct meter *m, const struct cost *c, double units)
{
    const struct kernel k = {.entry = (uintptr_t)c, .units = units, .warm_iterations = 10};
    struct point p = {.x = 42};

    assert_int_equal(meter_measure(m, &k, &p).end, WINDOW_RAN);
    assert_true(p.x == 42);
    return p;
}

static struct meter start(void)
{
    struct meter m;

    assert_int_equal(meter_start(&m, PROFILE_QUICK).end, WINDOW_RAN);
    return m;
}

/* All wanted readings were accepted and both quantiles are the true level, `part` of it more or less. */
static void assert_level(const struct meter *m, const struct point *p, double level, double part)
{
    assert_int_equal(p->accepted, m->readings);
    assert_true(fabs(p->q20 / level - 1) <= part);
    assert_true(fabs(p->median / level - 1) <= part);
}

static void assert_counted(const struct meter *m)
{
    uint64_t sum = 0;

    for (enum cause c = 0; c < CAUSES; c++) {
        assert_non_null(cause_names[c]);
        sum += m->rejected_by[c];
    }
    assert_int_equal(sum, m->rejected);
}

/* ---- Steady clocks ------------------------------------------------------------------------------ */

static void profiles_say_how_many_readings(void **state)
{
    static const unsigned wanted[PROFILES] = {3, 5, 5, 9};
    const struct cost c = {.per_iteration = 100};

    (void)state;
    for (enum profile profile = 0; profile < PROFILES; profile++) {
        struct meter m;
        fake = steady();
        assert_int_equal(meter_start(&m, profile).end, WINDOW_RAN);
        assert_int_equal(measure(&m, &c, 1).accepted, wanted[profile]);
    }
}

/* The reader's own cost, however large, is not the kernel's. */
static void the_harness_is_taken_off(void **state)
{
    const struct cost c = {.per_iteration = 400};

    (void)state;
    for (double harness = 0; harness <= 10000; harness = 4 * harness + 10) {
        fake = steady();
        fake.harness = harness;
        fake.jitter = 0;
        struct meter m = start();
        assert_true(fabs(m.harness_ticks - harness / fake.core_hz * fake.info.tick_hz) <= 1);
        struct point p = measure(&m, &c, 100);
        assert_level(&m, &p, 4, 0.0005);
        assert_int_equal(p.rejected, 0);
    }
}

static void cycles_nanoseconds_and_clock_agree(void **state)
{
    const struct cost c = {.per_iteration = 66};

    (void)state;
    fake = steady();
    struct meter m = start();
    struct point p = measure(&m, &c, 2);
    assert_level(&m, &p, 33, 0.0005);
    assert_true(fabs(p.ns / 10 - 1) <= 0.0005); /* 33 cycles of 3.3 GHz */
    assert_true(fabs(m.core_hz / 3.3e9 - 1) <= 0.0005);
    assert_int_equal(m.taken, m.readings);
    assert_int_equal(m.windows, fake.windows);
}

/* One call of it lasts for many spans. It is called once a reading, and measured all the same. */
static void kernels_that_cannot_be_split(void **state)
{
    const struct cost c = {.per_iteration = 2e6};

    (void)state;
    fake = steady();
    struct meter m = start();
    struct point p = measure(&m, &c, 1000);
    assert_level(&m, &p, 2000, 0.0005);
}

/* A kernel of next to no time is not iterated for ever. */
static void kernels_that_cost_nothing(void **state)
{
    const struct cost c = {.per_iteration = 0};

    (void)state;
    fake = steady();
    struct meter m = start();
    struct point p = measure(&m, &c, 1);
    assert_true(fabs(p.q20) < 0.0005);
}

/* Its first calls are slow, and what each call costs besides must not weigh more for that. */
static void cold_kernels_are_measured_warm(void **state)
{
    const struct cost c = {.per_call = 30, .per_iteration = 12};

    (void)state;
    for (unsigned cold = 0; cold <= 6; cold++) {
        fake = steady();
        struct meter m = start();
        fake.cold_calls = cold;
        struct point p = measure(&m, &c, 3);
        assert_level(&m, &p, 4, 0.005);
    }
}

static void stretched_kernels_take_longer(void **state)
{
    const struct cost c = {.per_iteration = 100};
    struct kernel k = {.entry = (uintptr_t)&c, .units = 1};
    struct point p;

    (void)state;
    fake = steady();
    struct meter m = start();
    assert_int_equal(meter_measure(&m, &k, &p).end, WINDOW_RAN);
    double usual = (double)fake.iterations;
    k.stretch = 4;
    assert_int_equal(meter_measure(&m, &k, &p).end, WINDOW_RAN);
    assert_true(fabs((double)fake.iterations / usual - 4) < 0.1);
}

/* What disturbs a reading makes it longer: the 20 % quantile is the level as long as most are not. */
static void the_level_is_a_low_quantile(void **state)
{
    const struct cost c = {.per_iteration = 12};

    (void)state;
    fake = steady();
    struct meter m = start();
    fake.disturbed = 0.5;
    struct point p = measure(&m, &c, 3);
    assert_level(&m, &p, 4, 0.005);
}

static void random_kernels_on_random_machines(void **state)
{
    uint64_t random = 11;

    (void)state;
    for (unsigned n = 0; n < 300; n++) {
        fake = steady();
        fake.core_hz = 5e8 + (double)random_below(&random, 5500000000);
        fake.info.tick_hz = 1e8 + (double)random_below(&random, 4000000000);
        fake.harness = 20 + (double)random_below(&random, 200);
        double units = 1 + (double)random_below(&random, 200);
        double level = (double)(1 + random_below(&random, 1000000)) / 1000;
        const struct cost c = {.per_iteration = units * level};
        struct meter m = start();
        struct point p = measure(&m, &c, units);
        assert_level(&m, &p, level, 0.005);
    }
}

/* ---- Time stamps and clocks that make trouble --------------------------------------------------- */

/* The generic timers of some AArch64 cores count in steps: 26 of a nominal gigahertz are usual. */
static void coarse_time_stamps(void **state)
{
    const struct cost c = {.per_iteration = 37};

    (void)state;
    for (double core_hz = 1.0e9; core_hz < 4e9; core_hz *= 1.07) {
        fake = steady();
        fake.info.tick_hz = 1e9;
        fake.stamp_steps = 26;
        fake.core_hz = core_hz;
        struct meter m = start();
        struct point p = measure(&m, &c, 1);
        assert_level(&m, &p, 37, 0.005);
    }
}

/* A time stamp of few ticks a microsecond makes readings longer instead of worse. */
static void slow_time_stamps(void **state)
{
    const struct cost c = {.per_iteration = 37};

    (void)state;
    for (double tick_hz = 1e6; tick_hz < 1e8; tick_hz *= 1.7) {
        fake = steady();
        fake.info.tick_hz = tick_hz;
        struct meter m = start();
        struct point p = measure(&m, &c, 1);
        assert_level(&m, &p, 37, 0.01);
    }
}

/* Neighbours differ by some thousandths, and their mean is the kernel's clock. */
static void a_drifting_clock_is_followed(void **state)
{
    const struct cost c = {.per_iteration = 12};

    (void)state;
    for (double drift = -200; drift <= 400; drift += 100) {
        fake = steady();
        struct meter m = start();
        fake.drift = drift;
        fake.drift_from = fake.now;
        struct point p = measure(&m, &c, 3);
        assert_level(&m, &p, 4, 0.0005);
    }
}

/* The clock steps in the middle of some readings. Their neighbours disagree, and they are rejected and counted. */
static void readings_across_a_clock_step_are_rejected(void **state)
{
    const struct cost c = {.per_iteration = 55};
    uint64_t rejected = 0;

    (void)state;
    for (double every = 47e-6; every < 500e-6; every *= 1.3) {
        fake = steady();
        fake.slow_hz = 2.5e9;
        fake.change_every = every;
        struct meter m = start();
        struct point p = measure(&m, &c, 5);
        assert_level(&m, &p, 11, 0.005);
        assert_int_equal(m.rejected, p.rejected);
        assert_int_equal(m.taken, p.accepted + p.rejected);
        rejected += p.rejected;
    }
    assert_true(rejected >= 5);
}

/* It is another one in every reading: no two neighbours agree, and that is said instead of a number. */
static void a_clock_that_never_holds_gives_no_number(void **state)
{
    const struct cost c = {.per_iteration = 55};

    (void)state;
    fake = steady();
    fake.uneven = 0.02;
    struct meter m = start();
    struct point p = measure(&m, &c, 5);
    assert_int_equal(p.accepted, 0);
    assert_true(p.rejected > m.readings);
    assert_true(isnan(p.q20) && isnan(p.median) && isnan(p.ns));
}

/* ---- What gets in ------------------------------------------------------------------------------- */

static void interrupted_lists_are_void(void **state)
{
    const struct cost c = {.per_iteration = 55};
    uint64_t rejected = 0;

    (void)state;
    for (unsigned every = 2; every < 6; every++) {
        fake = steady();
        struct meter m = start();
        fake.void_every = every;
        for (unsigned n = 0; n < 10; n++) {
            struct point p = measure(&m, &c, 5);
            assert_level(&m, &p, 11, 0.005);
            assert_int_equal(p.rejected % m.readings, 0); /* whole lists */
        }
        rejected += m.rejected;
    }
    assert_true(rejected >= 10);
}

static void a_place_without_peace_gives_no_number(void **state)
{
    const struct cost c = {.per_iteration = 55};

    (void)state;
    fake = steady();
    struct meter m = start();
    fake.void_every = 1;
    struct point p = measure(&m, &c, 5);
    assert_int_equal(p.accepted, 0);
    assert_true(p.rejected > 0);
    assert_true(isnan(p.q20) && isnan(p.median) && isnan(p.ns));
}

/*
 * A neighbour on the same core does not slow the chain, and must not get into a point: neither where it stays for many
 * lists nor where it comes and goes within one.
 */
static void a_shared_core_is_waited_for(void **state)
{
    const struct cost c = {.per_iteration = 100};
    static const struct {
        double neighbour, alone;
    } naps[] = {{4e-3, 2e-3}, {37e-6, 71e-6}, {53e-6, 47e-6}, {11e-6, 97e-6}};

    (void)state;
    for (size_t i = 0; i < sizeof naps / sizeof naps[0]; i++) {
        fake = steady();
        fake.neighbour = naps[i].neighbour;
        fake.alone = naps[i].alone;
        struct meter m = start();
        assert_true(fabs(m.width / 0.25 - 1) <= 0.01);
        for (unsigned n = 0; n < 100; n++) {
            struct point p = measure(&m, &c, 1);
            assert_level(&m, &p, 100, 0.005);
        }
        assert_true(m.rejected_by[CAUSE_SHARED] > 0);
        assert_counted(&m);
    }
}

static void a_neighbour_that_stays_gives_no_number(void **state)
{
    const struct cost c = {.per_iteration = 100};

    (void)state;
    fake = steady();
    struct meter m = start();
    fake.neighbour = 1e9;
    struct point p = measure(&m, &c, 1);
    assert_int_equal(p.accepted, 0);
    assert_true(isnan(p.q20));
    assert_true(m.patience <= 0);
}

/* One short window says about what a measurement does; nothing where no clock is known, nor beside a neighbour. */
static void a_glimpse_is_near_or_nothing(void **state)
{
    const struct cost c = {.per_call = 30, .per_iteration = 120}, longer = {.per_iteration = 3000};
    struct kernel k = {.entry = (uintptr_t)&c, .units = 3, .warm_iterations = 10};
    uint64_t iterations = 0;
    double cycles = 0;

    (void)state;
    fake = steady();
    struct meter m = start();
    assert_int_equal(meter_glimpse(&m, &k, &iterations, &cycles).end, WINDOW_RAN);
    assert_true(isnan(cycles)); /* no point has told the core's clock yet */
    measure(&m, &c, 3);
    for (unsigned n = 0; n < 10; n++) {
        const unsigned windows = fake.windows;
        assert_int_equal(meter_glimpse(&m, &k, &iterations, &cycles).end, WINDOW_RAN);
        assert_true(fabs(cycles / 40 - 1) <= 0.01);
        assert_true(fake.windows == windows + 1 || !n);
    }
    k.entry = (uintptr_t)&longer;
    for (unsigned n = 0; n < 2; n++) { /* the first one finds that its length does not fit any more */
        assert_int_equal(meter_glimpse(&m, &k, &iterations, &cycles).end, WINDOW_RAN);
        assert_true(fabs(cycles / 1000 - 1) <= 0.01);
    }
    fake.void_every = 1;
    assert_int_equal(meter_glimpse(&m, &k, &iterations, &cycles).end, WINDOW_RAN);
    assert_true(isnan(cycles));
    fake.void_every = 0;
    fake.neighbour = 1e9;
    assert_int_equal(meter_glimpse(&m, &k, &iterations, &cycles).end, WINDOW_RAN);
    assert_true(isnan(cycles));
    assert_int_equal(m.taken, m.readings); /* it is no reading */
    fake.ends_at = fake.windows + 1;
    fake.ends = WINDOW_TIMEOUT;
    assert_int_equal(meter_glimpse(&m, &k, &iterations, &cycles).end, WINDOW_TIMEOUT);
    assert_true(isnan(cycles));
}

/* It was awake when the meter started, so that nothing tells it; who sees it from the times waits for it to sleep. */
static void a_neighbour_from_the_start_can_be_waited_for(void **state)
{
    (void)state;
    fake = steady();
    fake.neighbour = fake.alone = 3;
    fake.now = fake.alone;
    struct meter m = start();
    assert_true(fabs(m.width / 0.425 - 1) <= 0.01);
    while (fabs(m.width / 0.25 - 1) > 0.01)
        assert_true(meter_wait(&m));
    assert_in_range(fake.now - fake.alone, 3, 4);
    assert_true(m.patience > 0);
    fake.neighbour = 1e9;
    fake.now = fake.alone;
    while (meter_wait(&m))
        ;
    assert_in_range(fake.now - fake.alone, 1, 10);
    assert_true(m.patience <= 0);
}

/*
 * It was awake when the meter started and falls asleep while points are taken. The one in which it does, or the one before,
 * may be of a shared core, and that is said; those behind it are not.
 */
static void a_neighbour_from_the_start_that_falls_asleep_is_noticed(void **state)
{
    const struct cost c = {.per_iteration = 100};

    (void)state;
    for (double after = 0; after < 2e-3; after += 17e-6) {
        fake = steady();
        fake.awake_until = INFINITY;
        struct meter m = start();
        assert_true(fabs(m.width / 0.425 - 1) <= 0.01);
        fake.awake_until = fake.now + after;
        while (fake.now < fake.awake_until || !m.widened) {
            assert_true(fake.now < fake.awake_until + 1e-3);
            measure(&m, &c, 1);
        }
        assert_int_equal(m.widened, 1);
        assert_true(fabs(m.width / 0.25 - 1) <= 0.01);
        for (unsigned n = 0; n < 20; n++) {
            struct point p = measure(&m, &c, 1);
            assert_level(&m, &p, 100, 0.005);
        }
        fake.neighbour = 1e9; /* and it is known for good */
        fake.alone = 0;
        struct point p = measure(&m, &c, 1);
        assert_int_equal(p.accepted, 0);
        meter_wait(&m);
        assert_true(fabs(m.width / 0.25 - 1) <= 0.01);
        assert_int_equal(m.widened, 1);
        assert_counted(&m);
    }
}

/* What it does waits for the units of chains, and takes no width: no chain beside it is a yardstick. */
static void a_neighbour_that_holds_up_chains_alone_is_noticed(void **state)
{
    const struct cost c = {.per_iteration = 100};

    (void)state;
    for (unsigned from_the_start = 0; from_the_start < 2; from_the_start++) {
        fake = steady();
        fake.holds_up_chains = true;
        fake.awake_until = from_the_start ? INFINITY : 0;
        struct meter m = start();
        fake.awake_until = fake.now + 1e-3;
        while (fake.now < fake.awake_until) {
            struct point p = measure(&m, &c, 1);
            assert_true(from_the_start || fake.now >= fake.awake_until || isnan(p.q20));
        }
        for (unsigned n = 0; n < 20; n++) {
            struct point p = measure(&m, &c, 1);
            assert_level(&m, &p, 100, 0.005);
        }
        assert_true(fabs(m.width / 0.25 - 1) <= 0.01);
        assert_int_equal(m.widened, from_the_start);
        assert_counted(&m);
    }
}

/* Whichever window it is, finding the length, warming up or measuring, its end is the caller's. */
static void faults_and_timeouts_are_passed_on(void **state)
{
    const struct cost c = {.per_iteration = 300};
    const struct kernel k = {.entry = (uintptr_t)&c, .units = 1, .warm_iterations = 1e6};

    (void)state;
    for (enum window_end end = WINDOW_FAULT; end <= WINDOW_TIMEOUT; end++)
        for (unsigned in = 1;; in++) {
            struct meter m;
            struct point p;
            fake = steady();
            m = start();
            fake.ends_at = fake.windows + in;
            fake.ends = end;
            fake.fault = (struct fault){.vector = "page-fault", .syndrome = 14, .address = 8, .pc = 1234 + in};
            struct window_result result = meter_measure(&m, &k, &p);
            if (result.end == WINDOW_RAN) { /* it was over before that window */
                assert_true(in > 5);
                break;
            }
            assert_int_equal(result.end, end);
            assert_string_equal(result.fault.vector, "page-fault");
            assert_int_equal(result.fault.pc, 1234 + in);
            assert_int_equal(p.accepted, 0);
            assert_true(isnan(p.q20) && isnan(p.median) && isnan(p.ns));
        }
}

static void a_fault_of_the_first_windows_is_passed_on(void **state)
{
    (void)state;
    for (unsigned in = 1; in <= 51; in++) {
        struct meter m;
        fake = steady();
        fake.ends_at = in;
        fake.ends = WINDOW_TIMEOUT;
        assert_int_equal(meter_start(&m, PROFILE_QUICK).end, WINDOW_TIMEOUT);
        assert_int_equal(fake.windows, in); /* nothing runs after it */
    }
}

/* ---- Causes ------------------------------------------------------------------------------------- */

static void lists_that_an_smi_broke_into_are_void(void **state)
{
    const struct cost c = {.per_iteration = 55};

    (void)state;
    fake = steady();
    struct meter m = start();
    fake.void_every = 3;
    fake.smis = true;
    for (unsigned n = 0; n < 20; n++) {
        struct point p = measure(&m, &c, 5);
        assert_level(&m, &p, 11, 0.005);
    }
    assert_true(m.rejected_by[CAUSE_SMI] > 0);
    assert_int_equal(m.rejected_by[CAUSE_SMI], m.rejected);
}

/*
 * Time is taken from one reading in twenty, or in ten, by a hypervisor that does not tell: from a kernel between
 * two good yardsticks, from a yardstick, from several in a row. The level is right, and the readings are seen to be
 * missing; but where it is taken from four of a point's five: of one point in five thousand, at one reading in twelve.
 */
static void stolen_readings_enter_no_point(void **state)
{
    const struct cost c = {.per_iteration = 55};
    unsigned points = 0, wrong = 0;

    (void)state;
    for (double part = 0.02; part < 0.11; part *= 2)
        for (double least = 0.5e-6; least < 100e-6; least *= 4) {
            fake = steady();
            struct meter m = start();
            fake.stolen = part;
            fake.stolen_least = least;
            fake.stolen_most = 2 * least;
            for (unsigned n = 0; n < 200; n++) {
                struct point p = measure(&m, &c, 5);
                assert_true(p.accepted >= m.readings || m.exact);
                wrong += fabs(p.q20 / 11 - 1) > 0.005 || fabs(p.median / 11 - 1) > 0.005;
                points++;
            }
            assert_true(m.rejected_by[CAUSE_STOLEN] > 0 && m.rejected_by[CAUSE_YARDSTICKS] > 0);
            assert_counted(&m);
        }
    assert_in_range(wrong, 0, points / 1000);
}

/* A kernel that varies by nature loses few of its readings for that, and on either side. */
static void what_varies_by_nature_is_not_stolen(void **state)
{
    const struct cost c = {.per_iteration = 55};

    (void)state;
    for (double varies = 0.01; varies < 0.5; varies *= 2) {
        double sum = 0;
        fake = steady();
        struct meter m = start();
        fake.varies = varies;
        for (unsigned n = 0; n < 400; n++)
            sum += measure(&m, &c, 5).median;
        assert_true(fabs(sum / 400 / 11 - 1) <= varies / 10);
        assert_true((double)m.rejected <= 0.07 * (double)m.taken);
        assert_counted(&m);
    }
}

/* ---- Exact repetition --------------------------------------------------------------------------- */

/* Every reading is equal to the last digit: two are enough, and the level is, too. */
static void what_repeats_exactly_is_read_twice(void **state)
{
    const struct cost c = {.per_iteration = 400};

    (void)state;
    for (unsigned counted = 0; counted <= 1; counted++) {
        fake = steady();
        fake.core_hz = fake.info.tick_hz = 1048576000; /* whole ticks at whole cycles, also as binary fractions */
        fake.harness = 72;
        fake.jitter = 0;
        fake.info.counters = counted ? READER_CYCLES_ONLY : READER_TIME_ONLY;
        struct meter m = start();
        measure(&m, &c, 100);
        for (unsigned n = 0; n < 5; n++) {
            struct point p = measure(&m, &c, 100);
            assert_int_equal(p.accepted, 2);
            assert_true(!(p.q20 < 4) && !(p.q20 > 4));
        }
        fake.varies = 0.001; /* it does no longer */
        struct point p = measure(&m, &c, 100);
        assert_level(&m, &p, 4, 0.005);
        fake.varies = 0;
        measure(&m, &c, 100);
        assert_int_equal(measure(&m, &c, 100).accepted, 2);
    }
}

/* ---- Smoke -------------------------------------------------------------------------------------- */

/* Its cost is in instructions, whatever the clocks are: of a simulator, an emulator, a counter of few ticks. */
static void smoke_is_short_by_any_clock(void **state)
{
    const struct cost c = {.per_iteration = 12};

    (void)state;
    for (double tick_hz = 1e5; tick_hz < 1e11; tick_hz *= 10)
        for (double steps = 1; steps < 100; steps *= 9) {
            struct meter m;
            fake = steady();
            fake.info.tick_hz = tick_hz;
            fake.stamp_steps = steps;
            assert_int_equal(meter_start(&m, PROFILE_SMOKE).end, WINDOW_RAN);
            assert_true(fake.core_cycles < 150000);
            for (unsigned n = 0; n < 10; n++)
                measure(&m, &c, 12);
            assert_true(fake.core_cycles < 150000 + 10 * 100000);
        }
}

/* ---- Counted cycles ----------------------------------------------------------------------------- */

/* Where the reader samples a cycle counter, that is the unit, and what the reader costs is still taken off. */
static void a_cycle_counter_is_the_unit(void **state)
{
    const struct cost c = {.per_iteration = 400};

    (void)state;
    for (double harness = 40; harness <= 2560; harness *= 4) {
        fake = steady();
        fake.info.counters = READER_CYCLES_INSTRUCTIONS;
        fake.harness = harness;
        struct meter m = start();
        struct point p = measure(&m, &c, 100);
        assert_level(&m, &p, 4, 0.0005);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profiles_say_how_many_readings),
        cmocka_unit_test(the_harness_is_taken_off),
        cmocka_unit_test(cycles_nanoseconds_and_clock_agree),
        cmocka_unit_test(kernels_that_cannot_be_split),
        cmocka_unit_test(kernels_that_cost_nothing),
        cmocka_unit_test(cold_kernels_are_measured_warm),
        cmocka_unit_test(stretched_kernels_take_longer),
        cmocka_unit_test(the_level_is_a_low_quantile),
        cmocka_unit_test(random_kernels_on_random_machines),
        cmocka_unit_test(coarse_time_stamps),
        cmocka_unit_test(slow_time_stamps),
        cmocka_unit_test(a_drifting_clock_is_followed),
        cmocka_unit_test(readings_across_a_clock_step_are_rejected),
        cmocka_unit_test(a_clock_that_never_holds_gives_no_number),
        cmocka_unit_test(interrupted_lists_are_void),
        cmocka_unit_test(a_place_without_peace_gives_no_number),
        cmocka_unit_test(a_shared_core_is_waited_for),
        cmocka_unit_test(a_neighbour_that_stays_gives_no_number),
        cmocka_unit_test(a_glimpse_is_near_or_nothing),
        cmocka_unit_test(a_neighbour_from_the_start_can_be_waited_for),
        cmocka_unit_test(a_neighbour_from_the_start_that_falls_asleep_is_noticed),
        cmocka_unit_test(a_neighbour_that_holds_up_chains_alone_is_noticed),
        cmocka_unit_test(faults_and_timeouts_are_passed_on),
        cmocka_unit_test(a_fault_of_the_first_windows_is_passed_on),
        cmocka_unit_test(lists_that_an_smi_broke_into_are_void),
        cmocka_unit_test(stolen_readings_enter_no_point),
        cmocka_unit_test(what_varies_by_nature_is_not_stolen),
        cmocka_unit_test(what_repeats_exactly_is_read_twice),
        cmocka_unit_test(smoke_is_short_by_any_clock),
        cmocka_unit_test(a_cycle_counter_is_the_unit),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
