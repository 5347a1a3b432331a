#include "lib/run/environment.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lib/base/numbers.h"
#include "lib/base/record.h"
#include "lib/machine.h"
#include "lib/measure/clock.h"
#include "lib/run/stage.h"

enum { TEXT = 400, QUIRKS = 24 };

/* Time until a requested clock is in force; where hardware chooses the clock, that takes milliseconds. */
static const double SETTLE_SECONDS = 0.05;
/* A clock that differs by less is the one that was wanted: reference clocks are spread by up to half a percent. */
static const double CLOCK_TOLERANCE = 0.02;

static bool as_found(const char *setting)
{
    return !setting[0] || !strcasecmp(setting, "as-found");
}

static void warn(struct run *r, const char *subject, const char *text)
{
    char line[TEXT + 64];

    record_warning(&r->writer, subject, text);
    snprintf(line, sizeof line, "%s: %s\n", subject, text);
    machine_print(line);
}

/* ---- Writes that may hang the machine -------------------------------------------------------------------------- */

/*
 * Flips each switch that has a hazard, and flips it back, each in a stage of its own: what the machine survives may be
 * used, and what it does not survive is never tried again.
 */
static void try_risky_switches(struct run *r, struct control *c)
{
    const size_t mark = c->changes.count;

    c->risky = r->config.risky_prefetch;
    for (size_t i = 0; i < c->switch_count && c->risky; i++) {
        struct control_switch *s = &c->switches[i];
        if (s->hazard == HAZARD_NONE || control_forbidden(c, s, !s->is_off))
            continue; /* the reason is reported where the switch is wanted */
        snprintf(r->environment.stages[i], sizeof r->environment.stages[i], "switch-%s", s->name);
        s->why_not = stage_begin(r->environment.stages[i],
                                 "flips a prefetcher switch that may hang the machine, and back");
        (void)control_switch(c, i, !s->is_off);
        changes_restore(&c->changes, mark);
    }
    if (c->risky && control_op_cache(c->changes.access)) {
        c->no_op_cache = stage_begin("switch-op-cache", "switches the operation cache off and on");
        (void)control_switch_op_cache(c, true);
        changes_restore(&c->changes, mark);
    }
}

/* ---- Setting ----------------------------------------------------------------------------------------------------- */

static void set_frequency(struct run *r, struct control *c)
{
    struct environment *e = &r->environment;
    const char *setting = r->config.frequency;
    const struct control_clock *k = &c->clock;
    char text[TEXT];

    e->hz_before = clock_now(&r->meter);
    const char *why = stage_begin("clock", "sets the clock of the core");
    if (!why)
        why = control_frequency(c, setting, text, sizeof text);
    if (why) {
        warn(r, "frequency", why);
        return;
    }
    e->clock_set = true;
    if (!clock_settle(&r->meter, SETTLE_SECONDS))
        return;
    e->hz_set = clock_now(&r->meter);
    e->hz_wanted = control_clock_hz(k, setting);
    if (e->hz_wanted > 0 && fabs(e->hz_set - e->hz_wanted) > CLOCK_TOLERANCE * e->hz_wanted) {
        snprintf(text, sizeof text, "%s was taken by %s, which is %.0f MHz, but the core runs at %.0f MHz", setting,
                 k->way, e->hz_wanted / 1e6, e->hz_set / 1e6);
        warn(r, "frequency", text);
    }
}

static void set_prefetchers(struct run *r, struct control *c)
{
    char text[TEXT];

    if (as_found(r->config.prefetch))
        return;
    const char *why = stage_begin("prefetchers", "sets the prefetcher switches");
    if (!why)
        why = control_prefetch(c, r->config.prefetch, text, sizeof text);
    if (why)
        warn(r, "prefetch", why);
}

void environment_set(struct run *r)
{
    struct environment *e = &r->environment;
    const char *why_not = NULL;
    struct control *c = machine_control(&why_not);

    *e = (struct environment){.hz_before = NAN, .hz_set = NAN};
    if (!c) {
        if (!as_found(r->config.prefetch))
            warn(r, "prefetch", why_not);
        if (!as_found(r->config.frequency))
            warn(r, "frequency", why_not);
        return;
    }
    if (!stage_begin("speculation", "reads the registers that change speculation"))
        e->speculation_count = control_speculation(c->changes.access, e->speculation, ENVIRONMENT_VALUES);
    e->no_checks = stage_begin("error-banks", "reads the error banks");
    if (e->no_checks)
        warn(r, "machine-check", e->no_checks);
    else
        (void)control_machine_checks(c->changes.access, &e->checks);
    /* what windows count by themselves, where the platform has windows of its own */
    e->no_smis = stage_begin("smi-count", "reads the count of system management interrupts");
    if (!e->no_smis)
        e->no_smis = stage_begin("thermal-status", "reads whether heat slows the core down");
    try_risky_switches(r, c);
    set_prefetchers(r, c);
    if (!as_found(r->config.frequency))
        set_frequency(r, c);
    e->changed = c->changes.count > 0;
}

void environment_watch(struct run *r, const char *what)
{
    struct environment *e = &r->environment;
    const char *why_not;
    const struct control *c = machine_control(&why_not);
    uint64_t before = e->checks;
    char text[TEXT];

    if (!c || e->no_checks || !control_machine_checks(c->changes.access, &e->checks) || e->checks == before)
        return;
    snprintf(text, sizeof text, "during %s the error banks that hold something went from %llu to %llu", what,
             (unsigned long long)before, (unsigned long long)e->checks);
    warn(r, "machine-check", text);
}

bool environment_smis(const struct run *r, uint32_t *count)
{
    const char *why_not;
    const struct control *c = machine_control(&why_not);
    struct disturbance d = {0};

    if (c && !r->environment.no_smis)
        control_disturbance(c->changes.access, &d);
    for (unsigned i = 0; i < d.count; i++)
        if (!strcmp(d.name[i], "smi")) {
            *count = (uint32_t)d.value[i];
            return true;
        }
    return false;
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

/* Whether a switch is off now, by its register; s->is_off says what was found. False where it cannot be read. */
static bool is_off_now(const struct control *c, const struct control_switch *s)
{
    uint64_t value;

    return c->changes.access->read(c->changes.access->context, s->id, &value) && (value & s->mask) == s->off;
}

/* What each switch is in force for, and where it is known from. */
static void describe_sources(const struct control *c, struct record *record)
{
    static const char *const scopes[] = {[SCOPE_THREAD] = "thread", [SCOPE_CORE] = "core", [SCOPE_MODULE] = "module"};

    record_array(record, "switches");
    for (size_t i = 0; i < c->switch_count; i++) {
        const struct control_switch *s = &c->switches[i];
        record_object(record, NULL);
        record_text(record, "name", s->name);
        record_text(record, "register", s->register_name);
        record_text(record, "scope", scopes[s->scope]);
        record_text(record, "source", s->source);
        record_boolean(record, "single_source", control_single_source(s));
        record_close(record);
    }
    record_close(record);
}

/* {"l2-stream": "on", "l1d-ip": "off, was on"}: what reads back; that it has an effect is not known here. */
static void describe_switches(const struct control *c, struct record *record)
{
    record_object(record, "prefetch");
    for (size_t i = 0; i < c->switch_count; i++) {
        const struct control_switch *s = &c->switches[i];
        bool off = !s->why_not && is_off_now(c, s);
        record_text(record, s->name,
                    s->why_not         ? s->why_not
                    : off == s->is_off ? off ? "off" : "on"
                    : off              ? "off, was on; effect not verified here"
                                       : "on, was off; effect not verified here");
    }
    record_close(record);
    if (c->switch_count)
        describe_sources(c, record);
    else
        record_text(record, "no_prefetch", c->no_switches);
}

static void describe_clock(const struct run *r, const struct control_clock *k, struct record *record)
{
    const struct environment *e = &r->environment;

    record_object(record, "clock");
    record_text(record, "setting", r->config.frequency);
    if (k->way)
        record_text(record, "way", k->way);
    else
        record_text(record, "no_way", k->why_not);
    if (k->highest) {
        record_integer(record, "lowest", k->lowest);
        record_integer(record, "base", k->base);
        record_integer(record, "highest", k->highest);
    }
    if (k->way)
        record_boolean(record, "turbo", k->turbo);
    if (e->clock_set) {
        record_number(record, "before_hz", rounded(e->hz_before));
        record_number(record, "set_hz", rounded(e->hz_set));
        if (e->hz_wanted > 0)
            record_number(record, "wanted_hz", e->hz_wanted);
    }
    record_close(record);
}

void environment_describe(const struct run *r, struct record *record)
{
    const char *why_not = NULL;
    const struct control *c = machine_control(&why_not);
    const struct environment *e = &r->environment;
    const struct quirk *quirks[QUIRKS];

    if (!c) {
        record_text(record, "no_control", why_not);
        return;
    }
    describe_switches(c, record);
    describe_clock(r, &c->clock, record);
    record_object(record, "speculation");
    for (size_t i = 0; i < e->speculation_count; i++)
        if (e->speculation[i].readable)
            record_hex(record, e->speculation[i].name, e->speculation[i].value);
        else
            record_null(record, e->speculation[i].name);
    record_close(record);
    const size_t count = control_quirks(c->changes.access, quirks, QUIRKS);
    record_object(record, "quirks");
    for (size_t i = 0; i < count; i++)
        record_text(record, quirks[i]->name, quirks[i]->reason);
    record_close(record);
}

/* ---- Putting back ------------------------------------------------------------------------------------------------ */

void environment_restore(struct run *r)
{
    const char *why_not;
    struct control *c = machine_control(&why_not);
    struct record record;

    if (!c && r->environment.changed)
        warn(r, "environment", why_not); /* and what was changed stays so, which `restored` says */
    if (c ? !c->changes.count : !r->environment.changed)
        return;
    bool restored = c && control_finish(c);
    record_start(&record, &r->writer, "restored");
    record_core(&record);
    record_boolean(&record, "as_found", restored);
    if (r->environment.clock_set && clock_settle(&r->meter, SETTLE_SECONDS))
        record_number(&record, "clock_hz", rounded(clock_now(&r->meter)));
    record_send(&record);
    if (!restored)
        warn(r, "environment", "a register does not read as it was found: it is right again after the next reset");
    r->environment.clock_set = r->environment.changed = false;
}
