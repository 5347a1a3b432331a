/*
 * Prefetchers: which patterns do they follow, and what does each switch change?
 *
 * A pointer chase, one load in a loop, each bringing the address of the next line, through more lines than the level
 * before holds: whatever is not brought ahead of time costs the latency of the level where the lines are. The lines are
 * the same in number everywhere; only their order differs:
 *
 *   forward, backward   line after line
 *   stride              every fifth line
 *   adjacent            random pairs of lines of the same 128 bytes: the second one is the other half of the first
 *   next                random pairs across such halves: the second one is just the next line
 *   next-page           the last eight lines of a page and the first eight of the page behind it
 *   region              pages in random order, the same eight lines of each, but for where in the page they begin
 *
 * Each pattern has a control that nothing can follow, with as many lines on as many pages: `scattered`, one random
 * line of each 512 bytes in random order; `other-page`, eight last lines and the first eight of another page;
 * `any-lines`, eight random lines of each page. What a pattern costs less is what prefetchers save. Of pairs it is a
 * half at most: the first line of each is a surprise.
 *
 * Then the same with each prefetcher switch of the core turned the other way, one at a time, and with all of them off.
 * A switch has an effect where in every layout, with other random choices, the same pattern has changed by more than
 * what the first and the last run of it with everything as found differ.
 *
 * Method: patterns as in Intel's and AMD's optimization manuals, sections on data prefetching; controls of our own.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/probe.h"
#include "lib/table.h"

enum {
    LINE_BYTES = 64,
    PAGE_LINES = 64,
    SPREAD = 8,  /* an order of n lines lies on n * SPREAD lines */
    GROUP = 512, /* lines that are put in random order together, or as many pairs and pages lie on as much memory */
    STRIDE = 5,
    RUN = 8, /* lines in a row, or of a region */
    CODE_BYTES = 4096,
    LAYOUTS = 3,
    REASON = 128,
    HOMES = 2
};

enum order {
    ORDER_SCATTERED,
    ORDER_FORWARD,
    ORDER_BACKWARD,
    ORDER_STRIDE,
    ORDER_ADJACENT,
    ORDER_NEXT,
    ORDER_OTHER_PAGE,
    ORDER_NEXT_PAGE,
    ORDER_ANY_LINES,
    ORDER_REGION,
    ORDERS
};

static const struct {
    const char *name;
    enum order control; /* itself: it is one */
} orders[ORDERS] = {
    [ORDER_SCATTERED] = {"scattered", ORDER_SCATTERED},    [ORDER_FORWARD] = {"forward", ORDER_SCATTERED},
    [ORDER_BACKWARD] = {"backward", ORDER_SCATTERED},      [ORDER_STRIDE] = {"stride", ORDER_SCATTERED},
    [ORDER_ADJACENT] = {"adjacent", ORDER_SCATTERED},      [ORDER_NEXT] = {"next", ORDER_SCATTERED},
    [ORDER_OTHER_PAGE] = {"other-page", ORDER_OTHER_PAGE}, [ORDER_NEXT_PAGE] = {"next-page", ORDER_OTHER_PAGE},
    [ORDER_ANY_LINES] = {"any-lines", ORDER_ANY_LINES},    [ORDER_REGION] = {"region", ORDER_ANY_LINES},
};

/* Where the lines are: in the second level, or behind it. */
struct home {
    const char *level;
    uint32_t lines;
};

struct walk {
    struct area memory;
    struct area start;  /* where the walk goes on; a line of its own, so that it is no part of the footprint */
    uint32_t *line;     /* the lines of an order, in order, … */
    uint32_t *shuffled; /* … and scratch to make it */
    struct home homes[HOMES];
    size_t home_count, layouts;
};

/* Cycles per load of every order. */
struct costs {
    double cycles[HOMES][LAYOUTS][ORDERS];
    double ns[HOMES][LAYOUTS][ORDERS];
};

/* ---- Orders ----------------------------------------------------------------------------------------- */

/* 0 … count - 1, in random order within groups: the TLB sees a group at a time. */
static void shuffle(struct walk *w, uint32_t count, uint32_t group, uint64_t *random)
{
    for (uint32_t i = 0; i < count; i++)
        w->shuffled[i] = i;
    for (uint32_t first = 0; first < count; first += group) {
        uint32_t size = count - first < group ? count - first : group;
        for (uint32_t i = size; i > 1; i--) {
            uint32_t j = (uint32_t)random_below(random, i), kept = w->shuffled[first + i - 1];
            w->shuffled[first + i - 1] = w->shuffled[first + j];
            w->shuffled[first + j] = kept;
        }
    }
}

/* Pairs: the first line is the first half of 128 bytes, or the second. */
static void order_pairs(struct walk *w, uint32_t lines, bool adjacent, uint64_t *random)
{
    shuffle(w, lines / 2, GROUP / 2, random);
    for (uint32_t i = 0; i < lines / 2; i++) {
        uint32_t first = 2 * SPREAD * w->shuffled[i] + 2 * (uint32_t)random_below(random, SPREAD - 1) + !adjacent;
        w->line[2 * i] = first;
        w->line[2 * i + 1] = first + 1;
    }
}

/* Two runs: to the end of one page of two, and from the start of the other one, or of another pair's. */
static void order_pages(struct walk *w, uint32_t lines, bool next, uint64_t *random)
{
    uint32_t pairs = lines / (2 * RUN), group = GROUP / (2 * RUN);

    shuffle(w, pairs, group, random);
    for (uint32_t i = 0; i < pairs; i++) {
        uint32_t first = w->shuffled[i] * 2 * PAGE_LINES;
        uint32_t second = w->shuffled[next ? i : (i + pairs / 2) % pairs] * 2 * PAGE_LINES + PAGE_LINES;
        for (uint32_t j = 0; j < RUN; j++) {
            w->line[2 * RUN * i + j] = first + PAGE_LINES - RUN + j;
            w->line[2 * RUN * i + RUN + j] = second + j;
        }
    }
}

/* Eight lines of each page: the same ones in the same order, or any. */
static void order_regions(struct walk *w, uint32_t lines, bool same, uint64_t *random)
{
    uint8_t offsets[PAGE_LINES];

    for (uint32_t i = 0; i < PAGE_LINES; i++)
        offsets[i] = (uint8_t)i;
    shuffle(w, lines / RUN, GROUP / RUN, random);
    for (uint32_t i = 0; i < lines / RUN; i++)
        for (uint32_t j = 0; j < RUN; j++) {
            if (!same || i == 0) { /* the next line that was not taken yet */
                uint32_t other = j + (uint32_t)random_below(random, PAGE_LINES - j);
                uint8_t kept = offsets[j];
                offsets[j] = offsets[other];
                offsets[other] = kept;
            }
            /* moved along from page to page, so that no sets of a cache are favoured */
            uint32_t moved = same ? RUN * (w->shuffled[i] % (PAGE_LINES / RUN)) : 0;
            w->line[RUN * i + j] = w->shuffled[i] * PAGE_LINES + (offsets[j] + moved) % PAGE_LINES;
        }
}

static void make_order(struct walk *w, enum order order, uint32_t lines, uint64_t *random)
{
    switch (order) {
    case ORDER_ADJACENT:
    case ORDER_NEXT: order_pairs(w, lines, order == ORDER_ADJACENT, random); return;
    case ORDER_OTHER_PAGE:
    case ORDER_NEXT_PAGE: order_pages(w, lines, order == ORDER_NEXT_PAGE, random); return;
    case ORDER_ANY_LINES:
    case ORDER_REGION: order_regions(w, lines, order == ORDER_REGION, random); return;
    default: break;
    }
    if (order == ORDER_SCATTERED)
        shuffle(w, lines, GROUP, random);
    for (uint32_t i = 0; i < lines; i++)
        w->line[i] = order == ORDER_SCATTERED  ? w->shuffled[i] * SPREAD + (uint32_t)random_below(random, SPREAD)
                     : order == ORDER_FORWARD  ? i
                     : order == ORDER_BACKWARD ? lines - 1 - i
                                               : i * STRIDE;
}

/* ---- Measuring ---------------------------------------------------------------------------------------- */

static bool build(struct probe *p, const struct walk *w, uint32_t lines, struct kernel *k)
{
    struct code c = probe_code(p, CODE_BYTES);

    for (uint32_t i = 0; i < lines; i++)
        *(uint64_t *)(w->memory.write + (size_t)w->line[i] * LINE_BYTES) = w->memory.at +
                                                                           (size_t)w->line[i + 1 < lines ? i + 1 : 0] *
                                                                               LINE_BYTES;
    *(uint64_t *)w->start.write = w->memory.at + (size_t)w->line[0] * LINE_BYTES;

    emit_load(&c, REG_T0, REG_DATA, 0);
    emit_align(&c, LINE_BYTES);
    size_t loop = c.used;
    emit_load(&c, REG_T0, REG_T0, 0); /* one load: what belongs to the instruction sees all of the pattern */
    emit_loop(&c, loop);
    emit_store(&c, REG_T0, REG_DATA, 0);
    emit_return(&c);
    *k = (struct kernel){
        .data = w->start.at, .units = 1, .warm_iterations = lines, .stretch = probe_scale(p, 1, 4, 4, 8)};
    return probe_kernel(p, &c, 0, k);
}

/* Every order, in every home and layout. False when the probe is over. */
static bool measure_all(struct probe *p, struct walk *w, struct costs *costs)
{
    struct kernel k;
    struct point pt;

    for (size_t layout = 0; layout < w->layouts; layout++)
        for (size_t home = 0; home < w->home_count; home++)
            for (enum order o = 0; o < ORDERS; o++) {
                uint64_t random = layout + 1; /* the same choices each time */
                make_order(w, o, w->homes[home].lines, &random);
                if (!build(p, w, w->homes[home].lines, &k) || !probe_measure(p, &k, &pt))
                    return false;
                costs->cycles[home][layout][o] = pt.q20;
                costs->ns[home][layout][o] = pt.ns;
            }
    return true;
}

/* ---- What the patterns cost -------------------------------------------------------------------------------- */

static void send_row(struct probe *p, const struct walk *w, const struct costs *costs, size_t home, enum order o,
                     const char *changed)
{
    double sum_cycles = 0, sum_ns = 0;
    struct record r;

    for (size_t layout = 0; layout < w->layouts; layout++) {
        sum_cycles += costs->cycles[home][layout][o];
        sum_ns += costs->ns[home][layout][o];
    }
    record_table(p, &r, "patterns");
    record_text(&r, "changed", changed);
    record_text(&r, "level", w->homes[home].level);
    record_text(&r, "pattern", orders[o].name);
    record_text(&r, "control", orders[orders[o].control].name);
    record_number(&r, "cycles", rounded(sum_cycles / (double)w->layouts));
    record_number(&r, "ns", rounded(sum_ns / (double)w->layouts));
    record_integer(&r, "lines", w->homes[home].lines);
    record_integer(&r, "layouts", w->layouts);
    record_send(&r);
}

static void send_rows(struct probe *p, const struct walk *w, const struct costs *costs, const char *changed)
{
    for (size_t home = 0; home < w->home_count; home++)
        for (enum order o = 0; o < ORDERS; o++)
            send_row(p, w, costs, home, o, changed);
}

/* Layouts of one experiment that agree this well have told one number; that is grade C, being one experiment. */
static const double PERCENT_TOLERANCE = 10;

static void report_saved(struct probe *p, const struct walk *w, const struct costs *costs, size_t home, enum order o)
{
    double low = INFINITY, high = -INFINITY, sum = 0;

    for (size_t layout = 0; layout < w->layouts; layout++) {
        const double *cycles = costs->cycles[home][layout];
        double percent = 100 * (1 - cycles[o] / cycles[orders[o].control]);
        sum += percent;
        low = fmin(low, percent);
        high = fmax(high, percent);
    }
    bool steady = high - low <= PERCENT_TOLERANCE; /* false for NaN, too */
    report(p, &(struct finding){.name = "memory.prefetch.saved_percent",
                                .variants = {{"pattern", orders[o].name}, {"level", w->homes[home].level}},
                                .value = steady ? rounded(sum / (double)w->layouts) : NAN,
                                .low = NAN,
                                .high = NAN,
                                .grade = steady ? 'C' : 'U',
                                .reason = steady ? NULL : "layouts-disagree",
                                .method = "dependent chase in a pattern, against one of no pattern"});
}

/* ---- What a switch changes ---------------------------------------------------------------------------------- */

/* Everything as found, before and after; and with each switch turned, and in the last place with all of them off. */
struct comparison {
    struct costs before, after, turned[CONTROL_SWITCHES + 1];
    char why_not[CONTROL_SWITCHES + 1][REASON]; /* "": it was measured */
};

/* A change is real where it is this many times what changes by itself, and this part of what a load costs. */
static const double CHANGE_FACTOR = 3, CHANGE_PART = 0.03;

/* By how much `o` costs more in each layout, from least to most. False where it does not change, or both ways. */
static bool changes(const struct walk *w, const struct comparison *c, size_t turned, size_t home, enum order o,
                    double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t layout = 0; layout < w->layouts; layout++) {
        double before = c->before.cycles[home][layout][o], after = c->after.cycles[home][layout][o];
        double change = c->turned[turned].cycles[home][layout][o] - (before + after) / 2;
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

/* `was_off`: the switch was turned on, so that signs change. */
static void report_effect(struct probe *p, const struct walk *w, const struct comparison *c, size_t turned,
                          const char *name, bool was_off)
{
    struct finding f = effect(name);
    bool any = false;
    double low, high;

    if (c->why_not[turned][0])
        f.reason = c->why_not[turned];
    for (size_t home = 0; home < w->home_count && !f.reason; home++)
        for (enum order o = 0; o < ORDERS; o++) {
            if (!changes(w, c, turned, home, o, &low, &high))
                continue;
            struct finding changed = effect(name);
            changed.variants[1].key = "pattern";
            changed.variants[1].text = orders[o].name;
            changed.variants[2].key = "level";
            changed.variants[2].text = w->homes[home].level;
            changed.value = (was_off ? -1 : 1) * rounded((low + high) / 2);
            changed.grade = 'C';
            report(p, &changed);
            any = true;
        }
    if (any)
        return;
    if (!f.reason)
        f.reason = "no-effect-on-these-patterns";
    report(p, &f);
}

/* With one switch turned, or where there is none of that number all of them off. Then everything is as found again. */
static bool measure_turned(struct probe *p, struct walk *w, struct control *control, size_t i, struct comparison *c)
{
    const size_t mark = control->changes.count, all = control->switch_count;
    char text[REASON];
    bool good = true;

    const char *why = i < all ? control_switch(control, i, !control->switches[i].is_off)
                              : control_prefetch(control, "off", text, sizeof text);
    snprintf(c->why_not[i], REASON, "%s", why ? why : "");
    if (!why)
        good = measure_all(p, w, &c->turned[i]);
    if (!changes_restore(&control->changes, mark))
        good = probe_skip(p, "a prefetcher switch does not go back to what it was");
    return good;
}

static void compare(struct probe *p, struct walk *w, struct control *control, const struct costs *before)
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

/* ---- The probe -------------------------------------------------------------------------------------------------- */

/* Four times what the level before holds, but well within the level itself; and twice the second level. */
static void choose_homes(const struct probe *p, struct walk *w)
{
    double first = facts_number(&p->run->facts, "memory.cache.bytes", "level=1", 32 << 10);
    double second = facts_number(&p->run->facts, "memory.cache.bytes", "level=2", 1 << 20);
    double most = (double)machine_info()->memory_bytes / 2 / SPREAD;

    if (second >= 8 * first)
        w->homes[w->home_count++] = (struct home){"2", (uint32_t)(4 * first / LINE_BYTES)};
    if (2 * second <= most && probe_scale(p, 0, 1, 1, 1) > 0)
        w->homes[w->home_count++] = (struct home){"3", (uint32_t)(2 * second / LINE_BYTES)};
    for (size_t i = 0; i < w->home_count; i++) /* whole groups of all kinds */
        w->homes[i].lines -= w->homes[i].lines % GROUP;
    w->layouts = (size_t)probe_scale(p, 1, 2, 2, LAYOUTS);
}

static void run(struct probe *p)
{
    struct walk w = {.home_count = 0};
    struct costs found;
    const char *why_not = NULL;
    struct control *control = machine_control(&why_not);
    uint32_t lines = 0;

    choose_homes(p, &w);
    for (size_t i = 0; i < w.home_count; i++)
        lines = w.homes[i].lines > lines ? w.homes[i].lines : lines;
    if (!lines) {
        probe_skip(p, "the caches that are known of leave no room between them");
        return;
    }
    if (!probe_map_large(p, &w.memory, (size_t)lines * SPREAD * LINE_BYTES) || !probe_map(p, &w.start, LINE_BYTES, 0))
        return;
    w.line = calloc(2 * (size_t)lines, sizeof *w.line);
    if (!w.line) {
        probe_skip(p, "out of memory for the order of the chase");
        return;
    }
    w.shuffled = w.line + lines;
    if (measure_all(p, &w, &found)) {
        send_rows(p, &w, &found, "");
        for (size_t home = 0; home < w.home_count; home++)
            for (enum order o = 0; o < ORDERS; o++)
                if (orders[o].control != o)
                    report_saved(p, &w, &found, home, o);
        if (control && control->switch_count) {
            compare(p, &w, control, &found);
        } else {
            struct finding f = effect(NULL);
            f.reason = control ? control->no_switches : why_not;
            report(p, &f);
        }
    }
    free(w.line);
}

PROBE(prefetch, .title = "Prefetchers", .family = "memory", .after = "cache", .run = run,
      .findings = FINDINGS({"memory.prefetch.saved_percent", "percent",
                            "part of a load's latency that prefetchers save on a pattern, as found"},
                           {"memory.prefetch.effect", "cycles", "what each prefetcher switch saves on a pattern"}));
