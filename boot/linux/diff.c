/*
 * fathom diff: what two runs found differently, and first what was different about the machines.
 *
 * Cores are matched by type and order, since the same program may have started on another one.
 */
#include "boot/linux/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot/linux/diff_environment.h"
#include "boot/linux/diff_findings.h"
#include "boot/linux/diff_output.h"
#include "boot/linux/diff_run.h"
#include "lib/base/record.h"
#include "lib/machine.h"

/* Exit statuses. */
enum { SAME = 0, DIFFER = 1, USAGE = 2, UNUSABLE = 3 };

/* Rates and latencies differ by up to this from run to run on one machine, as RATES_AGREE in lib/finding has it too. */
static const double TOLERANCE_PERCENT = 2;

static int usage_error(const char *what, const char *about)
{
    fprintf(stderr, "fathom: diff: %s%s%s\nTry 'fathom help'.\n", what, about ? ": " : "", about ? about : "");
    return USAGE;
}

static void print_heads(const struct comparison *c)
{
    for (unsigned i = 0; i < SIDES; i++) {
        const struct run_file *s = &c->side[i];
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

static void report_end(struct comparison *c)
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
                return usage_error("exactly two runs are compared", word);
            c->side[files++].path = word;
        } else if (!strcmp(word, "--json")) {
            c->json = true;
        } else if (!strcmp(word, "--values")) {
            c->values_only = true;
        } else if (!strcmp(word, "--within")) {
            char *end = NULL;
            double percent = value ? strtod(value, &end) : -1;
            if (!value || end == value || *end || !(percent >= 0 && percent <= 100))
                return usage_error("--within takes a percentage from 0 to 100", value);
            c->tolerance = percent / 100;
            i++;
        } else {
            return usage_error("unknown option", word);
        }
    }
    if (files < SIDES)
        return usage_error("the names of two files with runs are missing", NULL);
    if (!strcmp(c->side[0].path, "-") && !strcmp(c->side[1].path, "-"))
        return usage_error("only one of the two runs can be standard input", "-");
    return 0;
}

int command_diff(int count, char **words)
{
    static struct comparison c;

    c.tolerance = TOLERANCE_PERCENT / 100;
    int status = parse(&c, count, words);
    if (status)
        return status;
    for (unsigned i = 0; i < SIDES; i++) {
        const char *why = run_file_read(&c.side[i]);
        if (why) {
            fprintf(stderr, "fathom: diff: %s: %s\n", c.side[i].path, why);
            return UNUSABLE;
        }
    }
    writer_start(&c.writer);
    writer_add(&c.writer, (struct sink){.name = "output", .write = write_out});
    if (!c.json)
        print_heads(&c);
    if (!compare_environments(&c)) {
        fprintf(stderr, "fathom: diff: there is not enough memory\n");
        return UNUSABLE;
    }
    compare_all_findings(&c);
    report_end(&c);
    for (unsigned i = 0; i < SIDES; i++) {
        if (c.side[i].damaged)
            fprintf(stderr, "fathom: diff: %s: %zu damaged records were left out\n", c.side[i].path, c.side[i].damaged);
        run_file_free(&c.side[i]);
    }
    return c.findings ? DIFFER : SAME;
}
