#include "lib/structure/width_rates.h"

#include <math.h>

#include "lib/base/reason.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"

/* A rate is a whole number of instructions a cycle if it is this near to one. */
static const double WHOLE = 0.2;
/* Two rates are alike within this part. */
static const double ALIKE = 0.03;
/* One rate is higher than another by this part: less than the tenth that one instruction makes of ten a cycle. */
static const double HIGHER = 0.07;
/*
 * NOPs share entries where SHARED times as many fit as there are entries (two to an entry would be 2), and may share
 * them where they are NOPS_FASTER times as fast as sequences without them.
 */
static const double SHARED = 1.5;
static const double NOPS_FASTER = 1.2;

enum { WITHOUT_NOPS = 3 /* the first without NOPs; later ones have none */, STORES = 4 };

const struct width_kind width_kinds[WIDTH_KINDS] = {
    {"NOPs", "nnnn", .lone = false},
    {"additions", "anan", .lone = false},
    {"vectors", "avan", .lone = false},
    {"loads", "alav", .writes = true},
    {"stores", "alsv", .in_only = true},
    {"zeros", "zzzz", .lone = true, .writes = true},
    {"moves", "mmmm", .lone = true, .writes = true},
};

bool width_nops_share(const struct width_rates *r)
{
    return r->nops_per_entry > SHARED;
}

bool width_is_higher(double rate, double other)
{
    return rate > (1 + HIGHER) * other;
}

static double highest(const double *rates)
{
    double most = 0;

    for (unsigned i = 0; i < WIDTH_KINDS; i++)
        most = fmax(most, rates[i]);
    return most;
}

/* Whether it is not known how many NOPs share an entry; where instructions begin in order there are no entries. */
static bool is_sharing_unknown(const struct width_rates *r)
{
    return isnan(r->nops_per_entry) && !(r->entries < 1);
}

static bool may_share_entries(const struct width_rates *r)
{
    return is_sharing_unknown(r) && !(r->in[WIDTH_NOPS] <= NOPS_FASTER * fmax(r->in[WITHOUT_NOPS], r->in[STORES]));
}

/*
 * Whether NOPs may share entries, since that is not known, and they do not retire as slowly as what has none among it. A
 * kind without a rate of retiring retires as fast as it comes in.
 */
static bool may_share_in_retiring(const struct width_rates *r)
{
    double rates[WIDTH_KINDS];

    for (unsigned i = 0; i < WIDTH_KINDS; i++)
        rates[i] = isnan(r->out[i]) ? r->in[i] : r->out[i];
    return is_sharing_unknown(r) && width_is_higher(rates[WIDTH_NOPS], rates[WITHOUT_NOPS]);
}

static bool is_retiring_no_limit(const struct width_rates *r)
{
    return r->entries < 1 || width_is_higher(highest(r->out), highest(r->in)); /* 0: nothing waits to retire */
}

/* All kinds have one confounder: they are layouts of one experiment. Those below `least` have other limits. */
static void report_rate(struct probe *p, const struct finding *f, const double *rates, double least,
                        const char *confounder)
{
    struct experiment_value v[WIDTH_KINDS];
    size_t used = 0;

    for (unsigned i = 0; i < WIDTH_KINDS; i++) {
        const double nearest = floor(rates[i] + 0.5), whole = fabs(rates[i] - nearest) <= WHOLE ? nearest : (double)NAN;
        if (rates[i] >= least)
            v[used++] = (struct experiment_value){width_kinds[i].name, confounder, whole};
    }
    report_graded_number(p, f, v, used);
}

/* Reports the rate of the fastest kinds, or the reason why it is undecided. */
static void report_renaming(struct probe *p, const char *counted, const double *rates, enum reason reason,
                            const char *method)
{
    const bool cached = facts_number(&p->run->facts, "frontend.op_cache.ops", "", 0) > 0;
    struct finding f = {.name = "backend.rename.per_cycle",
                        .variants = {{"counted", counted}},
                        .value = NAN,
                        .low = NAN,
                        .high = NAN,
                        .grade = 'U',
                        .reason = reason,
                        .method = method};

    if (!cached) /* then all instructions come through the decoders */
        f.limits[0] = (struct finding_limit){"frontend.decode.width", "", 1};
    if (reason)
        report(p, &f);
    else
        report_rate(p, &f, rates, (1 - ALIKE) * highest(rates), "front end");
}

/* Why the rate of writers is not that of renaming: it is lower and only one kind has it, or retiring limits it. */
static enum reason limit_of_writers(const struct width_rates *r)
{
    const double most = highest(r->renamed);
    unsigned alike = 0;

    for (unsigned i = 0; i < WIDTH_KINDS; i++)
        alike += r->renamed[i] >= (1 - ALIKE) * most ? 1 : 0;
    if (most < (1 - HIGHER) * highest(r->in))
        return alike < 2 ? REASON_ONE_KIND_AS_FAST : REASON_NONE;
    return is_retiring_no_limit(r) ? REASON_NONE : REASON_MASKED_BY_RETIRE;
}

/* The same of retiring. Where writers retire as fast as any kind does, as many writers retire. */
static enum reason limit_of_retired_writers(const struct width_rates *r)
{
    double writers[WIDTH_KINDS], others[WIDTH_KINDS];
    unsigned alike = 0;

    for (unsigned i = 0; i < WIDTH_KINDS; i++) {
        writers[i] = width_kinds[i].writes ? r->retired[i] : (double)NAN;
        others[i] = width_kinds[i].writes ? (double)NAN : r->retired[i];
    }
    for (unsigned i = 0; i < WIDTH_KINDS; i++)
        alike += writers[i] >= (1 - ALIKE) * highest(writers) ? 1 : 0;
    return alike < 2 && highest(writers) < (1 - HIGHER) * highest(others) ? REASON_ONE_KIND_AS_FAST : REASON_NONE;
}

/* Of an entry of the reorder buffer, by NOPs that share them. */
static double rate_of_entries(const struct width_rates *r)
{
    return width_nops_share(r) ? r->retired[WIDTH_NOPS] / r->nops_per_entry : highest(r->out);
}

/*
 * Why it is not known how many operations and entries retire. Kinds that share no entry and NOPs, of which it is known
 * how many share one, have to agree: on some cores all kinds share entries, or fewer can retire that write a register, as
 * all do that share none.
 */
static enum reason limit_of_retiring(const struct width_rates *r)
{
    if (r->entries < 1)
        return REASON_IN_ORDER;
    if (may_share_in_retiring(r))
        return REASON_ROB_ENTRIES_UNKNOWN;
    if (isnan(rate_of_entries(r)))
        return REASON_NOT_STEADY;
    return width_is_higher(rate_of_entries(r), highest(r->out)) || width_is_higher(highest(r->out), rate_of_entries(r))
               ? REASON_EXPERIMENTS_DISAGREE
               : REASON_NONE;
}

static void report_retired(struct probe *p, const struct width_rates *r, const char *counted)
{
    const struct finding f = {.name = "backend.retire.per_cycle",
                              .variants = {{"counted", counted}},
                              .reason = limit_of_retiring(r),
                              .method = "the time of instructions that wait behind a chain"};
    double rates[WIDTH_KINDS];

    for (unsigned i = 0; i < WIDTH_KINDS; i++)
        rates[i] = r->out[i];
    if (width_nops_share(r))
        rates[WIDTH_NOPS] = rate_of_entries(r);
    if (f.reason)
        report_number(p, &f, NAN);
    else
        report_rate(p, &f, rates, 0, "fence");
}

static void report_retired_writers(struct probe *p, const struct width_rates *r)
{
    const enum reason reason = r->entries < 1 ? REASON_IN_ORDER : limit_of_retired_writers(r);
    double writers[WIDTH_KINDS];

    for (unsigned i = 0; i < WIDTH_KINDS; i++)
        writers[i] = width_kinds[i].writes && !reason ? r->retired[i] : (double)NAN;
    report_rate(
        p,
        &(struct finding){.name = "backend.retire.per_cycle",
                          .variants = {{"counted", "renames"}},
                          .reason = reason,
                          .method = "the time of instructions that write a register each and wait behind a chain"},
        writers, (1 - ALIKE) * highest(writers), "fence");
}

void width_rates_report(struct probe *p, const struct width_rates *r)
{
    if (may_share_entries(r)) {
        static const char *const names[] = {"backend.rename.per_cycle", "backend.retire.per_cycle"},
                                 *const counted[] = {"operations", "renames", "entries"};
        for (size_t i = 0; i < 5; i++) /* entries are not counted in renaming */
            report_number(p,
                          &(struct finding){.name = names[i % 2 || i == 4],
                                            .variants = {{"counted", counted[i / 2]}},
                                            .reason = REASON_ROB_ENTRIES_UNKNOWN},
                          NAN);
        return;
    }
    report_retired(p, r, "operations");
    report_retired(p, r, "entries");
    report_retired_writers(p, r);
    report_renaming(p, "operations", r->in, is_retiring_no_limit(r) ? REASON_NONE : REASON_MASKED_BY_RETIRE,
                    "the fastest sequences of mixed instructions");
    report_renaming(p, "renames", r->renamed, limit_of_writers(r),
                    "the fastest sequences of instructions that write a register each");
}
