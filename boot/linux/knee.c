/*
 * fathom knee: finds the knees of a curve that was measured with another tool, as probes find those of their own.
 */
#include "boot/linux/knee.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot/linux/csv.h"
#include "boot/linux/gather.h"
#include "boot/linux/knee_print.h"
#include "boot/linux/knee_table.h"
#include "lib/knee/knee.h"

/* Exit statuses. */
enum { DECIDED = 0, UNDECIDED = 1, USAGE = 2, UNUSABLE = 3 };

static int usage_error(const char *what, const char *about)
{
    fprintf(stderr, "fathom: knee: %s: %s\nTry 'fathom help'.\n", about, what);
    return USAGE;
}

/* Returns 0, or the exit status after a message to standard error. */
static int parse(struct arguments *a, int count, char **words)
{
    for (int i = 0; i < count; i++) {
        const char *word = words[i], *value = i + 1 < count ? words[i + 1] : NULL;

        if (!strcmp(word, "--json")) {
            a->json = true;
            continue;
        }
        if (word[0] != '-' || !word[1]) {
            if (a->file)
                return usage_error("only one file can be given; --json writes to standard output and takes no name",
                                   word);
            a->file = word;
            continue;
        }
        if (!value)
            return usage_error("the option is unknown, or its value is missing", word);
        i++;
        if (!strcmp(word, "--x")) {
            a->x = value;
        } else if (!strcmp(word, "--y")) {
            a->y = value;
        } else if (!strcmp(word, "--kind")) {
            size_t kind = 0;
            while (kind <= KNEE_STAIRCASE && strcmp(value, knee_kind_names[kind]) != 0)
                kind++;
            if (kind > KNEE_STAIRCASE)
                return usage_error("--kind is step, jump, slope or staircase", value);
            a->kind = (enum knee_kind)kind;
        } else if (!strcmp(word, "--where")) {
            const char *equals = strchr(value, '=');
            if (!equals || equals == value || (size_t)(equals - value) >= NAME_BYTES)
                return usage_error("--where takes COLUMN=VALUE", value);
            if (a->where_count == CONDITIONS)
                return usage_error("too many --where", value);
            struct condition *c = &a->where[a->where_count++];
            snprintf(c->column, sizeof c->column, "%.*s", (int)(equals - value), value);
            c->value = equals + 1;
        } else {
            return usage_error("unknown option", word);
        }
    }
    return a->file ? 0 : usage_error("the name of a file is missing; - is standard input", "FILE.csv");
}

int command_knee(int count, char **words)
{
    static struct table t;
    static struct csv csv;
    struct knee_point *points = NULL;
    struct knee_passes passes = {0};
    struct verdict v = {0};

    int status = parse(&t.arguments, count, words);
    if (status)
        return status;
    t.source = strcmp(t.arguments.file, "-") != 0 ? t.arguments.file : "standard input";
    gather_start(&t.gather);
    status = table_read(&t, &csv) ? 0 : UNUSABLE;
    if (!status && t.gather.count == 0) {
        table_explain_empty(&t);
        status = UNUSABLE;
    }
    if (!status && (!gather_points(&t.gather, &points) || !gather_passes(&t.gather, &passes) ||
                    !knee_decide_passes(t.arguments.kind, points, t.gather.count, 0, &passes, &v))) {
        fprintf(stderr, "fathom: there is not enough memory\n");
        status = UNUSABLE;
    }
    if (!status) {
        if (t.arguments.kind != KNEE_STAIRCASE)
            gather_widen(&t.gather, &v);
        if (t.arguments.json)
            knee_record(&t, &v);
        else
            knee_print(&t, points, &v);
        status = UNDECIDED;
        for (size_t i = 0; i < v.count; i++)
            if (knee_result(&t, &v, i).grade != 'U')
                status = DECIDED;
        if (fflush(stdout) != 0) {
            fprintf(stderr, "fathom: standard output: %s\n", strerror(errno));
            status = UNUSABLE;
        }
    }
    free(points);
    free(passes.y);
    gather_free(&t.gather);
    return status;
}
