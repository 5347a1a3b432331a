/*
 * Classes: measured points, and the organisations of a space grouped by what they predict for them. Organisations that
 * hold the same part of each measured sequence are one class; each new point may split it. So a search compares some
 * thousands of classes, not all organisations.
 *
 * Method: docs/METHODS.md, 4.7.
 */
#ifndef FATHOM_LIB_STRUCTURE_BTB_CLASSES_H
#define FATHOM_LIB_STRUCTURE_BTB_CLASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/structure/btb_mismatch.h"
#include "lib/structure/btb_space.h"

/* In place of a class: there is no such level. */
static const uint16_t BTB_NO_CLASS = UINT16_MAX;

struct btb_classes {
    struct btb_space space;
    size_t point_count;
    struct btb_point points[BTB_MISMATCH_POINTS];
    size_t count, room;
    uint16_t *class_of;         /* by organisation */
    uint16_t *origin;           /* by class: the class that it was part of when btb_classes_settle was last called */
    struct btb_part *resident;  /* BTB_MISMATCH_POINTS of each class: what it holds of each point's sequence */
    struct btb_part *predicted; /* by organisation, while a point is added */
    bool broken; /* memory, or numbers for classes, ran out while a point was added: nothing can be decided */
};

/*
 * Starts without points and with all organisations of btb_space(alignment, any_replacement) in one class. alignment: of
 * an instruction, in bytes. any_replacement: organisations may replace entries in any way; else by LRU. False where
 * memory is short; btb_classes_free must follow in either case.
 */
bool btb_classes_start(struct btb_classes *c, unsigned alignment, bool any_replacement);
void btb_classes_free(struct btb_classes *c);
/*
 * Adds a point. False where there is no room for another point, or `broken` is set: memory, or numbers for classes, ran
 * out, now or before.
 */
bool btb_classes_add(struct btb_classes *c, const struct btb_point *point);
/* Makes each class its own origin. */
void btb_classes_settle(struct btb_classes *c);
/* What the class holds of each point's sequence, valid until a point is added; NULL for BTB_NO_CLASS. */
const struct btb_part *btb_classes_resident(const struct btb_classes *c, uint16_t class);
/*
 * The number of branches of the longest measured sequence that the class, not BTB_NO_CLASS, holds as a whole; 0: none.
 */
unsigned btb_classes_longest(const struct btb_classes *c, uint16_t class);
/* Whether the class, not BTB_NO_CLASS, holds all of every measured sequence. */
bool btb_classes_hold_all(const struct btb_classes *c, uint16_t class);

#endif
