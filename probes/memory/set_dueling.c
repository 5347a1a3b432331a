/*
 * Second level of cache: do its sets choose between two replacement policies, and which of them lead?
 *
 * Experiment: each set is looked at by a cycle of lines of which there is one more than it has ways, walked until its
 * share of misses no longer changes. As in the probe replacement, each load comes to the second level because others
 * displace its line from the first (lib/kernels/displaced_chase.h). Before that, walks over all sets make a cache whose
 * sets duel favour one policy. Twice as many misses as a counter of ten bits holds are spent on that:
 *
 *   losing    half of the ways' lines, walked a few times, then as many other lines, and so on: a policy that keeps what
 *             it has misses each time, the other one only the first time
 *   keeping   half again as many lines as the cache holds, in a cycle: a policy that loses lines always misses
 *
 * A look at a leader set counts against its policy as well and may turn the others round. So where a set does not look
 * as it was made to, that is done again, and the set looked at again; and so are all sets that seem to lead.
 *
 * There is no curve: the table `leaders` has the sets that did not follow.
 *
 * Inference: sets that change follow, others lead, and lose or keep the cycle (lib/structure/set_dueling.h). Where none
 * of the first sets changes, no others are looked at.
 *
 * What could mislead: policies that treat the cycle alike, and cores beside this one that share the cache and its
 * counter. docs/METHODS.md, 7.26. Source: Abel and Reineke 2020, nanoBench; times instead of counters are ours.
 */
#include <math.h>
#include <stdlib.h>

#include "lib/base/numbers.h"
#include "lib/base/random.h"
#include "lib/base/record.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/probe/table.h"
#include "lib/structure/duel_looks.h"
#include "lib/structure/replacement_span.h"

enum {
    FIRST_SETS = 64, /* of 32 sets one or two lead at most (Qureshi et al. 2007): most of these follow if any does */
    SURE_SETS = 8    /* that are looked at again though none before has looked as the cache was made to */
};

struct sets {
    size_t *order; /* numbers of the sets, in random order */
    enum duel_look (*looks)[DUEL_FAVOURS];
    enum duel_set *are;
    size_t count; /* that are looked at */
};

static const enum duel_look favoured[DUEL_FAVOURS] = {[FAVOURS_LOSING] = LOOK_LOSES, [FAVOURS_KEEPING] = LOOK_KEEPS};

/* Looks at the sets from number `first` of the order on, once for each policy. */
static bool look_at(struct duel_looks *d, struct sets *s, size_t first)
{
    for (enum duel_favour f = 0; f < DUEL_FAVOURS; f++) {
        bool seen = false;
        if (!duel_favour(d, f))
            return false;
        for (size_t i = first; i < s->count; i++) {
            enum duel_look *look = &s->looks[i][f];
            if (!duel_look(d, s->order[i], look))
                return false;
            if (*look != favoured[f] && (seen || i < first + SURE_SETS) &&
                (!duel_favour(d, f) || !duel_look(d, s->order[i], look)))
                return false;
            seen |= *look == favoured[f];
        }
    }
    for (size_t i = first; i < s->count; i++)
        s->are[i] = duel_set_of(s->looks[i]);
    return true;
}

/* Looks again at each set that does not follow, at once after the cache was made to favour either policy. */
static bool look_again(struct duel_looks *d, struct sets *s)
{
    for (size_t i = 0; i < s->count; i++) {
        enum duel_look looks[DUEL_FAVOURS];
        if (s->are[i] == SET_FOLLOWS)
            continue;
        for (enum duel_favour f = 0; f < DUEL_FAVOURS; f++)
            if (!duel_favour(d, f) || !duel_look(d, s->order[i], &looks[f]))
                return false;
        const enum duel_set now = duel_set_of(looks);
        if (now == SET_FOLLOWS || s->are[i] == SET_UNKNOWN)
            s->are[i] = now;
        else if (now != s->are[i])
            s->are[i] = SET_UNKNOWN;
    }
    return true;
}

static void send_table(struct probe *p, const struct sets *s)
{
    static const char *const names[DUEL_SETS] = {"unknown", "follows", "loses", "keeps"};
    struct record r;

    record_table(p, &r, "leaders");
    record_integer(&r, "level", 2);
    record_integer(&r, "sets", s->count);
    RECORD_COLUMNS(&r, "set", "cycle");
    for (size_t i = 0; i < s->count; i++) {
        if (s->are[i] == SET_FOLLOWS)
            continue;
        record_array(&r, NULL);
        record_integer(&r, NULL, s->order[i]);
        record_text(&r, NULL, names[s->are[i]]);
        record_close(&r);
    }
    record_close(&r);
    record_send(&r);
}

static struct finding finding_of(const char *name, enum reason reason)
{
    return (struct finding){.name = name,
                            .variants = {{"level", .number = 2}},
                            .value = NAN,
                            .low = NAN,
                            .high = NAN,
                            .grade = 'U',
                            .reason = reason,
                            .method = "sets that change when the others were made to favour a policy"};
}

static void report_verdict(struct probe *p, const struct sets *s)
{
    static const char *const cycles[DUEL_SETS] = {[SET_LEADS_LOSING] = "lost", [SET_LEADS_KEEPING] = "kept"};
    size_t are[DUEL_SETS] = {0};

    for (size_t i = 0; i < s->count; i++)
        are[s->are[i]]++;
    const struct duel_verdict v = duel_decide(are);
    struct finding f = finding_of("memory.cache.dueling", v.reason);
    f.text = v.text;
    f.grade = v.text ? 'C' : 'U';
    report(p, &f);
    for (enum duel_set kind = SET_LEADS_LOSING; kind < DUEL_SETS && are[SET_FOLLOWS] && v.text; kind++) {
        f = finding_of("memory.cache.leader_sets", REASON_NONE);
        f.variants[1].key = "cycle";
        f.variants[1].text = cycles[kind];
        f.value = f.low = (double)are[kind];
        f.high = (double)(are[kind] + are[SET_UNKNOWN] + 1);
        f.grade = 'C';
        report(p, &f);
    }
}

static bool look_at_sets(struct probe *p, struct duel_looks *d, struct sets *s, size_t all)
{
    size_t follow = 0;

    for (size_t i = 0; i < all; i++)
        s->order[i] = i + 1; /* not the first set: it holds the words with which walks begin */
    random_shuffle(s->order, all, sizeof *s->order, &p->random);
    s->count = all < FIRST_SETS ? all : FIRST_SETS;
    if (!look_at(d, s, 0))
        return false;
    for (size_t i = 0; i < s->count; i++)
        follow += s->are[i] == SET_FOLLOWS;
    if (!follow)
        return true;
    const size_t first = s->count;
    s->count = all;
    return look_at(d, s, first) && look_again(d, s);
}

static void run(struct probe *p)
{
    const struct cache_span first = cache_span_of(p, 1), second = cache_span_of(p, 2);
    struct duel_looks d;
    enum reason reason;

    if (probe_is_simulated(p)) {
        const struct finding untried = finding_of("memory.cache.dueling", REASON_TOO_LONG_TO_SIMULATE);
        report(p, &untried);
        return;
    }
    if (!duel_looks_start(p, &d, &first, &second, &reason))
        return;
    const size_t all = (size_t)probe_smoke(p, 1, (double)d.sets - 1);
    struct sets s = {.order = probe_calloc(p, all + 1, sizeof *s.order),
                     .looks = probe_calloc(p, all + 1, sizeof *s.looks),
                     .are = probe_calloc(p, all + 1, sizeof *s.are)};
    const struct finding untried = finding_of("memory.cache.dueling", reason);
    if (!s.order || !s.looks || !s.are)
        ;
    else if (reason)
        report(p, &untried);
    else if (look_at_sets(p, &d, &s, all)) {
        send_table(p, &s);
        report_verdict(p, &s);
    }
    free(s.order);
    free(s.looks);
    free(s.are);
}

PROBE(set_dueling, .title = "Second level: set dueling", .family = "memory", .after = "replacement", .run = run,
      .needs = NEEDS("memory.cache.ways level=2", "memory.cache.bytes level=2"),
      .findings = FINDINGS(
          {"memory.cache.dueling", "relation", "whether sets of a cache choose between two replacement policies"},
          {"memory.cache.leader_sets", "sets", "sets that always have one of both policies, which the others follow"}));
