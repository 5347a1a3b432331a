/*
 * Second data cache, its shape: how many pages does it hold when none is in another's way, how many ways has a set, and
 * which address bits choose it?
 *
 * Sets are chosen by frames, which nobody chooses in a process. So pages are picked by what they do: a pointer chase over
 * one line of each page, at the same place in all of them, in random order; of pages that bring a miss none is kept. What
 * is kept when no further page can be is all that those sets hold: as many pages as the cache has.
 *
 * The control has the same pages at two places of each, so that only half as many lines fall into one set: TLBs see
 * the same, and what they cost goes off. Both miss the first level, which has room for few lines of one place. Each load
 * of the code comes to all pages in turn, in an order drawn anew for each look: nothing learns where it goes
 * (lib/kernels/chase.h).
 *
 * One page more, then, that brings misses: they go away again when a page of its own set is left out, and stay when any
 * other is. So the pages of that set are found by leaving out groups and, of groups that matter, halves. Their number is
 * the ways; what is kept, divided by it, the sets among which frames choose, and place in the page chooses the others.
 *
 * Where place and frame are hashed together lines of one place lie in more sets than frames choose: all of the pool may
 * find room then, or as much as is no power of two of sets, or not what the levels (cache.c) show. The second level of
 * Zen 4 holds 2048 lines of one place, 8 times its share, and no more of lines at places 512 bytes apart. So where one
 * line of each page decides nothing, eight of each do, as far apart as they can be: together they come to all sets that
 * the hash moves one of them to, and what frames choose beside that is told as above. Where that decides nothing either,
 * nothing is told.
 *
 * Method: eviction sets by group testing (Vila, Köpf and Morales 2019); picking pages until a cache is full: lmbench's
 * `cache`, which swaps pages that raise the latency.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernels/chase.h"
#include "lib/find.h"

enum {
    POOL_FACTOR = 6,    /* so many times the pages that the cache should hold: every set finds its own */
    L2_BYTES = 2 << 20, /* where nothing is known of it */
    GROUP = 32,         /* pages that are tried together */
    LOOKS_TO_KEEP = 2,  /* a page that is refused by mistake is no loss … */
    LOOKS_TO_COUNT = 6, /* … but each page of a set is counted once */
    PAIRS = 3,          /* looks with a page and without it, of which the median tells */
    SETS = 3,           /* sets whose ways are counted */
    PLACES = 2,
    FIRST_LEVEL_WAYS = 24, /* more than any has: so many lines of one place and it holds none */
    UNROLL = 8,
    WARM_ROUNDS = 6,
    ROUNDS = 4,       /* at least, of a reading, … */
    LOAD_CYCLES = 16, /* … each load of so many cycles or so */
    LINES = 8         /* of each page, where one is not enough */
};
/* A set with one line too many has a miss in every round, at least, and there is one for each line of a page. */
static const double NO_MISS = 0.75;
/* Sets are a power of two, to what a few pages that were refused by mistake make of their number. */
static const double ALIKE = 0.06;

struct pages {
    struct probe *p;
    struct chase chase;
    size_t page_bytes, pool;
    size_t lines;             /* of each page */
    size_t *kept, kept_count; /* pages, by number, and room for more */
    size_t *offsets;          /* scratch */
    size_t *others;
    size_t control_count;  /* the control of so many pages … */
    double control_cycles; /* … took so long */
    double miss_cycles;    /* a miss takes so much more than a hit */
    double deadline;
    const char *reason;      /* why nothing is told; NULL: not yet */
    struct find_result ways; /* what the sets say together */
};

/* ---- Measuring ----------------------------------------------------------------------------------- */

/* Cycles of a round over the lines of each page, or half of the pages have theirs at another place. */
static bool round_cycles(struct pages *g, const size_t *pages, size_t count, bool turning, double *cycles)
{
    const size_t apart = g->page_bytes / CHASE_LINE_BYTES / g->lines, other = apart / PLACES, loads = count * g->lines;
    const size_t place = 1 + random_below(&g->p->random, other - 1);
    const size_t rounds = g->lines > 1 ? 1 : ROUNDS; /* long enough: what is long is interrupted */
    const double span_cycles = (double)(g->p->run->meter.chain_iterations * READER_CHAIN);
    struct kernel k = {.warm_iterations = (double)(WARM_ROUNDS * loads) / UNROLL,
                       .stretch = fmax(1, (double)(rounds * loads * LOAD_CYCLES) / span_cycles)};
    struct point pt;

    for (size_t i = 0, left = count / PLACES; i < count; i++) {
        /* a half of them, drawn, since the pages of a set may well be every second one */
        size_t turn = turning && random_below(&g->p->random, count - i) < left;
        left -= turn;
        for (size_t line = 0; line < g->lines; line++)
            g->offsets[i * g->lines + line] = pages[i] * g->page_bytes +
                                              (line * apart + place + turn * other) * CHASE_LINE_BYTES;
    }
    chase_scatter(g->p, &g->chase, g->offsets, loads);
    if (!chase_kernel(g->p, &g->chase, chase_unroll(loads, UNROLL), &k) || !probe_measure(g->p, &k, &pt))
        return false;
    *cycles = pt.q20 * (double)loads;
    return true;
}

static bool look(struct pages *g, const size_t *pages, size_t count, double *misses)
{
    double cycles, again;

    if (count != g->control_count) { /* what else wants a way there only adds to it */
        if (!round_cycles(g, pages, count, true, &g->control_cycles) || !round_cycles(g, pages, count, true, &again))
            return false;
        g->control_cycles = fmin(g->control_cycles, again);
        g->control_count = isnan(g->control_cycles) ? 0 : count;
    }
    if (!round_cycles(g, pages, count, false, &cycles))
        return false;
    *misses = (cycles - g->control_cycles) / g->miss_cycles;
    return true;
}

/*
 * Whether these pages are in each other's way: then every look shows it, each at another place in the pages. At some places
 * something else wants a way, too: page tables, say. What is not measured says nothing.
 */
static bool conflict(struct pages *g, const size_t *pages, size_t count, unsigned looks, bool *conflicts)
{
    *conflicts = true;
    for (unsigned i = 0; i < looks && *conflicts; i++) {
        double misses;
        if (!look(g, pages, count, &misses))
            return false;
        *conflicts = isnan(misses) || misses > NO_MISS * (double)g->lines;
    }
    return true;
}

/*
 * How many misses these pages have more than they do without the last one, by one look with it and one without. Several
 * lines of each page make thousands of loads a round, and what others leave in the cache meanwhile costs more of them than
 * one line too many in a set does: so it is the page itself that is left out, and no control.
 */
static bool look_at_last(struct pages *g, const size_t *pages, size_t count, double *misses)
{
    double without, with;

    if (!round_cycles(g, pages, count - 1, false, &without) || !round_cycles(g, pages, count, false, &with))
        return false;
    *misses = (with - without * (double)count / (double)(count - 1)) / g->miss_cycles;
    return true;
}

/* As most looks have it; NaN where most gave nothing. */
static bool misses_of_last(struct pages *g, const size_t *pages, size_t count, double *misses)
{
    double more[PAIRS];
    size_t known = 0;

    for (size_t i = 0; i < PAIRS; i++) {
        if (!look_at_last(g, pages, count, &more[known]))
            return false;
        if (!isnan(more[known]))
            known++;
    }
    sort_numbers(more, known);
    *misses = 2 * known > PAIRS ? quantile(more, known, 0.5) : (double)NAN;
    return true;
}

/*
 * Whether the last `added` of these pages are in the way of others. One that is refused by mistake is no loss, but one that
 * is kept by mistake hides the next: a single page must be in nobody's way each time.
 */
static bool refuse(struct pages *g, const size_t *pages, size_t count, size_t added, bool *refused)
{
    if (g->lines == 1 || added > 1)
        return conflict(g, pages, count, LOOKS_TO_KEEP, refused);
    *refused = false;
    for (size_t i = 0; i < PAIRS && !*refused; i++) {
        double misses;
        if (!look_at_last(g, pages, count, &misses))
            return false;
        *refused = !(misses <= NO_MISS * (double)g->lines);
    }
    return true;
}

static bool in_time(struct pages *g)
{
    if (machine_seconds() > g->deadline)
        g->reason = "budget";
    return !g->reason;
}

/*
 * What a miss takes more than a hit: nearly all of the pool misses, a small part of it hits. Of several lines of each page
 * so many might miss the next level, too, and twice what the cache holds is enough.
 */
static bool measure_miss(struct pages *g)
{
    const size_t held = g->pool / (2 * POOL_FACTOR), all = g->lines > 1 ? 4 * held : g->pool;
    double few, many;

    for (size_t i = 0; i < g->pool; i++)
        g->others[i] = i;
    do /* again where no reading was accepted: others may leave the core alone later */
        if (!round_cycles(g, g->others, held, false, &few) || !round_cycles(g, g->others, all, false, &many))
            return false;
    while (isnan(few + many) && in_time(g));
    few /= (double)(held * g->lines);
    g->miss_cycles = many / (double)(all * g->lines) - few;
    if (!g->reason && !(g->miss_cycles > few / 2))
        g->reason = "no-contrast";
    return true;
}

/* ---- Pages that are in nobody's way ---------------------------------------------------------------- */

/* Groups are tried, and halved where they bring misses; done when as many in a row were refused as say that none fits. */
static bool keep_pages(struct pages *g, double refused_part, size_t *refused_count)
{
    size_t size = 2 * FIRST_LEVEL_WAYS + GROUP / 2, refused = 0, next = 0; /* half of it misses the first level, too */

    while (next < g->pool && in_time(g)) {
        size_t count = size < g->pool - next ? size : g->pool - next;
        bool conflicts;
        for (size_t i = 0; i < count; i++)
            g->kept[g->kept_count + i] = next + i;
        if (!refuse(g, g->kept, g->kept_count + count, count, &conflicts))
            return false;
        if (!conflicts) {
            g->kept_count += count;
            refused = 0;
            size = 2 * size < GROUP ? 2 * size : GROUP;
        } else if (count > 1) {
            size = count / 2;
            continue;
        } else {
            refused++;
            g->others[refused - 1] = next;
        }
        next += count;
        *refused_count = refused;
        if (refused > SETS && (double)refused > refused_part * (double)g->kept_count)
            return true;
    }
    g->reason = g->reason ? g->reason : "not-left";
    return true;
}

/* Counts the kept pages from … to - 1 that are of the set of `extra`: without one of them its misses go away. */
static bool count_of_set(struct pages *g, size_t extra, size_t from, size_t to, size_t *count)
{
    size_t *rest = g->others + g->pool, n = 0;
    bool conflicts;

    if (!in_time(g))
        return true;
    for (size_t i = 0; i < g->kept_count; i++)
        if (i < from || i >= to)
            rest[n++] = g->kept[i];
    rest[n++] = extra;
    if (!conflict(g, rest, n, LOOKS_TO_COUNT, &conflicts))
        return false;
    if (conflicts)
        return true;
    if (to - from == 1) {
        ++*count;
        return true;
    }
    size_t middle = from + (to - from) / 2;
    return count_of_set(g, extra, from, middle, count) && count_of_set(g, extra, middle, to, count);
}

/*
 * The same where several lines of each page are walked: groups are left out for good while the misses of `extra` stay,
 * until no more pages are left than miss the first level, and then one by one. NaN: the misses went away on the way.
 */
static bool count_by_leaving(struct pages *g, size_t extra, double *ways)
{
    size_t *rest = g->others + g->pool, *trial = rest + g->pool, n = g->kept_count, of_set = 0;
    double first, misses;

    memcpy(rest, g->kept, n * sizeof *rest);
    rest[n] = extra;
    *ways = NAN;
    if (!misses_of_last(g, rest, n + 1, &first))
        return false;
    if (!(first > NO_MISS * (double)g->lines))
        return true;
    for (size_t size = GROUP; size > 0; size /= 2)
        for (size_t from = 0; from + size <= n && n >= 2 * FIRST_LEVEL_WAYS + size && in_time(g);) {
            memcpy(trial, rest, from * sizeof *rest);
            memcpy(trial + from, rest + from + size, (n + 1 - from - size) * sizeof *rest);
            if (!misses_of_last(g, trial, n + 1 - size, &misses))
                return false;
            if (misses > first / 2) {
                n -= size;
                memcpy(rest, trial, (n + 1) * sizeof *rest);
            } else {
                from += size;
            }
        }
    if (!misses_of_last(g, rest, n + 1, &misses))
        return false;
    const bool still = misses > first / 2;
    for (size_t i = 0; i < n && still && in_time(g); i++) {
        memcpy(trial, rest, i * sizeof *rest);
        memcpy(trial + i, rest + i + 1, (n - i) * sizeof *rest);
        if (!misses_of_last(g, trial, n, &misses))
            return false;
        of_set += misses <= first / 2 ? 1 : 0;
    }
    if (still && !g->reason)
        *ways = (double)of_set;
    return true;
}

/* Some of the pages that were refused may have been so by mistake: they say nothing. */
static bool count_ways(struct pages *g, size_t refused, double ways[SETS])
{
    for (size_t set = 0, i = 0; set < SETS && i < refused && in_time(g); i++) {
        size_t count = 0;
        bool conflicts;
        if (g->lines > 1) {
            if (!count_by_leaving(g, g->others[i], &ways[set]))
                return false;
            set += isnan(ways[set]) ? 0 : 1;
            continue;
        }
        g->kept[g->kept_count] = g->others[i];
        if (!conflict(g, g->kept, g->kept_count + 1, LOOKS_TO_COUNT, &conflicts))
            return false;
        if (!conflicts)
            continue;
        for (size_t from = 0; from < g->kept_count; from += GROUP) {
            size_t to = from + GROUP < g->kept_count ? from + GROUP : g->kept_count;
            if (!count_of_set(g, g->others[i], from, to, &count))
                return false;
        }
        ways[set++] = count > 0 && !g->reason ? (double)count : (double)NAN;
    }
    return true;
}

/* ---- What that says ------------------------------------------------------------------------------- */

static struct finding second(const char *name, const char *reason)
{
    return (struct finding){.name = name,
                            .variants = {{"level", .number = 2}},
                            .value = NAN,
                            .low = NAN,
                            .high = NAN,
                            .grade = 'U',
                            .reason = reason};
}

/* How often 1 is doubled to x; NaN where x is no power of two. */
static double doublings(double x)
{
    double bits = 0;

    for (; x > sqrt(2); bits++)
        x /= 2;
    return fabs(x - 1) < ALIKE ? bits : (double)NAN;
}

static double powers(double bits)
{
    double x = 1;

    for (; bits > 0.5; bits--)
        x *= 2;
    return x;
}

/* What levels say half way up a ramp has a place of its own here: as many pages are held when none is in another's way. */
static void report_capacity(struct probe *p, const struct pages *g, double all_sets)
{
    const double kept = (double)g->kept_count, most = fmax(kept, all_sets);
    struct finding f = second("memory.cache.bytes", NULL);

    f.grade = fabs(kept - all_sets) <= 0.02 * all_sets ? 'B' : 'C';
    f.value = all_sets * (double)g->page_bytes; /* a few were refused, or kept, by mistake */
    f.low = fmin(f.value, kept * (double)g->page_bytes);
    f.high = (most + 1) * (double)g->page_bytes;
    f.method = "pages that are not in each other's way";
    f.agreement = f.grade == 'B' ? "pages with ways times sets" : NULL;
    f.replaces = true;
    report(p, &f);
}

/* What is said of the ways and of the bits that choose a set; the values of both are NaN where nothing is told. */
struct shape {
    struct finding ways, index_bits;
    double all_sets; /* pages, by ways and sets */
};

static struct shape decide(struct probe *p, struct pages *g, const double *ways)
{
    static const char *const names[SETS] = {"a set", "another set", "a third set"};
    struct shape s = {second("memory.cache.ways", g->reason), second("memory.cache.index_bits", g->reason), NAN};
    const double line = facts_number(&p->run->facts, "memory.cache.line_bytes", "level=1", CHASE_LINE_BYTES);
    struct find_value v[SETS];

    if (g->reason)
        return s;
    for (size_t i = 0; i < SETS; i++)
        v[i] = (struct find_value){names[i], "frames", ways[i]};
    g->ways = find_number_decide(v, SETS);
    const struct find_result *r = &g->ways;
    const double bits = doublings((double)g->kept_count / r->value), capacity = (double)(g->kept_count * g->page_bytes);
    const double in_page = doublings((double)g->page_bytes / line),
                 levels = facts_number(&p->run->facts, "memory.cache.bytes", "level=2", capacity);
    s.ways.method = s.index_bits.method = "pages that are not in each other's way, and those of one set among them";
    s.ways.reason = s.index_bits.reason = r->grade == 'U' ? r->reason
                                                          : "sets are no power of two: hashed, or too noisy";
    /* half again of what the levels show, or less than two thirds: something else than the cache's sets was filled */
    if (!isnan(bits) && fmax(levels, capacity) > 1.5 * fmin(levels, capacity)) {
        s.ways.reason = s.index_bits.reason = "experiments-disagree";
    } else if (!isnan(bits)) {
        s.ways.value = r->value;
        s.ways.agreement = r->agreement;
        s.ways.grade = s.index_bits.grade = r->grade;
        s.index_bits.value = bits + in_page;
        s.all_sets = r->value * powers(bits);
    }
    return s;
}

/*
 * A third level is mostly shared: its slices are chosen by a hash of all address bits, and others fill its sets meanwhile
 * (Maurice et al. 2015, Reverse Engineering Intel Last-Level Cache Complex Addressing Using Performance Counters). What is
 * done above would go on: but each look walks all pages that are kept, thousands for each 8 MiB of it, and there are more
 * looks than pages, so that it takes from some seconds for the smallest to an hour. Eviction sets of one line want few
 * looks (Vila et al. 2019), but the time of one load among thousands, and a reading here is of a whole kernel.
 */
static void report_third(struct probe *p)
{
    if (facts_number(&p->run->facts, "memory.cache.bytes", "level=3", 0) > 0)
        report_number(
            p,
            &(struct finding){
                .name = "memory.cache.ways",
                .variants = {{"level", .number = 3}},
                .reason =
                    "not looked for: slices are hashed, others fill them, and picking as many pages takes too long",
                .method = "none"},
            (double)NAN);
}

/* With so many lines of each page. Returns false when the probe is over. */
static bool find_shape(struct pages *g, size_t lines, double seconds, struct shape *s)
{
    double ways[SETS] = {NAN, NAN, NAN};
    size_t refused = 0;

    g->lines = lines;
    g->kept_count = g->control_count = 0;
    g->reason = NULL;
    g->deadline = machine_seconds() + seconds;
    const bool good = measure_miss(g) &&
                      (g->reason || keep_pages(g, probe_smoke(g->p, 0, lines > 1 ? 0.25 : 0.5), &refused)) &&
                      (g->reason || count_ways(g, refused, ways));
    if (good)
        *s = decide(g->p, g, ways);
    return good;
}

static void run(struct probe *p)
{
    const struct facts *facts = &p->run->facts;
    const double l2 = facts_number(facts, "memory.cache.bytes", "level=2", L2_BYTES);
    const double seconds = probe_scale(p, 1, 4, 8, 20);
    struct pages g = {.p = p, .page_bytes = machine_info()->page_bytes[0]};
    struct shape shape;

    g.pool = (size_t)probe_smoke(p, 4 * POOL_FACTOR, POOL_FACTOR * l2 / (double)g.page_bytes);
    while (g.pool * g.page_bytes > machine_info()->memory_bytes / 2)
        g.pool /= 2;
    if (g.pool < (size_t)probe_smoke(p, 1, 2 * POOL_FACTOR * FIRST_LEVEL_WAYS * PLACES)) {
        probe_skip(p, "the second level holds too few pages to be told from the first");
        return;
    }
    if (!chase_map(p, &g.chase, g.pool * g.page_bytes))
        return;
    size_t *room = malloc((4 + LINES) * (g.pool + 1) * sizeof *room);
    if (!room) {
        probe_skip(p, "out of memory");
        return;
    }
    g.kept = room;
    g.others = room + g.pool; /* and as many behind: kept ones but for some */
    g.offsets = room + 4 * g.pool;
    bool good = find_shape(&g, 1, seconds, &shape);
    if (good && isnan(shape.ways.value))
        good = find_shape(&g, LINES, seconds, &shape);
    if (good) {
        report(p, &shape.ways);
        report(p, &shape.index_bits);
        if (!isnan(shape.ways.value))
            report_capacity(p, &g, shape.all_sets);
        report_third(p);
    }
    free(room);
}

PROBE(cache_sets, .title = "Second data cache: sets", .family = "memory", .after = "cache_ways", .run = run,
      .findings = FINDINGS({"memory.cache.bytes", "bytes", "capacity of a data cache level"},
                           {"memory.cache.ways", "ways", "lines of one set of a data cache"},
                           {"memory.cache.index_bits", "bits",
                            "address bits that choose the set, from the line's length on"}));
