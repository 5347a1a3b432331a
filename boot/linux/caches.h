/* Caches as the kernel describes them. */
#ifndef FATHOM_BOOT_LINUX_CACHES_H
#define FATHOM_BOOT_LINUX_CACHES_H

#include <stddef.h>

#include "arch/identify.h"

/*
 * Writes the caches of a core to `out`, as the kernel describes them in sysfs
 * (Documentation/ABI/testing/sysfs-devices-system-cpu), for cores whose registers do not describe them. `core` is the
 * kernel's number of the processor. Returns how many, at most `room`.
 */
size_t sysfs_caches(int core, struct identity_cache *out, size_t room);

#endif
