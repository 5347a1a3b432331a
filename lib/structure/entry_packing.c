#include "lib/structure/entry_packing.h"

#include <math.h>
#include <stdio.h>

#include "lib/probe/probe.h"
#include "lib/structure/inflight_group.h"
#include "lib/structure/tolerances_inflight.h"

enum {
    DILUTIONS = 3,   /* sequences that must agree, and instructions of an entry at least */
    KINDS_AGREE = 3, /* kinds alone that must end alike */
};

/* ---- One sequence --------------------------------------------------------------------------------- */

bool packing_measure_groups(struct probe *p, const struct inflight *l, struct packing_found *f)
{
    const double about = inflight_fitted(f->result, FILLER_NOTHING) - PACKING_LONG_OPS_HOLD;

    if (!inflight_group_shifts(p, l, f->sequence->fillers, about, f->shifts))
        return false;
    f->teeth = sawtooth_fit(f->shifts, INFLIGHT_SHIFTS);
    f->worn = f->teeth.period ? 0 : sawtooth_blurred_period(f->shifts, INFLIGHT_SHIFTS);
    snprintf(f->name, sizeof f->name, "%s, groups, %s", f->sequence->name, long_op_names[LONG_OP_MISS]);
    if (!f->teeth.period)
        return true;
    const struct knee top = {.value = f->teeth.top, .low = f->teeth.top, .high = f->teeth.top + 1, .agreed = true};
    f->top = (struct verdict){.count = 1, .knees = {top}};
    f->shifted = (struct experiment){
        .name = f->name, .confounder = f->sequence->confounder, .verdict = &f->top, .holds = PACKING_LONG_OPS_HOLD};
    return true;
}

size_t packing_experiments(const struct packing_found *f, bool possible, struct experiment e[LONG_OPS])
{
    const struct inflight_result *a = f->result;
    size_t count = 0;

    for (int misses_only = possible; misses_only >= 0 && count == 0; misses_only--)
        for (size_t i = 0; i < a->count; i++) {
            const struct verdict *v = a->experiments[i].verdict;
            if (!misses_only || (a->runs[i].first == LONG_OP_MISS && !v->reason && v->count && v->knees[0].agreed))
                e[count++] = a->experiments[i];
        }
    return count;
}

/* The smallest number of instructions in flight by any kind of operation, from its curve alone; 0: none has a knee. */
static double smallest_end(const struct packing_found *f)
{
    double least = INFINITY;

    for (size_t i = 0; i < f->result->count; i++) {
        const struct verdict *v = f->result->experiments[i].verdict;
        if (!v->reason && v->count)
            least = fmin(least, v->knees[0].value + f->result->experiments[i].holds);
    }
    return isinf(least) ? 0 : least;
}

/* ---- Groups --------------------------------------------------------------------------------------- */

size_t packing_groups(const struct packing_found all[PACKING_SEQUENCES], double alone,
                      struct experiment_value v[PACKING_SEQUENCES])
{
    size_t count = 0;

    for (size_t i = 0; i < PACKING_SEQUENCES; i++) {
        struct experiment e[LONG_OPS];
        const unsigned period = all[i].teeth.period ? all[i].teeth.period : all[i].worn;
        const struct graded ends = grade_capacity(e, packing_experiments(&all[i], true, e), 1);
        if (period && (isnan(alone) || (ends.grade != 'U' && inflight_same(ends.value, alone))))
            v[count++] = (struct experiment_value){all[i].name, long_op_names[LONG_OP_MISS], period};
    }
    return count;
}

/* The sequences are layouts of one experiment: all must have the same period. */
double packing_group(const struct packing_found all[PACKING_SEQUENCES], double alone)
{
    struct experiment_value v[PACKING_SEQUENCES];
    const size_t count = packing_groups(all, alone, v);
    const struct graded r = grade_number(v, count);

    return count && r.grade != 'U' ? r.value : (double)NAN;
}

/* Some sequence of NOPs is a whole sawtooth of more than one instruction. */
static bool are_groups_seen(const struct packing_found all[PACKING_SEQUENCES])
{
    for (size_t i = 0; i < PACKING_SEQUENCES; i++)
        if (all[i].sequence->use == PACKING_NOPS && all[i].teeth.period > 1)
            return true;
    return false;
}

/* ---- Sequences of one use ------------------------------------------------------------------------- */

/* The experiments of one use on the number of entries; of NOPs, where some show groups, only the tops of teeth. */
static size_t experiments_of_use(const struct packing_found all[PACKING_SEQUENCES], enum packing_use use,
                                 struct experiment *e)
{
    size_t count = 0;

    for (size_t i = 0; i < PACKING_SEQUENCES; i++) {
        const struct packing_sequence *s = all[i].sequence;
        const bool teeth = all[i].teeth.period > 1;
        if (s->use != use || (use == PACKING_NOPS && are_groups_seen(all) && !teeth))
            continue;
        for (size_t k = 0; k < (teeth ? 1 : all[i].result->count); k++) {
            if (use == PACKING_DILUTED && all[i].result->runs[k].first != LONG_OP_MISS)
                continue; /* it is not known how the operations of chains share entries */
            e[count] = teeth ? all[i].shifted : all[i].result->experiments[k];
            e[count].scale = s->every ? 1.0 / s->every : 1;
            e[count++].confounder = s->confounder;
        }
    }
    return count;
}

static struct graded grade_use(const struct packing_found all[PACKING_SEQUENCES], enum packing_use use)
{
    struct experiment e[PACKING_SEQUENCES * LONG_OPS];

    return grade_capacity(e, experiments_of_use(all, use, e), 1);
}

/* Whether as many instructions fit as NOPs, to within the group that only NOPs resolve. */
static bool fit_as_many(const struct graded *r, const struct graded *nops, double group)
{
    return inflight_same(r->value, nops->value) ||
           (group > 1 && r->value <= nops->value && nops->value <= r->high + group);
}

bool packing_is_possible(const struct packing_found all[PACKING_SEQUENCES])
{
    const struct graded nops = grade_use(all, PACKING_NOPS), pairs = grade_use(all, PACKING_PAIRS);

    return pairs.grade == 'U' || nops.grade == 'U' || !fit_as_many(&pairs, &nops, packing_group(all, (double)NAN));
}

/* ---- Three ways ----------------------------------------------------------------------------------- */

static struct packing decide_by_mixtures(const struct packing_found all[PACKING_SEQUENCES])
{
    const bool groups = are_groups_seen(all);
    const double group = packing_group(all, (double)NAN);
    struct packing w = {.method = "instructions in flight, mixtures and NOPs",
                        .group = groups ? 1 : group,
                        .per_entry = (double)NAN,
                        .alone = (double)NAN};
    const struct graded mixtures = grade_use(all, PACKING_MIXTURE), nops = grade_use(all, PACKING_NOPS);

    if (!groups) /* where groups are seen, only NOPs determine the number to one instruction */
        w.count = experiments_of_use(all, PACKING_MIXTURE, w.experiments);
    w.count += experiments_of_use(all, PACKING_NOPS, &w.experiments[w.count]);
    if (w.count == 0)
        w.reason = REASON_NO_OVERLAP;
    else if (nops.grade == 'U')
        w.reason = nops.reason;
    else if (mixtures.grade == 'U' || packing_is_possible(all))
        w.reason = REASON_PACKING_UNKNOWN;
    else if (!fit_as_many(&mixtures, &nops, group))
        w.reason = REASON_EXPERIMENTS_DISAGREE;
    return w;
}

static struct packing decide_by_dilution(const struct packing_found all[PACKING_SEQUENCES])
{
    struct packing w = {.method = "one memory access in every two, three and four instructions",
                        .reason = REASON_PACKING_UNKNOWN,
                        .group = 1,
                        .alone = (double)NAN};
    const struct graded nops = grade_use(all, PACKING_NOPS);

    w.count = experiments_of_use(all, PACKING_DILUTED, w.experiments);
    const struct graded entries = grade_capacity(w.experiments, w.count, 1);
    const double each = nops.value / entries.value;
    w.per_entry = floor(each + 0.5);
    /* one sequence by itself may show what a queue holds */
    if (nops.grade != 'U' && packing_is_possible(all) && entries.grade != 'U' && entries.agreeing >= DILUTIONS &&
        entries.against == 0 && w.per_entry >= DILUTIONS && fabs(each - w.per_entry) <= WHOLE_PER_ENTRY * w.per_entry)
        w.reason = REASON_NONE;
    return w;
}

static struct packing decide_by_kinds(const struct packing_found all[PACKING_SEQUENCES])
{
    struct packing w = {.method = "single kinds of instructions, which share no entry with their own kind",
                        .reason = REASON_PACKING_UNKNOWN,
                        .per_entry = (double)NAN};
    double ends[PACKING_SEQUENCES], least = INFINITY, most = 0, writers_end = (double)NAN;
    size_t kinds = 0;

    for (size_t i = 0; i < PACKING_SEQUENCES; i++) {
        const enum packing_use use = all[i].sequence->use;
        const struct graded r = grade_capacity(w.experiments, packing_experiments(&all[i], true, w.experiments), 1);
        const double end = r.grade == 'U' ? (double)NAN : r.value;
        ends[i] = (double)NAN;
        if (use == PACKING_KIND || use == PACKING_KIND_WRITING || use == PACKING_NOPS) {
            ends[i] = end;
            least = fmin(least, end);
            most = fmax(most, smallest_end(&all[i]));
        } else if (use == PACKING_WRITERS) {
            writers_end = end;
        }
    }
    for (size_t i = 0; i < PACKING_SEQUENCES; i++)
        if (!isnan(ends[i]) && inflight_same(ends[i], least)) {
            const size_t first = w.count;
            w.count += packing_experiments(&all[i], true, &w.experiments[first]);
            for (size_t k = first; k < w.count; k++)
                w.experiments[k].confounder = all[i].sequence->confounder;
            /* a kind that ends where the writers do may have been limited by renames in flight */
            kinds += all[i].sequence->use != PACKING_KIND_WRITING || !inflight_same(writers_end, least);
        }
    w.alone = least;
    w.group = packing_group(all, least);
    if (packing_is_possible(all) && kinds >= KINDS_AGREE && most >= PACKED_RATIO * least)
        w.reason = REASON_NONE;
    return w;
}

struct packing packing_decide(const struct packing_found all[PACKING_SEQUENCES])
{
    static struct packing (*const others[])(const struct packing_found[PACKING_SEQUENCES]) = {decide_by_dilution,
                                                                                              decide_by_kinds};
    const struct packing first = decide_by_mixtures(all);
    struct packing w = first;

    for (size_t i = 0; w.reason && i < sizeof others / sizeof others[0]; i++)
        w = others[i](all);
    return w.reason ? first : w;
}
