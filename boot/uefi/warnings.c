/*
 * Warnings that cannot be sent where they arise: before the sinks are open, or from inside a sink
 * while it is being written to.
 */
#include "boot/uefi/uefi.h"

#include <stdarg.h>
#include <stdio.h>

enum { WARNINGS = 24 };

static struct {
    char subject[48];
    char text[160];
} kept[WARNINGS];
static unsigned kept_count, dropped;

void warn(const char *subject, const char *format, ...)
{
    va_list arguments;

    if (kept_count == WARNINGS) {
        dropped++;
        return;
    }
    snprintf(kept[kept_count].subject, sizeof kept[0].subject, "%s", subject);
    va_start(arguments, format);
    vsnprintf(kept[kept_count].text, sizeof kept[0].text, format, arguments);
    va_end(arguments);
    kept_count++;
}

void warn_config(void *context, const char *subject, const char *text)
{
    (void)context;
    warn(subject, "%s", text);
}

void warnings_send(struct writer *w)
{
    /* Sending may fail in a sink, which warns again: those are sent too. */
    for (unsigned i = 0; i < kept_count; i++)
        record_warning(w, kept[i].subject, kept[i].text);
    if (dropped) {
        char text[64];
        snprintf(text, sizeof text, "%u further warnings are left out", dropped);
        record_warning(w, "warnings", text);
    }
    kept_count = dropped = 0;
}
