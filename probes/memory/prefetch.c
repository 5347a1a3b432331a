/*
 * Prefetchers: which patterns do they follow, and what does each switch change?
 *
 * A pointer chase in a pattern (lib/kernels/patterns.h) through more lines than the level before holds: a line that is
 * not prefetched costs the latency of the level that holds it. What a pattern costs less than its control, which
 * nothing can follow, is what prefetchers save: of random pairs a half at most, as the first line of each cannot be
 * known.
 *
 * Then the same with each prefetcher switch turned the other way, one at a time, and with all of them off. A switch has
 * an effect on a pattern if it changes its cycles in every layout, each of which has other random choices, by more than
 * CHANGE_FACTOR times the difference of two measurements with all switches as found. There is no curve.
 *
 * Method: docs/METHODS.md, 7.20. Patterns as in Intel's and AMD's optimization manuals, sections on data prefetching;
 * the controls are ours.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/numbers.h"
#include "lib/base/reason.h"
#include "lib/base/record.h"
#include "lib/finding/report.h"
#include "lib/kernels/patterns.h"
#include "lib/probe/probe.h"
#include "lib/probe/table.h"

enum { LAYOUTS = 3 /* other random choices, at most */, TEXT = 128, LEVELS = 2 };

/* Percent points within which layouts agree, with grade C. Chosen: savings range from 0 to nearly 100. */
static const double PERCENT_TOLERANCE = 10;
/*
 * A change of cycles is an effect where it is larger than so many times the change between two measurements with the
 * switches as found, and than CHANGE_PART of the cycles of a load.
 */
static const double CHANGE_FACTOR = 3;
static const double CHANGE_PART = 0.03;

/* Where the lines are: in this level, and not in the one before. */
struct level {
    const char *name; /* "2", "3" */
    uint32_t lines;   /* of each pattern */
};

struct setup {
    struct pattern_lines lines;
    struct level levels[LEVELS];
    size_t level_count, layouts;
};

/* Cycles and nanoseconds per load of every pattern. */
struct costs {
    double cycles[LEVELS][LAYOUTS][PATTERNS];
    double ns[LEVELS][LAYOUTS][PATTERNS];
};

/* ---- Measuring ---------------------------------------------------------------------------------- */

/* Measures every pattern, in every level and layout. False when the probe is over. */
static bool measure_all(struct probe *p, struct setup *w, struct costs *costs)
{
    struct kernel k;
    struct point pt;

    for (size_t layout = 0; layout < w->layouts; layout++)
        for (size_t level = 0; level < w->level_count; level++)
            for (enum pattern o = 0; o < PATTERNS; o++) {
                uint64_t random = layout + 1; /* each measurement of a layout makes the same choices */
                pattern_order(&w->lines, o, w->levels[level].lines, &random);
                if (!pattern_kernel(p, &w->lines, w->levels[level].lines, &k) || !probe_measure(p, &k, &pt))
                    return false;
                costs->cycles[level][layout][o] = pt.q20;
                costs->ns[level][layout][o] = pt.ns;
            }
    return true;
}

/* ---- What the patterns cost -------------------------------------------------------------------------------- */

static void send_row(struct probe *p, const struct setup *w, const struct costs *costs, size_t level, enum pattern o,
                     const char *changed)
{
    double sum_cycles = 0, sum_ns = 0;
    struct record r;

    for (size_t layout = 0; layout < w->layouts; layout++) {
        sum_cycles += costs->cycles[level][layout][o];
        sum_ns += costs->ns[level][layout][o];
    }
    record_table(p, &r, "patterns");
    record_text(&r, "changed", changed);
    record_text(&r, "level", w->levels[level].name);
    record_text(&r, "pattern", patterns[o].name);
    record_text(&r, "control", patterns[patterns[o].control].name);
    record_number(&r, "cycles", rounded(sum_cycles / (double)w->layouts));
    record_number(&r, "ns", rounded(sum_ns / (double)w->layouts));
    record_integer(&r, "lines", w->levels[level].lines);
    record_integer(&r, "layouts", w->layouts);
    record_send(&r);
}

static void send_rows(struct probe *p, const struct setup *w, const struct costs *costs, const char *changed)
{
    for (size_t level = 0; level < w->level_count; level++)
        for (enum pattern o = 0; o < PATTERNS; o++)
            send_row(p, w, costs, level, o, changed);
}

static void report_saved(struct probe *p, const struct setup *w, const struct costs *costs, size_t level,
                         enum pattern o)
{
    double low = INFINITY, high = -INFINITY, sum = 0;

    for (size_t layout = 0; layout < w->layouts; layout++) {
        const double *cycles = costs->cycles[level][layout];
        const double percent = 100 * (1 - cycles[o] / cycles[patterns[o].control]);
        sum += percent;
        low = fmin(low, percent);
        high = fmax(high, percent);
    }
    const enum reason differ = high - low > PERCENT_TOLERANCE ? REASON_LAYOUTS_DISAGREE : REASON_NONE,
                      reason = isnan(sum) ? REASON_NO_READINGS : differ;
    report(p, &(struct finding){
                  .name = "memory.prefetch.saved_percent",
                  .variants = {{"pattern", patterns[o].name}, {"level", w->levels[level].name}},
                  .value = reason ? NAN : rounded(sum / (double)w->layouts),
                  .low = NAN,
                  .high = NAN,
                  .grade = reason ? 'U' : 'C',
                  .reason = reason,
                  .method = "dependent pointer chase in this pattern, against one in the order of its control"});
}

/* ---- What a switch changes ---------------------------------------------------------------------------------- */

/* Costs with the switches as found, before and after; with each switch turned; and, last, with all of them off. */
struct comparison {
    struct costs before, after, turned[CONTROL_SWITCHES + 1];
    char why_not[CONTROL_SWITCHES + 1][TEXT]; /* why a switch could not be turned; "": it was measured */
};

/* Least and most cycles of all layouts that turning adds to `o`. False: some layout is unchanged, or signs differ. */
static bool changes(const struct setup *w, const struct comparison *c, size_t turned, size_t level, enum pattern o,
                    double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t layout = 0; layout < w->layouts; layout++) {
        double before = c->before.cycles[level][layout][o], after = c->after.cycles[level][layout][o];
        double change = c->turned[turned].cycles[level][layout][o] - (before + after) / 2;
        if (!(fabs(change) > CHANGE_FACTOR * fabs(before - after) && fabs(change) > CHANGE_PART * before))
            return false;
        *low = fmin(*low, change);
        *high = fmax(*high, change);
    }
    return *low > 0 || *high < 0;
}

static struct finding effect(const char *name)
{
    return (struct finding){.name = "memory.prefetch.effect",
                            .variants = {{name ? "switch" : NULL, name}},
                            .value = NAN,
                            .low = NAN,
                            .high = NAN,
                            .grade = 'U',
                            .method = "cycles per load with the switch off, less with it on"};
}

/* `was_off`: the switch was found off, so that turning it switched it on, and the sign changes. */
static void report_effect(struct probe *p, const struct setup *w, const struct comparison *c, size_t turned,
                          const char *name, bool was_off)
{
    struct finding f = effect(name);
    bool any = false;
    double low, high;

    if (c->why_not[turned][0])
        f.reason = REASON_PLATFORM, f.detail = c->why_not[turned];
    for (size_t level = 0; level < w->level_count && !f.reason; level++)
        for (enum pattern o = 0; o < PATTERNS; o++) {
            if (!changes(w, c, turned, level, o, &low, &high))
                continue;
            struct finding changed = effect(name);
            changed.variants[1].key = "pattern", changed.variants[1].text = patterns[o].name;
            changed.variants[2].key = "level", changed.variants[2].text = w->levels[level].name;
            changed.value = (was_off ? -1 : 1) * rounded((low + high) / 2);
            changed.grade = 'C';
            report(p, &changed);
            any = true;
        }
    f.reason = f.reason ? f.reason : REASON_NO_EFFECT;
    if (!any)
        report(p, &f);
}

/* Measures with switch number i turned, or, behind the last one, with all of them off; then restores what was found. */
static bool measure_turned(struct probe *p, struct setup *w, struct control *control, size_t i, struct comparison *c)
{
    const size_t mark = control->changes.count, all = control->switch_count;
    char text[TEXT];
    bool good = true;

    const char *why = i < all ? control_switch(control, i, !control->switches[i].is_off)
                              : control_prefetch(control, "off", text, sizeof text);
    snprintf(c->why_not[i], TEXT, "%s", why ? why : "");
    if (!why)
        good = measure_all(p, w, &c->turned[i]);
    if (!changes_restore(&control->changes, mark))
        good = probe_skip(p, "a prefetcher switch does not go back to what it was");
    return good;
}

static void compare(struct probe *p, struct setup *w, struct control *control, const struct costs *before)
{
    struct comparison *c = calloc(1, sizeof *c);
    const size_t all = control->switch_count;
    bool good = true;

    if (!c) {
        probe_skip(p, "out of memory for comparing switches");
        return;
    }
    c->before = *before;
    for (size_t i = 0; i <= all && good; i++) {
        const char *name = i < all ? control->switches[i].name : "all";
        machine_progress(name);
        good = measure_turned(p, w, control, i, c);
        if (good && !c->why_not[i][0])
            send_rows(p, w, &c->turned[i], name);
    }
    if (good && measure_all(p, w, &c->after))
        for (size_t i = 0; i <= all; i++)
            report_effect(p, w, c, i, i < all ? control->switches[i].name : "all",
                          i < all && control->switches[i].is_off);
    free(c);
}

/*
 * Chooses chases over four times the first level, where that is well within the second one, and over twice the second
 * level. Returns the lines of the longer one; 0: there is none.
 */
static uint32_t choose_levels(const struct probe *p, struct setup *w)
{
    double first = facts_number(&p->run->facts, "memory.cache.bytes", "level=1", 32 << 10);
    double second = facts_number(&p->run->facts, "memory.cache.bytes", "level=2", 1 << 20);
    double most = (double)machine_info()->memory_bytes / 2 / PATTERN_SPREAD;
    uint32_t lines = 0;

    if (second >= 8 * first)
        w->levels[w->level_count++] = (struct level){"2", (uint32_t)(4 * first / PATTERN_LINE_BYTES)};
    if (2 * second <= most && probe_scale(p, 0, 1, 1, 1) > 0)
        w->levels[w->level_count++] = (struct level){"3", (uint32_t)(2 * second / PATTERN_LINE_BYTES)};
    w->layouts = (size_t)probe_scale(p, 1, 2, 2, LAYOUTS);
    for (size_t i = 0; i < w->level_count; i++) {
        w->levels[i].lines -= w->levels[i].lines % PATTERN_GROUP;
        lines = w->levels[i].lines > lines ? w->levels[i].lines : lines;
    }
    return lines;
}

static void run(struct probe *p)
{
    struct setup w = {.level_count = 0};
    struct costs found;
    const char *why_not = NULL;
    struct control *control = machine_control(&why_not);
    const uint32_t lines = choose_levels(p, &w);

    if (!lines) {
        probe_skip(p, "the caches that are known of leave no room between them");
        return;
    }
    if (!pattern_map(p, &w.lines, lines))
        return;
    if (measure_all(p, &w, &found)) {
        send_rows(p, &w, &found, "");
        for (size_t level = 0; level < w.level_count; level++)
            for (enum pattern o = 0; o < PATTERNS; o++)
                if (patterns[o].control != o)
                    report_saved(p, &w, &found, level, o);
        if (control && control->switch_count) {
            compare(p, &w, control, &found);
        } else {
            struct finding f = effect(NULL);
            f.reason = REASON_PLATFORM;
            f.detail = control ? control->no_switches : why_not;
            report(p, &f);
        }
    }
    free(w.lines.line);
}

PROBE(prefetch, .title = "Prefetchers", .family = "memory", .after = "cache", .run = run,
      .findings = FINDINGS({"memory.prefetch.saved_percent", "percent",
                            "part of a load's latency that prefetchers save on a pattern, with switches as found"},
                           {"memory.prefetch.effect", "cycles",
                            "cycles per load that each prefetcher switch saves on a pattern"}));
