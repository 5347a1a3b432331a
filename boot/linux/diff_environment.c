#include "boot/linux/diff_environment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot/linux/diff_output.h"
#include "boot/linux/diff_run.h"
#include "lib/base/record.h"
#include "lib/base/record_read.h"

/* More fields than any machine record has: the largest, with all of CPUID, have some hundreds. */
enum { MACHINE_FIELDS = 4096 };
/* Identification registers differ by the dozen between two kinds of core; so many names fit on a line. */
enum { NAMES_SHOWN = 6 };

static void report_environment(struct comparison *c, const char *where, const char *name, const char *a, const char *b)
{
    if (c->environment++ == 0)
        heading(c, "Different about the machines:");
    if (c->json) {
        struct record r;
        record_start(&r, &c->writer, "difference");
        record_text(&r, "in", "environment");
        if (*where)
            record_text(&r, "core", where);
        record_text(&r, "name", name);
        record_written(&r, "a", a);
        record_written(&r, "b", b);
        record_send(&r);
        return;
    }
    char title[NAME_BYTES];
    snprintf(title, sizeof title, "%s%s%s", where, *where ? " " : "", name);
    printf("  %-56s %s  ->  %s\n", title, a && *a ? a : "-", b && *b ? b : "-");
}

/* Whether the field differs in every run, so that a difference means nothing. */
static bool always_differs(const char *name)
{
    static const char *const names[] = {
        "t",
        "c",
        "core",
        "tick_hz",
        "reader_ticks",
        "memory_bytes",
        "memory.free_bytes",
        "memory.buffer_base",
        "memory.buffer_bytes",
        "control.CR3",
        "run.t",
        "run.c",
        "run.fingerprint",
        "run.date",
        "run.number",
        "run.destination",
        "run.repeat_index",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* Whether two numbers with a decimal point, which clocks that were measured have, agree within the tolerance. */
static bool nearly_equal(const char *a, const char *b, double tolerance)
{
    char *end_a, *end_b;
    double x = strtod(a, &end_a), y = strtod(b, &end_b);

    return strchr(a, '.') && strchr(b, '.') && *a && *b && !*end_a && !*end_b &&
           fabs(x - y) <= tolerance * fmax(fabs(x), fabs(y));
}

struct named {
    char name[NAME_BYTES];
    struct record_field field;
};

/*
 * Appends all fields of a record; a field of an object inside it is named as in "firmware.vendor". Returns the count.
 */
static size_t flatten(struct run_line l, const char *prefix, struct named *out, size_t count)
{
    struct record_field f = {.bytes = 0};

    for (size_t at = 0; count < MACHINE_FIELDS && l.at && record_line_field(l.at, l.bytes, &at, &f);) {
        char name[NAME_BYTES];
        int n = snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", f.key);
        if (n < 0 || (size_t)n >= sizeof name)
            continue;
        if (*f.value == '{') {
            count = flatten((struct run_line){f.value, f.bytes}, name, out, count);
        } else {
            memcpy(out[count].name, name, sizeof name);
            out[count++].field = f;
        }
    }
    return count;
}

static const struct named *find_named(const struct named *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(list[i].name, name))
            return &list[i];
    return NULL;
}

/* Identification registers that differ: there are many, so the first names are printed, and their number. */
struct registers {
    char names[NAMES_SHOWN * 32];
    size_t used, count;
};

static void note_register(struct registers *r, const char *name)
{
    if (r->count++ < NAMES_SHOWN) {
        int n = snprintf(r->names + r->used, sizeof r->names - r->used, "%s%s", r->used ? ", " : "",
                         name + sizeof "identity");
        r->used += n > 0 && r->used + (size_t)n < sizeof r->names ? (size_t)n : 0;
    }
}

static void compare_field(struct comparison *c, const char *where, const char *name, const struct named *a,
                          const struct named *b, struct registers *registers)
{
    char text[SIDES][VALUE_BYTES];
    const struct named *both[SIDES] = {a, b};

    if (always_differs(name))
        return;
    if (a && b && a->field.bytes == b->field.bytes && !memcmp(a->field.value, b->field.value, a->field.bytes))
        return;
    for (unsigned i = 0; i < SIDES; i++) {
        text[i][0] = 0;
        if (both[i])
            record_field_text(&both[i]->field, text[i], sizeof text[i]);
        if (both[i] && !text[i][0] && both[i]->field.bytes >= sizeof text[i])
            snprintf(text[i], sizeof text[i], "%.*s...", (int)sizeof text[i] - 8, both[i]->field.value);
    }
    if (nearly_equal(text[0], text[1], c->tolerance))
        return;
    if (!strncmp(name, "identity.", sizeof "identity"))
        note_register(registers, name);
    if (c->json || strncmp(name, "identity.", sizeof "identity") != 0)
        report_environment(c, where, name, a ? text[0] : NULL, b ? text[1] : NULL);
}

/*
 * Reports which parts of a core's identification differ: family, model and stepping in CPUID.01H:EAX (Intel SDM volume
 * 2A, CPUID, figure 3-6; AMD APM volume 3, appendix E), or variant, part and revision in MIDR_EL1 (Arm ARM, D19.2.96).
 */
static void compare_stepping(struct comparison *c, const char *where, const struct named *const eax[SIDES],
                             const struct named *const midr[SIDES])
{
    static const struct {
        const char *name;
        unsigned shift, mask;
    } x86[] = {{"stepping", 0, 0xf},
               {"model", 4, 0xf},
               {"extended model", 16, 0xf},
               {"family", 8, 0xf},
               {"extended family", 20, 0xff}},
      arm[] = {{"revision", 0, 0xf}, {"part", 4, 0xfff}, {"variant", 20, 0xf}, {"implementer", 24, 0xff}};
    const bool is_x86 = eax[0] && eax[1];

    if (!is_x86 && !(midr[0] && midr[1]))
        return;
    for (size_t i = 0; i < (is_x86 ? sizeof x86 / sizeof x86[0] : sizeof arm / sizeof arm[0]); i++) {
        char text[SIDES][VALUE_BYTES], raw[VALUE_BYTES];
        for (unsigned side = 0; side < SIDES; side++) {
            record_field_text(is_x86 ? &eax[side]->field : &midr[side]->field, raw, sizeof raw);
            unsigned long value = strtoul(raw, NULL, 16);
            snprintf(text[side], sizeof text[side], "0x%lx",
                     is_x86 ? value >> x86[i].shift & x86[i].mask : value >> arm[i].shift & arm[i].mask);
        }
        if (strcmp(text[0], text[1]) != 0)
            report_environment(c, where, is_x86 ? x86[i].name : arm[i].name, text[0], text[1]);
    }
}

/* Compares two records of one kind; names get `title` in front. Returns false when memory is short. */
static bool compare_records(struct comparison *c, const char *where, const char *title, struct run_line a,
                            struct run_line b)
{
    struct registers registers = {.used = 0};
    size_t count[SIDES];
    struct named *list[SIDES] = {calloc(MACHINE_FIELDS, sizeof **list), calloc(MACHINE_FIELDS, sizeof **list)};
    bool enough = list[0] && list[1];

    if (enough) {
        count[0] = flatten(a, title, list[0], 0);
        count[1] = flatten(b, title, list[1], 0);
        const struct named *eax[SIDES], *midr[SIDES];
        for (unsigned i = 0; i < SIDES; i++) {
            eax[i] = find_named(list[i], count[i], "identity.cpuid.00000001.0.eax");
            midr[i] = find_named(list[i], count[i], "identity.midr_el1");
        }
        compare_stepping(c, where, eax, midr);
        for (size_t i = 0; i < count[0]; i++)
            compare_field(c, where, list[0][i].name, &list[0][i], find_named(list[1], count[1], list[0][i].name),
                          &registers);
        for (size_t i = 0; i < count[1]; i++)
            if (!find_named(list[0], count[0], list[1][i].name))
                compare_field(c, where, list[1][i].name, NULL, &list[1][i], &registers);
        if (registers.count && !c->json)
            printf("  %s%s%zu identification registers: %s%s\n", where, *where ? " " : "", registers.count,
                   registers.names, registers.count > NAMES_SHOWN ? ", ..." : "");
    }
    free(list[0]);
    free(list[1]);
    return enough;
}

bool compare_environments(struct comparison *c)
{
    const struct run_file *a = &c->side[0], *b = &c->side[1];
    char where[32];
    bool enough = true;

    for (size_t i = 0; i < a->core_count; i++) {
        const struct run_core *x = &a->cores[i], *y = find_core(b, x->order, x->type);
        core_text(c, x->order, x->type, where, sizeof where);
        if (!y) {
            report_environment(c, where, "measured", "true", "false");
            continue;
        }
        enough = enough && compare_records(c, where, "", x->machine, y->machine) &&
                 compare_records(c, where, "", x->environment, y->environment);
    }
    for (size_t i = 0; i < b->core_count; i++)
        if (!find_core(a, b->cores[i].order, b->cores[i].type)) {
            core_text(c, b->cores[i].order, b->cores[i].type, where, sizeof where);
            report_environment(c, where, "measured", "false", "true");
        }
    enough = enough && compare_records(c, "", "run", a->run, b->run);
    for (unsigned i = 0; i < 2; i++) {
        static const char *const keys[] = {"trusted", "untrusted_cause"};
        char text[SIDES][VALUE_BYTES];
        bool has[SIDES] = {value_of(a->done, keys[i], text[0], VALUE_BYTES),
                           value_of(b->done, keys[i], text[1], VALUE_BYTES)};
        if (a->done.at && b->done.at && strcmp(text[0], text[1]) != 0)
            report_environment(c, "", keys[i], has[0] ? text[0] : NULL, has[1] ? text[1] : NULL);
    }
    return enough;
}
