/*
 * Question: which bits of the addresses of taken branches, and of their targets, enter the history by which conditional
 * branches are predicted, which of them are XORed, and how long is that history in bits?
 *
 * Experiment: a bit drawn at random sends execution along one of two paths of taken conditional branches that differ in
 * chosen address bits only; k more taken branches follow, and a branch that goes by the drawn bit
 * (lib/kernels/history_paths.h). It is predicted if, and only if, the two paths have left different histories, as far
 * as the tables see them. The bits that are inverted, alone and in pairs, in one branch and in two that follow each
 * other, give the footprint of a branch and the shift (lib/structure/footprint.h); the last k gives the length.
 *
 * Two controls calibrate time, as in the probe `history`: a branch by another bit of the draw, and one that always goes
 * the same way. There is no curve: paths are distinguished or not, below a tenth of a misprediction or above.
 *
 * What could mislead: two branches whose addresses collide in a branch target buffer are mispredicted, which can be
 * seen behind them (Zen 4: bits 18 and 30 inverted together). So paths must differ with each of two high bits that
 * separate their code, of which neither must show by itself.
 *
 * Inference is verified by random trials: whether their paths can be distinguished is predicted from the footprint.
 *
 * Bits are numbered as they are shifted in. Chains of equal length are lanes of one register; which lane comes first
 * cannot be seen. A bit is taken to enter one place only, as on all published cores. Branches of which only that they
 * were taken enters may reach farther: frontend.history.branches.
 *
 * Sources: Yavarzadeh et al. 2023 (Half&Half); Chen 2024 for Apple's, Arm's and Qualcomm's cores; router, carries,
 * separating bits and time instead of counters are ours. docs/METHODS.md, 5.13.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/random.h"
#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/kernels/history_paths.h"
#include "lib/plan/facts.h"
#include "lib/probe/probe.h"
#include "lib/probe/table.h"
#include "lib/structure/footprint.h"
#include "lib/structure/footprint_report.h"
#include "lib/structure/history_end.h"

enum {
    LIMIT = 640,         /* branches behind those that differ; Zen 4 spans 540 */
    SMOKE_LIMIT = 16,    /* in the profile smoke */
    SEPARATE_TRIALS = 4, /* that must not distinguish paths which differ in a separating bit only, … */
    SEPARATE_BEHIND = 8, /* … with that many branches behind them */
    ATTEMPTS = 8,        /* at a sample that is disturbed */
    LAYOUTS = 8          /* of an attempt, while its controls are not apart */
};

/* Highest address bits of the block, in the order in which they are tried: separating bits must not enter. */
static const unsigned highest_bits[] = {30, 33, 24};

struct path_experiment {
    struct probe *p;
    struct history_paths paths;
    uint64_t iterations[HISTORY_PROBES]; /* of a reading */
    bool separates[PATH_SEPARATORS];     /* separating bits that do not enter the history */
    uint64_t layouts;                    /* from which the layout of each attempt is drawn */
    unsigned samples, unmeasured;        /* unmeasured: trials without a result in any layout */
};

/* ---- One trial ------------------------------------------------------------------------------------ */

/* Mispredictions of the last branch in an iteration; NaN where the controls are not apart, or all is disturbed. */
static bool measure(struct path_experiment *e, double *missed)
{
    double cycles[HISTORY_PROBES];

    for (enum history_probe goes = 0; goes < HISTORY_PROBES; goes++) {
        struct kernel k;
        cycles[goes] = NAN;
        for (unsigned i = 0; i < probe_smoke(e->p, 1, ATTEMPTS) && isnan(cycles[goes]); i++)
            if (!history_paths_build(e->p, &e->paths, goes, &k) ||
                !probe_quick_sample(e->p, &k, &e->iterations[goes], &cycles[goes]))
                return false;
    }
    e->samples++;
    const double zero = cycles[HISTORY_CONSTANT], half = cycles[HISTORY_OTHER_BIT] - zero;
    *missed = half > HISTORY_HALF_LEAST ? 0.5 * (cycles[HISTORY_SAME_BIT] - zero) / half : (double)NAN;
    return true;
}

/*
 * Whether paths can be distinguished with every separating bit. Where the controls are not apart in a layout, another
 * one is taken: that says nothing of the paths. Paths without code (out of reach) count as different.
 */
static bool distinguish(void *context, const struct footprint_trial *t, unsigned attempt, bool *apart)
{
    struct path_experiment *e = context;

    *apart = true;
    for (unsigned i = 0; i < PATH_SEPARATORS && *apart; i++) {
        uint64_t random = e->layouts + attempt;
        double missed = NAN;
        e->paths.trial = *t;
        e->paths.separator = i;
        if (!e->separates[i] || !history_paths_reach(&e->paths))
            continue;
        for (unsigned n = 0; n < probe_smoke(e->p, 1, LAYOUTS) && isnan(missed); n++) {
            e->paths.layout = random_next(&random);
            if (!measure(e, &missed))
                return false;
        }
        e->unmeasured += isnan(missed) ? 1 : 0;
        *apart = missed < HISTORY_PREDICTED;
    }
    return true;
}

/* Finds the separating bits that do not enter, and how many these are. False: the probe has ended. */
static bool find_separating(struct path_experiment *e, unsigned *count)
{
    bool found[PATH_SEPARATORS];

    *count = 0;
    for (unsigned i = 0; i < PATH_SEPARATORS; i++) {
        bool apart = false;
        for (unsigned k = 0; k < PATH_SEPARATORS; k++)
            e->separates[k] = k == i;
        for (unsigned k = 0; k < probe_smoke(e->p, 1, SEPARATE_TRIALS) && !apart; k++)
            if (!distinguish(e, &(struct footprint_trial){.count = 1, .behind = SEPARATE_BEHIND}, k, &apart))
                return false;
        found[i] = !apart;
        *count += !apart;
    }
    memcpy(e->separates, found, sizeof found);
    return true;
}

/* ---- Reports -------------------------------------------------------------------------------------- */

static void report_undecided(struct probe *p, enum reason reason, const char *detail)
{
    static const char *const names[] = {"frontend.history.bits", "frontend.history.shift", "frontend.history.footprint",
                                        "frontend.history.inputs"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        report_number(p, &(struct finding){.name = names[i], .reason = reason, .detail = detail}, NAN);
}

/* One row for each group: what the formulas were made from. */
static void send_groups(const struct probe *p, const struct footprint *f, const struct path_experiment *e,
                        const struct footprint_request *q)
{
    struct record r;

    record_table(p, &r, "groups");
    record_number(&r, "trials", f->calls);
    record_number(&r, "samples", e->samples);
    record_number(&r, "checked", f->checked);
    record_number(&r, "missed", f->missed);
    record_number(&r, "highest_bit", 63 - __builtin_clzll(q->targets));
    RECORD_COLUMNS(&r, "chain", "place", "branches", "formula");
    for (size_t i = 0; i < f->group_count; i++) {
        char formula[FOOTPRINT_TEXT];
        footprint_text(&f->groups[i].bits, formula);
        record_array(&r, NULL);
        record_number(&r, NULL, (double)f->groups[i].chain);
        record_number(&r, NULL, (double)f->groups[i].place);
        record_number(&r, NULL, f->branches[f->groups[i].chain]);
        record_text(&r, NULL, formula);
        record_close(&r);
    }
    record_close(&r);
    record_send(&r);
}

/* ---- The probe ------------------------------------------------------------------------------------ */

/* Maps a block whose separating bits, one at least, do not enter. NULL, or why not; *reason where none separates. */
static const char *find_room(struct path_experiment *e, struct code_block *room, enum reason *reason)
{
    const char *why = NULL;
    unsigned separating = 0;

    for (size_t i = probe_is_smoke(e->p) ? 2 : 0; i < sizeof highest_bits / sizeof *highest_bits; i++) {
        why = path_room_map(room, highest_bits[i]);
        if (!why && (!find_separating(e, &separating) || separating))
            return NULL;
        code_block_unmap(room);
    }
    *reason = why ? REASON_PLATFORM : REASON_NO_FREE_BIT;
    return why;
}

static void run(struct probe *p)
{
    const struct fact *indirect = facts_find(&p->run->facts, "frontend.history.branches", "kind=indirect");
    struct area state;
    struct code_block room;
    struct footprint f;
    enum reason reason = REASON_NONE;

    if (!indirect && !probe_is_smoke(p)) {
        report_undecided(p, REASON_KINDS_UNKNOWN, NULL);
        return;
    }
    if (!probe_map(p, &state, sizeof(uint64_t), 0))
        return;
    const bool every = !indirect || indirect->value > 0;
    struct path_experiment e = {
        .p = p, .paths = {.room = &room, .state = state.at, .indirect = every}, .layouts = random_next(&p->random)};
    const char *why = find_room(&e, &room, &reason);
    if (reason) {
        report_undecided(p, reason, why);
        return;
    }
    const uint64_t every_bit = (UINT64_C(1) << (room.highest + 1 - PATH_SEPARATORS)) - emit_alignment;
    const uint64_t bits = probe_is_smoke(p) ? emit_alignment : every_bit; /* in the profile smoke the lowest one */
    const struct footprint_request q = {.sources = history_paths_reached(&e.paths, bits, true),
                                        .targets = history_paths_reached(&e.paths, bits, false),
                                        .joint = every ? PATH_PAGE_BITS : FOOTPRINT_ADDRESS_BITS,
                                        .added = every,
                                        .least_between = every ? 2 : 0,
                                        .limit = (unsigned)probe_smoke(p, SMOKE_LIMIT, LIMIT),
                                        .checks = (unsigned)probe_scale(p, 4, 200, 400, 1000),
                                        .random = &p->random,
                                        .distinguish = distinguish,
                                        .context = &e};
    if (p->outcome == OUTCOME_OK && footprint_find(&q, &f)) {
        if (probe_is_smoke(p))
            f.reason = REASON_TOO_SHORT;
        else if (e.unmeasured && !f.reason)
            f.reason = REASON_NOISE;
        if (f.reason)
            report_undecided(p, f.reason, NULL);
        else
            footprint_report(p, &f);
        send_groups(p, &f, &e, &q);
    }
    code_block_unmap(&room);
}

PROBE(footprint, .title = "Branch history, bit by bit", .family = "frontend", .run = run, .after = "history",
      .wants = NEEDS("frontend.history.branches kind=indirect"),
      .findings = FINDINGS(
          {"frontend.history.bits", "bits", "length of the history of addresses and targets"},
          {"frontend.history.shift", "bits", "bits that the history is shifted for each branch"},
          {"frontend.history.footprint", "formula",
           "address bits (B: of the branch, T: of its target) that are XORed in that bit of a branch's footprint"},
          {"frontend.history.inputs", "bits",
           "address bits from bit 0 up to the highest one that enters the history"}));
