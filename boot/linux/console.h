/* Text for people: the part of lib/machine.h that a terminal implements. */
#ifndef FATHOM_BOOT_LINUX_CONSOLE_H
#define FATHOM_BOOT_LINUX_CONSOLE_H

#include <stdbool.h>

/*
 * Chooses where text for people goes: to standard output, or, where records go there, to standard error. To be called
 * before any text is printed.
 */
void console_start(bool text_on_stderr);

#endif
