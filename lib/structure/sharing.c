#include "lib/structure/sharing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/record.h"
#include "lib/finding/report.h"
#include "lib/probe/table.h"
#include "lib/structure/inflight_repeat.h"
#include "lib/structure/inflight_search.h"
#include "lib/structure/tolerances_inflight.h"

enum { TRIES = 6 /* of one count, at most */, CONTROLS = 2 };

/* ---- One count ------------------------------------------------------------------------------------ */

/*
 * How often something is measured that is done so many times at most: on a simulated core another time shows the same.
 */
static unsigned times(const struct probe *p, unsigned most)
{
    return (unsigned)probe_smoke(p, 1, probe_simulated(p, 1, most));
}

/* Whether a second count confirms this one. */
static bool is_as_large(double count, double second)
{
    return second >= count - ALIKE_COUNTS * count - ALIKE_COUNTS_MORE;
}

/* Behind other fillers groups begin at other instructions, and each group enters when there is room for all of it. */
bool sharing_all_fit(double group, double alone, double behind)
{
    const double cut = group > 1 ? group - 1 : 0;

    return behind >= alone - fmin(ALIKE_COUNTS * alone + ALIKE_COUNTS_MORE + cut, ALL_OFF * alone);
}

bool sharing_count(struct probe *p, const struct inflight_experiment *e, double about, double *count)
{
    double one, second = (double)NAN;

    *count = (double)NAN;
    for (unsigned i = 0; i < times(p, TRIES); i++) {
        if (!inflight_count(p, e, about, &one))
            return false;
        if (isnan(one))
            continue;
        if (!isnan(*count))
            second = fmax(second, fmin(*count, one));
        *count = fmax(*count, one);
        if (is_as_large(*count, second))
            return true;
    }
    *count = isnan(second) ? *count : second;
    return true;
}

bool sharing_control(struct probe *p, const struct inflight_experiment *e, double count, bool *common_limit)
{
    const double beyond = ceil(count * (1 + ALIKE_COUNTS) + ALIKE_COUNTS_MORE),
                 below = floor(count * (1 - ALIKE_COUNTS) - ALIKE_COUNTS_MORE);
    struct inflight_experiment ready = *e;
    double fast, slow, without_waiting;

    ready.ready = true;
    for (unsigned i = 0; i < times(p, CONTROLS); i++) {
        if (!inflight_cycles(p, e, fmax(below, 1), &fast) || !inflight_cycles(p, e, beyond, &slow) ||
            !inflight_cycles(p, &ready, beyond, &without_waiting))
            return false;
        *common_limit = *common_limit || !(without_waiting < (fast + slow) / 2);
    }
    return true;
}

/* The same behind half of another class; where all fit that fit alone there is no edge to ask at. */
static bool check_common_limit(struct probe *p, const struct inflight_experiment *e, double group, double alone,
                               double behind, bool *common_limit)
{
    return !e->waits || isnan(behind) || sharing_all_fit(group, alone, behind) ||
           sharing_control(p, e, behind, common_limit);
}

/* ---- One trial ------------------------------------------------------------------------------------ */

/* How many of that filler fit alone by the same operations, if an earlier element has measured it; else NaN. */
static double measured_before(const struct sharing *all, size_t index, const char *filler,
                              const struct sharing_trial *trial)
{
    for (size_t i = 0; i < index; i++)
        for (size_t t = 0; t < all[i].count; t++)
            if (all[i].trials[t].first == trial->first && all[i].trials[t].second == trial->second &&
                all[i].waits == all[index].waits) {
                if (!strcmp(all[i].a, filler))
                    return all[i].trials[t].alone[0];
                if (!strcmp(all[i].b, filler))
                    return all[i].trials[t].alone[1];
            }
    return (double)NAN;
}

/* `again`: what fits alone is measured too, and the larger of that and the count so far is taken. */
static bool measure_trial(struct probe *p, const struct inflight *l, const struct sharing *all, size_t index,
                          bool again, struct sharing_trial *t)
{
    const char *const names[2][INFLIGHT_KINDS] = {{all[index].a}, {all[index].b}};
    struct inflight_experiment e = {.inflight = l, .first = t->first, .second = t->second, .waits = all[index].waits};

    for (unsigned i = 0; i < 2; i++) {
        t->behind[i] = (double)NAN;
        const double before = again ? t->alone[i] : measured_before(all, index, names[i][0], t);
        t->alone[i] = (double)NAN;
        if ((again || isnan(before)) && inflight_choose_fillers(&e, names[i]) &&
            !sharing_count(p, &e, all[index].about[i], &t->alone[i]))
            return false;
        t->alone[i] = fmax(t->alone[i], before);
    }
    for (unsigned i = 0; i < 2; i++) {
        if (!inflight_choose_fillers(&e, names[i]))
            return true;
        e.head = inflight_filler(names[!i][0]);
        e.head_count = isnan(t->alone[!i]) ? 0 : (unsigned)(t->alone[!i] / 2);
        if (e.head_count && (!sharing_count(p, &e, t->alone[i], &t->behind[i]) ||
                             !check_common_limit(p, &e, all[index].group, t->alone[i], t->behind[i], &t->common_limit)))
            return false;
    }
    return true;
}

/* ---- All trials together -------------------------------------------------------------------------- */

enum relation { RELATION_UNKNOWN, RELATION_SEPARATE, RELATION_SHARED, RELATION_OVERLAPPING, RELATION_FEWER };

static enum relation relation_of(double group, double alone, double behind)
{
    if (isnan(alone) || isnan(behind))
        return RELATION_UNKNOWN;
    if (sharing_all_fit(group, alone, behind))
        return RELATION_SEPARATE;
    if (fabs(behind - alone / 2) <= HALF_OFF * alone)
        return RELATION_SHARED;
    return behind > alone / 2 ? RELATION_OVERLAPPING : RELATION_FEWER;
}

static void decide_sharing(const struct inflight *l, struct sharing *s)
{
    static const char *const texts[] = {NULL, "separate", "shared", "overlapping", NULL}; /* by enum relation */
    enum relation relation = RELATION_UNKNOWN;
    size_t trials = 0;

    if (s->count)
        s->reason = REASON_NO_KNEE;
    else if (!s->reason)
        s->reason = REASON_NO_OVERLAP;
    for (size_t i = 0; i < s->count; i++) {
        const struct sharing_trial *t = &s->trials[i];
        const enum relation of_a = relation_of(s->group, t->alone[0], t->behind[0]),
                            of_b = relation_of(s->group, t->alone[1], t->behind[1]);
        if (t->common_limit)
            s->reason = REASON_MASKED_BY_COMMON_LIMIT;
        if (t->common_limit || of_a == RELATION_UNKNOWN || of_b == RELATION_UNKNOWN)
            continue;
        if (of_a != of_b || (relation && of_a != relation)) {
            s->reason = REASON_EXPERIMENTS_DISAGREE;
            s->in_flight = 0;
            return;
        }
        relation = of_a;
        trials++;
        /* all steps of a chain may have retired before the edge */
        const double steps = fmax(l->steps[t->first], l->steps[t->second]);
        const double both = fmax(floor(t->alone[0] / 2) + t->behind[1], floor(t->alone[1] / 2) + t->behind[0]) - steps;
        s->in_flight = trials == 1 ? both : fmin(s->in_flight, both);
    }
    s->text = texts[relation];
    s->grade = trials > 1 ? 'B' : 'C';
    s->reason = s->text ? REASON_NONE : relation == RELATION_FEWER ? REASON_AMBIGUOUS : s->reason;
}

bool sharing_find(struct probe *p, const struct inflight *l, struct sharing *all, size_t index)
{
    struct sharing *s = &all[index];
    size_t used = 0;

    s->text = NULL;
    s->reason = REASON_NONE;
    s->in_flight = 0;
    for (size_t i = 0; i < s->count; i++) {
        const enum reason first = l->unusable[s->trials[i].first], second = l->unusable[s->trials[i].second];
        if (!first && !second)
            s->trials[used++] = s->trials[i];
        else
            s->reason = first ? first : second;
    }
    s->count = used;
    for (size_t i = 0; i < s->count; i++)
        if (!measure_trial(p, l, all, index, false, &s->trials[i]))
            return false;
    decide_sharing(l, s);
    return true;
}

bool sharing_find_again(struct probe *p, const struct inflight *l, struct sharing *all, size_t index)
{
    struct sharing *s = &all[index];

    for (size_t i = 0; i < s->count; i++) {
        struct sharing_trial *t = &s->trials[i], now = *t;
        now.common_limit = false;
        if (!measure_trial(p, l, all, index, true, &now))
            return false;
        for (unsigned k = 0; k < 2; k++) {
            t->alone[k] = now.alone[k];
            t->behind[k] = fmax(t->behind[k], now.behind[k]);
        }
        t->common_limit = t->common_limit && now.common_limit;
    }
    decide_sharing(l, s);
    return true;
}

bool sharing_find_all(struct probe *p, const struct inflight *l, struct sharing *all, size_t count,
                      bool (*is_final)(const struct sharing *all, size_t index))
{
    for (size_t i = 0; i < count; i++)
        if (all[i].count && !sharing_find(p, l, all, i))
            return false;
    for (unsigned n = 0; n < times(p, INFLIGHT_REPEATS + 1) - 1; n++)
        for (size_t i = 0; i < count; i++)
            if (!is_final(all, i) && !sharing_find_again(p, l, all, i))
                return false;
    return true;
}

double sharing_alone(const struct sharing *all, size_t count, const char *filler, enum long_op kind)
{
    double most = (double)NAN;

    for (size_t i = 0; i < count; i++)
        for (size_t t = 0; t < all[i].count; t++)
            if (all[i].trials[t].first == kind && all[i].trials[t].second == kind && !all[i].waits) {
                if (!strcmp(all[i].a, filler))
                    most = fmax(most, all[i].trials[t].alone[0]);
                if (!strcmp(all[i].b, filler))
                    most = fmax(most, all[i].trials[t].alone[1]);
            }
    return most;
}

void sharing_report(struct probe *p, const char *name, const char *class_a, const char *class_b,
                    const struct sharing *s)
{
    char pair[48];

    snprintf(pair, sizeof pair, "%s and %s", class_a, class_b);
    report(p, &(struct finding){.name = name,
                                .variants = {{"pair", pair}},
                                .value = (double)NAN,
                                .low = (double)NAN,
                                .high = (double)NAN,
                                .text = s->text,
                                .grade = s->text ? s->grade : 'U',
                                .reason = s->text ? REASON_NONE : s->reason,
                                .method = "half as many of one class as fit, and then the other class"});
}

void sharing_send(struct probe *p, const struct sharing *all, size_t count)
{
    struct record r;
    char text[64];

    record_table(p, &r, "sharing");
    RECORD_COLUMNS(&r, "pair", "long_operations", "a_alone", "b_alone", "a_behind_half_b", "b_behind_half_a");
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < all[i].count; k++) {
            const struct sharing_trial *t = &all[i].trials[k];
            record_array(&r, NULL);
            snprintf(text, sizeof text, "%s and %s", all[i].a, all[i].b);
            record_text(&r, NULL, text);
            snprintf(text, sizeof text, "%s and %s", long_op_names[t->first], long_op_names[t->second]);
            record_text(&r, NULL, text);
            record_number(&r, NULL, t->alone[0]);
            record_number(&r, NULL, t->alone[1]);
            record_number(&r, NULL, t->behind[0]);
            record_number(&r, NULL, t->behind[1]);
            record_close(&r);
        }
    record_close(&r);
    record_send(&r);
}
