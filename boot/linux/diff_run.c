#include "boot/linux/diff_run.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/record.h"
#include "lib/base/record_read.h"

/* Reads a file, "-" for standard input, into allocated memory that ends with a zero. NULL, or why it cannot be read. */
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
            why = "there is not enough memory to read it";
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

/* Makes room for one more element of `bytes` each; false when memory is short. */
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

bool value_of(struct run_line l, const char *key, char *out, size_t room)
{
    if (l.at && record_line_value(l.at, l.bytes, key, out, room))
        return true;
    out[0] = 0;
    return false;
}

static double number_of(struct run_line l, const char *key)
{
    char text[32];
    return value_of(l, key, text, sizeof text) && strcmp(text, "null") != 0 ? strtod(text, NULL) : NAN;
}

static struct run_core *core_record(struct run_file *s, struct run_line l)
{
    const double index = number_of(l, "core");
    const unsigned wanted = index >= 0 ? (unsigned)index : 0; /* runs of early versions had one core without an index */

    for (size_t i = 0; i < s->core_count; i++)
        if (s->cores[i].index == wanted)
            return &s->cores[i];
    if (!grow((void **)&s->cores, s->core_count, &s->core_room, sizeof *s->cores)) {
        s->out_of_memory = true;
        return NULL;
    }
    struct run_core *c = &s->cores[s->core_count++];
    *c = (struct run_core){.index = wanted};
    value_of(l, "type", c->type, sizeof c->type);
    for (size_t i = 0; i + 1 < s->core_count; i++)
        c->order += !strcmp(s->cores[i].type, c->type);
    return c;
}

/* The variants of a finding are the fields between its core, or the core's type, and its value. */
static void read_finding(struct run_finding *f, struct run_line l)
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

bool same_finding(const struct run_finding *a, const struct run_finding *b)
{
    return a->core == b->core && !strcmp(a->type, b->type) && !strcmp(a->name, b->name);
}

static void add_finding(struct run_file *s, struct run_line l)
{
    const struct run_core *c = core_record(s, l);
    char replaces[8];

    if (!c || !grow((void **)&s->found, s->found_count, &s->found_room, sizeof *s->found)) {
        s->out_of_memory = true;
        return;
    }
    struct run_finding *f = &s->found[s->found_count];
    *f = (struct run_finding){.core = c->order};
    memcpy(f->type, c->type, sizeof f->type);
    read_finding(f, l);
    if (value_of(l, "replaces", replaces, sizeof replaces) && !strcmp(replaces, "true")) {
        const struct run_finding replacing = *f;
        size_t kept = 0;
        for (size_t i = 0; i < s->found_count; i++)
            if (!same_finding(&s->found[i], &replacing))
                s->found[kept++] = s->found[i];
        s->found[kept] = replacing;
        s->found_count = kept;
    }
    s->found_count++;
}

static void add_machine(struct run_file *s, struct run_line l)
{
    if (grow((void **)&s->machines, s->machine_count, &s->machine_room, sizeof *s->machines))
        s->machines[s->machine_count++] = l;
    else
        s->out_of_memory = true;
}

static struct run_line machine_of(const struct run_file *s, unsigned core)
{
    for (size_t i = 0; i < s->machine_count; i++)
        if (number_of(s->machines[i], "core") == core)
            return s->machines[i];
    return (struct run_line){.at = NULL};
}

/* A file may hold several runs, as a serial log does; the last one is used. */
static void add_line(struct run_file *s, struct run_line l)
{
    struct run_core *c;
    char kind[16];

    value_of(l, "t", kind, sizeof kind);
    if (!strcmp(kind, "run")) {
        s->run = l;
        s->done = (struct run_line){.at = NULL};
        s->machine_count = s->core_count = s->found_count = 0;
    } else if (!strcmp(kind, "done")) {
        s->done = l;
    } else if (!strcmp(kind, "finding")) {
        add_finding(s, l);
    } else if (!strcmp(kind, "machine")) {
        add_machine(s, l);
    } else if (!strcmp(kind, "environment") && (c = core_record(s, l)) != NULL) {
        c->environment = l;
        c->machine = machine_of(s, c->index);
    }
}

const char *run_file_read(struct run_file *s)
{
    static const char begin[] = "{\"t\":";
    size_t bytes = 0;
    const char *why = read_file(s->path, &s->text, &bytes);

    for (const char *at = s->text, *end = at + bytes; !why && at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        struct run_line l = {at, (size_t)(stop - at)};
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
        why = "there is not enough memory to read it";
    if (!why && !s->run.at)
        why = "it holds no run: there is no undamaged record with \"t\":\"run\" (scripts/collect extracts records from "
              "serial logs)";
    return why;
}

void run_file_free(struct run_file *s)
{
    free(s->text);
    free(s->machines);
    free(s->cores);
    free(s->found);
}

const struct run_core *find_core(const struct run_file *s, unsigned order, const char *type)
{
    for (size_t i = 0; i < s->core_count; i++)
        if (s->cores[i].order == order && !strcmp(s->cores[i].type, type))
            return &s->cores[i];
    return NULL;
}
