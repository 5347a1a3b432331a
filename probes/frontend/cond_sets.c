/*
 * Question: how many sets has the table of the conditional predictor that looks at the longest history, and which address
 * bits of a branch choose the set?
 *
 * Experiment: histories of one set are found as by the probe `cond_ways`, one more than the set has ways. Half of them are
 * changed: in further branches of the history, or by a branch at another address (lib/structure/table_sets.h). Controls
 * and time are those of `cond_ways`.
 *
 * Inference: if all are still too many for one set, the change leaves the set as it is; if they are predicted, it leads to
 * another set. Address bits are inverted alone and in pairs (lib/structure/btb_tags.h), and verified by random
 * differences. The index bits are counted by how many changes lead to sets that no sum of the others leads to.
 *
 * What could mislead: what misleads `cond_ways`, and the separating bit and the targets of `cond_address`: branches that
 * differ in the separating bit alone have to share sets. A table that both directions compete for takes long to settle,
 * so that sets may seem to overflow. Three layouts must agree.
 *
 * Sources: Chen 2024 (Apple, Qualcomm) finds index bits by how many branches at chosen addresses are predicted together,
 * with counters; sets found by histories, counting without the functions, and time are ours. docs/METHODS.md, 5.23.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/random.h"
#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/structure/btb_tags.h"
#include "lib/structure/table_sample.h"
#include "lib/structure/table_sets.h"

enum {
    ATTEMPTS = 10,    /* layouts that are tried at most, until enough are decided */
    LAYOUTS = 3,      /* that must agree */
    SAMPLES = 400,    /* to find a set, as in cond_ways */
    CHECKS = 16,      /* differences drawn at random that verify address bits */
    SMOKE_LENGTH = 5, /* in the profile smoke: of two bearers and the router */
    CONTROLS = 2      /* times that the separating bit alone must leave the set as it is */
};

static const char SETS[] = "frontend.cond.sets", ADDRESS[] = "frontend.cond.index_address_bits";

struct sets {
    struct table_sample sample;
    struct table_lengths lengths;
    struct code_block room;
    struct branch_places places;
    struct table_ways ways;
    struct table_overflow set;
    struct table_sets sets;
    bool unclear; /* an answer was */
};

/* What one layout says. */
struct layout {
    char address[BTB_TAG_TEXT];
    unsigned index_bits;
    enum reason address_reason, bits_reason;
};

static void choose(void *context, uint64_t difference)
{
    ((struct sets *)context)->places.difference = difference;
}

/* table_sample_take, whose context is another one. */
static bool take(void *context, const uint32_t *histories, unsigned count, enum table_fit *fit)
{
    return table_sample_take(&((struct sets *)context)->sample, histories, count, fit);
}

/* Whether branches whose addresses differ in these bits share sets. */
static bool collide(void *context, uint64_t difference, bool *result)
{
    struct sets *s = context;
    bool clear;

    choose(s, difference);
    if (!table_sets_keep(&s->sets, TABLE_OTHER, result, &clear))
        return false;
    s->unclear |= !clear;
    return true;
}

/*
 * Finds histories of one set in a new layout, with two branches that differ in the separating bit. False: the probe is
 * over.
 */
static bool prepare(struct sets *s, enum reason *reason)
{
    const unsigned room = table_sample_room(s->lengths), bearers = room < TABLE_ALL_BITS ? room : TABLE_ALL_BITS;
    struct table_bits *bits = &s->sample.bits;
    double ways;

    s->unclear = false;
    choose(s, 0);
    table_sample_draw(&s->sample, s->lengths, bearers);
    if (!table_bits_find(&s->ways, bearers, bits))
        return false;
    *reason = bits->count ? REASON_NONE : REASON_HISTORIES_ALIKE;
    s->ways.bits = bits->count < TABLE_BITS_MOST ? bits->count : TABLE_BITS_MOST;
    s->sets.bits = bits->count;
    return *reason || (table_ways(&s->ways, &ways, reason, &s->set) && (*reason || table_sets_start(&s->sets, reason)));
}

/* Whether the separating bit leaves sets as they are, in the first layout in which one is found. */
static bool separates(void *context, bool *good)
{
    struct sets *s = context;
    enum reason reason = REASON_AMBIGUOUS;

    *good = true;
    for (unsigned i = 0; i < probe_smoke(s->sample.p, 1, ATTEMPTS) && reason; i++)
        if (!prepare(s, &reason))
            return false;
    for (unsigned i = 0; i < CONTROLS && *good && !reason; i++)
        if (!collide(s, 0, good))
            return false;
    return true;
}

/* Address bits that choose the set, in the layout at hand. False: the probe is over. */
static bool find_address(struct sets *s, uint64_t bits, struct btb_tags *found, struct layout *l)
{
    const struct btb_tag_trial trial = {.collide = collide, .context = s};

    if (!btb_tags_find(&trial, bits, found))
        return false;
    for (unsigned i = 0; i < CHECKS; i++) {
        const uint64_t difference = btb_tags_draw(found, i % 2, &s->sample.p->random);
        bool result;
        if (!difference)
            continue;
        if (!collide(s, difference, &result))
            return false;
        found->missed += result != btb_tags_collide(found, difference);
    }
    l->address_reason = s->unclear ? REASON_AMBIGUOUS : found->missed ? REASON_NOT_LINEAR : REASON_NONE;
    btb_tags_text(found->masks, found->count, l->address);
    return true;
}

/* One layout. False: the probe is over. */
static bool look(struct sets *s, unsigned end, struct layout *l)
{
    struct btb_tags found = {.count = 0};
    uint64_t lowest[BTB_TAG_BITS];

    *l = (struct layout){.index_bits = 0};
    if (!prepare(s, &l->address_reason) ||
        (!l->address_reason && !find_address(s, (UINT64_C(1) << end) - emit_alignment, &found, l)))
        return false;
    for (size_t i = 0; i < found.count; i++)
        lowest[i] = found.masks[i] & -found.masks[i];
    l->bits_reason = l->address_reason;
    return l->bits_reason || table_sets_count(&s->sets, lowest, (unsigned)found.count, &l->index_bits, &l->bits_reason);
}

static void report_sets(struct probe *p, const struct layout *l, unsigned end, const char *why)
{
    const double sets = (double)(UINT64_C(1) << l->index_bits);
    char tried[32];
    struct finding f = {.name = ADDRESS,
                        .variants = {{"table", NULL, 1}},
                        .reason = l->address_reason,
                        .detail = why,
                        .value = NAN,
                        .text = l->address_reason ? NULL
                                : l->address[0]   ? l->address
                                                  : "none",
                        .low = NAN,
                        .high = NAN,
                        .grade = 'C',
                        .method = "histories of one set, half of them at another address: are they predicted?",
                        .remarks = {{"tried", tried}}};

    snprintf(tried, sizeof tried, "%u to %u, alone and in pairs", emit_alignment > 1 ? 2U : 0U, end - 1);
    if (f.reason)
        report_number(p, &f, NAN);
    else
        report(p, &f);
    f = (struct finding){.name = SETS,
                         .variants = {{"table", NULL, 1}},
                         .reason = l->bits_reason,
                         .detail = why,
                         .value = sets,
                         .low = sets,
                         .high = sets,
                         .grade = 'C',
                         .method = "changes of history and address that lead to sets which no sum of the others does"};
    if (f.reason)
        report_number(p, &f, NAN);
    else
        report(p, &f);
}

/* One result of a layout, of those that must agree: a reason not to know it, or whether it is what another one says. */
static void join(enum reason of_layout, bool same, unsigned *decided, enum reason *reason)
{
    if (*decided && !of_layout && !same)
        *reason = REASON_LAYOUTS_DISAGREE;
    else if (!*decided)
        *reason = of_layout;
    *decided += !of_layout;
}

/* Layouts that agree in each of the two results. False: the probe is over. */
static bool find(struct sets *s, unsigned end, struct layout *out)
{
    unsigned address = 0, bits = 0;

    for (unsigned i = 0; i < probe_smoke(s->sample.p, 1, ATTEMPTS) && bits < LAYOUTS; i++) {
        struct layout l;
        if (!look(s, end, &l))
            return false;
        join(l.address_reason, strcmp(l.address, out->address) == 0, &address, &out->address_reason);
        join(l.bits_reason, l.index_bits == out->index_bits, &bits, &out->bits_reason);
        if (!l.address_reason)
            memcpy(out->address, l.address, sizeof l.address);
        if (!l.bits_reason)
            out->index_bits = l.index_bits;
        if (out->address_reason == REASON_LAYOUTS_DISAGREE || out->bits_reason == REASON_LAYOUTS_DISAGREE)
            break;
    }
    if (address < LAYOUTS && !out->address_reason)
        out->address_reason = REASON_AMBIGUOUS;
    if (bits < LAYOUTS && !out->bits_reason)
        out->bits_reason = REASON_AMBIGUOUS;
    if (out->address_reason == REASON_LAYOUTS_DISAGREE)
        out->bits_reason = out->address_reason;
    return true;
}

static void run(struct probe *p)
{
    const bool smoke = probe_is_smoke(p);
    const unsigned end = smoke ? BRANCHES_PAGE_BITS : table_address_end(p);
    const char *why = NULL;
    struct layout found = {.address_reason = REASON_LENGTHS_UNKNOWN, .bits_reason = REASON_LENGTHS_UNKNOWN};
    struct sets s = {.lengths = smoke ? (struct table_lengths){SMOKE_LENGTH, 0} : table_lengths_known(p)};

    if (!table_sample_start(p, &s.sample))
        return;
    s.places = (struct branch_places){.room = &s.room};
    s.ways = (struct table_ways){
        .samples = (unsigned)probe_smoke(p, 1, SAMPLES), .random = &p->random, .sample = take, .context = &s};
    s.sets = (struct table_sets){.ways = &s.ways, .set = &s.set, .choose = choose};
    s.sample.set.places = &s.places;
    if (s.lengths.longest && !probe_is_simulated(p)) {
        s.lengths.longest--; /* the router may enter the history */
        found.address_reason = REASON_NONE;
        why = table_room_map(p, &s.room, end, separates, &s, &found.address_reason);
        found.bits_reason = found.address_reason;
        if (!found.address_reason && p->outcome == OUTCOME_OK && find(&s, end, &found))
            code_block_unmap(&s.room);
        if (p->outcome != OUTCOME_OK)
            return;
    }
    if (smoke || probe_is_simulated(p))
        found.address_reason = found.bits_reason = REASON_TOO_SHORT;
    report_sets(p, &found, end, why);
}

PROBE(cond_sets, .title = "Conditional predictor sets", .family = "frontend", .run = run, .after = "footprint",
      .wants = NEEDS("frontend.cond.history table=1"),
      .findings = FINDINGS({"frontend.cond.index_address_bits", "bits",
                            "address bits that choose the set in that table of the conditional predictor"},
                           {"frontend.cond.sets", "sets", "sets of that table of the conditional predictor"}));
