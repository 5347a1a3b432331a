/*
 * fathom diff: what two runs found differently, and first what was different about the machines.
 *
 * Cores are matched by type and order, since the same program may have started on another one. Findings are matched
 * by name and variants; two of the same name and variants, by order. Numbers with intervals agree when at least one
 * of the two lies in the other's interval, so that a coarse measurement does not contradict a fine one; numbers
 * without agree within a tolerance; texts and lists when they are the same.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot/linux/linux.h"
#include "lib/record.h"

/* Exit statuses. */
enum { SAME = 0, DIFFER = 1, USAGE = 2, UNUSABLE = 3 };

enum { SIDES = 2, VALUE_BYTES = 96, NAME_BYTES = 160, MACHINE_FIELDS = 4096, CORE_TYPE = 8, NAMES_TOLD = 6 };

/* Rates and latencies differ by as much from run to run of one machine, as lib/report.c has it. */
static const double TOLERANCE_PERCENT = 2;

struct line {
    const char *at;
    size_t bytes;
};

struct lines {
    struct line *line;
    size_t count, room;
};

struct found {
    struct line line;
    unsigned core; /* as matched: the how-manieth of its type */
    char type[CORE_TYPE];
    char name[NAME_BYTES]; /* "memory.cache.bytes level=2" */
    char value[VALUE_BYTES], unit[32], grade, reason[VALUE_BYTES];
    double number, low, high; /* NaN where it is none */
    bool text;                /* the value is one, or a list */
    bool matched;
};

struct core {
    unsigned index, order;
    char type[CORE_TYPE];
    struct line machine, environment;
};

/* One of the two runs. */
struct side {
    const char *path;
    char *text;
    struct line run, done;
    struct core *cores;
    struct found *found;
    size_t core_count, core_room, found_count, found_room;
    size_t damaged;
    bool out_of_memory;
};

struct comparison {
    struct side side[SIDES];
    double tolerance; /* relative */
    bool json, values_only;
    struct writer writer;
    size_t environment, findings, compared;
};

static int complain(const char *what, const char *about)
{
    fprintf(stderr, "fathom: diff: %s%s%s\nTry 'fathom help'.\n", what, about ? ": " : "", about ? about : "");
    return USAGE;
}

/* ---- Reading a run ------------------------------------------------------------------------------- */

/* NULL, or why the file cannot be read. What is returned in *text is allocated, ended by 0. */
static const char *read_file(const char *path, char **text, size_t *bytes)
{
    FILE *file = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    size_t room = 1 << 20, used = 0;
    const char *why = NULL;

    *text = NULL;
    if (!file)
        return strerror(errno);
    for (;;) {
        char *more = realloc(*text, room);
        if (!more) {
            why = "there is not enough memory for it";
            break;
        }
        *text = more;
        used += fread(*text + used, 1, room - used - 1, file);
        if (used < room - 1)
            break;
        room *= 2;
    }
    if (!why && ferror(file))
        why = strerror(errno);
    if (file != stdin)
        fclose(file);
    if (!why)
        (*text)[used] = 0;
    *bytes = used;
    return why;
}

/* Room for one more of `bytes` each; false when out of memory. */
static bool grow(void **list, size_t count, size_t *room, size_t bytes)
{
    if (count < *room)
        return true;
    size_t wanted = *room ? 2 * *room : 64;
    void *more = realloc(*list, wanted * bytes);
    if (!more)
        return false;
    *list = more;
    *room = wanted;
    return true;
}

static bool value_of(struct line l, const char *key, char *out, size_t room)
{
    if (l.at && record_line_value(l.at, l.bytes, key, out, room))
        return true;
    out[0] = 0;
    return false;
}

static double number_of(struct line l, const char *key)
{
    char text[32];
    return value_of(l, key, text, sizeof text) && strcmp(text, "null") != 0 ? strtod(text, NULL) : NAN;
}

static struct core *core_of(struct side *s, struct line l)
{
    const double index = number_of(l, "core");
    const unsigned wanted = index >= 0 ? (unsigned)index : 0; /* runs of earlier versions had one core, unnamed */

    for (size_t i = 0; i < s->core_count; i++)
        if (s->cores[i].index == wanted)
            return &s->cores[i];
    if (!grow((void **)&s->cores, s->core_count, &s->core_room, sizeof *s->cores)) {
        s->out_of_memory = true;
        return NULL;
    }
    struct core *c = &s->cores[s->core_count++];
    *c = (struct core){.index = wanted};
    value_of(l, "type", c->type, sizeof c->type);
    for (size_t i = 0; i + 1 < s->core_count; i++)
        c->order += !strcmp(s->cores[i].type, c->type);
    return c;
}

/* Variants stand between the core, or its type, and the value. */
static void read_finding(struct found *f, struct line l)
{
    struct record_field field = {.bytes = 0};
    char text[VALUE_BYTES];
    bool variants = false;
    size_t used;

    value_of(l, "name", f->name, sizeof f->name);
    used = strlen(f->name);
    for (size_t at = 0; record_line_field(l.at, l.bytes, &at, &field);) {
        record_field_text(&field, text, sizeof text);
        if (!strcmp(field.key, "value")) {
            f->text = *field.value == '"' || *field.value == '[' || *field.value == 't' || *field.value == 'f';
            snprintf(f->value, sizeof f->value, "%s", text);
            variants = false;
        } else if (variants && strcmp(field.key, "type") != 0 && used < sizeof f->name) {
            int n = snprintf(f->name + used, sizeof f->name - used, " %s=%s", field.key, text);
            used += n > 0 ? (size_t)n : 0;
        }
        variants = variants || !strcmp(field.key, "core");
    }
    f->number = f->text ? NAN : number_of(l, "value");
    f->low = number_of(l, "low");
    f->high = number_of(l, "high");
    value_of(l, "unit", f->unit, sizeof f->unit);
    value_of(l, "reason", f->reason, sizeof f->reason);
    f->grade = value_of(l, "grade", text, sizeof text) ? text[0] : 'U';
    f->line = l;
}

static bool same_question(const struct found *a, const struct found *b)
{
    return a->core == b->core && !strcmp(a->type, b->type) && !strcmp(a->name, b->name);
}

static void add_finding(struct side *s, struct line l)
{
    const struct core *c = core_of(s, l);
    char replaces[8];

    if (!c || !grow((void **)&s->found, s->found_count, &s->found_room, sizeof *s->found)) {
        s->out_of_memory = true;
        return;
    }
    struct found *f = &s->found[s->found_count];
    *f = (struct found){.core = c->order};
    memcpy(f->type, c->type, sizeof f->type);
    read_finding(f, l);
    if (value_of(l, "replaces", replaces, sizeof replaces) && !strcmp(replaces, "true")) {
        const struct found replacing = *f;
        size_t kept = 0;
        for (size_t i = 0; i < s->found_count; i++)
            if (!same_question(&s->found[i], &replacing))
                s->found[kept++] = s->found[i];
        s->found[kept] = replacing;
        s->found_count = kept;
    }
    s->found_count++;
}

/* A file may hold several runs, as a serial log does: the last one counts. */
static void add_line(struct side *s, struct line l)
{
    struct core *c;
    char kind[16];

    value_of(l, "t", kind, sizeof kind);
    if (!strcmp(kind, "run")) {
        s->run = l;
        s->done = (struct line){.at = NULL};
        s->core_count = s->found_count = 0;
    } else if (!strcmp(kind, "done")) {
        s->done = l;
    } else if (!strcmp(kind, "finding")) {
        add_finding(s, l);
    } else if ((!strcmp(kind, "machine") || !strcmp(kind, "environment")) && (c = core_of(s, l)) != NULL) {
        *(kind[0] == 'm' ? &c->machine : &c->environment) = l;
    }
}

/* 0, or the exit status after having complained. */
static int read_side(struct side *s)
{
    static const char begin[] = "{\"t\":";
    size_t bytes = 0;
    const char *why = read_file(s->path, &s->text, &bytes);

    for (const char *at = s->text, *end = at + bytes; !why && at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        struct line l = {at, (size_t)(stop - at)};
        at = newline ? newline + 1 : end;
        while (l.bytes > 0 && l.at[l.bytes - 1] == '\r')
            l.bytes--;
        if (l.bytes < sizeof begin || memcmp(l.at, begin, sizeof begin - 1) != 0)
            continue; /* text beside the records */
        if (record_line_good(l.at, l.bytes))
            add_line(s, l);
        else
            s->damaged++;
    }
    if (!why && s->out_of_memory)
        why = "there is not enough memory for it";
    if (!why && !s->run.at)
        why = "there is no run in it: no good record that says \"t\":\"run\" (scripts/collect takes records out of "
              "serial logs)";
    if (!why)
        return 0;
    fprintf(stderr, "fathom: diff: %s: %s\n", s->path, why);
    return UNUSABLE;
}

/* ---- Telling ------------------------------------------------------------------------------------- */

/* A value as it stands in a record: numbers as numbers. NULL where there is none. */
static void record_written(struct record *r, const char *key, const char *text)
{
    char *end;
    double number = text ? strtod(text, &end) : 0;

    if (!text || !strcmp(text, "null"))
        record_null(r, key);
    else if (!strcmp(text, "true") || !strcmp(text, "false"))
        record_boolean(r, key, *text == 't');
    else if (*text && !*end && (*text == '-' || (*text >= '0' && *text <= '9')) && text[1] != 'x')
        record_number(r, key, number);
    else
        record_text(r, key, text);
}

static void heading(const struct comparison *c, const char *text)
{
    if (!c->json)
        printf("\n%s\n", text);
}

static void tell_environment(struct comparison *c, const char *where, const char *name, const char *a, const char *b)
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

/* "core 1 (type E)", or nothing where each run has one core. */
static void core_text(const struct comparison *c, unsigned order, const char *type, char *out, size_t room)
{
    out[0] = 0;
    if (c->side[0].core_count > 1 || c->side[1].core_count > 1)
        snprintf(out, room, *type ? "%s core %u:" : "%score %u:", type, order);
}

/* ---- The environment ----------------------------------------------------------------------------- */

/* What is different in every run, and says nothing. */
static bool is_passing(const char *name)
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

/* Clocks that were measured. */
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

/* All fields of a record, those of objects inside as "firmware.vendor". */
static size_t flatten(struct line l, const char *prefix, struct named *out, size_t count)
{
    struct record_field f = {.bytes = 0};

    for (size_t at = 0; count < MACHINE_FIELDS && l.at && record_line_field(l.at, l.bytes, &at, &f);) {
        char name[NAME_BYTES];
        int n = snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", f.key);
        if (n < 0 || (size_t)n >= sizeof name)
            continue;
        if (*f.value == '{') {
            count = flatten((struct line){f.value, f.bytes}, name, out, count);
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

/* Identification registers are many: the first names are told, and how many there are. */
struct registers {
    char names[NAMES_TOLD * 32];
    size_t used, count;
};

static void note_register(struct registers *r, const char *name)
{
    if (r->count++ < NAMES_TOLD) {
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

    if (is_passing(name))
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
        tell_environment(c, where, name, a ? text[0] : NULL, b ? text[1] : NULL);
}

/*
 * Family, model and stepping in CPUID.01H:EAX (Intel SDM volume 2A, CPUID, figure 3-6; AMD APM volume 3, appendix E),
 * or variant, part and revision in MIDR_EL1 (Arm ARM, D19.2.96).
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
            tell_environment(c, where, is_x86 ? x86[i].name : arm[i].name, text[0], text[1]);
    }
}

/* Two records of a kind, `title` put before names; nothing where one is missing: that is told elsewhere. */
static bool compare_records(struct comparison *c, const char *where, const char *title, struct line a, struct line b)
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
            midr[i] = find_named(list[i], count[i], "identity.MIDR_EL1");
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
                   registers.names, registers.count > NAMES_TOLD ? ", ..." : "");
    }
    free(list[0]);
    free(list[1]);
    return enough;
}

static const struct core *find_core(const struct side *s, unsigned order, const char *type)
{
    for (size_t i = 0; i < s->core_count; i++)
        if (s->cores[i].order == order && !strcmp(s->cores[i].type, type))
            return &s->cores[i];
    return NULL;
}

/* False when out of memory. */
static bool compare_environments(struct comparison *c)
{
    const struct side *a = &c->side[0], *b = &c->side[1];
    char where[32];
    bool enough = true;

    for (size_t i = 0; i < a->core_count; i++) {
        const struct core *x = &a->cores[i], *y = find_core(b, x->order, x->type);
        core_text(c, x->order, x->type, where, sizeof where);
        if (!y) {
            tell_environment(c, where, "measured", "true", "false");
            continue;
        }
        enough = enough && compare_records(c, where, "", x->machine, y->machine) &&
                 compare_records(c, where, "", x->environment, y->environment);
    }
    for (size_t i = 0; i < b->core_count; i++)
        if (!find_core(a, b->cores[i].order, b->cores[i].type)) {
            core_text(c, b->cores[i].order, b->cores[i].type, where, sizeof where);
            tell_environment(c, where, "measured", "false", "true");
        }
    enough = enough && compare_records(c, "", "run", a->run, b->run);
    for (unsigned i = 0; i < 2; i++) {
        static const char *const keys[] = {"trusted", "untrusted_cause"};
        char text[SIDES][VALUE_BYTES];
        bool has[SIDES] = {value_of(a->done, keys[i], text[0], VALUE_BYTES),
                           value_of(b->done, keys[i], text[1], VALUE_BYTES)};
        if (a->done.at && b->done.at && strcmp(text[0], text[1]) != 0)
            tell_environment(c, "", keys[i], has[0] ? text[0] : NULL, has[1] ? text[1] : NULL);
    }
    return enough;
}

/* ---- Findings ------------------------------------------------------------------------------------ */

enum kind { KIND_VALUE, KIND_DECIDED, KIND_GRADE, KIND_PRESENT, KIND_NONE };
static const char *const kind_names[] = {"value", "decided", "grade", "present"};
static const char *const kind_titles[] = {
    "Values that differ:",
    "Decided in one run alone:",
    "The same value with another grade:",
    "Asked in one run alone:",
};

static bool has_interval(const struct found *f)
{
    return !isnan(f->low) && !isnan(f->high);
}

static bool inside(double x, const struct found *f)
{
    return x == f->number || (x >= f->low && x < f->high);
}

static bool values_agree(const struct found *a, const struct found *b, double tolerance)
{
    if (a->text || b->text)
        return a->text == b->text && !strcmp(a->value, b->value);
    if (strcmp(a->unit, b->unit) != 0)
        return false;
    if (has_interval(a) || has_interval(b))
        return inside(a->number, b) || inside(b->number, a);
    return fabs(a->number - b->number) <= tolerance * fmax(fabs(a->number), fabs(b->number));
}

static enum kind compare_findings(const struct found *a, const struct found *b, double tolerance)
{
    if (!a || !b)
        return KIND_PRESENT;
    if (a->grade == 'U' && b->grade == 'U')
        return KIND_NONE;
    if (a->grade == 'U' || b->grade == 'U')
        return KIND_DECIDED;
    if (!values_agree(a, b, tolerance))
        return KIND_VALUE;
    return a->grade != b->grade ? KIND_GRADE : KIND_NONE;
}

/* "48 [48, 49) A", "no-knee U". */
static void finding_text(const struct found *f, char *out, size_t room)
{
    if (!f)
        snprintf(out, room, "-");
    else if (f->grade == 'U')
        snprintf(out, room, "%s U", f->reason);
    else if (has_interval(f))
        snprintf(out, room, "%s [%.8g, %.8g) %c", f->value, f->low, f->high, f->grade);
    else
        snprintf(out, room, "%s %c", f->value, f->grade);
}

static void record_side(struct record *r, const char *key, const struct found *f)
{
    if (!f) {
        record_null(r, key);
        return;
    }
    record_object(r, key);
    record_written(r, "value", f->value);
    record_number(r, "low", f->low);
    record_number(r, "high", f->high);
    record_text(r, "grade", (const char[]){f->grade, 0});
    if (f->reason[0])
        record_text(r, "reason", f->reason);
    record_close(r);
}

static void tell_finding(struct comparison *c, enum kind kind, const struct found *a, const struct found *b)
{
    const struct found *any = a ? a : b;
    char where[32], text[SIDES][2 * VALUE_BYTES];

    core_text(c, any->core, any->type, where, sizeof where);
    if (c->json) {
        struct record r;
        record_start(&r, &c->writer, "difference");
        record_text(&r, "in", "finding");
        record_text(&r, "kind", kind_names[kind]);
        if (*where)
            record_text(&r, "core", where);
        record_text(&r, "name", any->name);
        record_text(&r, "unit", any->unit);
        record_side(&r, "a", a);
        record_side(&r, "b", b);
        record_send(&r);
        return;
    }
    finding_text(a, text[0], sizeof text[0]);
    finding_text(b, text[1], sizeof text[1]);
    printf("  %s%s%-56s %s  ->  %s  %s\n", where, *where ? " " : "", any->name, text[0], text[1],
           kind == KIND_PRESENT ? "" : any->unit);
}

/* Findings of B in the order of A's; each is given away once. */
static struct found *match(struct side *s, const struct found *wanted)
{
    for (size_t i = 0; i < s->found_count; i++)
        if (!s->found[i].matched && same_question(&s->found[i], wanted))
            return &s->found[i];
    return NULL;
}

/* Whether both sides measured that core at all. Else that was told, and its findings are not repeated one by one. */
static bool shared_core(const struct comparison *c, const struct found *f)
{
    return find_core(&c->side[0], f->core, f->type) && find_core(&c->side[1], f->core, f->type);
}

static void compare_all_findings(struct comparison *c)
{
    struct side *a = &c->side[0], *b = &c->side[1];

    for (enum kind kind = 0; kind < (c->values_only ? KIND_DECIDED : KIND_NONE); kind++) {
        size_t told = 0;
        for (size_t i = 0; i < b->found_count; i++)
            b->found[i].matched = false;
        for (size_t i = 0; i < a->found_count + b->found_count; i++) {
            const bool from_a = i < a->found_count;
            struct found *x = from_a ? &a->found[i] : NULL, *y = from_a ? match(b, x) : &b->found[i - a->found_count];
            if ((!from_a && y->matched) || !shared_core(c, from_a ? x : y))
                continue;
            if (y)
                y->matched = true;
            c->compared += kind == KIND_VALUE && x && y;
            if (compare_findings(x, y, c->tolerance) != kind)
                continue;
            if (told++ == 0)
                heading(c, kind_titles[kind]);
            tell_finding(c, kind, x, y);
        }
        c->findings += told;
    }
    /* A core that one run lacks is a difference as such. */
    if (!c->values_only) {
        for (unsigned i = 0; i < SIDES; i++)
            for (const struct core *k = c->side[i].cores; k < c->side[i].cores + c->side[i].core_count; k++)
                c->findings += !find_core(&c->side[!i], k->order, k->type);
    }
}

/* ---- The command --------------------------------------------------------------------------------- */

static void print_heads(const struct comparison *c)
{
    for (unsigned i = 0; i < SIDES; i++) {
        const struct side *s = &c->side[i];
        char date[32], name[64] = "", profile[16];
        if (s->core_count && !value_of(s->cores[0].machine, "core_name", name, sizeof name))
            name[0] = 0;
        if (s->core_count && !name[0])
            value_of(s->cores[0].machine, "core_model", name, sizeof name);
        value_of(s->run, "date", date, sizeof date);
        value_of(s->run, "profile", profile, sizeof profile);
        printf("%c  %s: %s, profile %s, %s%s\n", "AB"[i], s -> path, name, profile, date,
               s -> done.at ? "" : ", did not come to its end");
    }
}

static bool write_out(void *context, const char *bytes, size_t count)
{
    (void)context;
    return fwrite(bytes, 1, count, stdout) == count;
}

static void tell_end(struct comparison *c)
{
    if (c->json) {
        struct record r;
        record_start(&r, &c->writer, "differences");
        record_integer(&r, "findings", c->findings);
        record_integer(&r, "environment", c->environment);
        record_integer(&r, "compared", c->compared);
        record_integer(&r, "damaged_a", c->side[0].damaged);
        record_integer(&r, "damaged_b", c->side[1].damaged);
        record_boolean(&r, "ended_a", c->side[0].done.at != NULL);
        record_boolean(&r, "ended_b", c->side[1].done.at != NULL);
        record_send(&r);
        writer_stop(&c->writer);
        return;
    }
    printf("\n%zu findings compared: ", c->compared);
    if (c->findings)
        printf("%zu differences%s.\n", c->findings, c->values_only ? " of value" : "");
    else
        printf("they agree%s.\n", c->values_only ? " in their values" : "");
}

static int parse(struct comparison *c, int count, char **words)
{
    unsigned files = 0;

    for (int i = 0; i < count; i++) {
        const char *word = words[i], *value = i + 1 < count ? words[i + 1] : NULL;
        if (word[0] != '-' || !word[1]) {
            if (files == SIDES)
                return complain("two runs are compared, not more", word);
            c->side[files++].path = word;
        } else if (!strcmp(word, "--json")) {
            c->json = true;
        } else if (!strcmp(word, "--values")) {
            c->values_only = true;
        } else if (!strcmp(word, "--within")) {
            char *end = NULL;
            double percent = value ? strtod(value, &end) : -1;
            if (!value || end == value || *end || !(percent >= 0 && percent <= 100))
                return complain("--within wants a number of percent, 0 to 100", value);
            c->tolerance = percent / 100;
            i++;
        } else {
            return complain("unknown option", word);
        }
    }
    if (files < SIDES)
        return complain("which two runs?", NULL);
    if (!strcmp(c->side[0].path, "-") && !strcmp(c->side[1].path, "-"))
        return complain("only one can be standard input", "-");
    return 0;
}

int command_diff(int count, char **words)
{
    static struct comparison c;

    c.tolerance = TOLERANCE_PERCENT / 100;
    int status = parse(&c, count, words);
    for (unsigned i = 0; i < SIDES && !status; i++)
        status = read_side(&c.side[i]);
    if (status)
        return status;
    writer_start(&c.writer);
    writer_add(&c.writer, (struct sink){.name = "output", .write = write_out});
    if (!c.json)
        print_heads(&c);
    if (!compare_environments(&c)) {
        fprintf(stderr, "fathom: diff: there is not enough memory\n");
        return UNUSABLE;
    }
    compare_all_findings(&c);
    tell_end(&c);
    for (unsigned i = 0; i < SIDES; i++) {
        if (c.side[i].damaged)
            fprintf(stderr, "fathom: diff: %s: %zu damaged records were left out\n", c.side[i].path, c.side[i].damaged);
        free(c.side[i].text);
        free(c.side[i].cores);
        free(c.side[i].found);
    }
    return c.findings ? DIFFER : SAME;
}
