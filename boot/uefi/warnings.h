/*
 * Warnings that cannot be sent where they arise: before the sinks are open, or from inside a sink while it is being
 * written to. They are kept and sent later.
 */
#ifndef FATHOM_BOOT_UEFI_WARNINGS_H
#define FATHOM_BOOT_UEFI_WARNINGS_H

#include "lib/base/record.h"

/*
 * Keeps a warning until warnings_send: `subject` is what it is about, in a word, the rest as for printf, of which 159
 * bytes are kept. There is room for 24 at a time; further ones are counted, and the count is sent.
 */
void warn(const char *subject, const char *format, ...) __attribute__((format(printf, 2, 3)));
/*
 * Keeps a warning as warn does, in the form of the callback that config_parse takes (lib/plan/config.h); `context` is
 * not used.
 */
void warn_config(void *context, const char *subject, const char *text);
/* Sends all warnings that were kept as records, and forgets them. The member `warn` of struct run. */
void warnings_send(struct writer *w);

#endif
