#include "lib/structure/level_footprints.h"

#include <math.h>
#include <stdio.h>

#include "lib/structure/caches.h"
#include "lib/structure/tolerances_hierarchy.h"

enum { LONGER = 4 /* smaller footprint by the level before, where the level in question has room for that */ };

/* Footprints in a level of `holds` bytes, longer than the level before it of `before` bytes. */
static struct level_footprints between(double before, double holds)
{
    const double larger = before > 0 ? fmin(2 * LONGER * before, holds / 2) : holds / 2;
    const double smaller = before > 0 ? fmin(LONGER * before, larger / 2) : larger / 2;
    return (struct level_footprints){.bytes = {smaller, larger},
                                     .why_not = !(holds > 0)                               ? REASON_CAPACITY_UNKNOWN
                                                : smaller < CACHE_LONGER_AT_LEAST * before ? REASON_HARDLY_LARGER
                                                : smaller < FOOTPRINT_PAGE_BYTES           ? REASON_TOO_SMALL
                                                                                           : REASON_NONE};
}

/* Footprints in memory, behind a largest cache of so many bytes. */
static struct level_footprints behind(double largest)
{
    return (struct level_footprints){.name = "dram",
                                     .shared = true,
                                     .bytes = {CACHES_TO_REACH_MEMORY * largest, 2 * CACHES_TO_REACH_MEMORY * largest},
                                     .why_not = largest > 0 ? REASON_NONE : REASON_CAPACITY_UNKNOWN};
}

size_t level_footprints(const struct probe *p, double most, struct level_footprints levels[FOOTPRINT_LEVELS])
{
    size_t count = 0;
    double largest = 0;

    for (double holds = caches_known(p, 1); count == 0 || (holds > 0 && count + 1 < FOOTPRINT_LEVELS);
         holds = caches_known(p, (unsigned)count + 1)) {
        levels[count] = between(largest, holds);
        snprintf(levels[count].name, sizeof levels[count].name, "%zu", count + 1);
        largest = fmax(largest, holds);
        count++;
    }
    levels[count - 1].shared = count > 1; /* the last cache may be shared */
    levels[count++] = behind(largest);
    for (size_t i = 0; i < count; i++)
        if (!levels[i].why_not && levels[i].bytes[FOOTPRINTS - 1] > most)
            levels[i].why_not = REASON_RANGE_ENDS;
    return count;
}
