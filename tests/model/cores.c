/*
 * The probes on modelled cores: what was put in must come back, or the probe must say that it can't.
 *
 * Cores are drawn at random from a seed. LONG=1 draws more of them; MODEL_SEED=n takes one seed only
 * and MODEL_SHOWS=1 prints the run and its curves.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/probe.h"
#include "tests/model/cache.h"
#include "tests/model/machine.h"
#include "tests/records.h"

enum { KIB = 1024 };

/* ---- Random cores ------------------------------------------------------------------------------- */

static uint64_t random_state;

static size_t pick(size_t from, size_t to)
{
    return from + random_below(&random_state, to - from + 1);
}

static double between(double from, double to)
{
    return from + (to - from) * (double)pick(0, 1000) / 1000;
}

/* Ways and sets as caches have them, the size at least and at most what is said. */
static struct cache_design pick_cache(size_t bytes_from, size_t bytes_to, size_t sets_from)
{
    struct cache_design c;

    do {
        c.ways = pick(1, 4) * (pick(0, 1) ? 4 : 2);
        c.bytes = c.ways * CACHE_LINE_BYTES * (sets_from << pick(0, 7));
    } while (c.bytes < bytes_from || c.bytes > bytes_to);
    return c;
}

static struct core_design pick_core(void)
{
    struct core_design d = {.width = (unsigned)pick(3, 8),
                            .multiply = (double)pick(3, 5),
                            .contiguous = pick(0, 1),
                            .return_stack = (unsigned)pick(8, 48),
                            .indirect = pick(0, 1),
                            .penalty = (double)pick(12, 22)};
    bool third = pick(0, 1);
    unsigned nop_bytes = 0;

    /* the first level has as many sets as there are lines in a page: it needs no translation */
    d.data[0] = (struct cache_design){.ways = 2 * pick(1, 8)};
    d.data[0].bytes = d.data[0].ways * 4 * KIB;
    d.data[0].latency = (double)pick(3, 5);
    d.data[1] = pick_cache(4 * d.data[0].bytes > 64 * KIB ? 4 * d.data[0].bytes : 64 * KIB, 512 * KIB, 64);
    d.data[1].latency = d.data[0].latency * 2 + (double)pick(2, 10);
    if (third) {
        d.data[2] = pick_cache(4 * d.data[1].bytes, 3072 * KIB, 256);
        d.data[2].latency = 2 * d.data[1].latency + (double)pick(5, 20);
    }
    d.memory_latency = d.data[third ? 2 : 1].latency * between(2, 4);

    d.l1i = (struct cache_design){.bytes = (size_t)(8 * KIB) << pick(0, 3), .ways = 4};
    if (d.l1i.bytes > 16 * KIB)
        d.l1i.ways = 8;
    for (const unsigned *n = emit_nop_lengths; *n && *n <= 8; n++)
        nop_bytes = *n;
    d.l1i_fetch = nop_bytes * (double)d.width;
    if (pick(0, 1)) {
        d.op_cache = (struct cache_design){.bytes = d.l1i.bytes / 2, .ways = d.l1i.ways};
        d.l1i_fetch /= between(1.3, 2.5);
    }
    d.l2_fetch = d.far_fetch = d.l1i_fetch / between(1.5, 4);
    return d;
}

static struct machine_design pick_machine(uint64_t seed)
{
    struct machine_design d = {.seed = seed};

    random_state = seed;
    d.core = pick_core();
    d.tick_hz = between(0.3e8, 0.6e8);
    d.core_hz = d.tick_hz * between(0.8, 3);
    /* the footprint grows to half of the memory, at least two octaves past the last cache */
    size_t last = d.core.data[2].bytes ? d.core.data[2].bytes : d.core.data[1].bytes;
    for (d.memory_bytes = 64 * KIB; d.memory_bytes < 8 * (double)last;)
        d.memory_bytes *= 2;
    return d;
}

/* ---- One run ------------------------------------------------------------------------------------ */

static struct records records;
static unsigned wrong, decided, undecided;

static void complain(const struct machine_design *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void complain(const struct machine_design *m, const char *format, ...)
{
    va_list arguments;

    fprintf(stderr, "# %s, seed %llu: ", emit_isa, (unsigned long long)m->seed);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    wrong++;
}

static void run_probes_on(const struct machine_design *m, const char *probes, enum profile profile)
{
    struct run r = {.number = 0};

    records_free(&records);
    machine_start(m);
    config_defaults(&r.config);
    snprintf(r.config.probes, sizeof r.config.probes, "%s", probes);
    r.config.profile = profile;
    journal_start(&r.journal, "0");
    writer_start(&r.writer);
    writer_add(&r.writer, records_sink(&records));
    if (run_all(&r))
        complain(m, "the run failed");
    writer_stop(&r.writer);
    machine_stop();
    if (getenv("MODEL_SHOWS"))
        for (const char *c = NULL; (c = records_find(&records, c, "curve", NULL, NULL));)
            fprintf(stderr, "%.*s\n", (int)strcspn(c, "\n"), c);
}

static double number(const char *finding, const char *key)
{
    const char *text = record_value(finding, key, 2);
    return text && strcmp(text, "null") != 0 ? strtod(text, NULL) : NAN;
}

/* The finding of a variant, or NULL. */
static const char *finding_of(const char *name, const char *key, const char *variant)
{
    const char *f = NULL;

    while ((f = records_find(&records, f, "finding", "name", name))) {
        const char *v = key ? record_value(f, key, 2) : NULL;
        if (!key || (v && !strcmp(v, variant)))
            break;
    }
    return f;
}

/* True when the finding is decided; complains when it is neither decided nor says why not. */
static bool is_decided(const struct machine_design *m, const char *f, const char *name, const char *variant)
{
    const char *grade = f ? record_value(f, "grade", 2) : NULL, *reason = f ? record_value(f, "reason", 3) : NULL;

    if (!grade) {
        complain(m, "%s %s: not reported", name, variant);
    } else if (grade[0] == 'U') {
        if (!reason || !reason[0] || !isnan(number(f, "value")))
            complain(m, "%s %s: grade U with a value or without a reason", name, variant);
        undecided++;
        return false;
    } else {
        decided++;
        return true;
    }
    return false;
}

/* Interval, value and truth are in order, or the finding is undecided for a reason. */
static void check_capacity(const struct machine_design *m, const char *name, const char *key, const char *variant,
                           double truth)
{
    const char *f = finding_of(name, key, variant);

    if (!is_decided(m, f, name, variant))
        return;
    double value = number(f, "value"), low = number(f, "low"), high = number(f, "high");
    if (!(low <= value && value <= high))
        complain(m, "%s %s: %g is not in its own interval %g ... %g", name, variant, value, low, high);
    else if (!(low <= truth && truth <= high))
        complain(m, "%s %s: %g, %g ... %g, and is %g", name, variant, value, low, high, truth);
}

static void check_number(const struct machine_design *m, const char *name, const char *key, const char *variant,
                         double truth, double part)
{
    const char *f = finding_of(name, key, variant);

    if (is_decided(m, f, name, variant) && !(fabs(number(f, "value") / truth - 1) <= part))
        complain(m, "%s %s: %g, and is %g", name, variant, number(f, "value"), truth);
}

static void check_clock(const struct machine_design *m)
{
    check_number(m, "system.clock.hz", NULL, "", m->core_hz, 0.03);
    check_number(m, "system.clock.multiply_cycles", NULL, "", m->core.multiply, 0.03);
    check_number(m, "system.clock.load_cycles", NULL, "", m->core.data[0].latency, 0.03);
}

static void check_caches(const struct machine_design *m)
{
    const char *const names[] = {"1", "2", "3", "4", "5"};
    const struct core_design *d = &m->core;
    size_t level = 0;

    for (; level < DATA_LEVELS && d->data[level].bytes; level++) {
        check_capacity(m, "memory.cache.bytes", "level", names[level], (double)d->data[level].bytes);
        check_number(m, "memory.cache.latency_cycles", "level", names[level], d->data[level].latency, 0.03);
    }
    check_number(m, "memory.cache.latency_cycles", "level", names[level], d->memory_latency, 0.03);
    if (finding_of("memory.cache.bytes", "level", names[level + 1]))
        complain(m, "memory.cache.bytes: there are only %zu levels and memory", level);
}

static void check_l1i(const struct machine_design *m)
{
    check_capacity(m, "frontend.l1i.bytes", NULL, "", (double)m->core.l1i.bytes);
}

static void check_return_stack(const struct machine_design *m)
{
    static const char *const targets[] = {"fixed", "changing", "random"};

    for (size_t i = 0; i < 3; i++)
        check_capacity(m, "frontend.return_stack.entries", "target", targets[i], m->core.return_stack);
}

static void check_all(const struct machine_design *m)
{
    check_clock(m);
    check_caches(m);
    check_l1i(m);
    check_return_stack(m);
}

/* ---- Tests -------------------------------------------------------------------------------------- */

static uint64_t seeds(uint64_t usual, uint64_t long_run)
{
    return getenv("LONG") ? long_run : usual;
}

static void quiet_cores_are_given_back(void **state)
{
    const char *only = getenv("MODEL_SEED");

    (void)state;
    wrong = decided = undecided = 0;
    for (uint64_t seed = 1; seed <= seeds(12, 200); seed++) {
        if (only && strtoull(only, NULL, 10) != seed)
            continue;
        struct machine_design m = pick_machine(seed);
        run_probes_on(&m, getenv("MP") ? getenv("MP") : "cache l1i return_stack",
                      getenv("SM") ? PROFILE_SMOKE : PROFILE_QUICK);
        check_all(&m);
    }
    print_message("# %s: %u decided, %u undecided, %u wrong\n", emit_isa, decided, undecided, wrong);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quiet_cores_are_given_back),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    records_free(&records);
    return failed;
}
