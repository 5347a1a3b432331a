#include "tests/model/cache.h"

#include <stdlib.h>
#include <string.h>

struct cache cache_new(size_t bytes, size_t ways)
{
    struct cache c = {.ways = ways};

    if (!ways)
        return c;
    c.sets = bytes / CACHE_LINE_BYTES / ways;
    c.lines = calloc(c.sets * ways, sizeof *c.lines);
    if (!c.lines || !c.sets || (c.sets & (c.sets - 1)))
        abort();
    return c;
}

void cache_free(struct cache *c)
{
    free(c->lines);
    *c = (struct cache){0};
}

size_t cache_bytes(const struct cache *c)
{
    return c->sets * c->ways * CACHE_LINE_BYTES;
}

bool cache_touch(struct cache *c, uint64_t address)
{
    if (!c->ways)
        return false;
    uint64_t line = address / CACHE_LINE_BYTES, *set = c->lines + (line & (c->sets - 1)) * c->ways;
    size_t way = 0;

    if (set[0] == line)
        return true;
    while (way + 1 < c->ways && set[way] != line)
        way++;
    bool hit = set[way] == line;
    memmove(set + 1, set, way * sizeof *set);
    set[0] = line;
    return hit;
}
