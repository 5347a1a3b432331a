#include "lib/structure/table_address.h"

#include <math.h>
#include <stdio.h>

#include "lib/base/random.h"
#include "lib/base/reason.h"
#include "lib/kernels/table_branches.h"
#include "lib/probe/table.h"
#include "lib/structure/btb_tags.h"
#include "lib/structure/history_end.h"

enum {
    READINGS = 32,    /* of a kernel that may be disturbed */
    LEAD = 2,         /* samples of one result that decide */
    ATTEMPTS = 12,    /* samples of a difference at most; one that has no result then is left out */
    CONTROLS = 4,     /* differences in the separating bit alone that must not show */
    CHECKS = 32,      /* differences drawn at random that verify the result */
    BEHIND_BEARER = 2 /* branches of the history that are not dummies: the bearer, and the router where it enters */
};

struct table_address {
    struct probe *p;
    struct finding finding; /* its name and variants */
    struct code_block room;
    struct table_branches branches;
    struct table_lengths lengths;
    uint64_t iterations[HISTORY_PROBES]; /* of a reading */
    unsigned samples, unmeasured;        /* unmeasured: differences without a clear result */
};

/* ---- One difference ------------------------------------------------------------------------------- */

/* The part of a misprediction that the two branches have; NaN where it cannot be measured. False: the probe is over. */
static bool measure(struct table_address *a, double *missed)
{
    double cycles[HISTORY_PROBES];

    for (enum history_probe goes = 0; goes < HISTORY_PROBES; goes++) {
        struct kernel k;
        cycles[goes] = NAN;
        for (unsigned i = 0; i < probe_smoke(a->p, 1, READINGS) && isnan(cycles[goes]); i++)
            if (!table_branches_build(a->p, &a->branches, goes, &k) ||
                !probe_quick_sample(a->p, &k, &a->iterations[goes], &cycles[goes]))
                return false;
    }
    a->samples++;
    const double zero = cycles[HISTORY_CONSTANT], half = cycles[HISTORY_OTHER_BIT] - zero;
    *missed = half > HISTORY_HALF_LEAST ? 0.5 * (cycles[HISTORY_SAME_BIT] - zero) / half : (double)NAN;
    return true;
}

/* Whether the table takes branches for one whose addresses differ in these bits, each time in another layout. */
static bool collide(void *context, uint64_t difference, bool *result)
{
    struct table_address *a = context;
    const unsigned room = a->lengths.longest - BEHIND_BEARER - a->lengths.second;
    int lead = 0;

    a->branches.places.difference = difference;
    for (unsigned i = 0; i < probe_smoke(a->p, 1, ATTEMPTS) && lead < LEAD && lead > -LEAD; i++) {
        double missed;
        a->branches.layout = random_next(&a->p->random);
        a->branches.dummies = a->lengths.second + (unsigned)random_below(&a->p->random, room / 2 + 1);
        a->branches.reset = a->lengths.longest;
        if (!measure(a, &missed))
            return false;
        if (missed < HISTORY_PREDICTED || missed > HISTORY_UNPREDICTED)
            lead += missed > HISTORY_UNPREDICTED ? 1 : -1;
    }
    a->unmeasured += lead > -LEAD && lead < LEAD;
    *result = lead > 0;
    return true;
}

/* ---- The block ------------------------------------------------------------------------------------ */

/* Whether branches that differ in the separating bit alone are always taken for one. False: the probe is over. */
static bool separates(void *context, bool *good)
{
    struct table_address *a = context;

    *good = true;
    for (unsigned i = 0; i < probe_smoke(a->p, 1, CONTROLS) && *good; i++)
        if (!collide(a, 0, good))
            return false;
    a->unmeasured = 0;
    return true;
}

/* ---- Result --------------------------------------------------------------------------------------- */

/* Verifies what was found by random differences, half of which should not show where there are such. */
static bool verify(struct table_address *a, struct btb_tags *found)
{
    for (unsigned i = 0; i < probe_smoke(a->p, 1, CHECKS); i++) {
        const uint64_t difference = btb_tags_draw(found, i % 2, &a->p->random);
        const bool expected = btb_tags_collide(found, difference);
        bool result;
        if (!difference)
            continue;
        if (!collide(a, difference, &result))
            return false;
        found->checked++;
        found->missed += result != expected;
        found->hidden |= expected;
    }
    return true;
}

static void report_bits(struct table_address *a, uint64_t bits, const struct btb_tags *found)
{
    char text[BTB_TAG_TEXT], ignored[BTB_TAG_TEXT], tried[48], checked[64];
    struct finding f = a->finding;

    f.value = f.low = f.high = NAN;
    f.grade = found->hidden ? 'B' : 'C';
    f.reason = probe_is_smoke(a->p) ? REASON_TOO_SHORT
               : a->unmeasured      ? REASON_NOISE
               : found->missed      ? REASON_NOT_LINEAR
                                    : REASON_NONE;
    f.method = "branches with the same history whose addresses differ in chosen bits: is one predicted as the other?";
    if (f.reason) {
        report_number(a->p, &f, NAN);
        return;
    }
    btb_tags_text(found->masks, found->count, text);
    btb_tags_bits_text(found->ignored, ignored);
    snprintf(tried, sizeof tried, "%d to %d, alone and in pairs", __builtin_ctzll(bits), 63 - __builtin_clzll(bits));
    snprintf(checked, sizeof checked, "%u of %u random differences foreseen", found->checked - found->missed,
             found->checked);
    f.text = found->count ? text : "none";
    f.remarks[0].key = "tried";
    f.remarks[0].text = tried;
    f.remarks[1].key = "checked";
    f.remarks[1].text = checked;
    f.remarks[2].key = found->ignored ? "ignored" : NULL;
    f.remarks[2].text = ignored;
    report(a->p, &f);
}

/* One row for each bit: which bit it is only seen together with, or itself. */
static void send(const struct table_address *a, const struct btb_tags *found)
{
    struct record r;

    record_table(a->p, &r, "address_bits");
    record_number(&r, "samples", a->samples);
    record_number(&r, "unmeasured", a->unmeasured);
    record_number(&r, "checked", found->checked);
    record_number(&r, "missed", found->missed);
    record_number(&r, "separating", a->room.highest);
    RECORD_COLUMNS(&r, "bit", "with");
    for (size_t i = 0; i < found->count; i++)
        for (uint64_t bits = found->masks[i]; bits; bits &= bits - 1) {
            record_array(&r, NULL);
            record_number(&r, NULL, __builtin_ctzll(bits));
            record_number(&r, NULL, __builtin_ctzll(found->masks[i]));
            record_close(&r);
        }
    record_close(&r);
    record_send(&r);
}

static void report_undecided(const struct table_address *a, enum reason reason, const char *detail)
{
    struct finding f = a->finding;

    f.reason = reason;
    f.detail = detail;
    report_number(a->p, &f, NAN);
}

void table_address_find(struct probe *p, struct table_lengths l, bool jumps, const struct finding *f)
{
    const bool known = l.longest && l.longest >= l.second + BEHIND_BEARER, smoke = probe_is_smoke(p);
    const unsigned end = smoke || jumps ? BRANCHES_PAGE_BITS : table_address_end(p);
    const uint64_t bits = (UINT64_C(1) << (smoke ? 3 : end)) - emit_alignment;
    enum reason reason = smoke || known ? REASON_NONE : REASON_LENGTHS_UNKNOWN;
    struct table_address a = {.p = p, .finding = *f, .lengths = smoke ? (struct table_lengths){4, 0} : l};
    struct btb_tags found = {.count = 0};
    struct area state;
    const char *why = NULL;

    if (probe_is_simulated(p))
        reason = REASON_TOO_SHORT;
    if (reason || !probe_map(p, &state, sizeof(uint64_t), 0)) {
        report_undecided(&a, reason, NULL);
        return;
    }
    const struct btb_tag_trial trial = {.collide = collide, .context = &a};
    a.branches = (struct table_branches){.places = {.room = &a.room, .jumps = jumps}, .state = state.at};
    why = table_room_map(p, &a.room, end, separates, &a, &reason);
    if (reason) {
        report_undecided(&a, reason, why);
        return;
    }
    if (p->outcome == OUTCOME_OK && btb_tags_find(&trial, bits, &found) && verify(&a, &found)) {
        report_bits(&a, bits, &found);
        send(&a, &found);
    }
    code_block_unmap(&a.room);
}
