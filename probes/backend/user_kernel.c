/*
 * Kernels of one's own: what does code cost that somebody has written?
 *
 * The code comes from files (docs/KERNELS.md), as bytes that a program or an assembler has made. It runs in a harness
 * that gives it memory, a stack and values in registers, and takes back what it changes. It is executed first where
 * faults and endless loops are caught: a kernel that faults, does not end, or changes what the harness needs, ends as
 * that, and the next one runs. Then:
 *
 *   unrolled   cycles of one copy: copies of the code behind each other, n and 2n of them in a loop. What 2n copies take
 *              less what n take is n copies without the loop
 *   loop       cycles of one iteration of a loop around one copy, with the two instructions that end it
 *   cold       cycles of one execution after its code and memory were displaced from all caches, less that of the
 *              empty harness. TLBs and predictors stay as they are, and the time stamp's steps limit how exact it is
 *   events     that the core's counters count for one copy, where there are counters
 *   switched   the unrolled kernel with each prefetcher turned, where prefetchers can be switched
 *
 * Unrolled and loop are measured in two layouts, the second one a few bytes further on. What could mislead both is the
 * same, so that the grade is B at most; with one layout alone, or two that differ, C.
 *
 * Records: `finding` and `table`. Method: docs/METHODS.md, 6.10; Abel and Reineke 2020, nanoBench, for n and 2n copies.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/numbers.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/probe/count.h"
#include "lib/probe/probe.h"
#include "lib/probe/progress.h"
#include "lib/probe/table.h"
#include "lib/structure/user_cost.h"

enum { LINE = 240, EVENTS_AT_MOST = 32, SWITCH_SAMPLES = 3, BYTES_SHOWN = 64 };

/* ---- What is reported ----------------------------------------------------------------------------- */

static struct finding finding_of(const struct user_kernel *k, const char *name, const char *way)
{
    return (struct finding){.name = name,
                            .variants = {{"kernel", k->name}, {way ? "way" : NULL, way}},
                            .value = NAN,
                            .low = NAN,
                            .high = NAN,
                            .grade = 'U'};
}

static void set_reason(struct finding *f, const struct user_end *end)
{
    f->reason = end->breaks                  ? REASON_BREAKS_HARNESS
                : end->end == WINDOW_TIMEOUT ? REASON_TIMEOUT
                : end->end == WINDOW_FAULT   ? REASON_FAULT
                                             : REASON_NO_READINGS;
    f->detail = end->end == WINDOW_FAULT ? end->fault.vector : NULL;
}

/* Reports cycles that were measured in several layouts. */
static void report_layouts(struct probe *p, const struct user_kernel *k, const char *way, const struct user_cost *c,
                           const struct user_cycles layouts[USER_LAYOUTS])
{
    struct finding f = finding_of(k, "kernel.cycles", way);
    struct experiment_value v[USER_LAYOUTS];

    f.method = "median of samples in two layouts of the code; interval: least and most";
    for (unsigned i = 0; i < USER_LAYOUTS; i++) {
        v[i] = (struct experiment_value){i ? "shifted" : "aligned", "layout", layouts[i].cycles};
        f.low = fmin(f.low, layouts[i].least); /* fmin and fmax ignore a NaN */
        f.high = fmax(f.high, layouts[i].most);
    }
    const struct graded g = grade_number(v, USER_LAYOUTS);
    f.value = g.value;
    f.grade = g.grade;
    f.reason = g.reason;
    if (c->end.end != WINDOW_RAN || c->end.breaks || isnan(g.value))
        set_reason(&f, &c->end);
    report(p, &f);
}

static void report_cold(struct probe *p, const struct user_kernel *k, const struct user_cost *c)
{
    struct finding f = finding_of(k, "kernel.cycles", "cold");

    if (!k->cold || c->end.end != WINDOW_RAN || c->end.breaks)
        return;
    f.method = "one execution after its lines were displaced from the caches; median, and where it lies 19 times of 20";
    f.value = c->cold.cycles;
    f.low = c->cold.least;
    f.high = c->cold.most;
    f.grade = f.low > 0 ? 'C' : 'U';
    f.reason = isnan(f.value) ? REASON_NO_READINGS : REASON_NOISE;
    report(p, &f);
}

static const char *outcome(const struct user_end *end)
{
    return end->breaks ? "breaks-harness"
                       : outcome_names[end->end == WINDOW_FAULT     ? OUTCOME_FAULT
                                       : end->end == WINDOW_TIMEOUT ? OUTCOME_TIMEOUT
                                                                    : OUTCOME_OK];
}

static void send_rows(struct record *r, const char *way, const struct user_cycles *cycles, size_t count, double hz)
{
    for (size_t i = 0; i < count; i++) {
        if (isnan(cycles[i].cycles))
            continue;
        record_array(r, NULL);
        record_text(r, NULL, way);
        record_integer(r, NULL, i);
        record_number(r, NULL, rounded(cycles[i].cycles));
        record_number(r, NULL, rounded(cycles[i].least));
        record_number(r, NULL, rounded(cycles[i].most));
        record_number(r, NULL, rounded(cycles[i].cycles / hz * 1e9));
        record_close(r);
    }
}

static void send_table(struct probe *p, const struct user_kernel *k, const struct user_cost *c)
{
    char bytes[2 * BYTES_SHOWN + 1] = "";
    struct record r;

    for (size_t i = 0; i < k->code_bytes && i < BYTES_SHOWN; i++)
        snprintf(bytes + 2 * i, 3, "%02x", k->code[i]);
    record_table(p, &r, "kernel");
    record_text(&r, "kernel", k->name);
    record_text(&r, "file", k->from);
    record_integer(&r, "line", k->line);
    record_text(&r, "code", bytes);
    record_integer(&r, "bytes", k->code_bytes);
    record_integer(&r, "copies", c->copies);
    record_text(&r, "outcome", outcome(&c->end));
    if (c->end.breaks)
        record_text(&r, "breaks", c->end.breaks);
    if (c->end.end == WINDOW_FAULT) {
        record_text(&r, "vector", c->end.fault.vector);
        record_hex(&r, "syndrome", c->end.fault.syndrome);
        record_hex(&r, "address", c->end.fault.address);
        record_hex(&r, "pc", c->end.fault.pc);
    }
    if (c->end.where) {
        record_text(&r, "where", c->end.where);
        record_integer(&r, "offset", c->end.offset);
    }
    RECORD_COLUMNS(&r, "way", "layout", "cycles", "least", "most", "ns");
    send_rows(&r, "unrolled", c->unrolled, USER_LAYOUTS, c->hz);
    send_rows(&r, "loop", c->loop, USER_LAYOUTS, c->hz);
    send_rows(&r, "cold", &c->cold, 1, c->hz);
    record_close(&r);
    record_send(&r);
}

/* Prints how a kernel ended that was not measured. */
static void print_end(const struct user_kernel *k, const struct user_end *end)
{
    char line[LINE], place[48] = "";

    if (end->where && (!strcmp(end->where, "code") || !strcmp(end->where, "init")))
        snprintf(place, sizeof place, " at byte %llu of its %s", (unsigned long long)end->offset, end->where);
    else if (end->where)
        snprintf(place, sizeof place, " at 0x%llx, outside its code", (unsigned long long)end->fault.pc);
    if (end->breaks)
        snprintf(line, sizeof line, "    %s: %s; it was not measured\n", k->name, end->breaks);
    else if (end->end == WINDOW_TIMEOUT)
        snprintf(line, sizeof line, "    %s: did not end before the deadline; it was%s\n", k->name, place);
    else
        snprintf(line, sizeof line, "    %s: %s%s, address 0x%llx\n", k->name, end->fault.vector, place,
                 (unsigned long long)end->fault.address);
    machine_print(line);
}

/* ---- Events and prefetchers ----------------------------------------------------------------------- */

/* Counts the kernel's events. False: the probe is over. */
static bool count_events(struct probe *p, struct user_place *w, struct user_cost *c)
{
    static struct event events[EVENTS_AT_MOST];
    static struct count counts[EVENTS_AT_MOST];
    const struct user_kernel *k = w->kernel;
    const struct counters *have = machine_counters();
    const struct count_options options = {
        .iterations = 20, .warmup = 3, .repetitions = (unsigned)probe_scale(p, 3, 10, 20, 100)};
    struct user_variant v = {.copies = c->copies};
    struct kernel kernel;
    struct record r;

    if (!k->events[0])
        return true;
    record_table(p, &r, "kernel_events");
    record_text(&r, "kernel", k->name);
    if (have->why_not) {
        record_text(&r, "reason", have->why_not);
        record_array(&r, "rows");
        record_close(&r);
        record_send(&r);
        machine_print("    no events: ");
        machine_print(have->why_not);
        machine_print("\n");
        return true;
    }
    const size_t count = probe_find_events(p, k->events, true, events, EVENTS_AT_MOST);
    if (!user_code_make(p, w, &v, &kernel))
        return false;
    const struct window_result result = count_kernel(&kernel, events, count, &options, counts);
    c->end.end = result.end;
    c->end.fault = result.fault;
    record_array(&r, "rows");
    for (size_t i = 0; i < count && result.end == WINDOW_RAN; i++) {
        count_send_row(&r, &events[i], &counts[i]);
        count_print_row(&events[i], &counts[i]);
    }
    record_close(&r);
    record_send(&r);
    return true;
}

/* Measures the kernel with each prefetcher turned, and with all of them off. False: the probe is over. */
static bool switch_prefetchers(struct probe *p, struct user_place *w, struct user_cost *c)
{
    const char *why_not = NULL;
    struct control *control = machine_control(&why_not);
    const struct user_variant v = {.copies = c->copies};
    struct user_cycles cycles;
    struct record r;
    char text[160];

    if (!w->kernel->each_prefetcher)
        return true;
    record_table(p, &r, "kernel_prefetchers");
    record_text(&r, "kernel", w->kernel->name);
    if (!control || !control->switch_count)
        record_text(&r, "reason", control ? control->no_switches : why_not);
    RECORD_COLUMNS(&r, "turned", "cycles", "reason");
    for (size_t i = 0; control && control->switch_count && i <= control->switch_count + 1; i++) {
        const size_t mark = control->changes.count, all = control->switch_count;
        const char *why = i == 0     ? NULL
                          : i <= all ? control_switch(control, i - 1, !control->switches[i - 1].is_off)
                                     : control_prefetch(control, "off", text, sizeof text);
        cycles.cycles = NAN;
        if (!why && !user_measure(p, w, &v, SWITCH_SAMPLES, &c->end, &cycles))
            return false;
        if (!changes_restore(&control->changes, mark))
            return probe_skip(p, "a prefetcher switch does not go back to what it was");
        record_array(&r, NULL);
        record_text(&r, NULL, i == 0 ? "" : i <= all ? control->switches[i - 1].name : "all");
        record_number(&r, NULL, rounded(cycles.cycles));
        record_text(&r, NULL, why);
        record_close(&r);
    }
    record_close(&r);
    record_send(&r);
    return true;
}

/* ---- One kernel ----------------------------------------------------------------------------------- */

/* False: the probe is over. */
static bool measure(struct probe *p, const struct user_kernel *k, struct user_cost *c)
{
    struct user_place w;
    const char *why = user_place_map(&w, k);

    if (why) {
        struct finding f = finding_of(k, "kernel.cycles", "unrolled");
        f.reason = REASON_PLATFORM;
        f.detail = why;
        report(p, &f);
        return true;
    }
    if (!user_try(p, &w, c) || (c->end.end == WINDOW_RAN && !c->end.breaks && !user_cost_measure(p, &w, c)))
        return false;
    send_table(p, k, c);
    if (c->end.end != WINDOW_RAN || c->end.breaks)
        print_end(k, &c->end);
    report_layouts(p, k, "unrolled", c, c->unrolled);
    if (c->end.end != WINDOW_RAN || c->end.breaks)
        return true;
    report_layouts(p, k, "loop", c, c->loop);
    report_cold(p, k, c);
    return count_events(p, &w, c) && switch_prefetchers(p, &w, c);
}

/* Measures one kernel, and gives back what was mapped for it. False: the probe is over. */
static bool one(struct probe *p, const struct user_kernel *k)
{
    const size_t mark = machine_map_mark();
    struct user_cost c = {.copies = user_copies(k)};
    struct fault outside;

    progress_show(&p->run->progress, k->name);
    for (unsigned i = 0; i < USER_LAYOUTS; i++)
        c.loop[i].cycles = c.unrolled[i].cycles = NAN;
    c.cold.cycles = NAN;
    const bool good = measure(p, k, &c);
    probe_release(p, mark);
    if (machine_touched_outside(&outside) && c.end.end == WINDOW_RAN) {
        c.end = (struct user_end){.end = WINDOW_FAULT, .fault = outside, .where = "elsewhere"};
        send_table(p, k, &c);
        print_end(k, &c.end);
    }
    if (good && c.end.end != WINDOW_RAN)
        p->fault = c.end.fault;
    return good;
}

static void run(struct probe *p)
{
    const struct user_kernels *all = &p->run->kernels;

    if (!all->count) {
        probe_skip(p, all->others ? "the kernels that were given are for another instruction set"
                                  : "no kernel was given; docs/KERNELS.md says how");
        return;
    }
    for (size_t i = 0; i < all->count; i++)
        if (!probe_goes_on(p) || !one(p, &all->list[i]))
            return;
    if (p->fault.vector) /* of the last one that did not end well */
        p->outcome = OUTCOME_FAULT;
}

PROBE(user_kernel, .title = "Kernels of one's own", .family = "backend", .on_kernels = true, .run = run,
      .findings = FINDINGS({"kernel.cycles", "cycles", "what one execution of a kernel of the user takes"}));
