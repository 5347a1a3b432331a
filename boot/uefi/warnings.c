#include "boot/uefi/warnings.h"

#include <stdarg.h>
#include <stdio.h>

enum { WARNINGS = 24 }; /* that are kept; further ones are counted */

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
    /* A sink may fail while this is sent, and warn again: those warnings are sent too. */
    for (unsigned i = 0; i < kept_count; i++)
        record_warning(w, kept[i].subject, kept[i].text);
    if (dropped) {
        char text[64];
        snprintf(text, sizeof text, "%u further warnings are left out", dropped);
        record_warning(w, "warnings", text);
    }
    kept_count = dropped = 0;
}
