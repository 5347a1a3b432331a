#include "lib/structure/replacement_span.h"

#include <math.h>

#include "lib/structure/replacement.h"

struct cache_span cache_span_of(const struct probe *p, unsigned level)
{
    const char *variant = level == 1 ? "level=1" : "level=2";
    const double ways = facts_number(&p->run->facts, "memory.cache.ways", variant, 0),
                 bytes = facts_number(&p->run->facts, "memory.cache.bytes", variant, 0) / ways;
    struct cache_span s = {.bytes = POINTER_CHASE_LINE_BYTES};

    if (!(ways >= 2 && ways <= REPLACEMENT_WAYS && bytes >= 2 * POINTER_CHASE_LINE_BYTES))
        return s;
    s.ways = (unsigned)ways;
    while ((double)s.bytes * sqrt(2) < bytes)
        s.bytes *= 2;
    return s;
}
