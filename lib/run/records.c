#include "lib/run/records.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/numbers.h"
#include "lib/base/record.h"
#include "lib/base/version.h"
#include "lib/machine.h"
#include "lib/run/environment.h"

void send_run(struct run *r)
{
    const struct machine_info *info = machine_info();
    struct record record;
    char date[24];

    machine_date(date);
    record_start(&record, &r->writer, "run");
    record_integer(&record, "schema", RECORD_SCHEMA);
    record_text(&record, "program", "fathom");
    record_text(&record, "build", build_version);
    record_text(&record, "platform", info->platform);
    record_text(&record, "isa", info->isa);
    record_text(&record, "fingerprint", info->fingerprint);
    record_text(&record, "date", date);
    record_integer(&record, "number", r->number);
    record_text(&record, "destination", r->destination);
    record_text(&record, "profile", config_profile_name(&r->config));
    record_text(&record, "probes", r->config.probes);
    record_text(&record, "cores", r->config.cores);
    record_text(&record, "serial", serial_names[r->config.serial]);
    record_text(&record, "after", after_names[r->config.after]);
    record_integer(&record, "repeat", r->config.repeat);
    record_integer(&record, "repeat_index", r->repeat_index);
    record_text(&record, "notes", r->config.notes);
    record_send(&record);
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
        if (first < i) /* sent with the first fact of its source */
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

void send_machine(struct run *r)
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
    send_declared(&record, &r->facts);
    machine_describe(&record);
    record_send(&record);
}

void send_environment(struct run *r)
{
    const struct machine_info *info = machine_info();
    struct record record;

    record_start(&record, &r->writer, "environment");
    record_core(&record);
    record_integer(&record, "memory_bytes", info->memory_bytes);
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

void send_start(struct run *r, const struct probe_definition *d)
{
    struct record record;
    record_start(&record, &r->writer, "start");
    record_text(&record, "probe", d->name);
    record_core(&record);
    record_send(&record);
}

void send_fault(const struct probe *p)
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

struct spent run_spent(const struct run *r)
{
    struct spent spent = {.meter = r->meter, .points = r->points, .grid = r->grid};

    spent.counts_smis = environment_smis(r, &spent.smis);
    return spent;
}

/*
 * Each `end` says what the probe cost, how much of its time went into kernels, and which part of the grid was enough.
 */
void send_end(const struct probe *p, const struct spent *before, double seconds)
{
    const struct meter *m = &p->run->meter;
    double kernel_seconds = m->kernel_seconds - before->meter.kernel_seconds;
    struct record r;
    uint32_t smis;

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
    if (before->counts_smis && seconds > 0 && environment_smis(p->run, &smis))
        record_number(&r, "smis_per_second", rounded((uint32_t)(smis - before->smis) / seconds));
    if (m->limited > before->meter.limited)
        record_integer(&r, "limited", m->limited - before->meter.limited);
    record_send(&r);
}

void send_done(struct run *r, const struct result *result, double seconds, int status)
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
