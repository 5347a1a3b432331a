/* The probe prefetcher: which kinds of prefetchers there are, and their parameters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/record.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

static const char kind_name[] = "memory.prefetcher.kind";

/* The finding of that name about a kind for data at a home. */
static const char *about(const char *name, const char *kind, const char *home)
{
    const char *f = NULL;

    while ((f = next_finding(f, name)) && !(has_field(f, "kind", kind) && has_field(f, "home", home)))
        ;
    return f;
}

/* The home of the data behind the second level. */
static const char *far_home(const struct machine_design *m)
{
    return m->core.data[2].ways ? "3" : "memory";
}

/* A kind that brings lines into that level shows where the home is behind it. */
static bool shows(const struct machine_design *m, const char *home, size_t into)
{
    return !strcmp(home, far_home(m)) || into == 0;
}

static void check_kind(const struct machine_design *m, const char *kind, const char *home, const char *truth)
{
    const char *f = about(kind_name, kind, home);

    if (!is_decided(m, f, kind_name, kind))
        return;
    const char *value = record_value(f, "value", 2);
    if (!value || strcmp(value, truth) != 0)
        complain(m, "%s %s home=%s: reported %.24s, true is %s", kind_name, kind, home, value ? value : "?", truth);
}

/* Whether the kind is decided: else there are no findings about its parameters, and it is counted already. */
static bool is_found(const char *kind, const char *home)
{
    const char *f = about(kind_name, kind, home);

    return f && record_value(f, "grade", 2)[0] != 'U';
}

static void check_parameter(const struct machine_design *m, const char *name, const char *kind, const char *home,
                            double truth)
{
    const char *f = about(name, kind, home);

    if (!is_found(kind, home) || !is_decided(m, f, name, kind))
        return;
    if (number(f, "value") != truth)
        complain(m, "%s %s home=%s: reported %g, true is %g", name, kind, home, number(f, "value"), truth);
}

static void check_word(const struct machine_design *m, const char *name, const char *kind, const char *home,
                       const char *truth)
{
    const char *f = about(name, kind, home);

    if (is_found(kind, home) && is_decided(m, f, name, kind) &&
        strncmp(record_value(f, "value", 2), truth, strlen(truth)) != 0)
        complain(m, "%s %s home=%s: reported %.12s, true is %s", name, kind, home, record_value(f, "value", 2), truth);
}

/* ---- Each kind ------------------------------------------------------------------------------------- */

static void check_neighbour(const struct machine_design *m, const struct neighbour_design *d, const char *kind,
                            const char *home)
{
    const bool there = d->on && shows(m, home, d->into);
    const char *f = about(kind_name, kind, home), *value = f ? record_value(f, "value", 2) : NULL;

    /* beside a region prefetcher the condition cannot be known */
    if (there && value && !strcmp(value, "found")) {
        checked.decided++;
        return;
    }
    check_kind(m, kind, home, !there ? "none" : d->first_of_page ? "after the first access nearby" : "always");
    if (there && !d->pair)
        check_parameter(m, "memory.prefetcher.degree", kind, home, d->degree);
}

/* What both kinds of sequences have. */
static void check_sequence(const struct machine_design *m, const char *kind, const char *home, unsigned train,
                           unsigned degree, unsigned distance, unsigned entries)
{
    check_parameter(m, "memory.prefetcher.train", kind, home, train);
    check_parameter(m, "memory.prefetcher.degree", kind, home, degree);
    check_parameter(m, "memory.prefetcher.distance", kind, home, distance);
    check_parameter(m, "memory.prefetcher.streams", kind, home, entries);
}

static void check_stride(const struct machine_design *m, const char *home)
{
    const struct stride_design *d = &m->core.prefetchers.stride;
    const bool there = d->entries && shows(m, home, d->into);

    check_kind(m, "stride", home, there ? "up and down" : "none");
    if (!there)
        return;
    check_sequence(m, "stride", home, d->train, d->degree, d->distance, d->entries);
    check_parameter(m, "memory.prefetcher.stride_max", "stride", home, d->lines);
    check_parameter(m, "memory.prefetcher.pc_bits", "stride", home, d->bits);
    check_word(m, "memory.prefetcher.page_border", "stride", home, d->crosses ? "continues" : "stops");
}

static void check_stream(const struct machine_design *m, const char *home)
{
    const struct stream_design *d = &m->core.prefetchers.stream;
    const struct neighbour_design *next = &m->core.prefetchers.next;
    const bool there = d->entries && shows(m, home, d->into);

    /* one that brings nothing that a single access does not bring cannot be seen */
    if (there && next->on && !next->first_of_page && d->distance <= next->degree && shows(m, home, next->into))
        return;
    check_kind(m, "stream", home, !there ? "none" : d->down ? "up and down" : "up");
    if (!there)
        return;
    check_sequence(m, "stream", home, d->train, d->degree, d->distance, d->entries);
    check_word(m, "memory.prefetcher.page_border", "stream", home, "stops");
}

static void check_prefetchers(const struct machine_design *m)
{
    const char *const homes[] = {"2", far_home(m)};

    for (size_t i = 0; i < 2; i++) {
        const struct region_design *region = &m->core.prefetchers.region;
        check_neighbour(m, &m->core.prefetchers.next, "next", homes[i]);
        check_neighbour(m, &m->core.prefetchers.pair, "pair", homes[i]);
        check_stride(m, homes[i]);
        check_stream(m, homes[i]);
        check_kind(m, "region", homes[i], region->bytes && shows(m, homes[i], region->into) ? "found" : "none");
    }
}

/* Each kind with chance one in two, each combination with any parameters; of one machine in eight, none. */
static void draw_prefetchers(struct prefetcher_design *d, bool none)
{
    if (none)
        return;
    if (pick(0, 2) == 0)
        d->next = (struct neighbour_design){
            .on = true, .first_of_page = pick(0, 1), .degree = (unsigned)pick(1, 2), .into = pick(0, 1)};
    if (pick(0, 2) == 0)
        d->pair = (struct neighbour_design){.on = true, .pair = true, .into = pick(0, 1)};
    if (pick(0, 1))
        d->stride = (struct stride_design){.entries = (unsigned)pick(4, 12),
                                           .train = (unsigned)pick(3, 5),
                                           .degree = (unsigned)pick(1, 3),
                                           .lines = (unsigned)pick(8, 40),
                                           .bits = pick(0, 1) ? (unsigned)pick(7, 14) : 0,
                                           .crosses = pick(0, 1),
                                           .into = pick(0, 1)};
    d->stride.distance = d->stride.degree + (unsigned)pick(0, 3);
    if (pick(0, 1))
        d->stream = (struct stream_design){.entries = (unsigned)pick(4, 12),
                                           .train = (unsigned)pick(2, 5),
                                           .degree = (unsigned)pick(1, 4),
                                           .gap = (unsigned)pick(1, 2),
                                           .down = pick(0, 1),
                                           .into = pick(0, 1)};
    d->stream.distance = d->stream.degree + (unsigned)pick(0, 4);
    if (pick(0, 2) == 0)
        d->region = (struct region_design){
            .bytes = 4096, .active = (unsigned)pick(4, 12), .by_offset = pick(0, 1), .into = pick(0, 1)};
}

MODEL_TEST(prefetchers_are_given_back, "prefetcher")
{
    unsigned machines = 0;

    for (uint64_t seed = 0; next_seed(&seed, 2, 200); machines++) {
        struct machine_design m = draw_machine(seed);
        m.core.data[0] = (struct cache_design){.bytes = 8 * KIB, .ways = 8, .latency = m.core.data[0].latency};
        m.core.data[1] = (struct cache_design){.bytes = 128 * KIB, .ways = 8, .latency = m.core.data[1].latency};
        if (m.core.data[2].ways)
            m.core.data[2] = (struct cache_design){.bytes = 2048 * KIB, .ways = 16, .latency = m.core.data[2].latency};
        m.memory_bytes = 16384 * KIB;
        m.declares = true;
        draw_prefetchers(&m.core.prefetchers, seed % 8 == 0);
        run_probes_on(&m, "prefetcher", PROFILE_QUICK);
        check_prefetchers(&m);
    }
    end(12 * machines, 5 * machines);
}
