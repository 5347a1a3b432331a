/*
 * Prefetchers: which kinds does the core have, what trains them, and what do they bring?
 *
 * Experiment: a short list of loads is done at several places alike, and then one line of each place is looked at, all
 * in one dependent chain (lib/kernels/access_lists.h). Where a prefetcher brought the line, the chain is faster by as
 * many times the difference of two levels as there are places. Each kind of prefetcher has its list, and a control that
 * does not train it (lib/structure/prefetch_kinds.h). All is done for each home of the data, the level that has it
 * before: the second one shows what is brought into the first, the level behind it what is brought into either.
 *
 * Inference: a kind is there where its lists bring a line that their controls leave at home. The length of a list at
 * which this begins is the training; which lines are brought then is the degree. The table `fetched` shows these lines.
 *
 * What could mislead: looking trains as well, so each look goes to another line than the one before. What another kind
 * brings as well is undecided.
 *
 * Method: docs/METHODS.md, 7.22. Schlüter et al. 2023, FetchBench, for kinds and controls. The chain of looks is ours.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/numbers.h"
#include "lib/base/record.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/probe/table.h"
#include "lib/structure/prefetch_foresee.h"
#include "lib/structure/prefetch_switches.h"

/* A level that has the data, and what is before it. */
struct home {
    const char *name;
    double before_bytes; /* of the second level, where that is before it; else 0 */
    double bytes;
};

enum {
    SMOKE_FIRST_BYTES = 4096 /* that the first level is taken for in the profile smoke */
};

static struct finding finding_of(const char *name, const struct home *h, enum prefetch_kind kind)
{
    return (struct finding){.name = name,
                            .variants = {{"kind", prefetch_kind_names[kind]}, {"home", h->name}},
                            .value = NAN,
                            .low = NAN,
                            .high = NAN,
                            .grade = 'U',
                            .method = "a list at several places, then a look at a line of each, against controls"};
}

static void report_word(struct probe *p, struct finding f, const char *text, char grade, enum reason reason)
{
    f.text = text;
    f.grade = text ? grade : 'U';
    f.reason = text ? REASON_NONE : reason;
    report(p, &f);
}

static void report_history(struct probe *p, const struct home *h, const struct prefetch_span *s)
{
    struct finding f = finding_of("memory.prefetcher.history", h, PREFETCH_REPLAY);

    f.value = isnan(s->low) ? (double)NAN : rounded((s->low + s->high) / 2);
    f.low = s->low;
    f.high = s->high;
    f.grade = isnan(s->low) ? 'U' : 'C';
    f.reason = s->reason;
    report(p, &f);
}

/* A word, with the size of the pages or the bits that it is about; pages that the machine has not are left out. */
static void report_trait(struct probe *p, const struct home *h, const struct prefetch_kinds *k, enum prefetch_kind kind,
                         enum prefetch_trait trait)
{
    const struct prefetch_word *w = &k->found[kind].words[trait];
    const size_t page = prefetch_trait_page(k, trait);
    struct finding f = finding_of(prefetch_trait_findings[trait], h, kind);

    if (trait == PREFETCH_LARGE_ORDER && !page)
        return;
    if (page || prefetch_trait_bits(trait)) {
        f.variants[2].key = page ? "page" : "flipped";
        f.variants[2].text = page ? page_name(page) : prefetch_trait_bits(trait);
    }
    report_word(p, f, w->text, 'C', w->reason);
}

static void report_kind(struct probe *p, const struct home *h, const struct prefetch_kinds *k, enum prefetch_kind kind)
{
    const struct prefetch_found *f = &k->found[kind];
    static const char *const levels[NEARNESSES] = {[NEAR_SECOND] = "2", [NEAR_FIRST] = "1"};

    report_word(p, finding_of("memory.prefetcher.kind", h, kind), f->text, f->grade, f->reason);
    if (!f->text || !f->exists)
        return;
    for (enum prefetch_parameter what = 0; what < PREFETCH_PARAMETERS; what++) {
        struct experiment_value v[PREFETCH_VIEWS];
        struct finding number = finding_of(prefetch_parameter_findings[what], h, kind);
        if (!prefetch_has(kind, what))
            continue;
        const struct prefetch_number *n = &f->numbers[what];
        /* what else runs beside this core misleads both directions, or distances, alike: that is no grade A */
        for (size_t view = 0; view < PREFETCH_VIEWS; view++)
            v[view] = (struct experiment_value){view ? "second" : "first", "accesses by others", n->view[view]};
        number.reason = n->reason;
        if (isnan(v[0].value) && isnan(v[1].value))
            report(p, &number);
        else
            report_graded_number(p, &number, v, PREFETCH_VIEWS);
    }
    if (kind == PREFETCH_REPLAY)
        report_history(p, h, &f->history);
    for (enum prefetch_trait trait = 0; trait < PREFETCH_TRAITS; trait++)
        if (prefetch_has_trait(kind, trait))
            report_trait(p, h, k, kind, trait);
    if (f->into)
        report_word(p, finding_of("memory.prefetcher.level", h, kind), levels[f->into], 'C', REASON_NOT_STEADY);
}

/* Adds an array of the lines that are brought (NEAR_EITHER), or of which that is not certain (NEAR_UNCLEAR). */
static void add_lines(struct record *r, const struct prefetch_shown *s, enum nearness where)
{
    record_array(r, NULL);
    for (size_t i = 0; i < s->lines; i++)
        if (where == NEAR_UNCLEAR ? s->where[i] == NEAR_UNCLEAR : s->where[i] >= where)
            record_number(r, NULL, s->at[i]);
    record_close(r);
}

static void send_fetched(struct probe *p, const struct home *h, const struct prefetch_found *f, enum prefetch_kind kind)
{
    struct record r;

    record_table(p, &r, "fetched");
    record_text(&r, "kind", prefetch_kind_names[kind]);
    record_text(&r, "home", h->name);
    RECORD_COLUMNS(&r, "list", "accessed", "brought", "unclear");
    for (size_t i = 0; i < f->shown_lists; i++) {
        const struct prefetch_shown *s = &f->shown[i];
        record_array(&r, NULL);
        record_text(&r, NULL, s->list ? s->list : "a sequence");
        record_array(&r, NULL);
        for (size_t n = 0; n < s->accesses; n++)
            record_number(&r, NULL, s->accessed[n]);
        record_close(&r);
        add_lines(&r, s, NEAR_EITHER);
        add_lines(&r, s, NEAR_UNCLEAR);
        record_close(&r);
    }
    record_close(&r);
    record_send(&r);
}

/* Foresees lists that no experiment used. False: the probe has ended. */
static bool foresee(struct probe *p, const struct home *h, struct prefetch_kinds *kinds)
{
    struct prefetch_foreseen seen;
    struct record r;
    struct finding f = {.name = "memory.prefetcher.foreseen",
                        .variants = {{"home", h->name}},
                        .low = NAN,
                        .high = NAN,
                        .reason = REASON_NOT_VERIFIED,
                        .method = "random lists of sequences; where a line is afterwards, against what kinds say"};

    if (!prefetch_foresee(kinds, (unsigned)probe_scale(p, 1, 12, 500, 500), &seen))
        return false;
    record_table(p, &r, "foreseen");
    record_text(&r, "home", h->name);
    RECORD_COLUMNS(&r, "lines", "known", "right", "brought", "brought_right", "disturbed");
    record_array(&r, NULL);
    record_integer(&r, NULL, seen.lines);
    record_integer(&r, NULL, seen.known);
    record_integer(&r, NULL, seen.right);
    record_integer(&r, NULL, seen.brought);
    record_integer(&r, NULL, seen.brought_right);
    record_integer(&r, NULL, seen.disturbed);
    record_close(&r);
    record_close(&r);
    record_send(&r);
    report_number(p, &f, seen.known ? rounded(100.0 * seen.right / seen.known) : NAN);
    return true;
}

/* Which switch ends each kind, where the core has switches. False: the probe has ended. */
static bool attribute(struct probe *p, const struct home *h, struct prefetch_kinds *kinds)
{
    const char *why_not;
    struct control *control = machine_control(&why_not);
    struct prefetch_ends ends;

    if (!control || !control->switch_count)
        return true;
    if (!prefetch_find_switches(kinds, control, &ends))
        return false;
    for (enum prefetch_kind kind = 0; kind < PREFETCH_KINDS; kind++)
        if (kinds->found[kind].exists)
            report_word(p, finding_of("memory.prefetcher.switch", h, kind), ends.name[kind], 'C', ends.reason[kind]);
    return true;
}

/* In the profile smoke each step is done, whether lines can be seen to be near or not. False: the probe has ended. */
static bool measure_home(struct probe *p, const struct home *h, double first_bytes)
{
    struct prefetch_look look;
    struct prefetch_kinds *kinds = probe_calloc(p, 1, sizeof *kinds);
    const size_t mark = machine_map_mark();
    enum reason reason = REASON_NONE;

    if (!kinds)
        return false;
    kinds->look = &look;
    bool good = prefetch_look_start(p, &look, first_bytes, h->before_bytes, h->bytes, &reason);
    if (probe_is_smoke(p) && reason == REASON_NO_CONTRAST && !h->before_bytes)
        reason = REASON_NONE;
    look.in_memory = !strcmp(h->name, "memory");
    good = good && (reason || prefetch_kinds_find(kinds));
    for (enum prefetch_kind kind = 0; kind < PREFETCH_KINDS && good; kind++) {
        struct prefetch_found *f = &kinds->found[kind];
        if (reason || probe_is_smoke(p))
            *f = (struct prefetch_found){.reason = reason ? reason : REASON_TOO_SHORT};
        report_kind(p, h, kinds, kind);
        if (f->exists && f->shown_lists)
            send_fetched(p, h, f, kind);
    }
    const bool foretold = good && !reason && foresee(p, h, kinds) && attribute(p, h, kinds);
    free(kinds);
    probe_release(p, mark);
    return good && (reason || foretold);
}

/* The size of a level, 0 where there is none; in the profile smoke `smoke`, so small that each step is soon done. */
static double level_bytes(const struct probe *p, const char *level, double smoke)
{
    const double bytes = facts_number(&p->run->facts, "memory.cache.bytes", level, 0);

    return bytes > 0 ? probe_smoke(p, smoke, bytes) : 0;
}

static void run(struct probe *p)
{
    const double first = level_bytes(p, "level=1", SMOKE_FIRST_BYTES),
                 second = level_bytes(p, "level=2", 8 * SMOKE_FIRST_BYTES),
                 third = level_bytes(p, "level=3", 32 * SMOKE_FIRST_BYTES),
                 behind = fmin((double)machine_info()->memory_bytes / 4, 8 * second);
    const struct home homes[] = {{"2", 0, second}, {third > 0 ? "3" : "memory", second, third > 0 ? third : behind}};

    for (size_t i = 0; i < sizeof homes / sizeof *homes; i++)
        if (!measure_home(p, &homes[i], first))
            return;
}

PROBE(prefetcher, .title = "Kinds of prefetchers", .family = "memory", .after = "prefetch", .run = run,
      .needs = NEEDS("memory.cache.bytes level=1", "memory.cache.bytes level=2"),
      .findings = FINDINGS(
          {"memory.prefetcher.kind", "kind",
           "whether the core has this kind of prefetcher for data of that home, and when it acts"},
          {"memory.prefetcher.train", "accesses",
           "accesses, or of `replay` times of all of a sequence, after which a prefetcher begins to bring lines"},
          {"memory.prefetcher.degree", "lines",
           "lines that a prefetcher brings for one access, as soon as it is trained"},
          {"memory.prefetcher.distance", "strides", "strides, or lines of a stream, to the farthest of these"},
          {"memory.prefetcher.growth", "distance",
           "whether later accesses of a sequence have lines brought that are farther ahead"},
          {"memory.prefetcher.streams", "streams", "sequences that a prefetcher follows at once"},
          {"memory.prefetcher.stride_min", "bytes", "shortest stride that a prefetcher follows"},
          {"memory.prefetcher.stride_max", "lines", "longest stride that a prefetcher follows"},
          {"memory.prefetcher.pc_bits", "bits",
           "low bits of a load instruction's address that a prefetcher knows it by"},
          {"memory.prefetcher.resumes", "accesses",
           "accesses in other memory after which a trained instruction is followed there"},
          {"memory.prefetcher.region_bytes", "bytes", "size of the regions whose lines are remembered together"},
          {"memory.prefetcher.regions", "regions", "other regions whose begin ends the recording of one"},
          {"memory.prefetcher.length", "distances", "latest distances of a load instruction that are remembered"},
          {"memory.prefetcher.history", "lines",
           "lines that may be loaded since a sequence for it to be replayed when it begins again"},
          {"memory.prefetcher.indirections", "levels",
           "lines in a row that a prefetcher brings, each from where a pointer in the one before leads"},
          {"memory.prefetcher.values", "action",
           "whether values are followed that are no pointers because of these bits"},
          {"memory.prefetcher.throttled", "action",
           "what a prefetcher brings while other lines are under way, of what it brings when none are"},
          {"memory.prefetcher.key", "key", "what lines of a region are remembered by"},
          {"memory.prefetcher.hits", "action", "whether loads that hit the first level train a prefetcher"},
          {"memory.prefetcher.stores", "action", "whether stores train a prefetcher"},
          {"memory.prefetcher.distances", "unit", "whether distances must be constant in bytes, or in lines only"},
          {"memory.prefetcher.short_strides", "action", "whether strides shorter than a line are followed"},
          {"memory.prefetcher.page_border", "action",
           "whether a prefetcher goes on behind the end of 4 KiB, on pages of that size"},
          {"memory.prefetcher.page_order", "order",
           "in which page a prefetcher goes on behind the end of one of that size: the next virtual or physical"},
          {"memory.prefetcher.switch", "switch", "the switch of the core that ends a prefetcher"},
          {"memory.prefetcher.foreseen", "percent",
           "lines of new access lists that lie where the kinds found say, of those that they say anything about"},
          {"memory.prefetcher.level", "level", "the nearest level that a prefetcher brings lines into"}));
