/* The probe prefetcher: which kinds of prefetchers there are, and their parameters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/record.h"
#include "tests/model/cache.h"
#include "tests/model/check.h"
#include "tests/model/draw.h"
#include "tests/model/test.h"

static const char kind_name[] = "memory.prefetcher.kind";

/* The finding of that name about a kind for data at a home, of which the field `key` is `which`, unless that is NULL. */
static const char *about_which(const char *name, const char *kind, const char *home, const char *key, const char *which)
{
    const char *f = NULL;

    while ((f = next_finding(f, name)) &&
           !(has_field(f, "kind", kind) && has_field(f, "home", home) && (!key || has_field(f, key, which))))
        ;
    return f;
}

static const char *about(const char *name, const char *kind, const char *home)
{
    return about_which(name, kind, home, NULL, NULL);
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

/* Where `seen` is false the experiment cannot know it: it must be undecided, or right, and does not count. */
static void check_seen_parameter(const struct machine_design *m, const char *name, const char *kind, const char *home,
                                 double truth, bool seen)
{
    const char *f = about(name, kind, home);

    if (!is_found(kind, home) || (!seen && f && record_value(f, "grade", 2)[0] == 'U') || !is_decided(m, f, name, kind))
        return;
    if (number(f, "value") != truth)
        complain(m, "%s %s home=%s: reported %g, true is %g", name, kind, home, number(f, "value"), truth);
}

static void check_parameter(const struct machine_design *m, const char *name, const char *kind, const char *home,
                            double truth)
{
    check_seen_parameter(m, name, kind, home, truth, true);
}

/* key, which: as of about_which. */
static void check_word_on(const struct machine_design *m, const char *name, const char *kind, const char *home,
                          const char *key, const char *which, const char *truth)
{
    const char *f = about_which(name, kind, home, key, which);

    if (is_found(kind, home) && is_decided(m, f, name, kind) && !has_field(f, "value", truth))
        complain(m, "%s %s home=%s %s: reported %.24s, true is %s", name, kind, home, which ? which : "",
                 record_value(f, "value", 2), truth);
}

static void check_word(const struct machine_design *m, const char *name, const char *kind, const char *home,
                       const char *truth)
{
    check_word_on(m, name, kind, home, NULL, NULL, truth);
}

/* `lines`: that the last access of its list brings. */
static void check_throttled(const struct machine_design *m, const char *kind, const char *home,
                            enum prefetcher_switch of, unsigned lines)
{
    const struct throttle_design *d = &m->core.prefetchers.throttle;

    check_word(m, "memory.prefetcher.throttled", kind, home,
               d->under_way && d->kinds >> of & 1 && lines > d->leaves ? "less" : "as much");
}

/* ---- Each kind ------------------------------------------------------------------------------------- */

static void check_neighbour(const struct machine_design *m, const struct neighbour_design *d, const char *kind,
                            const char *home)
{
    const bool there = d->on && shows(m, home, d->into);
    if (there)
        check_throttled(m, kind, home, SWITCH_NEIGHBOURS, d->pair ? 1 : d->degree);
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

/* Where the table `fetched` of a kind begins; NULL: there is none. */
static const char *fetched(const char *kind, const char *home)
{
    char text[96];

    snprintf(text, sizeof text, "\"name\":\"fetched\",\"kind\":\"%s\",\"home\":\"%s\"", kind, home);
    const char *table = records.text ? strstr(records.text, text) : NULL;
    return table ? strstr(table, "\"rows\":") : NULL;
}

/* Reads the next array of whole numbers: its first and last one, and how many there are. Returns what follows. */
static const char *read_lines(const char *at, long *first, long *last, size_t *count)
{
    at = strchr(at, '[') + 1;
    for (*count = 0; *at != ']'; ++*count) {
        char *rest;
        *last = strtol(at, &rest, 10);
        *first = *count ? *first : *last;
        at = rest + (*rest == ',');
    }
    return at + 1;
}

/*
 * What is drawn of a kind that was found: lines are brought, and none farther than `most` lines, or distances of a
 * sequence, behind the last access.
 */
static void check_fetched(const struct machine_design *m, const char *kind, const char *home, double most)
{
    const char *f = about(kind_name, kind, home), *at = fetched(kind, home);
    bool any = false;

    if (!f || record_value(f, "grade", 2)[0] == 'U' || has_field(f, "value", "none"))
        return;
    if (!at) {
        complain(m, "%s home=%s was found, and there is no table of what it fetched", kind, home);
        return;
    }
    for (at = strchr(at, '['); at[1] == '['; at++) { /* "[[" and "],[" begin a row */
        long first = 0, last = 0, near = 0, far = 0, ignored;
        size_t accesses, lines, unclear;
        at = read_lines(at + 2, &first, &last, &accesses);
        at = read_lines(at, &near, &far, &lines);
        at = read_lines(at, &ignored, &ignored, &unclear);
        const double each = accesses > 1 ? (double)(last - first) / (double)(accesses - 1) : 1;
        any |= lines > 0;
        if (lines && (double)far / each > most)
            complain(m, "%s home=%s: fetched line %ld, farther than %g", kind, home, far, most);
        if (at[1] != ',') /* the last row */
            break;
    }
    if (!any)
        complain(m, "%s home=%s was found, and nothing was fetched", kind, home);
}

/* Lines may come into a nearer level as well, if another kind brings them there: only a farther one is wrong. */
static void check_level(const struct machine_design *m, const char *kind, const char *home, size_t into)
{
    const char *f = about("memory.prefetcher.level", kind, home);

    if (f && is_found(kind, home) && is_decided(m, f, "memory.prefetcher.level", kind) && into == 0 &&
        !has_field(f, "value", "1"))
        complain(m, "level %s home=%s: reported %.8s, true is 1", kind, home, record_value(f, "value", 2));
}

/* What both kinds of sequences have. */
static void check_sequence(const struct machine_design *m, const char *kind, const char *home, unsigned train,
                           unsigned degree, unsigned distance, unsigned entries, unsigned grows, size_t into)
{
    check_parameter(m, "memory.prefetcher.train", kind, home, train);
    check_parameter(m, "memory.prefetcher.degree", kind, home, degree);
    check_parameter(m, "memory.prefetcher.distance", kind, home, distance);
    check_parameter(m, "memory.prefetcher.streams", kind, home, entries);
    check_word(m, "memory.prefetcher.growth", kind, home, grows ? "grows" : "constant");
    check_level(m, kind, home, into);
    check_fetched(m, kind, home, distance + grows);
}

static void check_seen(const struct machine_design *m, const char *kind, const char *home, const struct seen_design *d)
{
    check_word(m, "memory.prefetcher.hits", kind, home, d->misses_only ? "do not train" : "train");
    check_word(m, "memory.prefetcher.stores", kind, home, d->stores ? "train" : "do not train");
}

/*
 * What there is at the ends of pages: of 4 KiB in large ones, of small ones, of large ones. Where frames are not known
 * there are no large ones, and what does not go on in the next page may have gone on elsewhere.
 */
static void check_pages(const struct machine_design *m, const char *kind, const char *home, const char *border,
                        const char *small, const char *large)
{
    static const char border_name[] = "memory.prefetcher.page_border", order_name[] = "memory.prefetcher.page_order";

    if (m->core.contiguous) {
        check_word_on(m, border_name, kind, home, "page", "2m", border);
        check_word_on(m, order_name, kind, home, "page", "4k", small);
        check_word_on(m, order_name, kind, home, "page", "2m", large);
        return;
    }
    if (strcmp(small, "stops") != 0) {
        check_word_on(m, border_name, kind, home, "page", "4k", border);
        check_word_on(m, order_name, kind, home, "page", "4k", small);
        return;
    }
    const char *of_border = about(border_name, kind, home), *of_order = about(order_name, kind, home);
    if ((of_border && record_value(of_border, "grade", 2)[0] != 'U') ||
        (of_order && record_value(of_order, "grade", 2)[0] != 'U'))
        complain(m, "%s home=%s: where it goes on is reported, and is not known", kind, home);
}

/* Accesses elsewhere until a trained instruction is followed there, the one that shows a wrong distance included. */
static unsigned resumes(const struct stride_design *d)
{
    const unsigned full = d->train - 2 + d->spare, kept = d->keeps < full ? d->keeps : full - 1;

    if (!d->keeps)
        return d->train;
    return kept >= d->train - 2 ? 1 : d->train - 1 - kept;
}

static void check_stride(const struct machine_design *m, const char *home)
{
    const struct stride_design *d = &m->core.prefetchers.stride;
    const struct delta_design *deltas = &m->core.prefetchers.deltas;
    const bool there = d->entries && shows(m, home, d->into);
    const unsigned ahead = d->distance - d->degree + 1, page_lines = 64;
    const char *order = !d->crosses || d->within ? "stops" : d->by_frame ? "physical" : "virtual";

    /* what follows distances that were seen before follows constant ones, too */
    check_kind(m, "stride", home, there || (deltas->deltas && shows(m, home, deltas->into)) ? "up and down" : "none");
    if (!there)
        return;
    check_sequence(m, "stride", home, d->train, d->degree, d->distance, d->entries, d->grows, d->into);
    /* where it stops at pages, a longer stride must fit into one as well */
    check_seen_parameter(m, "memory.prefetcher.stride_max", "stride", home, d->lines,
                         d->crosses || (d->lines + 1) * (d->train - 1 + ahead) < page_lines);
    check_seen_parameter(m, "memory.prefetcher.pc_bits", "stride", home, d->bits, d->bits > 0);
    check_throttled(m, "stride", home, SWITCH_STRIDE, d->degree);
    check_pages(m, "stride", home, d->crosses ? "continues" : "stops", order, order);
    check_seen(m, "stride", home, &d->sees);
    check_word(m, "memory.prefetcher.distances", "stride", home, d->by_line ? "lines" : "bytes");
    if (!d->sees.misses_only) /* misses may be a constant distance apart where loads are not */
        check_word(m, "memory.prefetcher.short_strides", "stride", home,
                   d->by_line || d->least < CACHE_LINE_BYTES ? "followed" : "not followed");
    if (!d->sees.misses_only) /* of the shortest one that is tried it is not known whether it is the least */
        check_seen_parameter(m, "memory.prefetcher.stride_min", "stride", home, d->least, !d->by_line && d->least > 8);
    if (!d->sees.misses_only || !d->spare) /* what was brought hits, and adds no confidence */
        check_parameter(m, "memory.prefetcher.resumes", "stride", home, resumes(d));
}

static void check_stream(const struct machine_design *m, const char *home)
{
    const struct stream_design *d = &m->core.prefetchers.stream;
    const struct neighbour_design *next = &m->core.prefetchers.next, *pair = &m->core.prefetchers.pair;
    const bool there = d->entries && shows(m, home, d->into);

    /* one that brings nothing that a single access does not bring cannot be seen */
    if (there && next->on && !next->first_of_page && d->distance <= next->degree && shows(m, home, next->into))
        return;
    if (there && pair->on && d->distance == 1 && shows(m, home, pair->into))
        return;
    /* nor one that sees misses only, where others bring every second line */
    if (there && d->sees.misses_only &&
        ((next->on && !next->first_of_page && next->into == 0) || (pair->on && pair->into == 0)))
        return;
    check_kind(m, "stream", home, !there ? "none" : d->down ? "up and down" : "up");
    if (!there)
        return;
    check_sequence(m, "stream", home, d->train, d->degree, d->distance, d->entries, d->grows, d->into);
    check_throttled(m, "stream", home, SWITCH_STREAM, d->degree);
    check_pages(m, "stream", home, "stops", "stops", "stops");
    check_seen(m, "stream", home, &d->sees);
}

static void check_region(const struct machine_design *m, const char *home)
{
    static const char *const keys[] = {"instruction", "instruction and offset", "offset"};
    const struct region_design *d = &m->core.prefetchers.region;
    const bool there = d->bytes && shows(m, home, d->into);
    const char *f = about("memory.prefetcher.region_bytes", "region", home);

    check_kind(m, "region", home, there ? "found" : "none");
    if (!there)
        return;
    if (!d->behind)
        check_parameter(m, "memory.prefetcher.region_bytes", "region", home, d->bytes);
    else if (f && record_value(f, "grade", 2)[0] != 'U')
        complain(m, "region_bytes home=%s: reported, and lines near the first one are remembered", home);
    /* the one that is begun at last ends one, too */
    check_parameter(m, "memory.prefetcher.regions", "region", home, d->active - 1);
    check_word(m, "memory.prefetcher.key", "region", home, keys[d->key]);
    check_throttled(m, "region", home, SWITCH_REGION, d->bytes / CACHE_LINE_BYTES);
    check_fetched(m, "region", home, d->behind ? d->behind : d->bytes / CACHE_LINE_BYTES - 1);
}

/*
 * How much is remembered shows where the levels before the home hold less: not where the second level is the home. What
 * is forgotten line by line has no edge.
 */
static void check_history(const struct machine_design *m, const char *home)
{
    const struct replay_design *d = &m->core.prefetchers.replay;
    const char *f = about("memory.prefetcher.history", "replay", home);
    const bool seen = d->history && !d->entries && !strcmp(home, far_home(m));

    if (!is_found("replay", home) || (!seen && f && record_value(f, "grade", 2)[0] == 'U') ||
        !is_decided(m, f, "memory.prefetcher.history", "replay"))
        return;
    if (!seen || number(f, "low") > d->history || number(f, "high") <= d->history)
        complain(m, "history home=%s: reported %g to %g, true is %u", home, number(f, "low"), number(f, "high"),
                 d->history);
}

static void check_repeats(const struct machine_design *m, const char *home)
{
    const struct delta_design *d = &m->core.prefetchers.deltas;
    const struct replay_design *replay = &m->core.prefetchers.replay;
    const bool repeats = replay->degree && shows(m, home, replay->into), there = d->deltas && shows(m, home, d->into);

    check_kind(m, "deltas", home, there ? "found" : "none");
    if (there) {
        check_parameter(m, "memory.prefetcher.train", "deltas", home, d->match + 1);
        check_parameter(m, "memory.prefetcher.degree", "deltas", home, d->degree);
        check_parameter(m, "memory.prefetcher.length", "deltas", home, d->deltas);
        check_throttled(m, "deltas", home, SWITCH_REPEATS, d->degree);
    }
    check_kind(m, "replay", home, repeats ? "found" : "none");
    if (!repeats)
        return;
    check_parameter(m, "memory.prefetcher.degree", "replay", home, replay->degree);
    check_parameter(m, "memory.prefetcher.train", "replay", home, replay->seen);
    check_throttled(m, "replay", home, SWITCH_REPEATS, replay->degree);
    check_history(m, home);
}

enum { VALUES = 3 };
static const struct {
    const char *bits;
    uint64_t mask;
} values[VALUES] = {{"0-2", 7}, {"48-55", UINT64_C(0xff) << 48}, {"56-63", UINT64_C(0xff) << 56}};

static void check_pointers(const struct machine_design *m, const char *home)
{
    const struct pointer_design *d = &m->core.prefetchers.pointers;
    const bool there = d->train && shows(m, home, d->into);

    check_kind(m, "pointers", home, !there ? "none" : d->lines ? "all of a line" : "array");
    if (!there)
        return;
    check_parameter(m, "memory.prefetcher.train", "pointers", home, d->lines ? 1 : d->train + 1);
    if (!d->lines)
        check_parameter(m, "memory.prefetcher.degree", "pointers", home, d->ahead);
    check_parameter(m, "memory.prefetcher.indirections", "pointers", home, d->levels);
    check_throttled(m, "pointers", home, SWITCH_POINTERS, d->lines ? 8 : d->ahead);
    for (size_t i = 0; i < VALUES; i++)
        check_word_on(m, "memory.prefetcher.values", "pointers", home, "flipped", values[i].bits,
                      d->heeded & values[i].mask ? "not followed" : "followed");
}

/* The kinds that are found are attributed to the switch that turns them off. */
static void check_switches(const struct machine_design *m, const char *home)
{
    static const struct {
        const char *kind;
        enum prefetcher_switch ends;
    } rows[] = {{"next", SWITCH_NEIGHBOURS}, {"pair", SWITCH_NEIGHBOURS},  {"stream", SWITCH_STREAM},
                {"region", SWITCH_REGION},   {"deltas", SWITCH_REPEATS},   {"replay", SWITCH_REPEATS},
                {"stride", SWITCH_STRIDE},   {"pointers", SWITCH_POINTERS}};
    const struct prefetcher_design *d = &m->core.prefetchers;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *f = about(kind_name, rows[i].kind, home);
        const bool by_deltas = !strcmp(rows[i].kind, "stride") && !d->stride.entries;
        if (f && record_value(f, "grade", 2)[0] != 'U' && !has_field(f, "value", "none"))
            check_word(m, "memory.prefetcher.switch", rows[i].kind, home,
                       prefetcher_switch_names[by_deltas ? SWITCH_REPEATS : rows[i].ends]);
    }
}

static void check_prefetchers(const struct machine_design *m)
{
    const char *const homes[] = {"2", far_home(m)};

    for (size_t i = 0; i < 2; i++) {
        check_neighbour(m, &m->core.prefetchers.next, "next", homes[i]);
        check_neighbour(m, &m->core.prefetchers.pair, "pair", homes[i]);
        check_stride(m, homes[i]);
        check_stream(m, homes[i]);
        check_region(m, homes[i]);
        check_repeats(m, homes[i]);
        check_pointers(m, homes[i]);
        if (m->core.prefetchers.switches)
            check_switches(m, homes[i]);
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
                                           .sees = {.misses_only = pick(0, 1), .stores = pick(0, 1)},
                                           .by_line = pick(0, 1),
                                           .least = pick(0, 3) ? 8 * (unsigned)pick(2, 8) : 1,
                                           .spare = (unsigned)pick(0, 2),
                                           .keeps = (unsigned)pick(0, 3),
                                           .bits = pick(0, 1) ? (unsigned)pick(7, 14) : 0,
                                           .crosses = pick(0, 2),
                                           .within = pick(0, 1),
                                           .by_frame = pick(0, 1),
                                           .into = pick(0, 1)};
    d->stride.distance = d->stride.degree + (unsigned)pick(0, 3);
    if (pick(0, 1))
        d->stream = (struct stream_design){.entries = (unsigned)pick(4, 12),
                                           .train = (unsigned)pick(2, 5),
                                           .degree = (unsigned)pick(1, 4),
                                           .gap = (unsigned)pick(1, 2),
                                           .down = pick(0, 1),
                                           .sees = {.misses_only = pick(0, 1), .stores = pick(0, 1)},
                                           .into = pick(0, 1)};
    d->stream.distance = d->stream.degree + (unsigned)pick(0, 4);
    if (pick(0, 2) == 0)
        d->region = (struct region_design){.bytes = 1024u << pick(0, 2),
                                           .active = (unsigned)pick(4, 12),
                                           .key = (enum region_key)pick(0, 2),
                                           .into = pick(0, 1)};
    if (pick(0, 3) == 0 && !d->stride.entries)
        d->deltas = (struct delta_design){.deltas = (unsigned)pick(14, 32),
                                          .match = (unsigned)pick(2, 3),
                                          .degree = (unsigned)pick(1, 4),
                                          .into = pick(0, 1)};
    if (pick(0, 3) == 0)
        d->replay = (struct replay_design){
            .degree = (unsigned)pick(1, 2), .seen = (unsigned)pick(1, 3), .into = pick(0, 1)};
    /* more than is loaded to empty the levels before the home: a replay of less is seen nowhere */
    if (d->replay.degree && pick(0, 2))
        d->replay.history = (unsigned)pick(9000, 18000);
    else if (d->replay.degree && pick(0, 1)) /* of what comes again and again, each time some is lost */
        d->replay.entries = 1u << 15;
    if (pick(0, 2) == 0)
        d->pointers = (struct pointer_design){.train = (unsigned)pick(2, 12),
                                              .ahead = (unsigned)pick(1, 3),
                                              .lines = pick(0, 2) == 0,
                                              .levels = (unsigned)pick(1, 2),
                                              .into = pick(0, 1)};
    for (size_t i = 0; i < VALUES && d->pointers.train; i++)
        d->pointers.heeded |= pick(0, 1) ? values[i].mask : 0;
    if (d->region.bytes && pick(0, 1)) { /* lines near the first one, wherever that is */
        d->region.bytes = 4096;
        d->region.key = BY_INSTRUCTION;
        d->region.before = (unsigned)pick(3, 16);
        d->region.behind = (unsigned)pick(3, 24);
    }
}

/* Of every second machine some kinds bring less while others' lines are under way: fewer of these than the probe has. */
static void draw_throttle(struct throttle_design *d)
{
    if (pick(0, 1))
        *d = (struct throttle_design){.under_way = (unsigned)pick(1, 5),
                                      .kinds = (uint64_t)pick(1, (1 << SWITCHES) - 1),
                                      .leaves = (unsigned)pick(0, 1)};
}

/* Of every second machine, sequences have lines brought ever farther ahead. */
static void draw_growth(struct prefetcher_design *d)
{
    if (pick(0, 1)) {
        d->stride.grows = (unsigned)pick(1, 3);
        d->stream.grows = (unsigned)pick(1, 3);
    }
}

static void show(const struct machine_design *m)
{
    const struct prefetcher_design *d = &m->core.prefetchers;

    fprintf(stderr, "# evictions %u\n", m->evictions);
    fprintf(stderr, "# next %d first %d degree %u into %zu\n", d->next.on, d->next.first_of_page, d->next.degree,
            d->next.into + 1);
    fprintf(stderr, "# pair %d first %d into %zu\n", d->pair.on, d->pair.first_of_page, d->pair.into + 1);
    fprintf(stderr,
            "# stride %u train %u degree %u distance %u lines %u bits %u crosses %d %d into %zu misses %d stores %d",
            d->stride.entries, d->stride.train, d->stride.degree, d->stride.distance, d->stride.lines, d->stride.bits,
            d->stride.crosses, d->stride.within, d->stride.into + 1, d->stride.sees.misses_only, d->stride.sees.stores);
    fprintf(stderr, " by_line %d least %u spare %u keeps %u by_frame %d\n", d->stride.by_line, d->stride.least,
            d->stride.spare, d->stride.keeps, d->stride.by_frame);
    fprintf(stderr, "# stream %u train %u degree %u distance %u gap %u down %d into %zu misses %d stores %d\n",
            d->stream.entries, d->stream.train, d->stream.degree, d->stream.distance, d->stream.gap, d->stream.down,
            d->stream.into + 1, d->stream.sees.misses_only, d->stream.sees.stores);
    fprintf(stderr, "# deltas %u match %u degree %u into %zu; replay %u seen %u into %zu history %u entries %u\n",
            d->deltas.deltas, d->deltas.match, d->deltas.degree, d->deltas.into + 1, d->replay.degree, d->replay.seen,
            d->replay.into + 1, d->replay.history, d->replay.entries);
    fprintf(stderr, "# pointers %u ahead %u lines %d levels %u into %zu heeds %llx\n", d->pointers.train,
            d->pointers.ahead, d->pointers.lines, d->pointers.levels, d->pointers.into + 1,
            (unsigned long long)d->pointers.heeded);
    fprintf(stderr, "# grows: stride %u, stream %u\n", d->stride.grows, d->stream.grows);
    fprintf(stderr, "# throttle %u kinds %llx leaves %u\n", d->throttle.under_way,
            (unsigned long long)d->throttle.kinds, d->throttle.leaves);
    fprintf(stderr, "# region %u before %u behind %u active %u key %d into %zu\n", d->region.bytes, d->region.before,
            d->region.behind, d->region.active, (int)d->region.key, d->region.into + 1);
}

/* A core with small caches, whose prefetchers are still to be drawn; other cores evict nothing. */
static struct machine_design draw_small(uint64_t seed)
{
    struct machine_design m = draw_machine(seed);

    m.core.data[0] = (struct cache_design){.bytes = 16 * KIB, .ways = 4, .latency = m.core.data[0].latency};
    m.core.data[1] = (struct cache_design){.bytes = 128 * KIB, .ways = 8, .latency = m.core.data[1].latency};
    if (m.core.data[2].ways)
        m.core.data[2] = (struct cache_design){.bytes = 2048 * KIB, .ways = 16, .latency = m.core.data[2].latency};
    m.memory_bytes = 16384 * KIB;
    m.declares = true;
    return m;
}

MODEL_TEST(prefetchers_are_given_back, "prefetcher")
{
    enum { KINDS = 8 };
    unsigned machines = 0, evicting = 0;

    for (uint64_t seed = 0; next_seed(&seed, 2, 200);) {
        /* when time is short, one core on each instruction set, and not the same one */
        if (!getenv("LONG") && !getenv("MODEL_SEED") && seeds_on("x86_64", 1) != seed % 2)
            continue;
        machines++;
        struct machine_design m = draw_small(seed);
        m.evictions = pick(0, 2) == 0 ? (unsigned)pick(16, 256) : 0;
        evicting += m.evictions > 0;
        m.core.contiguous = seed % 4 != 3;
        draw_prefetchers(&m.core.prefetchers, seed % 8 == 0);
        m.core.prefetchers.switches = seed % 2 == 0;
        draw_throttle(&m.core.prefetchers.throttle);
        draw_growth(&m.core.prefetchers);
        if (getenv("MODEL_SHOWS"))
            show(&m);
        run_probes_on(&m, "prefetcher", PROFILE_QUICK);
        check_prefetchers(&m);
    }
    /* what other cores evict from a last level hides it, and with it all kinds of prefetchers */
    end(16 * machines, 7 * machines + KINDS * evicting);
}
