#include "lib/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cores.h"
#include "lib/machine.h"
#include "lib/probe.h"

enum { PLAN_PROBES = JOURNAL_PROBES, PROBES_THAT_TELL = 3 };

const char *const outcome_names[OUTCOMES] = {"ok", "skipped", "fault", "timeout"};

/* Bounds of the section into which PROBE puts its pointers; the linker makes them. */
extern const struct probe_definition *const __start_probes[] __attribute__((visibility("hidden")));
extern const struct probe_definition *const __stop_probes[] __attribute__((visibility("hidden")));

/* ---- The plan ---------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    const struct probe_definition *const *x = a, *const *y = b;
    int family = strcmp((*x)->family, (*y)->family);
    return family ? family : strcmp((*x)->name, (*y)->name);
}

static bool placed(const struct probe_definition *const *order, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(order[i]->name, name))
            return true;
    return false;
}

static bool exists(const struct probe_definition *const *all, size_t count, const char *name)
{
    return name && placed(all, count, name);
}

size_t run_probes(const struct probe_definition *out[], size_t room)
{
    const struct probe_definition *all[PLAN_PROBES] = {0};
    size_t count = 0, done = 0;

    for (const struct probe_definition *const *p = __start_probes; p < __stop_probes && count < PLAN_PROBES; p++)
        all[count++] = *p;
    qsort(all, count, sizeof all[0], by_name); /* the linker's order means nothing */

    /* A probe goes behind the one it names in `after`; a ring of such names is broken where it stands. */
    for (bool moved = true, forced = false; done < count && done < room; forced = !moved, moved = false)
        for (size_t i = 0; i < count && done < room; i++) {
            const char *after = all[i]->after;
            if (placed(out, done, all[i]->name))
                continue;
            if (forced || !exists(all, count, after) || placed(out, done, after)) {
                out[done++] = all[i];
                moved = true;
            }
        }
    return done;
}

void run_print_probes(bool findings)
{
    const struct probe_definition *order[PLAN_PROBES];
    size_t count = run_probes(order, PLAN_PROBES);
    char line[200];

    for (size_t i = 0; i < count; i++) {
        snprintf(line, sizeof line, "%-18s %-9s %s%s\n", order[i]->name, order[i]->family, order[i]->title,
                 order[i]->debug ? " (only when named)" : "");
        machine_print(line);
        for (const struct finding_declaration *f = order[i]->findings; findings && f && f->name; f++) {
            snprintf(line, sizeof line, "    %-36s %-12s %s\n", f->name, f->unit, f->text);
            machine_print(line);
        }
    }
}

/* The next name of a list separated by spaces or commas. False at its end. */
static bool next_name(const char **list, char *out, size_t room)
{
    size_t n = strcspn(*list += strspn(*list, " ,"), " ,");
    snprintf(out, room, "%.*s", (int)n, *list);
    *list += n;
    return n > 0;
}

static bool named(const char *list, const char *name)
{
    char word[64];
    while (next_name(&list, word, sizeof word))
        if (!strcmp(word, name))
            return true;
    return false;
}

/* Says which names of the configuration are no probe. True when all are. */
static bool names_exist(struct run *r, const struct probe_definition *const *order, size_t count)
{
    const char *list = r->config.probes;
    char name[64], text[160];
    bool good = true;

    while (next_name(&list, name, sizeof name))
        if (!placed(order, count, name)) {
            snprintf(text, sizeof text, "there is no probe named '%s'; see 'fathom list'", name);
            record_warning(&r->writer, "probes", text);
            snprintf(text, sizeof text, "fathom: there is no probe named '%s'; see 'fathom list'.\n", name);
            machine_print(text);
            good = false;
        }
    return good;
}

static bool planned(const struct run *r, const struct probe_definition *d)
{
    return r->config.probes[0] ? named(r->config.probes, d->name) : !d->debug;
}

/* ---- Trust ------------------------------------------------------------------------------------- */

void trust(struct probe *p, const char *untrusted_cause)
{
    struct run *r = p->run;

    r->trusted = !untrusted_cause;
    snprintf(r->untrusted_cause, sizeof r->untrusted_cause, "%s", untrusted_cause ? untrusted_cause : "");
    if (!r->trusted) /* a functional run still wants its points: nothing is rejected any more */
        r->meter.tolerance = INFINITY;
}

struct plan {
    const struct probe_definition *order[PLAN_PROBES];
    bool begun[PLAN_PROBES]; /* it has run, or waits for what it needs */
    size_t count;
};

/* ---- How far it is ------------------------------------------------------------------------------- */

double run_seconds_left(const struct run *r)
{
    const struct progress *p = &r->progress;
    const double now = machine_seconds();
    const unsigned ended = p->begun ? p->begun - 1 : 0;
    const double mean = ended ? (p->probe_since - p->since) / ended : 0;
    const double probe = p->probe_seconds > 0 ? p->probe_seconds : p->begun ? mean : 0;

    if (ended < PROBES_THAT_TELL && (p->unknown > 0 || (p->begun && p->probe_seconds <= 0)))
        return NAN;
    return p->known_seconds + p->unknown * mean + fmax(probe - (now - p->probe_since), 0);
}

/* Before the first probe. */
static void progress_start(struct run *r, const struct plan *plan)
{
    r->progress = (struct progress){.since = machine_seconds(), .probe_since = machine_seconds()};
    for (size_t i = 0; i < plan->count; i++) {
        const struct probe_definition *d = plan->order[i];
        const double seconds = journal_seconds(&r->journal, d->name);
        if (!d->gate && !planned(r, d))
            continue;
        r->progress.planned++;
        r->progress.known_seconds += seconds;
        r->progress.unknown += seconds <= 0;
    }
}

/* Before each. One that another one needs may not have been planned. */
static void progress_next(struct run *r, const struct probe_definition *d)
{
    struct progress *p = &r->progress;

    p->begun++;
    if (p->planned < p->begun)
        p->planned = p->begun;
    p->probe_since = machine_seconds();
    p->probe_seconds = journal_seconds(&r->journal, d->name);
    p->known_seconds = fmax(p->known_seconds - p->probe_seconds, 0);
    if (p->probe_seconds <= 0 && p->unknown > 0)
        p->unknown--;
}

void run_tell(const struct run *r, const char *text)
{
    const double left = run_seconds_left(r);
    char line[160], time[32] = "";

    if (!isnan(left))
        snprintf(time, sizeof time, ", about %u:%02u left", (unsigned)left / 60, (unsigned)left % 60);
    snprintf(line, sizeof line, "[%u/%u%s] %s", r->progress.begun, r->progress.planned, time, text);
    machine_progress(line);
}

/* ---- One probe --------------------------------------------------------------------------------- */

static void send_start(struct run *r, const struct probe_definition *d)
{
    struct record record;
    record_start(&record, &r->writer, "start");
    record_text(&record, "probe", d->name);
    record_core(&record);
    record_send(&record);
}

static void send_fault(const struct probe *p)
{
    struct record r;
    record_start(&r, &p->run->writer, "fault");
    record_text(&r, "probe", p->definition->name);
    record_core(&r);
    record_text(&r, "vector", p->fault.vector ? p->fault.vector : "unknown");
    record_hex(&r, "syndrome", p->fault.syndrome);
    record_hex(&r, "address", p->fault.address);
    record_hex(&r, "pc", p->fault.pc);
    record_send(&r);
}

/* What a run has spent so far. */
struct spent {
    struct meter meter;
    uint64_t points, grid;
};

static struct spent spent(const struct run *r)
{
    return (struct spent){.meter = r->meter, .points = r->points, .grid = r->grid};
}

/* Each `end` says what the probe cost, how much of its time went into kernels, and which part of the grid was enough. */
static void send_end(const struct probe *p, const struct spent *before, double seconds)
{
    const struct meter *m = &p->run->meter;
    double kernel_seconds = m->kernel_seconds - before->meter.kernel_seconds;
    struct record r;

    record_start(&r, &p->run->writer, "end");
    record_text(&r, "probe", p->definition->name);
    record_core(&r);
    record_text(&r, "outcome", outcome_names[p->outcome]);
    if (p->reason[0])
        record_text(&r, "reason", p->reason);
    record_number(&r, "seconds", rounded(seconds));
    record_number(&r, "kernel_seconds", rounded(kernel_seconds));
    record_number(&r, "kernel_share", seconds > 0 ? rounded(kernel_seconds / seconds) : 0);
    record_integer(&r, "points", p->run->points - before->points);
    record_integer(&r, "grid", p->run->grid - before->grid);
    record_integer(&r, "windows", m->windows - before->meter.windows);
    record_integer(&r, "readings", m->taken - before->meter.taken);
    record_integer(&r, "rejected", m->rejected - before->meter.rejected);
    record_object(&r, "rejected_by");
    for (enum cause c = 0; c < CAUSES; c++)
        record_integer(&r, cause_names[c], m->rejected_by[c] - before->meter.rejected_by[c]);
    record_close(&r);
    record_send(&r);
}

/* What gates tell does not rest on the width. */
static void warn_widened(struct run *r, const struct probe_definition *d)
{
    char text[200];

    snprintf(
        text, sizeof text,
        "another hardware thread of the core was awake from the beginning until %s ran: what was found before, and by "
        "that probe, may be of a shared core",
        d->name);
    if (!d->gate)
        record_warning(&r->writer, "width", text);
}

/* `missing` is a fact it needs and cannot have, or NULL. */
static void run_probe(struct run *r, const struct probe_definition *d, const char *missing)
{
    struct probe p = {.definition = d, .run = r, .random = 1};
    struct spent before = spent(r);
    char line[200];

    progress_next(r, d);
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
        const unsigned widened = r->meter.widened;
        send_start(r, d);
        run_tell(r, d->title);
        d->run(&p);
        if (r->meter.widened > widened)
            warn_widened(r, d);
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

/* A need is a fact's name and, behind a blank, variants. */
static bool fact_known(const struct run *r, const char *need)
{
    char name[64];
    size_t length = strcspn(need, " ");

    snprintf(name, sizeof name, "%.*s", (int)length, need);
    return facts_find(&r->facts, name, need + length + strspn(need + length, " "));
}

static bool declares(const struct probe_definition *d, const char *need)
{
    size_t length = strcspn(need, " ");

    for (const struct finding_declaration *f = d->findings; f && f->name; f++)
        if (strlen(f->name) == length && !memcmp(f->name, need, length))
            return true;
    return false;
}

/* Lets other probes measure what nobody declares. NULL, or the first fact that is still missing. */
static const char *provide(struct run *r, struct plan *plan, const char *const *needs)
{
    const char *missing = NULL;

    for (const char *const *need = needs; need && *need && !missing; need++) {
        for (size_t i = 0; i < plan->count && !fact_known(r, *need); i++)
            if (!plan->order[i]->debug && declares(plan->order[i], *need))
                run_with_needs(r, plan, i);
        missing = fact_known(r, *need) ? NULL : *need;
    }
    return missing;
}

/* Runs the probe once; a ring of needs ends where it would begin again. */
static void run_with_needs(struct run *r, struct plan *plan, size_t which)
{
    if (plan->begun[which])
        return;
    plan->begun[which] = true;
    if (r->config.profile != PROFILE_SMOKE) /* it shows that probes run, each by itself */
        (void)provide(r, plan, plan->order[which]->wants);
    run_probe(r, plan->order[which], provide(r, plan, plan->order[which]->needs));
}

/* ---- The run ----------------------------------------------------------------------------------- */

static void send_run(struct run *r)
{
    const struct machine_info *info = machine_info();
    struct record record;
    char date[24];

    machine_date(date);
    record_start(&record, &r->writer, "run");
    record_integer(&record, "schema", RECORD_SCHEMA);
    record_text(&record, "program", "fathom");
    record_text(&record, "platform", info->platform);
    record_text(&record, "isa", info->isa);
    record_text(&record, "fingerprint", info->fingerprint);
    record_text(&record, "date", date);
    record_integer(&record, "number", r->number);
    record_text(&record, "destination", r->destination);
    record_text(&record, "profile", profile_names[r->config.profile]);
    record_text(&record, "probes", r->config.probes);
    record_text(&record, "cores", r->config.cores);
    record_text(&record, "serial", serial_names[r->config.serial]);
    record_text(&record, "after", after_names[r->config.after]);
    record_integer(&record, "repeat", r->config.repeat);
    record_integer(&record, "repeat_index", r->repeat_index);
    record_text(&record, "notes", r->config.notes);
    record_send(&record);
}

static void know_declared(struct run *r)
{
    const struct machine_info *info = machine_info();

    if (!facts_declare(&r->facts, info->caches, info->cache_count, info->tlbs, info->tlb_count))
        record_warning(&r->writer, "facts", "there is no memory for all that this machine declares");
}

/* {"cpuid.4": {"memory.cache.bytes level=1": 49152, …}, …}: each source with what it says. */
static void send_declared(struct record *record, const struct facts *facts)
{
    char key[128];

    record_object(record, "declared");
    for (size_t i = 0; i < facts->count; i++) {
        const char *source = facts->all[i].source;
        size_t first = 0;

        while (strcmp(facts->all[first].source, source) != 0)
            first++;
        if (first < i) /* told with the first of its source */
            continue;
        record_object(record, source);
        for (size_t j = i; j < facts->count; j++) {
            const struct fact *f = &facts->all[j];
            if (strcmp(f->source, source) != 0)
                continue;
            snprintf(key, sizeof key, "%s%s%s", f->name, f->variants[0] ? " " : "", f->variants);
            record_number(record, key, f->value);
        }
        record_close(record);
    }
    record_close(record);
}

static void send_machine(struct run *r)
{
    const struct machine_info *info = machine_info();
    struct record record;

    record_start(&record, &r->writer, "machine");
    record_core(&record);
    record_text(&record, "core_name", info->core_name);
    record_text(&record, "core_model", info->core_model);
    record_text(&record, "hypervisor", info->hypervisor);
    record_boolean(&record, "emulator", info->emulator);
    record_integer(&record, "vector_bits", info->vector_bits);
    record_integer(&record, "scalable_bits", info->scalable_bits);
    record_number(&record, "tick_hz", info->tick_hz);
    record_text(&record, "tick_source", info->tick_source ? info->tick_source : "");
    record_integer(&record, "memory_bytes", info->memory_bytes);
    send_declared(&record, &r->facts);
    machine_describe(&record);
    record_send(&record);
}

static void send_environment(struct run *r)
{
    const struct machine_info *info = machine_info();
    struct record record;

    record_start(&record, &r->writer, "environment");
    record_core(&record);
    record_array(&record, "page_bytes");
    for (size_t i = 0; i < sizeof info->page_bytes / sizeof info->page_bytes[0] && info->page_bytes[i]; i++)
        record_integer(&record, NULL, info->page_bytes[i]);
    record_close(&record);
    record_text(&record, "cycles_from", info->cycle_source ? info->cycle_source : "calibration");
    if (info->no_counters)
        record_text(&record, "no_counters", info->no_counters);
    if (info->no_deadline)
        record_text(&record, "no_deadline", info->no_deadline);
    record_number(&record, "reader_ticks", r->meter.harness_ticks);
    machine_describe_environment(&record);
    environment_describe(r, &record);
    record_send(&record);
}

/* What the cores of this run came to. */
struct result {
    unsigned measured;        /* cores on which probes ran */
    unsigned trusted;         /* of these, those whose times can be trusted */
    char untrusted_cause[96]; /* of the first one whose cannot */
    bool failed;              /* a core could not be used, or its first window did not end as it should */
};

static void send_done(struct run *r, const struct result *result, double seconds, int status)
{
    bool trusted = result->measured > 0 && result->trusted == result->measured;
    struct record record;

    record_start(&record, &r->writer, "done");
    for (enum outcome o = 0; o < OUTCOMES; o++)
        record_integer(&record, outcome_names[o], r->outcomes[o]);
    record_integer(&record, "findings", r->findings);
    record_integer(&record, "cores", result->measured);
    record_boolean(&record, "trusted", trusted);
    if (!trusted)
        record_text(&record, "untrusted_cause", result->untrusted_cause);
    record_integer(&record, "lost_lines", r->writer.lost);
    record_number(&record, "seconds", rounded(seconds));
    record_integer(&record, "status", (uint64_t)status);
    record_send(&record);
    writer_flush(&r->writer, true);
}

static void print_heading(const struct run *r)
{
    const struct machine_info *info = machine_info();
    char type[16] = "", line[320];

    if (info->core_type[0])
        snprintf(type, sizeof type, " (type %s)", info->core_type);
    snprintf(line, sizeof line, "fathom on %s (%s%s%s), core %u%s, profile %s%s%s\n", info->core_model, info->isa,
             info->core_name[0] ? ", " : "", info->core_name, info->core, type, profile_names[r->config.profile],
             info->hypervisor[0] ? ", under " : "", info->hypervisor);
    machine_print(line);
}

/* "3 % of 12345 readings rejected (1 % shared, 2 % stolen)", and how much of the grid was enough. */
static void print_costs(const struct run *r)
{
    const struct meter *m = &r->meter;
    double whole = m->taken ? (double)m->taken / 100 : 1;
    char line[320];
    int used = snprintf(line, sizeof line, "%llu readings, %.0f %% rejected", (unsigned long long)m->taken,
                        (double)m->rejected / whole);

    for (enum cause c = 0; c < CAUSES; c++)
        if (m->rejected_by[c] && used > 0 && (size_t)used < sizeof line)
            used += snprintf(line + used, sizeof line - (size_t)used, ", %.1f %% %s", (double)m->rejected_by[c] / whole,
                             cause_names[c]);
    machine_print(line);
    if (r->grid) {
        snprintf(line, sizeof line, "; %llu points of %llu in the full grid", (unsigned long long)r->points,
                 (unsigned long long)r->grid);
        machine_print(line);
    }
    machine_print(".\n");
}

/* What cores before this one have come to. */
struct counted {
    unsigned outcomes[OUTCOMES];
    unsigned findings;
};

/* What was done and found on one core. */
static void print_summary(const struct run *r, const struct counted *before, double seconds)
{
    unsigned outcomes[OUTCOMES];
    char line[320];

    for (enum outcome o = 0; o < OUTCOMES; o++)
        outcomes[o] = r->outcomes[o] - before->outcomes[o];
    snprintf(line, sizeof line,
             "%u findings; probes: %u ok, %u skipped, %u faults, %u timeouts; %.1f s, %.0f %% of it in kernels.\n",
             r->findings - before->findings, outcomes[OUTCOME_OK], outcomes[OUTCOME_SKIPPED], outcomes[OUTCOME_FAULT],
             outcomes[OUTCOME_TIMEOUT], seconds, 100 * r->meter.kernel_seconds / (seconds > 0 ? seconds : 1));
    machine_print(line);
    print_costs(r);
    if (!r->trusted) {
        snprintf(line, sizeof line,
                 "The times of this place cannot be trusted (%s): every finding is undecided, the run was a functional "
                 "one.\n",
                 r->untrusted_cause);
        machine_print(line);
    }
}

static void print_records(const struct run *r)
{
    char line[160];

    if (r->destination[0]) {
        snprintf(line, sizeof line, "Records: %s\n", r->destination);
        machine_print(line);
    }
    if (r->writer.lost) {
        snprintf(line, sizeof line, "%llu records were not taken by every sink.\n", (unsigned long long)r->writer.lost);
        machine_print(line);
    }
}

static void warn_no_window(struct run *r, const struct window_result *result)
{
    char text[160];

    snprintf(text, sizeof text, "the first window did not end as it should, no reading can be taken: %s",
             result->end == WINDOW_TIMEOUT ? "timeout"
             : result->fault.vector        ? result->fault.vector
                                           : "fault");
    record_warning(&r->writer, "window", text);
    snprintf(text, sizeof text, "Nothing can be measured here: %s\n",
             result->end == WINDOW_TIMEOUT ? "timeout"
             : result->fault.vector        ? result->fault.vector
                                           : "fault");
    machine_print(text);
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

/* Everything, on the core in use. Nothing is known of it yet. False when its first window did not end as it should. */
static bool run_core(struct run *r, const struct plan *probes)
{
    struct plan plan = *probes;
    struct counted before = {.findings = r->findings};
    double start = machine_seconds();

    memcpy(before.outcomes, r->outcomes, sizeof before.outcomes);
    facts_forget(&r->facts);
    r->points = r->grid = 0;
    progress_start(r, &plan);
    r->trusted = false;
    snprintf(r->untrusted_cause, sizeof r->untrusted_cause, "the clock was not examined");
    print_heading(r);
    know_declared(r);
    struct window_result result = meter_start(&r->meter, r->config.profile);
    send_machine(r);
    if (result.end == WINDOW_RAN)
        environment_set(r);
    send_environment(r);
    if (result.end != WINDOW_RAN)
        warn_no_window(r, &result);

    /* The gates come first and always: every finding rests on them. */
    for (int gates = 1; gates >= 0 && result.end == WINDOW_RAN; gates--)
        for (size_t i = 0; i < plan.count; i++)
            if (plan.order[i]->gate == (bool)gates && (gates || planned(r, plan.order[i])))
                run_with_needs(r, &plan, i);
    if (result.end == WINDOW_RAN)
        environment_restore(r);
    report_masked(r);
    print_summary(r, &before, machine_seconds() - start);
    return result.end == WINDOW_RAN;
}

/* Makes it the core in use. False, with a warning, when it cannot be. */
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
    unsigned *indices = calloc(count, sizeof *indices);
    struct result result = {.untrusted_cause = "the clock was not examined"};

    if (!indices) {
        record_warning(&r->writer, "cores", "there is no memory for a list of them: only the one in use measures");
        indices = alone;
        chosen = 1;
    } else {
        chosen = cores_choose(r->config.cores, all, count, here, indices, warn_core, r);
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
    result.failed |= !use_core(r, here); /* the last one is given back, while there is somebody to tell */
    if (indices != alone)
        free(indices);
    return result;
}

int run_all(struct run *r)
{
    struct result result = {.untrusted_cause = "the clock was not examined"};
    struct plan plan = {.count = 0};
    double start = machine_seconds();

    plan.count = run_probes(plan.order, PLAN_PROBES);
    send_run(r);
    send_platform_warnings(r);
    if (!names_exist(r, plan.order, plan.count)) {
        send_done(r, &result, 0, 2);
        return 2;
    }
    result = run_cores(r, &plan);

    bool failed = result.failed || r->outcomes[OUTCOME_FAULT] || r->outcomes[OUTCOME_TIMEOUT] || r->writer.lost;
    print_records(r);
    send_done(r, &result, machine_seconds() - start, failed);
    return failed;
}
