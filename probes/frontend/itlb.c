/*
 * Instruction TLBs: how many pages of code are translated at once, and what does it cost when one is not?
 *
 * A chain of jumps (lib/chain.h), one on each page, each page on another line than the one before it. While a level
 * holds all translations a jump costs what branch prediction makes it cost; past that, a miss of that level on top.
 *
 *   one frame   all pages lie on one frame, or two: caches that know lines by their frames hold all of the code
 *   shuffled    each page has its own frame, in random order: as many lines as pages
 *   in order    each page has its own frame, next to each other where the place has such: a TLB that keeps neighbours
 *               in one entry holds more than the others show
 *
 * Control: the same number of jumps packed, one to a line, onto a 64th of the pages: as much for branch target buffers
 * to hold, and in the same sets. By how much it grows goes off.
 *
 *   spacing     on one frame, pages 1, 2, 4 … pages apart: behind the lowest address bit that chooses a set the count
 *               halves, until the ways of one set are left (lib/family.h)
 *
 * Curve: cycles per jump over pages, a staircase. Answer: the last count on each level; what a miss costs is by how
 * much the next level is higher. Method: jiegec/cpu-micro-benchmarks, itlb_size, with rotating lines and spacings of
 * pages; one frame and the packed control on it are ours.
 *
 * Behind the first level Intel's cores show a saw-tooth (jia.je 2025, Redwood Cove: it drops at 289, 321, 353 … pages
 * and climbs in between; open there, and huge pages suspected). Seen here on a Raptor Cove: the same on one frame, on
 * shuffled ones and in order, and wherever the first page lies, so it is neither huge pages nor neighbours in one entry
 * nor a cache. Two pages apart, where 16 of the 32 sets are reached, it has half the period. What would explain that,
 * and is not proven, is replacement: of sets of eight, those with the most pages miss always, those with one page less
 * sometimes hit.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/chain.h"
#include "lib/family.h"
#include "lib/levels.h"
#include "lib/proof.h"

enum { KINDS = CHAIN_SHUFFLED + 1, SPACINGS = 7, FEWEST = 4 };

/* One frame first: the others are held against it. */
static const struct {
    const char *name, *fooled_by;
    enum chain_frames kind;
} experiments[KINDS] = {{"one frame", "branch predictors", CHAIN_ONE_FRAME},
                        {"shuffled", "caches", CHAIN_SHUFFLED},
                        {"in order", "neighbours in one entry", CHAIN_IN_ORDER}};

struct pages {
    struct chain_room room;
    size_t bytes, spacing; /* of a page; pages from one to the next */
};

static bool build(struct probe *p, double pages, void *context, struct kernel *k)
{
    const struct pages *s = context;
    /* the loop is one more, and lies on the page that would be next */
    const struct chain chain = {
        .count = (size_t)pages - CHAIN_LOOP_BRANCHES, .stride = s->spacing * s->bytes, .page_bytes = s->bytes};

    return chain_kernel(p, &chain, &s->room, k);
}

static bool build_control(struct probe *p, double pages, void *context, struct kernel *k)
{
    const struct pages *s = context;
    const struct chain chain = {.count = (size_t)pages - CHAIN_LOOP_BRANCHES, .stride = CHAIN_LINE_BYTES};

    return chain_kernel(p, &chain, &s->room, k);
}

static struct sweep sweep_of(struct probe *p, const char *name, struct pages *s, double most)
{
    return (struct sweep){.name = name,
                          .axis = "pages",
                          .unit = "cycles/jump",
                          .build = build,
                          .control = build_control,
                          .context = s,
                          .search = {.kind = KNEE_STEP,
                                     .from = FEWEST,
                                     .to = most,
                                     .grain = 1,
                                     .resolution = 0.05,
                                     .per_octave = (unsigned)probe_scale(p, 1, 4, 4, 8)}};
}

/* ---- Levels ------------------------------------------------------------------------------------- */

/*
 * What the experiments say of one stretch of counts. Counts behind the last level of the first stretch make a second
 * one: a curve of many octaves with a saw-tooth in it has more bends than the engine can tell apart.
 */
struct stretch {
    struct sweep sweep[KINDS];
    size_t count;
};

static bool search(struct probe *p, struct stretch *t, struct pages s[KINDS], size_t count, double from, double to)
{
    for (t->count = 0; t->count < count;) {
        struct sweep *sweep = &t->sweep[t->count];
        const size_t kind = t->count++;
        *sweep = sweep_of(p, experiments[kind].name, &s[kind], to);
        sweep->search.from = from;
        sweep->search.halves = from > FEWEST;
        sweep->fooled_by = experiments[kind].fooled_by;
        sweep->seconds = probe_scale(p, 1, 0.25, 0.5, 8);
        sweep->area = &s[kind].room.code.area;
        if (!sweep_search(p, sweep))
            return false;
    }
    return true;
}

static unsigned report_entries(struct probe *p, const struct stretch *t, const char *page, const char *proof,
                               unsigned before, bool goes_on)
{
    struct find_experiment e[KINDS];

    find_experiments(t->sweep, t->count, e);
    return levels_report(p,
                         &(struct levels){.capacity = "frontend.itlb.entries",
                                          .key = "page",
                                          .text = page,
                                          .proof = proof,
                                          .step = 1,
                                          .limit = {"frontend.btb.entries", "", 1},
                                          .scattered = true,
                                          .before = before,
                                          .goes_on = goes_on},
                         e, t->count);
}

/*
 * By how much a jump costs more on one level than on another; NaN where an experiment has not both, or where what they
 * scatter or slope by is not little beside it.
 */
static double difference(const struct verdict *v, size_t level, const struct verdict *w, size_t behind)
{
    static const double LITTLE = 0.06; /* as find_height has it for a height by itself */

    if (level >= v->level_count || behind >= w->level_count)
        return NAN;
    const struct knee_level *a = &v->levels[level], *b = &w->levels[behind];
    const double rise = b->height - a->height;
    const double loose = a->height * fmax(a->spread, fabs(a->slope)) + b->height * fmax(b->spread, fabs(b->slope));
    return loose <= LITTLE * rise ? rise : (double)NAN;
}

static void report_miss(struct probe *p, const struct stretch *before, size_t level, const struct stretch *behind,
                        size_t level_behind, const char *page, unsigned number)
{
    struct find_value v[KINDS];

    for (size_t i = 0; i < before->count; i++)
        v[i] = (struct find_value){
            before->sweep[i].name, before->sweep[i].fooled_by,
            difference(&before->sweep[i].search.verdict, level, &behind->sweep[i].search.verdict, level_behind)};
    find_number(p,
                &(struct finding){.name = "frontend.itlb.miss_cycles",
                                  .variants = {{"level", .number = number}, {"page", page}},
                                  .method = "difference of levels"},
                v, before->count);
}

static void report_stretches(struct probe *p, const struct stretch *near, const struct stretch *far, const char *page,
                             const char *proof)
{
    const unsigned told = report_entries(p, near, page, proof, 0, far->count > 0);

    for (unsigned i = 1; i < told; i++)
        report_miss(p, near, i - 1, near, i, page, i);
    if (far->count == 0)
        return;
    report_miss(p, near, near->sweep->search.verdict.count - 1, far, 0, page, told);
    const unsigned more = report_entries(p, far, page, NULL, told, false);
    for (unsigned i = 1; i < more; i++)
        report_miss(p, far, i - 1, far, i, page, told + i);
}

static bool find_levels(struct probe *p, struct pages s[KINDS], size_t count, double middle, double most,
                        double *entries)
{
    enum { APART = 2 }; /* the next level is larger by more than this factor */
    static const char *const needs[] = {"itlb_misses", "itlb_walks", "l1i_misses", NULL};
    struct stretch near = {.count = 0}, far = {.count = 0};
    const struct verdict *v = &near.sweep->search.verdict;
    char proof[PROOF_TEXT] = "";
    bool good = search(p, &near, s, count, FEWEST, middle);

    if (good && v->count)
        good = proof_of_knee(p, near.sweep, 0, needs, proof) &&
               (most <= middle || search(p, &far, s, count, floor(APART * v->knees[v->count - 1].value), most));
    if (good)
        report_stretches(p, &near, &far, page_name(s->bytes), proof);
    *entries = good && v->count ? v->knees[0].value : (double)NAN;
    sweeps_free(near.sweep, near.count);
    sweeps_free(far.sweep, far.count);
    return good;
}

/* ---- Sets --------------------------------------------------------------------------------------- */

/* The bits that choose a set: from the lowest one on as many as there are sets. */
static void report_index(struct probe *p, const struct family_level *l, size_t page_bytes)
{
    char bits[32] = "";
    unsigned low = 0, count = 0;
    struct finding f = {.name = "frontend.itlb.index_bits",
                        .variants = {{"level", .number = 1}, {"page", page_name(page_bytes)}},
                        .value = NAN,
                        .low = NAN,
                        .high = NAN,
                        .grade = 'U',
                        .reason = l->ways.reason ? l->ways.reason : l->reason,
                        .method = "sets are entries by ways; counts halve behind the lowest bit"};

    if (!isnan(l->index_spacing) && !isnan(l->ways.value) && !isnan(l->value)) {
        while ((double)((size_t)1 << low) < l->index_spacing * (double)page_bytes)
            low++;
        while (l->ways.value * (double)((size_t)1 << count) < l->value)
            count++;
        if (!(l->ways.value * (double)((size_t)1 << count) > l->value)) { /* as many as a power of two */
            f.value = count;
            f.grade = l->grade > l->ways.grade ? l->grade : l->ways.grade;
            f.reason = NULL;
            snprintf(bits, sizeof bits, "VA[%u:%u]", low + count - 1, low);
            f.remarks[0].key = "bits";
            f.remarks[0].text = bits;
        } else {
            f.reason = "sets-are-no-power-of-two";
        }
    }
    report(p, &f);
}

/* `entries` is what the level holds; `most` pages, all that there is room for. */
static bool find_sets(struct probe *p, struct pages *s, double entries, double most)
{
    enum { AROUND = 4 }; /* from a part of what is expected if it halves to a multiple of what if it does not */
    struct sweep sweep[SPACINGS];
    struct pages apart[SPACINGS];
    struct family_member members[SPACINGS];
    struct family_verdict v;
    char names[SPACINGS][24];
    size_t count = 0;
    bool good = true;

    for (; count < SPACINGS && good; count++) {
        const size_t spacing = (size_t)1 << count;
        apart[count] = *s;
        apart[count].spacing = spacing;
        snprintf(names[count], sizeof names[count], "%zu apart", spacing);
        sweep[count] = sweep_of(p, names[count], &apart[count], floor(fmin(AROUND * entries, most / (double)spacing)));
        sweep[count].search.from = fmax(FEWEST, floor(entries / (double)(AROUND * spacing)));
        sweep[count].seconds = probe_scale(p, 1, 0.1, 0.35, 2);
        members[count] = (struct family_member){names[count], (double)spacing, &sweep[count].search.verdict};
        good = sweep_search(p, &sweep[count]);
    }
    if (good) {
        /* as many lines of as few caches as before, whatever the spacing */
        const struct family family = {
            .members = members, .count = count, .step = 1, .closest = 1, .footprints = {INFINITY}};
        family_decide(&family, &v);
        find_family_ways(p,
                         &(struct finding){.name = "frontend.itlb.ways",
                                           .variants = {{"level", .number = 1}, {"page", page_name(s->bytes)}}},
                         &family, &v, 0);
        if (!v.level_count)
            v.levels[0] = (struct family_level){.value = NAN, .index_spacing = NAN, .reason = v.reason};
        report_index(p, &v.levels[0], s->bytes);
    }
    sweeps_free(sweep, count);
    return good;
}

/* ---- All of it ---------------------------------------------------------------------------------- */

static bool find_page(struct probe *p, size_t page_bytes)
{
    const double middle = probe_smoke(p, 16, 1024), most = probe_scale(p, 16, 1024, 4096, 4096);
    const size_t count = (size_t)probe_scale(p, 1, 2, KINDS, KINDS);
    struct pages s[KINDS] = {{.bytes = page_bytes}};
    double entries;
    size_t mapped = 0;
    bool good = true;

    for (; mapped < count && good; mapped++) {
        s[mapped] = (struct pages){.bytes = page_bytes, .spacing = 1};
        good = chain_map(p, &s[mapped].room, (size_t)most * page_bytes, page_bytes, experiments[mapped].kind);
    }
    good = good && find_levels(p, s, count, middle, most, &entries) &&
           (isnan(entries) || probe_smoke(p, 0, 1) < 1 || find_sets(p, s, entries, most));
    while (mapped-- > 0)
        chain_unmap(p, &s[mapped].room);
    return good;
}

static void run(struct probe *p)
{
    find_page(p, machine_info()->page_bytes[0]);
}

PROBE(itlb, .title = "Instruction TLBs", .family = "frontend", .run = run, .after = "l1i",
      .findings = FINDINGS({"frontend.itlb.entries", "entries", "pages of code whose translations a level holds"},
                           {"frontend.itlb.miss_cycles", "cycles", "what a miss of that level costs a jump"},
                           {"frontend.itlb.ways", "ways", "entries of a set"},
                           {"frontend.itlb.index_bits", "bits", "address bits that choose the set"}));
