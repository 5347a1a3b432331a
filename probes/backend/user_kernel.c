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
 *   limits     before each copy a register is given its first value again: where the code becomes faster, and does not by
 *              as many NOPs, it waited for what is passed on in that register, a chain of dependences, or what its
 *              values lead to. Behind each copy operations of one kind are added that find room unless the code has
 *              used it up: where it becomes slower by what they take alone, it has. NOPs stand for the number of
 *              instructions, representatives of the units (arch/catalogue.h) for those. Words of memory that the code
 *              writes are stored again as registers are. Mispredictions go away where all copies do the same in each
 *              iteration; what costs far more than it takes alone has met a full queue
 *   predicted  what it should take, by what is measured of each form of its instructions alone: slots of the front end,
 *              time of the units of each class, latencies (lib/structure/user_model.h). The greatest of what these ask
 *              for; beside what the kernel took, and what is not explained
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

#include "lib/base/reason.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/probe/progress.h"
#include "lib/structure/user_table.h"

enum { NUMBER_TEXT = 64, TEXT = 256 };

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

/* Reports what limits the kernel, where its profile and the kernel want that. False: the probe is over. */
static bool report_limits(struct probe *p, struct user_place *w)
{
    struct finding f = finding_of(w->kernel, "kernel.limit", NULL);
    static struct user_limits l;

    if (!w->kernel->why || probe_is_smoke(p))
        return true;
    if (!user_limits_find(p, w, &l))
        return false;
    user_limits_send(p, w->kernel, &l);
    f.method = "registers given their values again, and operations added, in each copy";
    f.text = l.text[0] ? l.text : NULL;
    f.grade = 'C';
    f.reason = isnan(l.cycles) ? REASON_NO_READINGS : REASON_NO_LIMIT;
    f.detail = l.not_tried;
    report(p, &f);
    return true;
}

/* Reports what the kernel should take, where that is asked for. False: the probe is over. */
static bool report_prediction(struct probe *p, const struct user_kernel *k, const struct user_cost *c,
                              struct form_demands *d)
{
    struct finding f = finding_of(k, "kernel.predicted", NULL);
    static struct user_model m;
    char took[NUMBER_TEXT] = "", off[NUMBER_TEXT] = "", chain[TEXT], what[TEXT];
    const struct user_cycles *as = &c->unrolled[0];

    if (!k->predict)
        return true;
    if (!user_model_predict(d, k, &m))
        return false;
    user_model_send(p, k, &m, as->cycles);
    f.method = "the greatest of what front end, units and dependences of its instructions ask for";
    f.value = m.cycles;
    f.grade = 'C';
    f.reason = REASON_NOT_IN_MODEL;
    snprintf(what, sizeof what, "%s, at byte %u%s%s", m.why ? m.why : "", m.offset, m.form ? ": " : "",
             m.form ? m.form : "");
    f.detail = m.why ? what : NULL;
    if (!isnan(as->cycles))
        snprintf(took, sizeof took, "%.4g [%.4g, %.4g]", as->cycles, as->least, as->most);
    if (!isnan(m.cycles) && !isnan(as->cycles))
        snprintf(off, sizeof off, "%+.1f %%", 100 * (1 - m.cycles / as->cycles));
    user_chain_text(&m, chain, sizeof chain);
    f.remarks[0].key = "measured", f.remarks[0].text = took;
    f.remarks[1].key = "not_explained", f.remarks[1].text = off;
    f.remarks[2].key = "chain", f.remarks[2].text = chain;
    report(p, &f);
    return true;
}

/* ---- One kernel ----------------------------------------------------------------------------------- */

/* False: the probe is over. */
static bool measure(struct probe *p, const struct user_kernel *k, struct user_cost *c, struct form_demands *d)
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
    user_table_send(p, k, c);
    if (c->end.end != WINDOW_RAN || c->end.breaks)
        user_end_print(k, &c->end);
    report_layouts(p, k, "unrolled", c, c->unrolled);
    if (c->end.end != WINDOW_RAN || c->end.breaks)
        return true;
    report_layouts(p, k, "loop", c, c->loop);
    report_cold(p, k, c);
    return report_prediction(p, k, c, d) && report_limits(p, &w) && user_events_count(p, &w, c) &&
           user_prefetchers_switch(p, &w, c);
}

/* The probe ends as the first kernel that was not measured, after all others. */
static void note(struct probe *p, const struct user_end *end)
{
    if (p->fault.vector)
        return;
    if (end->end == WINDOW_FAULT)
        p->fault = end->fault;
    else if (end->end == WINDOW_TIMEOUT)
        p->fault.vector = outcome_names[OUTCOME_TIMEOUT];
    else if (end->breaks)
        p->fault.vector = reasons[REASON_BREAKS_HARNESS].token;
}

/* Measures one kernel, and gives back what was mapped for it. False: the probe is over. */
static bool one(struct probe *p, const struct user_kernel *k, struct form_demands *d)
{
    const size_t mark = machine_map_mark();
    struct user_cost c = {.copies = user_copies(k)};
    struct fault outside;

    progress_show(&p->run->progress, k->name);
    for (unsigned i = 0; i < USER_LAYOUTS; i++)
        c.loop[i].cycles = c.unrolled[i].cycles = NAN;
    c.cold.cycles = NAN;
    const bool good = measure(p, k, &c, d);
    probe_release(p, mark);
    if (machine_touched_outside(&outside) && c.end.end == WINDOW_RAN) {
        c.end = (struct user_end){.end = WINDOW_FAULT, .fault = outside, .where = "elsewhere"};
        user_table_send(p, k, &c);
        user_end_print(k, &c.end);
    }
    if (good)
        note(p, &c.end);
    return good;
}

static void run(struct probe *p)
{
    const struct user_kernels *all = &p->run->kernels;
    static struct form_demands d;
    bool good = true;

    if (!all->count) {
        probe_skip(p, all->others ? "the kernels that were given are for another instruction set"
                                  : "no kernel was given; docs/KERNELS.md says how");
        return;
    }
    if (user_kernels_predict(all) && !form_demands_start(&d, p))
        return;
    for (size_t i = 0; i < all->count && good; i++)
        good = probe_goes_on(p) && one(p, &all->list[i], &d);
    form_demands_end(&d);
    if (!good)
        return;
    if (p->fault.vector)
        p->outcome = p->fault.vector == outcome_names[OUTCOME_TIMEOUT] ? OUTCOME_TIMEOUT : OUTCOME_FAULT;
}

PROBE(user_kernel, .title = "Kernels of one's own", .family = "backend", .on_kernels = true, .run = run,
      .wants = NEEDS("backend.unit.map"), .wants_if = user_kernels_predict,
      .findings = FINDINGS({"kernel.cycles", "cycles", "what one execution of a kernel of the user takes"},
                           {"kernel.predicted", "cycles",
                            "what a kernel of the user should take, by what its instructions take"},
                           {"kernel.limit", "limit", "what a kernel of the user waits for, or has used up"}));
