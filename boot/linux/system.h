/* What identifies the cores of the machine, as far as the kernel shows it. */
#ifndef FATHOM_BOOT_LINUX_SYSTEM_H
#define FATHOM_BOOT_LINUX_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct identity_value;

/*
 * Writes the identification registers of the core that the process is pinned to, the kernel's number `core`, as
 * identify_raw lists them. Returns how many, at most `room`.
 */
size_t system_identity(unsigned core, struct identity_value *out, size_t room);
/*
 * Sets *revision to the revision of a core's microcode, `core` being the kernel's number. False where the kernel lists
 * none.
 */
bool system_microcode(unsigned core, uint32_t *revision);

#endif
