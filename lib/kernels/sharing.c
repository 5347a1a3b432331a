#include "lib/kernels/sharing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/table.h"

/* What is no edge, but half way up, differs by so much, and by as many fillers. */
static const double ALIKE = 0.03, FEW = 3;
/* Of what fits alone: so far from half of it is no half of it any more, and from all of it not all. */
static const double OFF_HALF = 0.1, OFF_ALL = 0.25;
enum { TRIES = 6, CONTROLS = 2 };

const char sharing_held[] = "masked-by:what else they hold";

/* How many fit of that one alone, where it was asked before. NaN: it was not. */
static double known(const struct sharing *all, size_t index, const char *filler, const struct sharing_way *way)
{
    for (size_t i = 0; i < index; i++)
        for (size_t w = 0; w < all[i].count; w++)
            if (all[i].ways[w].first == way->first && all[i].ways[w].second == way->second &&
                all[i].waits == all[index].waits) {
                if (!strcmp(all[i].a, filler))
                    return all[i].ways[w].alone[0];
                if (!strcmp(all[i].b, filler))
                    return all[i].ways[w].alone[1];
            }
    return (double)NAN;
}

/* Whether another number is as large, for one row of fillers. */
static bool is_as_large(double fits, double other)
{
    return other >= fits - ALIKE * fits - FEW;
}

/* Behind others groups begin with other fillers, and each is taken in when there is room for all of it. */
bool sharing_fits_all(double group, double alone, double elsewhere)
{
    const double cut = group > 1 ? group - 1 : 0;

    return elsewhere >= alone - fmin(ALIKE * alone + FEW + cut, OFF_ALL * alone);
}

/*
 * Behind the edge as many must fit that do not wait; if they do not, it is something else that both hold. *held
 * then. Where all fit that fit alone there is no such edge.
 */
static bool control(struct probe *p, const struct lookahead_row *r, double group, double alone, double *behind,
                    bool *held)
{
    const double beyond = ceil(*behind * (1 + ALIKE) + FEW), within = floor(*behind * (1 - ALIKE) - FEW);
    struct lookahead_row ready = *r;
    double fast, slow, not ;

    if (!r->waits || isnan(*behind) || sharing_fits_all(group, alone, *behind))
        return true;
    ready.ready = true;
    for (unsigned i = 0; i < (unsigned)probe_smoke(p, 1, CONTROLS); i++) {
        if (!lookahead_cycles(p, r, fmax(within, 1), &fast) || !lookahead_cycles(p, r, beyond, &slow) ||
            !lookahead_cycles(p, &ready, beyond, &not ))
            return false;
        *held = *held || !(not < (fast + slow) / 2);
    }
    return true;
}

/*
 * How many fit, the most that was seen twice: another hardware thread of the core, awake for a while, has entries and
 * registers of its own, and what it has is missing here; and one miss that takes longer can make one number too large.
 */
static bool most_of(struct probe *p, const struct lookahead_row *r, double about, double *fits)
{
    double one, second = (double)NAN;

    *fits = (double)NAN;
    for (unsigned i = 0; i < (unsigned)probe_smoke(p, 1, TRIES); i++) {
        if (!lookahead_most(p, r, about, &one))
            return false;
        if (isnan(one))
            continue;
        if (!isnan(*fits))
            second = fmax(second, fmin(*fits, one));
        *fits = fmax(*fits, one);
        if (is_as_large(*fits, second))
            return true;
    }
    *fits = isnan(second) ? *fits : second;
    return true;
}

/* `anew`: what fits alone, too, the most of that and what it is. */
static bool measure(struct probe *p, const struct lookahead *l, const struct sharing *all, size_t index, bool anew,
                    struct sharing_way *w)
{
    const char *const names[2][LOOKAHEAD_MIX] = {{all[index].a}, {all[index].b}};
    struct lookahead_row r = {.with = l, .blocker = w->first, .second = w->second, .waits = all[index].waits};

    for (unsigned i = 0; i < 2; i++) {
        w->behind[i] = (double)NAN;
        const double before = anew ? w->alone[i] : known(all, index, names[i][0], w);
        w->alone[i] = (double)NAN;
        if ((anew || isnan(before)) && lookahead_choose(&r, names[i]) &&
            !most_of(p, &r, all[index].about[i], &w->alone[i]))
            return false;
        w->alone[i] = fmax(w->alone[i], before);
    }
    for (unsigned i = 0; i < 2; i++) {
        if (!lookahead_choose(&r, names[i]))
            return true;
        r.head = lookahead_filler(names[!i][0]);
        r.head_count = isnan(w->alone[!i]) ? 0 : (unsigned)(w->alone[!i] / 2);
        if (r.head_count && (!most_of(p, &r, w->alone[i], &w->behind[i]) ||
                             !control(p, &r, all[index].group, w->alone[i], &w->behind[i], &w->held)))
            return false;
    }
    return true;
}

enum told { TOLD_NOT, TOLD_SEPARATE, TOLD_SHARED, TOLD_BETWEEN, TOLD_FEWER };

static enum told tell(double group, double alone, double behind)
{
    if (isnan(alone) || isnan(behind))
        return TOLD_NOT;
    if (sharing_fits_all(group, alone, behind))
        return TOLD_SEPARATE;
    if (fabs(behind - alone / 2) <= OFF_HALF * alone)
        return TOLD_SHARED;
    return behind > alone / 2 ? TOLD_BETWEEN : TOLD_FEWER;
}

static void decide(const struct lookahead *l, struct sharing *s)
{
    static const char *const texts[] = {NULL, "separate", "shared", "overlapping", NULL};
    enum told told = TOLD_NOT;
    size_t ways = 0;

    s->reason = s->count ? "no-knee" : "blockers-do-not-overlap";
    for (size_t i = 0; i < s->count; i++) {
        const struct sharing_way *w = &s->ways[i];
        const enum told one = tell(s->group, w->alone[0], w->behind[0]),
                        other = tell(s->group, w->alone[1], w->behind[1]);
        if (w->held)
            s->reason = sharing_held;
        if (w->held || one == TOLD_NOT || other == TOLD_NOT)
            continue;
        if (one != other || (told && one != told)) {
            s->reason = "experiments-disagree";
            s->seen = 0;
            return;
        }
        told = one;
        ways++;
        /* more of a chain may have left than was in its way, but for what steps it has */
        const double steps = fmax(l->steps[w->first], l->steps[w->second]);
        const double seen = fmax(floor(w->alone[0] / 2) + w->behind[1], floor(w->alone[1] / 2) + w->behind[0]) - steps;
        s->seen = ways == 1 ? seen : fmin(s->seen, seen);
    }
    s->text = texts[told];
    s->grade = ways > 1 ? 'B' : 'C';
    s->reason = s->text ? NULL : told == TOLD_FEWER ? "ambiguous" : s->reason;
}

bool sharing_find(struct probe *p, const struct lookahead *l, struct sharing *all, size_t index)
{
    struct sharing *s = &all[index];
    size_t used = 0;

    s->text = NULL;
    s->seen = 0;
    for (size_t i = 0; i < s->count; i++)
        if (!l->unfit[s->ways[i].first] && !l->unfit[s->ways[i].second])
            s->ways[used++] = s->ways[i];
    s->count = used;
    for (size_t i = 0; i < s->count; i++)
        if (!measure(p, l, all, index, false, &s->ways[i]))
            return false;
    decide(l, s);
    return true;
}

bool sharing_find_again(struct probe *p, const struct lookahead *l, struct sharing *all, size_t index)
{
    struct sharing *s = &all[index];

    for (size_t i = 0; i < s->count; i++) {
        struct sharing_way *w = &s->ways[i], now = *w;
        now.held = false;
        if (!measure(p, l, all, index, true, &now))
            return false;
        for (unsigned k = 0; k < 2; k++) {
            w->alone[k] = now.alone[k];
            w->behind[k] = fmax(w->behind[k], now.behind[k]);
        }
        w->held = w->held && now.held;
    }
    decide(l, s);
    return true;
}

double sharing_alone(const struct sharing *all, size_t count, const char *filler, enum blocker b)
{
    double most = (double)NAN;

    for (size_t i = 0; i < count; i++)
        for (size_t w = 0; w < all[i].count; w++)
            if (all[i].ways[w].first == b && all[i].ways[w].second == b && !all[i].waits) {
                if (!strcmp(all[i].a, filler))
                    most = fmax(most, all[i].ways[w].alone[0]);
                if (!strcmp(all[i].b, filler))
                    most = fmax(most, all[i].ways[w].alone[1]);
            }
    return most;
}

void sharing_send(struct probe *p, const struct sharing *all, size_t count)
{
    struct record r;
    char text[64];

    record_table(p, &r, "sharing");
    RECORD_COLUMNS(&r, "pair", "blockers", "a_alone", "b_alone", "a_behind_half_b", "b_behind_half_a");
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < all[i].count; k++) {
            const struct sharing_way *w = &all[i].ways[k];
            record_array(&r, NULL);
            snprintf(text, sizeof text, "%s and %s", all[i].a, all[i].b);
            record_text(&r, NULL, text);
            snprintf(text, sizeof text, "%s and %s", blocker_names[w->first], blocker_names[w->second]);
            record_text(&r, NULL, text);
            record_number(&r, NULL, w->alone[0]);
            record_number(&r, NULL, w->alone[1]);
            record_number(&r, NULL, w->behind[0]);
            record_number(&r, NULL, w->behind[1]);
            record_close(&r);
        }
    record_close(&r);
    record_send(&r);
}
