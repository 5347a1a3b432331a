/* Text for people: results to standard output, progress to standard error. */
#define _GNU_SOURCE
#include "boot/linux/console.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/lines.h"
#include "lib/machine.h"

enum { PROGRESS_COLUMNS = 78 };

static bool text_on_stderr;
static bool progress_shown;

void console_start(bool on_stderr)
{
    text_on_stderr = on_stderr;
}

void machine_print(const char *text)
{
    FILE *out = text_on_stderr ? stderr : stdout;
    machine_progress(NULL);
    fputs(text, out);
    fflush(out);
}

/* Bold (ECMA-48, SGR 1), on terminals only: a file or a pipe gets the text alone. */
void machine_print_strong(const char *text)
{
    FILE *out = text_on_stderr ? stderr : stdout;
    const char *kind = getenv("TERM");
    bool bold = isatty(fileno(out)) && kind && strcmp(kind, "dumb") != 0;

    machine_progress(NULL);
    fprintf(out, "%s%s%s", bold ? "\033[1m" : "", text, bold ? "\033[0m" : "");
    fflush(out);
}

void machine_page(const struct lines *page)
{
    for (size_t i = 0; i < page->count; i++) {
        machine_print(page->text[i]);
        machine_print("\n");
    }
}

/* Nothing here can hang the machine, so that a stage is progress like any other. */
void machine_stage(const char *text)
{
    machine_progress(text);
}

void machine_progress(const char *text)
{
    static double last;

    if (isatty(STDERR_FILENO)) {
        if (text)
            fprintf(stderr, "\r%-*.*s", PROGRESS_COLUMNS, PROGRESS_COLUMNS, text);
        else if (progress_shown)
            fprintf(stderr, "\r%*s\r", PROGRESS_COLUMNS, "");
        progress_shown = text != NULL;
    } else if (text && machine_seconds() - last >= 1) { /* one line a second: standard error is a file or a pipe */
        fprintf(stderr, "%s\n", text);
        last = machine_seconds();
    }
    fflush(stderr);
}
