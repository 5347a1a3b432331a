/*
 * Parallel misses: how many misses of a level can be under way at once?
 *
 * k walkers on one ring of lines, as far apart from each other as can be, so that none finds what another one brought. A
 * round is a step of each: it loads where it is, loads from there where to go on, and stores that. While all k misses fit,
 * a round takes as long as one of them. One more has to wait until another one is done, and rounds grow.
 *
 *   whole   lines in random order: nothing can follow it, but the TLB may be its limit
 *   pages   lines of a page in random order, then on to the next page: prefetchers might follow it
 *
 * The ring is longer than the level and fits the next one, or is several times as long as all caches: each level by itself.
 *
 * Curve over k: cycles a round, flat and then a slope. Answer: the last k on the flat. Passing a walker's place through
 * memory may take time of its own, in which its miss is not under way: k is less by the part of a round that this is, as
 * a plain chase over the same ring tells. A second view is Little's law: the slope is the time between two misses when as
 * many as can be are under way, and the latency divided by it their number. Where the two contradict each other, nothing
 * is told: latencies that grow with what is under way bend the flat.
 *
 * As many lines as come in when one walks through them in order may be all that can come in, however many could be under
 * way; and as many steps as are taken where all hit the first level may be all that the core can take. Then the knee counts
 * only where another level, with other latencies, has the same. Whoever answers, loads wait in buffers of the first level:
 * what a further level could take beyond that does not show.
 *
 * Method: independent chases, clamchowder's suite; walkers on one ring are ours. Little 1961.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernels/access.h"
#include "lib/kernels/chase.h"
#include "lib/find.h"
#include "lib/probe.h"
#include "lib/sample.h"

enum {
    LEVELS = 4,
    WALKERS_FROM = 1,
    WALKERS_TO = 40,
    LONGER = 3,          /* than the level; at least … */
    LONGER_AT_LEAST = 2, /* … so much */
    TO_REACH_MEMORY = 4, /* times the largest cache */
    PAGE_LINES = 64,
    ORDERS = 2,
    UNROLL = 16,
    STRETCH = 8,
    SAMPLES = 3,
    CODE_BYTES = 8192
};

/* A part of what can come in, or of the steps that can be taken: from there on it may be that what holds loads up. */
static const double NEARLY_ALL = 0.8;
/*
 * Little's law may miss an end of the interval by one walker: the last one of the interval may be under way in part, and
 * as many walkers as buffers, with none to spare, may take a little longer already. Then the interval is made to hold
 * what the law says.
 */
static const double PARTLY = 1;

/* A ring, and the number of each of its lines in the order of the walk. */
struct ring {
    struct chase chase;
    size_t lines;
    uint32_t *order;
};

/* Links the ring and notes its order. */
static void link_ring(struct probe *p, struct ring *r, size_t lines, size_t group)
{
    const uint64_t *words = (const uint64_t *)r->chase.ring.write;
    const size_t each = CHASE_LINE_BYTES / sizeof *words;

    chase_link(p, &r->chase, 0, lines, group);
    r->lines = lines;
    uint64_t at = r->chase.ring.at;
    for (size_t i = 0; i < lines; i++) {
        r->order[i] = (uint32_t)((at - r->chase.ring.at) / CHASE_LINE_BYTES);
        at = words[r->order[i] * each];
    }
}

/* Where each walker is stands in a word of its own. One round beforehand puts the lines of all levels in order. */
static bool build(struct probe *p, double walkers, void *context, struct kernel *k)
{
    const struct ring *r = context;
    const size_t count = (size_t)walkers, from = random_below(&p->random, r->lines);
    uint64_t *places = (uint64_t *)r->chase.start.write;
    struct code c = probe_code(p, CODE_BYTES);

    for (size_t i = 0; i < count; i++)
        places[i] = r->chase.ring.at + (uint64_t)r->order[(from + i * r->lines / count) % r->lines] * CHASE_LINE_BYTES;
    for (size_t i = 0; i < count; i++) {
        emit_load(&c, REG_T0, REG_DATA, (int32_t)(i * sizeof *places));
        emit_load(&c, REG_T0, REG_T0, 0);
        emit_store(&c, REG_T0, REG_DATA, (int32_t)(i * sizeof *places));
    }
    emit_loop(&c, 0);
    emit_return(&c);
    k->data = r->chase.start.at;
    k->units = 1;
    k->warm_iterations = (double)r->lines / walkers;
    k->stretch = probe_smoke(p, 1, STRETCH); /* many rounds: the last one ends when its last walker is back */
    return probe_kernel(p, &c, 0, k);
}

/* ---- Levels ------------------------------------------------------------------------------------- */

static double capacity(const struct probe *p, size_t level)
{
    char variant[16];

    snprintf(variant, sizeof variant, "level=%zu", level);
    return facts_number(&p->run->facts, "memory.cache.bytes", variant, 0);
}

/* Bytes of a ring that misses this level and hits the next, or hits none where there is none; 0, and why not. */
static double footprint(const struct probe *p, size_t level, double most, const char **why_not)
{
    const double holds = capacity(p, level), next = capacity(p, level + 1);
    const double bytes = next > 0 ? fmin(LONGER * holds, next / 2) : TO_REACH_MEMORY * holds;

    *why_not = !(holds > 0)                                  ? "capacity-unknown"
               : next > 0 && bytes < LONGER_AT_LEAST * holds ? "the next level is hardly larger"
               : bytes > most                                ? "the range ends before that"
                                                             : NULL;
    return *why_not ? 0 : bytes;
}

/* Cycles from line to line when the level behind is walked through in order, by the widest loads; NaN: not known. */
static double cycles_in_order(const struct probe *p, size_t level)
{
    const size_t behind = level + 1;
    double best = NAN;

    for (const struct emit_access *a = emit_accesses; a->name; a++) {
        char variants[64];
        if (capacity(p, behind) > 0)
            snprintf(variants, sizeof variants, "level=%zu access=load width=%u", behind, a->bits);
        else
            snprintf(variants, sizeof variants, "level=dram access=load width=%u", a->bits);
        best = fmax(best, facts_number(&p->run->facts, "memory.bandwidth.bytes_per_cycle", variants, NAN));
    }
    return CHASE_LINE_BYTES / best;
}

/* ---- One level ---------------------------------------------------------------------------------- */

struct answer {
    struct find_result result;
    char names[ORDERS][32]; /* of its curves */
    char little[32];
    const char *may_be; /* what else may be the limit; NULL: nothing */
};

static bool build_chase(struct probe *p, void *context, struct kernel *k)
{
    const struct ring *r = context;

    *(uint64_t *)r->chase.start.write = r->chase.ring.at;
    k->warm_iterations = (double)r->lines / UNROLL;
    return chase_kernel(p, &r->chase, chase_unroll(r->lines, UNROLL), k);
}

/*
 * Cycles by which a round grows with each walker behind the knee; NaN: there is none. From the first one that does not
 * fit: on the flat before it not all of a step's growth is seen, which makes a number of 19 one of 20.
 */
static double growth(const struct sweep *s)
{
    const struct verdict *v = &s->search.verdict;

    if (v->reason || !v->count || s->search.count < 2)
        return NAN;
    const struct search_point *last = &s->search.points[s->search.count - 1], *from = s->search.points;
    while (from->x < v->knees[0].high && from + 1 < last)
        from++;
    return (last->y - from->y) / (last->x - from->x);
}

/* `hits`: cycles of a step where all hit the first level. */
static struct answer decide(const struct probe *p, size_t level, const struct sweep s[ORDERS],
                            const double latency[ORDERS], double hits)
{
    const double in_order = cycles_in_order(p, level);
    struct find_experiment e[ORDERS];
    struct answer a = {.little = ""};

    find_experiments(s, ORDERS, e);
    for (size_t i = 0; i < ORDERS; i++)
        e[i].scale = latency[i] / s[i].search.points[0].y;
    a.result = find_decide(e, ORDERS, 1);
    const size_t first = a.result.first;
    const double grows = growth(&s[first]), little = latency[first] / grows;
    const double whole = floor(little + 0.5); /* as buffers are; what a step loses to passing its place is not */
    if (a.result.grade == 'U')
        return a;
    snprintf(a.little, sizeof a.little, "%.1f", little);
    a.may_be = !(grows > in_order / NEARLY_ALL) ? "masked-by:memory.bandwidth.bytes_per_cycle"
               : !(grows > hits / NEARLY_ALL)   ? "masked-by:instructions of a step"
                                                : NULL;
    if (!(little >= a.result.low - PARTLY && little <= a.result.high + PARTLY))
        a.result = (struct find_result){
            .value = NAN, .low = NAN, .high = NAN, .grade = 'U', .reason = "views-disagree"};
    else
        a.result.value = whole, a.result.low = fmin(a.result.low, whole), a.result.high = fmax(a.result.high, whole);
    return a;
}

static bool measure_level(struct probe *p, size_t level, double bytes, struct ring *r, double hits, struct answer *out)
{
    static const char *const orders[ORDERS] = {"whole", "pages"}, *const fooled_by[ORDERS] = {"TLB", "prefetchers"};
    const size_t lines = (size_t)bytes / CHASE_LINE_BYTES / PAGE_LINES * PAGE_LINES;
    struct sweep s[ORDERS] = {{.name = NULL}};
    char names[ORDERS][32];
    double latency[ORDERS];
    bool good = true;

    for (size_t i = 0; i < ORDERS && good; i++) {
        snprintf(names[i], sizeof names[i], "level %zu, %s", level, orders[i]);
        s[i] = (struct sweep){.name = names[i],
                              .fooled_by = fooled_by[i],
                              .axis = "walkers",
                              .unit = "cycles/round",
                              .build = build,
                              .context = r,
                              .area = &r->chase.ring,
                              .seconds = probe_scale(p, 1, 0.4, 2, 10),
                              .search = {.kind = KNEE_SLOPE,
                                         .from = WALKERS_FROM,
                                         .to = probe_smoke(p, 8, WALKERS_TO),
                                         .grain = 1,
                                         .per_octave = (unsigned)probe_smoke(p, 1, 4)}};
        link_ring(p, r, lines, i ? PAGE_LINES : lines);
        good = sample_cycles(p, SAMPLES, build_chase, r, &latency[i]) && sweep_search(p, &s[i]);
    }
    if (good) {
        *out = decide(p, level, s, latency, hits);
        memcpy(out->names, names, sizeof names);
    }
    sweeps_free(s, ORDERS);
    return good;
}

/* So many walkers that nothing but their instructions can take the time. */
static bool build_hits(struct probe *p, void *context, struct kernel *k)
{
    if (!build(p, WALKERS_TO, context, k))
        return false;
    k->units = WALKERS_TO;
    return true;
}

static bool measure_hits(struct probe *p, struct ring *r, double *cycles)
{
    link_ring(p, r, PAGE_LINES, PAGE_LINES);
    return sample_cycles(p, SAMPLES, build_hits, r, cycles);
}

/* ---- What is told ------------------------------------------------------------------------------- */

/* Some other level has the same knee, as well as both are known. */
static bool is_borne_out(const struct answer *all, size_t levels, size_t level)
{
    const struct find_result *r = &all[level].result;

    for (size_t i = 0; i < levels; i++)
        if (i != level && all[i].result.grade != 'U' && all[i].result.value >= r->low &&
            all[i].result.value <= r->high && r->value >= all[i].result.low && r->value <= all[i].result.high)
            return true;
    return false;
}

static void report_level(struct probe *p, const struct answer *all, size_t levels, size_t level)
{
    const struct answer *a = &all[level];
    struct finding f = {.name = "memory.parallel_misses",
                        .variants = {{"level", .number = (double)level + 1}},
                        .value = a->result.value,
                        .low = a->result.low,
                        .high = a->result.high,
                        .grade = a->result.grade,
                        .reason = a->result.reason,
                        .agreement = a->result.agreement[0] ? a->result.agreement : NULL,
                        .remarks = {{a->little[0] ? "little" : NULL, a->little}},
                        .method = "last number of walkers before rounds grow",
                        .limits = {{"backend.load_queue.entries", "", 2},
                                   {"backend.store_queue.entries", "", 1},
                                   {"backend.rob.entries", "", 3},
                                   {level ? "memory.parallel_misses" : NULL, "level=1", 1}}};

    for (size_t i = 0; i < ORDERS && a->names[i][0]; i++)
        f.curves[i] = a->names[i];
    if (f.grade != 'U' && a->may_be && !is_borne_out(all, levels, level)) {
        f.value = f.low = f.high = NAN;
        f.grade = 'U';
        f.reason = a->may_be;
    }
    report(p, &f);
}

static void run(struct probe *p)
{
    struct answer all[LEVELS];
    double bytes[LEVELS], most = probe_scale(p, 1 << 17, 1 << 24, 1 << 25, 1 << 30),
                          longest = PAGE_LINES * CHASE_LINE_BYTES;
    size_t levels = 0;
    struct ring r = {.lines = 0};

    most = fmin(most, (double)machine_info()->memory_bytes / 4);
    do {
        const char *why_not;
        bytes[levels] = footprint(p, levels + 1, most, &why_not);
        all[levels] = (struct answer){
            .result = {.value = NAN, .low = NAN, .high = NAN, .grade = 'U', .reason = why_not}};
        longest = fmax(longest, bytes[levels]);
        levels++;
    } while (levels < LEVELS && capacity(p, levels + 1) > 0);
    if (!chase_map(p, &r.chase, (size_t)longest) || !probe_map(p, &r.chase.start, WALKERS_TO * sizeof(uint64_t), 0))
        return;
    r.order = malloc((size_t)longest / CHASE_LINE_BYTES * sizeof *r.order);
    if (!r.order) {
        probe_skip(p, "out of memory for the order of the ring");
        return;
    }
    double hits = NAN;
    bool good = measure_hits(p, &r, &hits);
    for (size_t i = 0; i < levels && good; i++)
        good = !(bytes[i] > 0) || measure_level(p, i + 1, bytes[i], &r, hits, &all[i]);
    for (size_t i = 0; i < levels && good; i++)
        report_level(p, all, levels, i);
    free(r.order);
}

PROBE(parallelism, .title = "Parallel misses", .family = "memory", .after = "bandwidth", .run = run,
      .findings = FINDINGS({"memory.parallel_misses", "misses", "misses of a level that can be under way at once"}));
