#include "lib/structure/prefetch_kinds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/structure/prefetch_confirm.h"
#include "lib/structure/prefetch_pointers.h"
#include "lib/structure/prefetch_reach.h"
#include "lib/structure/prefetch_region.h"
#include "lib/structure/prefetch_repeats.h"
#include "lib/structure/prefetch_stride.h"
#include "lib/structure/prefetch_throttle.h"

const char *const prefetch_kind_names[PREFETCH_KINDS] = {"next",   "pair",   "stride", "stream",
                                                         "region", "deltas", "replay", "pointers"};

const char *const prefetch_parameter_findings[PREFETCH_PARAMETERS] = {
    [PREFETCH_TRAIN] = "memory.prefetcher.train",
    [PREFETCH_DEGREE] = "memory.prefetcher.degree",
    [PREFETCH_DISTANCE] = "memory.prefetcher.distance",
    [PREFETCH_STREAMS] = "memory.prefetcher.streams",
    [PREFETCH_STRIDE_MAX] = "memory.prefetcher.stride_max",
    [PREFETCH_PC_BITS] = "memory.prefetcher.pc_bits",
    [PREFETCH_RESUMES] = "memory.prefetcher.resumes",
    [PREFETCH_REGION_BYTES] = "memory.prefetcher.region_bytes",
    [PREFETCH_REGIONS] = "memory.prefetcher.regions",
    [PREFETCH_LENGTH] = "memory.prefetcher.length",
    [PREFETCH_INDIRECTIONS] = "memory.prefetcher.indirections",
    [PREFETCH_STRIDE_MIN] = "memory.prefetcher.stride_min"};
const char *const prefetch_trait_findings[PREFETCH_TRAITS] = {
    [PREFETCH_PAGE_BORDER] = "memory.prefetcher.page_border", [PREFETCH_PAGE_ORDER] = "memory.prefetcher.page_order",
    [PREFETCH_LARGE_ORDER] = "memory.prefetcher.page_order",  [PREFETCH_HITS] = "memory.prefetcher.hits",
    [PREFETCH_STORES] = "memory.prefetcher.stores",           [PREFETCH_UNIT] = "memory.prefetcher.distances",
    [PREFETCH_SHORT] = "memory.prefetcher.short_strides",     [PREFETCH_GROWTH] = "memory.prefetcher.growth",
    [PREFETCH_THROTTLED] = "memory.prefetcher.throttled",     [PREFETCH_KEY] = "memory.prefetcher.key",
    [PREFETCH_LOW_BITS] = "memory.prefetcher.values",         [PREFETCH_HIGH_BITS] = "memory.prefetcher.values",
    [PREFETCH_TOP_BITS] = "memory.prefetcher.values"};

const char *prefetch_trait_bits(enum prefetch_trait trait)
{
    static const char *const bits[PREFETCH_TRAITS] = {
        [PREFETCH_LOW_BITS] = "0-2", [PREFETCH_HIGH_BITS] = "48-55", [PREFETCH_TOP_BITS] = "56-63"};

    return bits[trait];
}

bool prefetch_has(enum prefetch_kind kind, enum prefetch_parameter what)
{
    switch (what) {
    case PREFETCH_DISTANCE:
    case PREFETCH_STREAMS: return kind == PREFETCH_STRIDE || kind == PREFETCH_STREAM;
    case PREFETCH_TRAIN:
        return kind == PREFETCH_STRIDE || kind == PREFETCH_STREAM || kind == PREFETCH_DELTAS ||
               kind == PREFETCH_REPLAY || kind == PREFETCH_POINTERS;
    case PREFETCH_DEGREE: return kind != PREFETCH_PAIR && kind != PREFETCH_REGION;
    case PREFETCH_LENGTH: return kind == PREFETCH_DELTAS;
    case PREFETCH_INDIRECTIONS: return kind == PREFETCH_POINTERS;
    case PREFETCH_REGION_BYTES:
    case PREFETCH_REGIONS: return kind == PREFETCH_REGION;
    default: return kind == PREFETCH_STRIDE;
    }
}

bool prefetch_has_trait(enum prefetch_kind kind, enum prefetch_trait trait)
{
    switch (trait) {
    case PREFETCH_PAGE_BORDER:
    case PREFETCH_PAGE_ORDER:
    case PREFETCH_LARGE_ORDER:
    case PREFETCH_HITS:
    case PREFETCH_GROWTH:
    case PREFETCH_STORES: return kind == PREFETCH_STRIDE || kind == PREFETCH_STREAM;
    case PREFETCH_LOW_BITS:
    case PREFETCH_HIGH_BITS:
    case PREFETCH_TOP_BITS: return kind == PREFETCH_POINTERS;
    case PREFETCH_KEY: return kind == PREFETCH_REGION;
    case PREFETCH_THROTTLED: return true;
    default: return kind == PREFETCH_STRIDE;
    }
}

/* ---- Around a single access -------------------------------------------------------------------------- */

enum {
    BEFORE = 4,
    BEHIND = PREFETCH_SINGLE,
    AROUND = BEFORE + BEHIND,
    EARLIER = 21 /* line of the earlier access: in the same 2 KiB */
};

/* Of an access to an even line (0) and to an odd one: bit i is line i - BEFORE from it. */
struct around {
    uint32_t in[2], unclear[2];
    struct prefetch_shown shown[2];
};

static bool look_around(struct prefetch_look *w, bool earlier, struct around *out)
{
    *out = (struct around){0};
    for (int32_t odd = 0; odd < 2; odd++) {
        const int32_t line = 8 + odd;
        struct access_list l = {.bytes = (earlier ? EARLIER + 4 : line + BEHIND + 1) * ACCESS_LINE_BYTES,
                                .align = earlier ? ACCESS_PAGE_BYTES : 2 * ACCESS_LINE_BYTES};
        struct looked lines[AROUND + 1];
        if (earlier)
            l.all[l.count++] = (struct listed_load){EARLIER * ACCESS_LINE_BYTES, 1, LISTED_LOAD};
        l.all[l.count++] = (struct listed_load){line * ACCESS_LINE_BYTES, 0, LISTED_LOAD};
        for (int32_t i = 0; i <= AROUND; i++)
            lines[i].at = (line + i - BEFORE) * ACCESS_LINE_BYTES;
        if (!prefetch_look(w, &l, lines, AROUND + 1))
            return false;
        prefetch_show(&out->shown[odd], odd ? "an odd line" : "an even line", &l.all[l.count - 1], 1, lines,
                      AROUND + 1);
        for (int32_t i = 0; i <= AROUND; i++) {
            out->in[odd] |= (uint32_t)(lines[i].where >= NEAR_EITHER && i != BEFORE) << i;
            out->unclear[odd] |= (uint32_t)(lines[i].where == NEAR_UNCLEAR) << i;
        }
    }
    return true;
}

/*
 * Lines of which it was not certain count as left at home, or brought, where two further looks agree on that. All of
 * them brought say that what is taken for home is not: then nothing is certain.
 */
static bool look_around_again(struct prefetch_look *w, bool earlier, struct around *out)
{
    static const uint32_t all = (UINT32_C(1) << (AROUND + 1)) - 1 - (UINT32_C(1) << BEFORE);
    struct around more[2];

    if (!look_around(w, earlier, out))
        return false;
    if (out->unclear[0] | out->unclear[1] && !probe_is_smoke(w->p)) {
        if (!look_around(w, earlier, &more[0]) || !look_around(w, earlier, &more[1]))
            return false;
        for (size_t odd = 0; odd < 2; odd++) {
            const uint32_t unclear = more[0].unclear[odd] | more[1].unclear[odd] | (more[0].in[odd] ^ more[1].in[odd]);
            out->in[odd] |= out->unclear[odd] & more[0].in[odd] & ~unclear;
            out->unclear[odd] &= unclear;
        }
    }
    for (size_t odd = 0; odd < 2; odd++)
        if (out->in[odd] == all && !probe_is_smoke(w->p)) {
            out->in[odd] = 0;
            out->unclear[odd] = all;
        }
    return true;
}

static double next_lines(const struct around *a)
{
    const uint32_t one = UINT32_C(1) << (BEFORE + 1);
    double lines = 0;

    if ((a->unclear[0] | a->unclear[1]) & one)
        return NAN;
    for (uint32_t bit = one; a->in[1] & a->in[0] & bit; bit <<= 1)
        lines++;
    return lines;
}

static double other_half(const struct around *a)
{
    const uint32_t one = UINT32_C(1) << (BEFORE + 1), before = UINT32_C(1) << (BEFORE - 1);

    if ((a->unclear[0] | a->unclear[1]) & (one | before))
        return NAN;
    return a->in[0] & one && a->in[1] & before && !(a->in[0] & before);
}

/* Alone, and behind another access to its page. */
static void decide_single(struct prefetch_found *f, double alone, double later)
{
    const bool there = alone > 0, still = later > 0;

    f->exists = there;
    if (isnan(alone) || (isnan(later) && !there) || (still && !there)) {
        f->reason = isnan(alone) || isnan(later) ? REASON_NOT_STEADY : REASON_EXPERIMENTS_DISAGREE;
        return;
    }
    f->text = !there ? "none" : still ? "always" : isnan(later) ? "found" : "after the first access nearby";
    /* one that adapts may have paused all the time */
    f->grade = !there ? 'C' : still ? 'A' : isnan(later) ? 'C' : 'B';
}

static bool find_single(struct prefetch_kinds *k)
{
    struct around alone, later;
    struct prefetch_found *next = &k->found[PREFETCH_NEXT], *pair = &k->found[PREFETCH_PAIR];

    if (!look_around_again(k->look, false, &alone) || !look_around_again(k->look, true, &later))
        return false;
    for (size_t odd = 0; odd < 2; odd++)
        next->shown[odd] = pair->shown[odd] = alone.shown[odd];
    next->shown_lists = pair->shown_lists = 2;
    decide_single(next, next_lines(&alone), next_lines(&later));
    decide_single(pair, other_half(&alone), other_half(&later));
    if (next->exists)
        next->numbers[PREFETCH_DEGREE] = (struct prefetch_number){
            .view = {next_lines(&alone), next_lines(&later) > 0 ? next_lines(&later) : NAN}};
    for (size_t odd = 0; odd < 2; odd++) { /* of sequences, the last access is never the first one to its page */
        const uint32_t both = later.in[odd] | later.unclear[odd];
        for (unsigned i = 1; i <= BEHIND; i++) {
            k->single_up |= (both >> (BEFORE + i) & 1) << i;
            k->single_down |= i <= BEFORE ? (both >> (BEFORE - i) & 1) << i : 0;
        }
    }
    return true;
}

static void keep_if_again(struct prefetch_found *f, double again)
{
    if (isnan(again) && f->text) {
        f->grade = 'C';
    } else if (f->text && f->exists != (again > 0)) {
        f->text = NULL;
        f->exists = false;
        f->reason = REASON_EXPERIMENTS_DISAGREE;
    }
}

/* Some prefetchers pause for a while: what was found around a single access counts if it is the same much later. */
static bool find_single_again(struct prefetch_kinds *k)
{
    struct around alone;

    if (!look_around_again(k->look, false, &alone))
        return false;
    keep_if_again(&k->found[PREFETCH_NEXT], next_lines(&alone));
    keep_if_again(&k->found[PREFETCH_PAIR], other_half(&alone));
    return true;
}

/* ---- Streams ---------------------------------------------------------------------------------------- */

/*
 * After how many accesses at that stride lines are brought, and which, but for those that a single access brings, or the
 * same accesses in the other order, which leads away from them. *unclear: lines of which that is not certain.
 */
static bool look_stream(struct prefetch_kinds *k, int stride, uint32_t *in, uint32_t *unclear)
{
    enum { LEAST = 2 /* accesses that can be a stream */ };
    struct sequence s = {.stride = stride, .count = PREFETCH_SEQUENCE};
    const uint32_t known = reach_by_single(k->single_up, k->single_down, stride);
    struct reach r;

    if (!reach_search(k->look, &s, LEAST, known, &s.count, &r))
        return false;
    *in = r.in & ~known;
    *unclear = *in ? 0 : r.unclear & ~known;
    if (!*in || abs(stride) > 1)
        return true;
    s.backwards = true;
    if (!reach_measure(k->look, &s, &r))
        return false;
    *(stride > 0 ? &k->single_up : &k->single_down) |= r.in;
    /* where the other order brings them all, nothing is said of this one */
    *unclear = *in & ~r.in ? r.unclear & *in : *in;
    *in &= ~r.in;
    return true;
}

/* By how many accesses a direction is followed; what then is brought is the degree and distance. */
static bool find_stream(struct prefetch_kinds *k)
{
    static const int strides[] = {1, -1, 2, -2};
    struct prefetch_found *f = &k->found[PREFETCH_STREAM];
    uint32_t in[4], unclear[4];
    bool certain = true;

    for (size_t i = 0; i < 4; i++)
        if (!look_stream(k, strides[i], &in[i], &unclear[i]))
            return false;
    const bool up = in[0] != 0, down = in[1] != 0;
    for (size_t i = 0; i < 2; i++)
        certain = certain && !unclear[i];
    f->exists = certain && (up || down);
    if (!certain || (!f->exists && (in[2] || in[3] || unclear[2] || unclear[3]))) {
        f->reason = REASON_NOT_STEADY;
        return true;
    }
    f->text = up && down ? "up and down" : up ? "up" : down ? "down" : "none";
    f->grade = (in[2] != 0) == up && (in[3] != 0) == down && !unclear[2] && !unclear[3] ? 'A' : 'B';
    return !f->exists || k->only || prefetch_train(k, f, false, up ? 1 : -1, up && down ? -1 : 0);
}

static bool is_none(const struct prefetch_found *f)
{
    return f->text && !f->exists;
}

/*
 * A region prefetcher may bring the lines around the second access to a page, because it remembers them by the first
 * one: where there may be one, only the access alone counts, and the condition is not known.
 */
static void doubt_condition(const struct prefetch_kinds *k, struct prefetch_found *f)
{
    if (is_none(&k->found[PREFETCH_REGION]) || !f->text || !f->exists)
        return;
    f->text = "found";
    f->grade = 'C';
    f->numbers[PREFETCH_DEGREE].view[1] = NAN;
}

/*
 * How many sequences are followed at once, and the longest stride: a sequence whose lines a region prefetcher or a
 * replay has brought hits, and where hits do not train it needs no entry, and does not train. How many accesses train
 * counts where two sequences agree.
 */
static void doubt_sequences(const struct prefetch_kinds *k, struct prefetch_found *f)
{
    const struct prefetch_number unknown = {{NAN, NAN}, REASON_AMBIGUOUS};
    const double *train = f->numbers[PREFETCH_TRAIN].view;
    const char *hits = f->words[PREFETCH_HITS].text;

    if ((is_none(&k->found[PREFETCH_REGION]) && is_none(&k->found[PREFETCH_REPLAY])) ||
        (hits && !strcmp(hits, "train")))
        return;
    f->numbers[PREFETCH_STREAMS] = f->numbers[PREFETCH_STRIDE_MAX] = unknown;
    f->words[PREFETCH_GROWTH] = (struct prefetch_word){NULL, REASON_AMBIGUOUS};
    if (train[0] != train[1])
        f->numbers[PREFETCH_TRAIN] = f->numbers[PREFETCH_RESUMES] = unknown;
}

static void start(struct prefetch_kinds *k)
{
    for (size_t i = 0; i < PREFETCH_KINDS; i++) {
        for (size_t n = 0; n < PREFETCH_PARAMETERS; n++)
            k->found[i].numbers[n] = (struct prefetch_number){.view = {NAN, NAN}, .reason = REASON_NOT_STEADY};
        for (size_t n = 0; n < PREFETCH_TRAITS; n++)
            k->found[i].words[n].reason = REASON_NOT_STEADY;
        k->found[i].history = (struct prefetch_span){NAN, NAN, REASON_NOT_STEADY};
    }
}

bool prefetch_kinds_find(struct prefetch_kinds *k)
{
    start(k);
    if (!find_single(k) || !prefetch_find_stride(k) || !find_stream(k) || !prefetch_find_region(k) ||
        !prefetch_find_deltas(k) || !prefetch_find_replay(k) || !prefetch_find_pointers(k) || !find_single_again(k) ||
        !prefetch_find_throttled(k) || !prefetch_confirm(k))
        return false;
    doubt_condition(k, &k->found[PREFETCH_NEXT]);
    doubt_condition(k, &k->found[PREFETCH_PAIR]);
    doubt_sequences(k, &k->found[PREFETCH_STRIDE]);
    doubt_sequences(k, &k->found[PREFETCH_STREAM]);
    return true;
}

bool prefetch_kinds_again(const struct prefetch_kinds *k, struct prefetch_kinds *again)
{
    const struct prefetch_found *f = k->found;

    *again = (struct prefetch_kinds){.look = k->look, .only = true};
    start(again);
    return find_single(again) && (!f[PREFETCH_STRIDE].exists || prefetch_find_stride(again)) &&
           (!f[PREFETCH_STREAM].exists || find_stream(again)) &&
           (!f[PREFETCH_REGION].exists || prefetch_find_region(again)) &&
           (!f[PREFETCH_DELTAS].exists || prefetch_find_deltas(again)) &&
           (!f[PREFETCH_REPLAY].exists || prefetch_find_replay(again)) &&
           (!f[PREFETCH_POINTERS].exists || prefetch_find_pointers(again));
}
