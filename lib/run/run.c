#include "lib/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/record.h"
#include "lib/finding/report.h"
#include "lib/machine.h"
#include "lib/plan/cores.h"
#include "lib/probe/probe.h"
#include "lib/probe/progress.h"
#include "lib/run/bringup.h"
#include "lib/run/environment.h"
#include "lib/run/plan.h"
#include "lib/run/records.h"
#include "lib/run/stage.h"
#include "lib/run/text.h"

/* ---- One probe --------------------------------------------------------------------------------- */

/* Warns that the sibling detector was calibrated beside a sibling until this probe. Gates do not rest on it. */
static void warn_corrected(struct run *r, const struct probe_definition *d)
{
    char text[200];

    snprintf(text, sizeof text,
             "a sibling thread was awake from the beginning until %s ran: the findings before that, and those of this "
             "probe, may be of a shared core",
             d->name);
    if (!d->gate)
        record_warning(&r->writer, "sibling", text);
}

/* Runs one probe. `missing` is a fact that it needs and that is not known; NULL: none. */
static void run_probe(struct run *r, const struct probe_definition *d, const char *missing)
{
    struct probe p = {.definition = d,
                      .run = r,
                      .random = 1,
                      .taken_before = r->meter.taken,
                      .disturbed_before = meter_disturbed(&r->meter)};
    struct spent before = run_spent(r);
    char line[200];

    progress_next(&r->progress, journal_seconds(&r->journal, d->name));
    if (r->stopped) {
        probe_skip(&p, "the run was stopped by a key");
        send_end(&p, &before, 0);
    } else if (!r->config.retry && journal_skips(&r->journal, d->name)) {
        probe_skip(&p, "it started and never ended in the last two runs; retry = all runs it again");
        send_end(&p, &before, 0);
    } else if (missing) {
        snprintf(line, sizeof line, "it needs %s, which is neither declared nor measured", missing);
        probe_skip(&p, line);
        send_end(&p, &before, 0);
    } else {
        size_t mark = machine_map_mark();
        double start = machine_seconds();
        const unsigned corrections = r->meter.corrections;
        send_start(r, d);
        progress_show(&r->progress, d->title);
        d->run(&p);
        if (r->meter.corrections > corrections)
            warn_corrected(r, d);
        if (p.outcome == OUTCOME_FAULT)
            send_fault(&p);
        machine_map_release(mark);
        if (machine_touched_outside(&p.fault)) {
            p.outcome = OUTCOME_FAULT;
            send_fault(&p);
        }
        environment_watch(r, d->name);
        send_end(&p, &before, machine_seconds() - start);
    }
    if (p.outcome != OUTCOME_OK && !r->stopped) {
        snprintf(line, sizeof line, "  %s: %s%s%s\n", d->name, outcome_names[p.outcome],
                 p.outcome == OUTCOME_FAULT || p.reason[0] ? ": " : "",
                 p.outcome == OUTCOME_FAULT ? p.fault.vector : p.reason);
        machine_print(line);
    }
    r->outcomes[p.outcome]++;
}

/* ---- What probes need of each other --------------------------------------------------------------- */

static void run_with_needs(struct run *r, struct plan *plan, size_t which);

/* Whether a fact is known; `need` is its name and, behind a blank, variants. */
static bool fact_known(const struct run *r, const char *need)
{
    char name[64];
    size_t length = strcspn(need, " ");

    snprintf(name, sizeof name, "%.*s", (int)length, need);
    return facts_find(&r->facts, name, need + length + strspn(need + length, " "));
}

/*
 * Runs other probes for facts that are not known, or only those of them that this run has anyway. NULL, or the first
 * fact that is still missing.
 */
static const char *provide(struct run *r, struct plan *plan, const char *const *needs, bool only_chosen)
{
    const char *missing = NULL;

    for (const char *const *need = needs; need && *need && !missing; need++) {
        for (size_t i = 0; i < plan->count && !fact_known(r, *need); i++)
            if (!plan->order[i]->only_named && plan_declares(plan->order[i], *need) &&
                (!only_chosen || plan_has(r, plan->order[i])))
                run_with_needs(r, plan, i);
        missing = fact_known(r, *need) ? NULL : *need;
    }
    return missing;
}

/* Runs the probe once, after those that it needs; a circle of needs ends where it would begin again. */
static void run_with_needs(struct run *r, struct plan *plan, size_t which)
{
    if (plan->begun[which])
        return;
    plan->begun[which] = true;
    /* smoke shows that each probe runs by itself; where instructions are few, a probe that nobody named is not run */
    const struct probe_definition *const definition = plan->order[which];
    if (r->config.profile != PROFILE_SMOKE && (!definition->wants_if || definition->wants_if(&r->kernels)))
        (void)provide(r, plan, definition->wants, r->config.profile == PROFILE_SIMULATED);
    run_probe(r, definition, provide(r, plan, definition->needs, false));
}

/* ---- The run ----------------------------------------------------------------------------------- */

static void warn_no_window(struct run *r, const struct window_result *result)
{
    const char *why = result->end == WINDOW_TIMEOUT ? "timeout" : result->fault.vector ? result->fault.vector : "fault";
    char text[160];

    snprintf(text, sizeof text, "nothing can be measured on this core, its first window ends by: %s", why);
    record_warning(&r->writer, "window", text);
    machine_print(text);
    machine_print("\n");
}

/* ---- Cores -------------------------------------------------------------------------------------- */

static void warn_core(void *run, const char *text)
{
    struct run *r = run;
    char line[240];

    record_warning(&r->writer, "cores", text);
    snprintf(line, sizeof line, "%s.\n", text);
    machine_print(line);
}

static void send_platform_warnings(struct run *r)
{
    if (r->warn)
        r->warn(&r->writer);
}

/* Fills in the progress: all planned probes, with the seconds that each took in an earlier run. */
static void plan_progress(struct run *r, const struct plan *plan)
{
    progress_start(&r->progress);
    for (size_t i = 0; i < plan->count; i++)
        if (plan->order[i]->gate || plan_has(r, plan->order[i]))
            progress_add(&r->progress, journal_seconds(&r->journal, plan->order[i]->name));
}

static void know_declared(struct run *r)
{
    const struct machine_info *info = machine_info();

    if (!facts_declare(&r->facts, info->caches, info->cache_count, info->tlbs, info->tlb_count))
        record_warning(&r->writer, "facts", "there is no memory for all that this machine declares");
}

/* Calibrates the meter; its first window is the first of this core. */
static struct window_result first_window(struct run *r)
{
    const char *why = stage_begin("first-window", "runs the first windows, and calibrates the meter");

    return why ? (struct window_result){.end = WINDOW_FAULT, .fault = {.vector = why}}
               : meter_start(&r->meter, r->config.profile);
}

/* Measures on the core in use. False when its first window ended by a fault or a timeout. */
static bool run_core(struct run *r, const struct plan *probes)
{
    struct plan plan = *probes;
    struct counted before = {.findings = r->findings};
    double start = machine_seconds();

    memcpy(before.outcomes, r->outcomes, sizeof before.outcomes);
    facts_forget(&r->facts);
    r->points = r->grid = 0;
    memset(r->undecided, 0, sizeof r->undecided);
    plan_progress(r, &plan);
    r->trusted = false;
    snprintf(r->untrusted_cause, sizeof r->untrusted_cause, "the clock was not examined");
    print_heading(r);
    know_declared(r);
    if (machine_info()->core != r->booted_core)
        send_machine(r);
    struct window_result result = first_window(r);
    if (result.end == WINDOW_RAN)
        environment_set(r);
    send_environment(r);
    if (result.end != WINDOW_RAN)
        warn_no_window(r, &result);

    if (machine_info()->core == r->booted_core && bringup_wanted(r))
        bringup_page(r, &result);
    stage_end();
    /* The gates come first and always: every finding rests on them. */
    for (int gates = 1; gates >= 0 && result.end == WINDOW_RAN; gates--)
        for (size_t i = 0; i < plan.count; i++)
            if (plan.order[i]->gate == (bool)gates && (gates || plan_has(r, plan.order[i])))
                run_with_needs(r, &plan, i);
    if (result.end == WINDOW_RAN)
        environment_restore(r);
    report_masked(r);
    print_undecided(r);
    print_summary(r, &before, machine_seconds() - start);
    return result.end == WINDOW_RAN;
}

/* Makes core `index` the core in use. False, with a warning, when that is impossible. */
static bool use_core(struct run *r, unsigned index)
{
    const char *why = index == machine_info()->core ? NULL : machine_use_core(index);
    char text[200];

    send_platform_warnings(r);
    if (!why)
        return true;
    snprintf(text, sizeof text, "core %u cannot be used: %s", index, why);
    warn_core(r, text);
    return false;
}

static struct result run_cores(struct run *r, const struct plan *plan)
{
    size_t count, chosen;
    const struct machine_core *all = machine_cores(&count);
    const unsigned here = machine_info()->core;
    unsigned alone[1] = {here};
    char only[16];
    unsigned *indices = calloc(count, sizeof *indices);
    struct result result = {.untrusted_cause = "the clock was not examined"};

    if (!indices) {
        record_warning(&r->writer, "cores", "there is no memory for a list of them: only the one in use measures");
        indices = alone;
        chosen = 1;
    } else {
        snprintf(only, sizeof only, "%u", here);
        chosen = cores_choose(r->config.bringup == BRINGUP_ONLY ? only : r->config.cores, all, count, here, indices,
                              warn_core, r);
    }
    for (size_t i = 0; i < chosen; i++) {
        if (!use_core(r, indices[i])) {
            result.failed = true;
            continue;
        }
        result.failed |= !run_core(r, plan);
        result.trusted += r->trusted;
        if (!r->trusted && result.trusted == result.measured)
            snprintf(result.untrusted_cause, sizeof result.untrusted_cause, "%s", r->untrusted_cause);
        result.measured++;
    }
    result.failed |= !use_core(r, here); /* gives the last one back */
    if (indices != alone)
        free(indices);
    return result;
}

int run_all(struct run *r)
{
    struct result result = {.untrusted_cause = "the clock was not examined"};
    struct plan plan = {.count = 0};
    double start = machine_seconds();

    plan.count = plan_probes(plan.order, PLAN_PROBES);
    send_run(r);
    send_platform_warnings(r);
    if (!plan_names_exist(r, &plan)) {
        send_done(r, &result, 0, 2);
        return 2;
    }
    r->booted_core = machine_info()->core;
    know_declared(r);
    send_machine(r); /* before anything that the machine may not survive */
    stage_start(r);
    machine_own();
    send_platform_warnings(r);
    result = run_cores(r, &plan);

    bool failed = result.failed || r->outcomes[OUTCOME_FAULT] || r->outcomes[OUTCOME_TIMEOUT] || r->writer.lost;
    print_records(r);
    send_done(r, &result, machine_seconds() - start, failed);
    return failed;
}
