#include "lib/structure/btb_classes.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 /* classes */ };

bool btb_classes_start(struct btb_classes *c, unsigned alignment, bool any_replacement)
{
    *c = (struct btb_classes){.space = btb_space(alignment, any_replacement), .count = 1, .room = FIRST_ROOM};
    c->class_of = calloc(c->space.count, sizeof *c->class_of);
    c->predicted = calloc(c->space.count, sizeof *c->predicted);
    c->resident = calloc(c->room * BTB_MISMATCH_POINTS, sizeof *c->resident);
    c->origin = calloc(c->room, sizeof *c->origin);
    return c->class_of && c->predicted && c->resident && c->origin;
}

void btb_classes_free(struct btb_classes *c)
{
    free(c->class_of);
    free(c->predicted);
    free(c->resident);
    free(c->origin);
}

void btb_classes_settle(struct btb_classes *c)
{
    for (size_t i = 0; i < c->count; i++)
        c->origin[i] = (uint16_t)i;
}

const struct btb_part *btb_classes_resident(const struct btb_classes *c, uint16_t class)
{
    return class == BTB_NO_CLASS ? NULL : &c->resident[(size_t) class * BTB_MISMATCH_POINTS];
}

unsigned btb_classes_longest(const struct btb_classes *c, uint16_t class)
{
    const struct btb_part *resident = btb_classes_resident(c, class);
    unsigned longest = 0;

    for (size_t i = 0; i < c->point_count; i++)
        if (resident[i].least == BTB_WHOLE && c->points[i].sequence.count > longest)
            longest = c->points[i].sequence.count;
    return longest;
}

bool btb_classes_hold_all(const struct btb_classes *c, uint16_t class)
{
    const struct btb_part *resident = btb_classes_resident(c, class);

    for (size_t i = 0; i < c->point_count; i++)
        if (resident[i].least != BTB_WHOLE)
            return false;
    return true;
}

/* A new class for those of `class` that hold this part of the newest point; BTB_NO_CLASS where memory is short. */
static uint16_t new_class(struct btb_classes *c, uint16_t class, struct btb_part part)
{
    if (c->count == BTB_NO_CLASS)
        return BTB_NO_CLASS;
    if (c->count == c->room) {
        struct btb_part *resident = realloc(c->resident, 2 * c->room * BTB_MISMATCH_POINTS * sizeof *resident);
        if (resident)
            c->resident = resident;
        uint16_t *origin = realloc(c->origin, 2 * c->room * sizeof *origin);
        if (origin)
            c->origin = origin;
        if (!resident || !origin)
            return BTB_NO_CLASS;
        c->room *= 2;
    }
    struct btb_part *parts = &c->resident[c->count * BTB_MISMATCH_POINTS];
    memcpy(parts, &c->resident[class * BTB_MISMATCH_POINTS], c->point_count * sizeof *parts);
    parts[c->point_count] = part;
    c->origin[c->count] = c->origin[class];
    return (uint16_t)c->count++;
}

/* Part of a class that is being split; those of one parent are a list. */
struct child {
    struct btb_part part;
    uint16_t class, next;
};

static bool same_part(struct btb_part a, struct btb_part b)
{
    return a.least == b.least && a.most == b.most;
}

/* Splits classes by what their organisations hold of the point that is about to be added: `predicted`. */
static bool split(struct btb_classes *c)
{
    size_t parents = c->count, used = 0;
    struct child *children = calloc(c->space.count, sizeof *children);
    uint16_t *first = calloc(parents, sizeof *first);
    bool good = children && first;

    for (size_t i = 0; good && i < parents; i++)
        first[i] = BTB_NO_CLASS;
    for (size_t o = 0; good && o < c->space.count; o++) {
        uint16_t parent = c->class_of[o], *link = &first[parent];
        while (*link != BTB_NO_CLASS && !same_part(children[*link].part, c->predicted[o]))
            link = &children[*link].next;
        if (*link == BTB_NO_CLASS) {
            bool eldest = first[parent] == BTB_NO_CLASS;
            uint16_t class = eldest ? parent : new_class(c, parent, c->predicted[o]);
            if (eldest)
                c->resident[(size_t)parent * BTB_MISMATCH_POINTS + c->point_count] = c->predicted[o];
            if (class == BTB_NO_CLASS) {
                good = false;
                break;
            }
            *link = (uint16_t)used;
            children[used++] = (struct child){c->predicted[o], class, BTB_NO_CLASS};
        }
        c->class_of[o] = children[*link].class;
    }
    free(children);
    free(first);
    return good;
}

bool btb_classes_add(struct btb_classes *c, const struct btb_point *point)
{
    if (c->broken || c->point_count == BTB_MISMATCH_POINTS)
        return false;
    btb_space_predict(&c->space, &point->sequence, c->predicted);
    if (!split(c)) {
        c->broken = true;
        return false;
    }
    c->points[c->point_count++] = *point;
    return true;
}
