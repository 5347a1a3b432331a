#include "tests/model/targets.h"

#include <stdlib.h>

#include "tests/model/changes.h"

struct targets targets_new(const struct target_design *d)
{
    struct targets t = {.design = *d};

    if (!d->ways)
        return t;
    t.entries = calloc(d->sets * d->ways, sizeof *t.entries);
    t.kept = calloc(d->sets, sizeof *t.kept);
    if (!t.entries || !t.kept || !d->sets || (d->sets & (d->sets - 1)))
        abort();
    return t;
}

void targets_free(struct targets *t)
{
    free(t->entries);
    free(t->kept);
}

static uint64_t set_of(const struct target_design *d, uint64_t last_byte)
{
    const uint64_t plain = last_byte >> d->low;

    return (d->hashed ? plain ^ plain / d->sets : plain) & (d->sets - 1);
}

/* The address with bits cleared that are not in the tag; each group is where its lowest bit is. */
static uint64_t tag_of(const struct target_design *d, uint64_t last_byte)
{
    if (!d->partial)
        return last_byte;
    uint64_t tag = last_byte & d->tag;
    for (unsigned i = 0; i < TARGET_FOLDS && d->folds[i]; i++)
        tag |= (uint64_t)__builtin_parityll(last_byte & d->folds[i]) << __builtin_ctzll(d->folds[i]);
    return tag;
}

/* Whether the level has this branch together with the one before it, which led to t->target. */
static bool follows_closely(const struct targets *t, uint64_t last_byte)
{
    const struct target_design *d = &t->design;
    const uint64_t line = 64;

    return last_byte - t->target < d->two_bytes && (d->two_cross || last_byte / line == t->target / line) &&
           (d->two_lines || last_byte / line == t->branch / line);
}

/* The set of that entry is about to change. */
static void keep(struct targets *t, const struct target_entry *e)
{
    const size_t ways = t->design.ways, set = (size_t)(e - t->entries) / ways;

    changes_keep(t->entries + set * ways, ways * sizeof *e, &t->kept[set]);
}

double targets_cycles(const struct targets *t)
{
    return t->two ? t->design.cycles / 2 : t->design.cycles;
}

enum target_found targets_look_up(struct targets *t, uint64_t last_byte, uint64_t target, bool conditional)
{
    const uint64_t index = set_of(&t->design, last_byte);
    struct target_entry *set = t->entries + index * t->design.ways, *opened = t->opened;
    const struct target_entry entry = {.tag = tag_of(&t->design, last_byte), .target = target};
    struct target_entry newer = entry;

    t->two = follows_closely(t, last_byte);
    t->branch = last_byte;
    t->target = target;
    t->opened = NULL;
    if (opened && !conditional) {
        const bool known = opened->second == last_byte;
        if (!known)
            keep(t, opened);
        opened->second = last_byte;
        return known ? TARGET_RIGHT : TARGET_MISSING;
    }
    t->opened = t->design.pairs ? set : NULL;
    if (set[0].tag == entry.tag && set[0].target == target) /* as it is now */
        return TARGET_RIGHT;
    keep(t, set);
    /* moves the entries that were used later than this one back by one */
    for (size_t way = 0; way < t->design.ways; way++) {
        const struct target_entry here = set[way];
        set[way] = newer;
        set[0].second = here.tag == entry.tag ? here.second : set[0].second;
        if (here.tag == entry.tag)
            return here.target == target || !t->design.partial ? TARGET_RIGHT : TARGET_WRONG;
        newer = here;
    }
    return TARGET_MISSING;
}
