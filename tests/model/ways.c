#include "tests/model/ways.h"

#include <stdlib.h>
#include <string.h>

#include "tests/model/changes.h"

struct ways ways_new(const struct way_design *design, size_t sets, size_t ways, size_t line_bytes)
{
    struct ways w = {.design = *design, .sets = sets, .ways = ways, .line_bytes = line_bytes};

    if (design->predicted &&
        (!(w.tags = calloc(sets * ways, sizeof *w.tags)) || !(w.kept = calloc(sets, sizeof *w.kept))))
        abort();
    return w;
}

void ways_free(struct ways *w)
{
    free(w->tags);
    free(w->kept);
}

static uint64_t tag_of(const struct way_design *d, uint64_t address)
{
    uint64_t tag = 0;

    if (d->carries)
        return ((address >> 12) + (address >> 17)) % 32;
    for (unsigned i = 0; i < d->count; i++)
        tag |= (uint64_t)__builtin_parityll(address & d->masks[i]) << i;
    return tag;
}

bool ways_touch(struct ways *w, uint64_t address, uint64_t frame_address)
{
    if (!w->design.predicted)
        return true;
    const struct way_tag now = {frame_address / w->line_bytes, tag_of(&w->design, address)};
    struct way_tag *set = w->tags + now.line % w->sets * w->ways, kept[64] = {now};
    size_t count = 1;
    bool found = false;

    changes_keep(set, w->ways * sizeof *set, &w->kept[now.line % w->sets]);
    /* in a set, each line has one tag and each tag one line */
    for (size_t i = 0; i < w->ways && set[i].line; i++) {
        found |= set[i].line == now.line && set[i].tag == now.tag;
        if (set[i].line != now.line && set[i].tag != now.tag && count < w->ways)
            kept[count++] = set[i];
    }
    memset(set, 0, w->ways * sizeof *set);
    memcpy(set, kept, count * sizeof *set);
    return found;
}
