/*
 * Question: do the instructions that prefetch code bring lines and translations of code here, what does that save, and
 * what do they cost?
 *
 * Experiment: places of code are visited in a random order by a jump that is always mispredicted, with nothing fetched
 * meanwhile (lib/kernels/mispredicted_return.h). At each place stands one prefetch of the place that is visited some
 * jumps later. The places are
 *
 *   line         lines next to each other, more than the instruction cache holds, and fewer than the level behind it
 *   translation  one line on each of more pages than the first instruction TLB has entries, so few lines that the
 *                instruction cache holds them
 *
 * Two distances: 8 jumps, whose mispredictions take longer than the second level does, and 16.
 *
 * Control: the same code with other prefetches. Of lines, they name the first line on the page of the place that is
 * visited some jumps later, so that a prefetch that brings translations alone saves nothing. Of translations, they name
 * the line that they are on. Reference: the control with so few places that nothing misses; where it is no faster,
 * nothing can be saved, and nothing is decided.
 *
 * There is no curve. Inference: what the control takes longer than the prefetching kernel is saved; what it takes
 * longer than the reference is what a miss costs. Most of a miss saved: the prefetch brings what is missing. Hardly any
 * of it saved: it does nothing. In between, as where lines arrive too late, nothing is decided.
 *
 * A prefetch's own cost: eight of them in a loop, of one line that is there.
 *
 * Sources: Intel SDM vol. 2B, PREFETCHh; Arm ARM, C6.2, PRFM (literal). The experiment is ours. docs/METHODS.md, 5.15.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/random.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/kernels/mispredicted_return.h"
#include "lib/probe/probe.h"
#include "lib/probe/sample.h"
#include "lib/structure/code_prefetch.h"

enum {
    PLACES_MOST = 8192, /* an instruction cache of 256 KiB, twice */
    FEW_PLACES = 12,    /* the reference: any cache and TLB holds them, and the code of the loop */
    TIMES = 2,          /* as many places as the cache has lines, or the TLB entries; and lines as places on pages */
    PAGE_BYTES = 4096,
    LINES_A_PAGE = PAGE_BYTES / MISPREDICTED_LINE_BYTES,
    L1I_BYTES = 32 << 10, /* where nothing is known of it */
    ITLB_ENTRIES = 64,
    ROOM_BYTES = 4096,
    SAMPLES = 5,
    HINTS = 8 /* of the loop that shows their cost */
};

static const unsigned distances[CODE_PREFETCH_DISTANCES] = {8, 16}; /* jumps */

struct visit {
    struct mispredicted_return *list;
    bool pages;     /* a place on each page, else on each line */
    unsigned hint;  /* index into emit_code_prefetches */
    unsigned ahead; /* jumps */
    bool control;
    size_t count;    /* of places */
    uint32_t *order; /* place that the n-th jump of a pass leads to, and behind all of them its inverse */
};

static size_t place_offset(const struct visit *v, size_t place)
{
    const size_t first = ROOM_BYTES;

    return v->pages ? first + place * PAGE_BYTES + place % LINES_A_PAGE * MISPREDICTED_LINE_BYTES
                    : first + place * MISPREDICTED_LINE_BYTES;
}

static size_t visited(const void *context, size_t jump)
{
    const struct visit *v = context;

    return place_offset(v, v->order[jump]);
}

/* The offset of what a place prefetches, when the place that is visited some jumps later is `later`. */
static size_t prefetched(const struct visit *v, size_t place, size_t later)
{
    const size_t other = v->pages ? place : later - later % LINES_A_PAGE;

    return place_offset(v, v->control ? other : later);
}

static bool build(struct probe *p, void *context, struct kernel *k)
{
    const struct visit *v = context;
    uint32_t *const jump_to = v->order + v->count;
    struct code c = probe_code(p, place_offset(v, v->count) + ROOM_BYTES);

    for (uint32_t i = 0; i < v->count; i++)
        v->order[i] = i;
    random_shuffle(v->order, v->count, sizeof *v->order, &p->random);
    for (uint32_t i = 0; i < v->count; i++)
        jump_to[v->order[i]] = i;
    v->list->group = v->count; /* the order is this one */
    mispredicted_return_begin(&c, v->list);
    for (size_t place = 0; place < v->count; place++) {
        emit_place(&c, place_offset(v, place));
        emit_code_prefetch(&c, v->hint, prefetched(v, place, v->order[(jump_to[place] + v->ahead) % v->count]));
        mispredicted_return_place(&c, v->list);
    }
    return mispredicted_return_kernel(p, v->list, &c, visited, v, v->count, k);
}

static void report_effect(struct probe *p, const struct visit *v, const struct code_prefetch_times *t)
{
    const char *const hint = emit_code_prefetches[v->hint], *const brings = v->pages ? "translation" : "line";
    const struct experiment_value saved[CODE_PREFETCH_DISTANCES] = {
        {"8 jumps ahead", "control", code_prefetch_saved(t, 0)}, /* both are compared with the same control */
        {"16 jumps ahead", "control", code_prefetch_saved(t, 1)}};
    struct finding f = {.name = "frontend.code_prefetch.effect",
                        .variants = {{"hint", hint}, {"brings", brings}},
                        .method = "mispredicted jumps to places that were prefetched, against places that were not",
                        .value = (double)NAN,
                        .low = (double)NAN,
                        .high = (double)NAN};
    const enum code_prefetch_effect effect = code_prefetch_effect(t, &f.reason);

    f.grade = effect == CODE_PREFETCH_UNKNOWN ? 'U' : 'C';
    f.text = effect == CODE_PREFETCH_BRINGS ? "brings it" : effect == CODE_PREFETCH_NOTHING ? "nothing" : NULL;
    report(p, &f);
    if (effect != CODE_PREFETCH_BRINGS)
        return;
    report_graded_number(
        p,
        &(struct finding){.name = "frontend.code_prefetch.saved_cycles",
                          .variants = {{"hint", hint}, {"brings", brings}},
                          .method = "what mispredicted jumps to places that were prefetched take less"},
        saved, CODE_PREFETCH_DISTANCES);
}

static bool sample_control(struct probe *p, struct visit *v, double places, double *cycles)
{
    v->control = true;
    v->ahead = distances[0];
    v->count = (size_t)probe_smoke(p, FEW_PLACES, fmax(FEW_PLACES, fmin(places, PLACES_MOST)));
    return sample_cycles(p, SAMPLES, build, v, cycles);
}

/* False: the probe has ended. */
static bool find_effects(struct probe *p, struct visit *v, double places)
{
    struct code_prefetch_times t;

    for (v->hint = 0; emit_code_prefetches[v->hint]; v->hint++) {
        if (!sample_control(p, v, places, &t.before)) /* predictors have learnt what they can of the jump: not used */
            return false;
        if (!sample_control(p, v, places, &t.before))
            return false;
        v->control = false;
        for (size_t i = 0; i < CODE_PREFETCH_DISTANCES; i++) {
            v->ahead = distances[i];
            if (!sample_cycles(p, SAMPLES, build, v, &t.cycles[i]))
                return false;
        }
        if (!sample_control(p, v, places, &t.after) || !sample_control(p, v, FEW_PLACES, &t.reference))
            return false;
        report_effect(p, v, &t);
    }
    return true;
}

static void emit_hints(struct code *c, const void *context)
{
    const unsigned hint = *(const unsigned *)context;

    for (unsigned i = 0; i < HINTS; i++)
        emit_code_prefetch(c, hint, 0);
}

static void find_costs(struct probe *p)
{
    for (unsigned hint = 0; emit_code_prefetches[hint]; hint++) {
        double cycles = (double)NAN;
        if (!sample_loop(p, SAMPLES, &(struct loop){.body = emit_hints, .context = &hint, .instructions = HINTS},
                         &cycles))
            return;
        report_number(p,
                      &(struct finding){.name = "frontend.code_prefetch.cycles",
                                        .variants = {{"hint", emit_code_prefetches[hint]}},
                                        .method = "loop of prefetches of a line that is there",
                                        .reason = REASON_NO_READINGS},
                      cycles / HINTS);
    }
}

static void run(struct probe *p)
{
    const double lines = facts_number(&p->run->facts, "frontend.l1i.bytes", "", L1I_BYTES) / MISPREDICTED_LINE_BYTES;
    const double entries = facts_number(&p->run->facts, "frontend.itlb.entries", "level=1 page=4k", ITLB_ENTRIES);
    struct mispredicted_return list = {.group = 0};
    struct visit v = {.list = &list, .order = calloc(2 * (size_t)PLACES_MOST, sizeof *v.order)};

    if (!v.order) {
        probe_skip(p, "out of memory for the order of places");
    } else if (mispredicted_return_map(p, &list) && find_effects(p, &v, TIMES * lines)) {
        v.pages = true;
        if (find_effects(p, &v, fmin(TIMES * entries, lines / TIMES)))
            find_costs(p);
    }
    free(v.order);
}

PROBE(code_prefetch, .title = "Prefetches of code", .family = "frontend", .after = "l1i", .run = run,
      .findings = FINDINGS({"frontend.code_prefetch.effect", "effect",
                            "whether a prefetch of code brings lines or translations"},
                           {"frontend.code_prefetch.saved_cycles", "cycles",
                            "that a jump to prefetched code is faster than to code that misses"},
                           {"frontend.code_prefetch.cycles", "cycles", "that a prefetch of code itself takes"}));
