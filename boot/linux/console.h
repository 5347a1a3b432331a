/* Text for people. */
#ifndef FATHOM_BOOT_LINUX_CONSOLE_H
#define FATHOM_BOOT_LINUX_CONSOLE_H

#include <stdbool.h>

/* To be called first: with records on standard output, text for people goes to standard error. */
void console_start(bool text_on_stderr);

#endif
