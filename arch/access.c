#include "arch/access.h"

#include <stdio.h>

static const char *because(struct changes *c, const char *name, uint32_t id, const char *what)
{
    snprintf(c->why, sizeof c->why, "%s (0x%x) %s", name, (unsigned)id, what);
    return c->why;
}

static bool put_back(const struct access *a, const struct change *change)
{
    uint64_t now;

    if (!a->read(a->context, change->id, &now))
        return false;
    if ((now & change->mask) != change->found &&
        !a->write(a->context, change->id, (now & ~change->mask) | change->found))
        return false;
    return a->read(a->context, change->id, &now) && (now & change->mask) == change->found;
}

const char *changes_set(struct changes *c, const char *name, uint32_t id, uint64_t mask, uint64_t value)
{
    const struct access *a = c->access;
    uint64_t before, after;

    if (c->count == CHANGES)
        return because(c, name, id, "is one change too many");
    if (!a->read(a->context, id, &before))
        return because(c, name, id, "cannot be read");

    struct change *change = &c->list[c->count];
    *change = (struct change){
        .name = name,
        .id = id,
        .mask = mask,
        .found = before & mask,
        .wanted = value & mask,
        .got = before & mask,
    };
    if (change->found == change->wanted) {
        c->count++; /* it may change by itself, as a counter does */
        return NULL;
    }
    if (!a->write(a->context, id, (before & ~mask) | change->wanted))
        return because(c, name, id, "cannot be written");
    c->count++;
    if (!a->read(a->context, id, &after))
        return because(c, name, id, "cannot be read any more");
    change->got = after & mask;
    if (change->got == change->wanted)
        return NULL;
    because(c, name, id, change->got == change->found ? "ignores what is written" : "does not take what is written");
    if (put_back(a, change))
        c->count--;
    return c->why;
}

bool changes_restore(struct changes *c, size_t mark)
{
    bool all = true;

    while (c->count > mark)
        if (!put_back(c->access, &c->list[--c->count]))
            all = false;
    return all;
}
