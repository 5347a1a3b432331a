/* Slices of the third level, linear and not, seen by one core or by several. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/record.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/slices.h"
#include "tests/model/test.h"

enum { LINE_BITS = 7, LINES = 1 << LINE_BITS, LINE_SHIFT = 6, MASKS = 16, MOVED_BITS = 16 };

/*
 * Slices lie in a grid, one behind the other, cores anywhere in it, and each step takes as long as any other that way.
 */
static void draw_distances(struct slice_design *d)
{
    const unsigned wide = (unsigned)pick(2, 6), high = (d->slices + wide - 1) / wide;
    const double across = between(1, 3), along = between(1, 3);

    for (unsigned core = 0; core < SLICE_CORES; core++) {
        const double x = (double)pick(0, wide - 1), y = (double)pick(0, high - 1);
        for (unsigned slice = 0; slice < d->slices; slice++)
            d->farther[core][slice] = across * fabs(x - slice % wide) + along * fabs(y - (double)(slice / wide));
    }
}

/* A linear function: each place of the period is a slice. Otherwise slices have as many places each, or one more. */
static void draw_slices(struct slice_design *d, bool linear)
{
    *d = (struct slice_design){.period_bits = (unsigned)(linear ? pick(1, 4) : pick(3, 4))};
    const unsigned places = 1U << d->period_bits;
    d->slices = linear ? places : (unsigned)pick(3, places < 12 ? places - 1 : 12);
    for (unsigned i = 0; i < d->period_bits; i++)
        d->moves[i] = pick(0, ((size_t)1 << (MOVED_BITS - d->period_bits)) - 1) << d->period_bits;
    for (unsigned i = 0; i < places; i++)
        d->base[i] = (uint8_t)(linear ? i ^ i >> 1 : i % d->slices);
    for (unsigned i = places - 1; i > 0 && !linear; i--) {
        const size_t other = pick(0, i);
        const uint8_t base = d->base[i];
        d->base[i] = d->base[other];
        d->base[other] = base;
    }
    draw_distances(d);
}

/* Masks of line numbers that a finding has as text, "6^9 7^10" or "64 lines by 6^9 7^10". */
static size_t masks_of(const char *text, uint64_t masks[MASKS])
{
    const char *by = strstr(text, "by "), *at = by ? by + strlen("by ") : text;
    size_t count = 0;

    while (count < MASKS && *at >= '0' && *at <= '9') {
        char *end;
        masks[count] |= UINT64_C(1) << (strtoul(at, &end, 10) - LINE_SHIFT);
        count += *end != '^';
        at = *end == '^' || *end == ' ' ? end + 1 : end;
    }
    return count;
}

/*
 * Differences of lines that change no slice must have even parity with all masks: else the function depends on what
 * slices do not depend on. From several cores it must also depend on all that slices do.
 */
static void check_function(const struct machine_design *m, const char *f, const struct slice_design *d)
{
    uint64_t masks[MASKS] = {0};
    const char *text = record_value(f, "value", 3);
    const size_t count = masks_of(text, masks);
    unsigned even = 0, unchanged = 0;

    for (uint64_t apart = 0; apart < LINES; apart++) {
        bool parity = false, change = false;
        for (size_t i = 0; i < count; i++)
            parity |= __builtin_parityll(apart & masks[i]);
        for (uint64_t line = 0; line < LINES && !change; line++)
            change = slice_of_line(d, line) != slice_of_line(d, line ^ apart);
        if (!change && parity)
            complain(m, "function %.80s: it would change by %u lines", text, (unsigned)apart);
        even += !parity;
        unchanged += !change;
    }
    if (has_field(f, "grade", "B") && even != unchanged)
        complain(m, "function %.80s: %u differences change nothing, true are %u", text, even, unchanged);
}

static struct machine_design draw_sliced_machine(uint64_t seed, struct slice_design *slices)
{
    struct machine_design m = draw_machine(seed);
    struct cache_design *data = m.core.data;

    m.core.contiguous = true;
    data[0] = (struct cache_design){.bytes = 2 * KIB, .ways = 4, .latency = data[0].latency};
    data[1] = (struct cache_design){.ways = (size_t)4 << pick(0, 1), .latency = 2 * data[0].latency + 4};
    data[1].bytes = data[1].ways * 8 * KIB;
    data[2] = (struct cache_design){.bytes = 512 * KIB, .ways = 16, .latency = between(30, 60), .slices = slices};
    m.core.memory_latency = 4 * data[2].latency;
    m.memory_bytes = 8 * LINES << LINE_SHIFT;
    m.declares = true; /* ways and bytes, which other tests find */
    m.coherence.cores = (unsigned)pick(0, 3);
    m.jitter = between(0, 0.004);
    m.stolen = between(0, 0.008);
    m.stolen_known = 0.5;
    m.tick_hz *= 4;
    m.core_hz *= 4;
    draw_slices(slices, seed % 2);
    return m;
}

static void check_slices(const struct machine_design *m, const struct slice_design *slices)
{
    run_probes_on(m, "slices", PROFILE_STANDARD);
    const char *f = finding_of("memory.cache.slice_function", "level", "3");
    if (is_decided(m, f, "memory.cache.slice_function", "3"))
        check_function(m, f, slices);
    f = finding_of("memory.cache.slice_distances", "level", "3");
    if (is_decided(m, f, "memory.cache.slice_distances", "3") && number(f, "value") > slices->slices)
        complain(m, "%g distances, but only %u slices", number(f, "value"), slices->slices);
    f = finding_of("memory.cache.slices", "level", "3");
    if (is_decided(m, f, "memory.cache.slices", "3"))
        check_whole(m, f, "memory.cache.slices", "3", slices->slices);
}

MODEL_TEST(slices_are_given_back, "slices")
{
    struct slice_design slices;
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 16, 64); cores++) {
        const struct machine_design m = draw_sliced_machine(seed, &slices);
        check_slices(&m, &slices);
    }
    end(2 * cores, cores);
    decides(36, 36);
}

/* Lines stay in a second level whose sets are a hash of the address, or there are no slices. */
MODEL_TEST(slices_that_do_not_show_stay_undecided, "slices")
{
    struct slice_design slices;
    unsigned cores = 0;

    for (uint64_t seed = 0; next_seed(&seed, 4, 32); cores++) {
        struct machine_design m = draw_sliced_machine(seed, &slices);
        m.core.data[1].hashed = seed % 2;
        if (seed % 2 == 0)
            m.core.data[2].slices = NULL;
        check_slices(&m, &slices);
    }
    end(0, 3 * cores);
    decides(0, 0);
}
