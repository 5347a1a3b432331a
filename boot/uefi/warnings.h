/*
 * Warnings that cannot be sent where they arise: before the sinks are open, or from inside a sink while it is being
 * written to. They are kept and sent later.
 */
#ifndef FATHOM_BOOT_UEFI_WARNINGS_H
#define FATHOM_BOOT_UEFI_WARNINGS_H

#include "lib/base/record.h"

/* Keeps a warning until warnings_send. What does not fit is counted, and the count is sent. */
void warn(const char *subject, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same in the form of the callback that lib/plan/config.h takes. */
void warn_config(void *context, const char *subject, const char *text);
void warnings_send(struct writer *w);

#endif
