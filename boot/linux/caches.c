#include "boot/linux/caches.h"

#include <stdio.h>
#include <stdlib.h>

#include "boot/linux/files.h"

/* The line in /sys/devices/system/cpu/cpuN/cache/indexN/NAME; "" where there is no such file. */
static void sysfs_cache_line(int core, unsigned index, const char *name, char *out, size_t room)
{
    char path[112];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%u/%s", core, index, name);
    file_line(path, out, room);
}

static uint64_t sysfs_cache_number(int core, unsigned index, const char *name)
{
    char line[32];
    sysfs_cache_line(core, index, name, line, sizeof line);
    return strtoull(line, NULL, 10);
}

size_t sysfs_caches(int core, struct identity_cache *out, size_t room)
{
    size_t count = 0;

    for (unsigned i = 0; i < IDENTITY_CACHES && count < room; i++) {
        char type[32];
        sysfs_cache_line(core, i, "type", type, sizeof type);
        if (!type[0])
            break;
        out[count++] = (struct identity_cache){
            .level = (unsigned)sysfs_cache_number(core, i, "level"),
            .holds = type[0] == 'D'   ? HOLDS_DATA
                     : type[0] == 'I' ? HOLDS_INSTRUCTIONS
                                      : HOLDS_DATA | HOLDS_INSTRUCTIONS, /* "Unified" */
            .bytes = sysfs_cache_number(core, i, "size") << 10,          /* "1024K" */
            .ways = (unsigned)sysfs_cache_number(core, i, "ways_of_associativity"),
            .line_bytes = (unsigned)sysfs_cache_number(core, i, "coherency_line_size"),
            .source = "sysfs"};
    }
    return count;
}
