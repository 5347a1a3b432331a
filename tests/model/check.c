#include "tests/model/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/emit.h"
#include "lib/base/reason.h"
#include "lib/base/record.h"
#include "lib/run/run.h"

struct records records;
struct checked checked;
const char *const level_names[5] = {"1", "2", "3", "4", "5"};

/* Names of the probes that ended with outcome "ok", a space behind each. */
static char ran[2048];

void check_start(void)
{
    checked = (struct checked){0};
    ran[0] = 0;
}

bool check_ran(const char *probe)
{
    const size_t length = strlen(probe);

    for (const char *word = ran; *word; word += strcspn(word, " ") + 1)
        if (strcspn(word, " ") == length && !strncmp(word, probe, length))
            return true;
    return !ran[0];
}

/* ---- Runs ---------------------------------------------------------------------------------------- */

bool next_seed(uint64_t *seed, uint64_t count, uint64_t count_when_long)
{
    const char *only = getenv("MODEL_SEED");

    if (only)
        return !*seed && (*seed = strtoull(only, NULL, 10));
    return ++*seed <= (getenv("LONG") ? count_when_long : count);
}

uint64_t seeds_on(const char *isa, uint64_t count)
{
    return strcmp(emit_isa, isa) == 0 ? count : 0;
}

static void print_records(const char *kind)
{
    for (const char *r = NULL; (r = records_find(&records, r, kind, NULL, NULL));)
        fprintf(stderr, "# %.*s\n", (int)strcspn(r, "\n"), r);
}

static void note_ran(void)
{
    for (const char *e = NULL; (e = records_find(&records, e, "end", "outcome", "ok"));) {
        const char *probe = record_value(e, "probe", 2);
        const size_t used = strlen(ran);
        if (probe && !(ran[0] && check_ran(probe)))
            snprintf(ran + used, sizeof ran - used, "%s ", probe);
    }
}

/*
 * Appends the run to the file MODEL_RECORDS, behind a line with what the core was designed to be; 0: has no such limit.
 */
static void keep_records(const struct machine_design *m)
{
    const char *path = getenv("MODEL_RECORDS");
    FILE *file = path ? fopen(path, "a") : NULL;
    const struct core_design *c = &m->core;
    const unsigned *most = c->in_flight.most;

    if (!file)
        return;
    fprintf(file,
            "design {\"rob\":%u,\"general\":%u,\"vector\":%u,\"loads\":%u,\"stores\":%u,\"width\":%u,\"retire\":%u,",
            most[RESOURCE_ENTRY], most[RESOURCE_GENERAL], most[RESOURCE_VECTOR], most[RESOURCE_LOAD],
            most[RESOURCE_STORE], c->width, c->retire);
    fprintf(file, "\"return_stack\":%u,\"history\":%u,\"l1i_bytes\":%zu,\"l1i_ways\":%zu,\"itlb\":%zu,\"dtlb\":%zu",
            c->return_stack, c->history, c->l1i.bytes, c->l1i.ways, c->pages[0].sets * c->pages[0].ways,
            c->data_pages[0].sets * c->data_pages[0].ways);
    for (unsigned i = 0; i < DATA_LEVELS; i++)
        fprintf(file, ",\"bytes%u\":%zu,\"ways%u\":%zu,\"latency%u\":%g", i + 1, c->data[i].bytes, i + 1,
                c->data[i].ways, i + 1, c->data[i].latency);
    fprintf(file, "}\n%s", records.text);
    if (fclose(file))
        complain(m, "the file MODEL_RECORDS cannot be written");
}

static void warn(void *context, const char *subject, const char *text)
{
    complain(context, "%s: %s", subject, text);
}

/* What a run is given besides the names of its probes. */
struct given {
    const char *forms, *kernels;
    bool discovers;
};

static void run(const struct machine_design *m, const char *probes, struct given given, enum profile profile)
{
    struct run r = {.number = 0};
    struct machine_design named = *m; /* for warnings, which may not change it */

    records_free(&records);
    machine_start(m);
    if (given.kernels)
        user_kernels_add(&r.kernels, "test", given.kernels, strlen(given.kernels), NULL, warn, &named);
    config_defaults(&r.config);
    snprintf(r.config.probes, sizeof r.config.probes, "%s", probes);
    snprintf(r.config.forms, sizeof r.config.forms, "%s", given.forms);
    r.config.discover = given.discovers;
    r.config.profile = profile;
    for (size_t i = 0; getenv("MODEL_PROFILE") && i < PROFILES; i++)
        if (!strcmp(profile_names[i], getenv("MODEL_PROFILE")))
            r.config.profile = (enum profile)i;
    journal_start(&r.journal, "0");
    writer_start(&r.writer);
    writer_add(&r.writer, records_sink(&records));
    if (run_all(&r))
        complain(m, "the run failed");
    writer_stop(&r.writer);
    machine_stop();
    user_kernels_free(&r.kernels);
    note_ran();
    keep_records(m);
    if (getenv("MODEL_SHOWS")) {
        print_records("finding");
        print_records("curve");
    }
}

void run_probes_on(const struct machine_design *m, const char *probes, enum profile profile)
{
    run(m, probes, (struct given){.forms = ""}, profile);
}

void run_probes_on_forms(const struct machine_design *m, const char *probes, const char *pattern, enum profile profile)
{
    run(m, probes, (struct given){.forms = pattern}, profile);
}

void run_forms_on(const struct machine_design *m, const char *pattern, enum profile profile)
{
    run(m, "instructions", (struct given){.forms = pattern}, profile);
}

void run_kernels_on(const struct machine_design *m, const char *text, enum profile profile)
{
    run(m, "user_kernel", (struct given){.forms = "", .kernels = text}, profile);
}

void run_discovery_on(const struct machine_design *m)
{
    run(m, "counters", (struct given){.forms = "", .discovers = true}, PROFILE_QUICK);
}

double end_number(const char *probe, const char *key)
{
    double sum = 0;

    for (const char *e = NULL; (e = records_find(&records, e, "end", probe ? "probe" : NULL, probe));)
        sum += isnan(number(e, key)) ? 0 : number(e, key);
    return sum;
}

/* ---- Findings ------------------------------------------------------------------------------------ */

const char *next_finding(const char *f, const char *name)
{
    return records_find(&records, f, "finding", "name", name);
}

const char *finding_of(const char *name, const char *key, const char *variant)
{
    const char *f = NULL;

    while ((f = next_finding(f, name))) {
        const char *v = key ? record_value(f, key, 2) : NULL;
        if (!key || (v && !strcmp(v, variant)))
            break;
    }
    return f;
}

double number(const char *finding, const char *key)
{
    const char *text = record_value(finding, key, 2);

    return text && strcmp(text, "null") != 0 ? strtod(text, NULL) : NAN;
}

bool has_field(const char *finding, const char *key, const char *text)
{
    const char *value = record_value(finding, key, 2);

    return value && !strcmp(value, text);
}

void complain(const struct machine_design *m, const char *format, ...)
{
    va_list arguments;

    fprintf(stderr, "# %s, seed %llu: ", emit_isa, (unsigned long long)m->seed);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    checked.wrong++;
}

/*
 * Whether a probe suspects that it has missed a level. The levels behind that one then have numbers that are not sure,
 * and the last of them may be absent.
 */
static bool may_hide(void)
{
    for (const char *f = NULL; (f = records_find(&records, f, "finding", NULL, NULL));) {
        const char *reason = record_value(f, "reason", 2);
        if (reason && (!strcmp(reason, reasons[REASON_LEVEL_MAY_HIDE].token) ||
                       !strcmp(reason, reasons[REASON_LEVEL_HIDES_BEFORE].token)))
            return true;
    }
    return false;
}

bool is_decided(const struct machine_design *m, const char *f, const char *name, const char *variant)
{
    const char *grade = f ? record_value(f, "grade", 2) : NULL, *reason = f ? record_value(f, "reason", 3) : NULL;

    if (!grade) {
        checked.undecided++;
        if (!may_hide())
            complain(m, "%s %s: not reported", name, variant);
        return false;
    }
    if (grade[0] != 'U') {
        checked.decided++;
        return true;
    }
    checked.undecided++;
    if (!reason || !reason[0])
        complain(m, "%s %s: undecided without a reason", name, variant);
    if (!isnan(number(f, "value")) || !isnan(number(f, "low")) || !isnan(number(f, "high")))
        complain(m, "%s %s: undecided, but has a number", name, variant);
    return false;
}

/* ---- Checks of one finding ----------------------------------------------------------------------- */

void check_capacity(const struct machine_design *m, const char *name, const char *key, const char *variant,
                    double truth)
{
    const char *f = finding_of(name, key, variant);

    if (!is_decided(m, f, name, variant))
        return;
    double value = number(f, "value"), low = number(f, "low"), high = number(f, "high");
    if (!(low <= value && value <= high))
        complain(m, "%s %s: %.0f lies outside its own interval, %.0f to %.0f", name, variant, value, low, high);
    if (!(low <= truth && truth <= high))
        complain(m, "%s %s: reported %.0f, %.0f to %.0f, true is %.0f", name, variant, value, low, high, truth);
}

void check_number(const struct machine_design *m, const char *name, const char *key, const char *variant, double truth)
{
    const char *f = finding_of(name, key, variant);

    if (is_decided(m, f, name, variant) && !(fabs(number(f, "value") - truth) <= 0.03 * fabs(truth)))
        complain(m, "%s %s: reported %g, true is %g", name, variant, number(f, "value"), truth);
}

void check_text(const struct machine_design *m, const char *name, const char *key, const char *variant,
                const char *truth)
{
    const char *f = finding_of(name, key, variant), *value;

    if (is_decided(m, f, name, variant) && (value = record_value(f, "value", 2)) &&
        strncmp(value, truth, strlen(truth)) != 0)
        complain(m, "%s %s: reported %.12s, true is %s", name, variant, value, truth);
}

void check_whole(const struct machine_design *m, const char *f, const char *name, const char *variant, double truth)
{
    if (is_decided(m, f, name, variant) && fabs(number(f, "value") - truth) > 0.01)
        complain(m, "%s %s: reported %g, true is %g", name, variant, number(f, "value"), truth);
}

void check_undecided(const struct machine_design *m, const char *name, const char *key, const char *variant)
{
    const char *f = finding_of(name, key, variant);

    if (f && is_decided(m, f, name, variant))
        complain(m, "%s %s: reported %g, but this core has no such thing", name, variant, number(f, "value"));
}

void check_one_of(const struct machine_design *m, const char *f, const double *truths, size_t count)
{
    bool right = false;

    if (!is_decided(m, f, "a level", "of this core"))
        return;
    double value = number(f, "value"), low = number(f, "low"), high = number(f, "high");
    for (size_t i = 0; i < count; i++)
        right |= low <= truths[i] && truths[i] <= high;
    checked.vague += !right;
    if (!right && record_value(f, "grade", 2)[0] != 'C')
        complain(m, "%s: reported %g, %g to %g, and no level has as many", record_value(f, "name", 3), value, low,
                 high);
}

void end(unsigned decided_at_least, unsigned undecided_at_most)
{
    print_message("# %s: %u findings decided, %u undecided, %u wrong\n", emit_isa, checked.decided, checked.undecided,
                  checked.wrong);
    assert_int_equal(checked.wrong, 0);
    if (getenv("MODEL_SEED"))
        return;
    assert_true(checked.decided >= decided_at_least);
    assert_true(checked.undecided <= undecided_at_most);
}

void decides(unsigned on_x86_64, unsigned on_aarch64)
{
    if (getenv("LONG") || getenv("MODEL_SEED"))
        return;
    assert_int_equal(checked.decided, strcmp(emit_isa, "x86_64") ? on_aarch64 : on_x86_64);
}
