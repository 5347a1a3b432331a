/*
 * Stride family: the same question asked at several strides, for example of branches 4, 8, 16 … bytes apart or of pages
 * 1, 2, 4 … apart. No single curve shows how much a branch target buffer or a TLB holds, but the family does.
 *
 * Entries are in sets, and some address bits choose the set. Let the lowest of these bits have the weight b:
 *
 *   stride > b    Bit b, and with longer strides the next bits, never change: only every second, fourth … set is
 *                 reached. The count halves with every doubling of the stride (unreached sets) until a single set is
 *                 left, whose ways are the count then (single set).
 *   stride = b    Every set is reached in turn.
 *   stride < b    b / stride neighbours map to one set. If the ways are no multiple of that number some stay empty, and
 *                 if there are fewer ways hardly anything is held (conflicts).
 *   any           count * stride bytes may be more than another structure holds, for example the instruction cache.
 *                 That count halves with every doubling, too (masked).
 *
 * So the capacity is the largest count that two strides support. What could mislead at a single stride is one of the
 * above, and each of them depends on the stride. At another stride that holds as much, neither unreached sets nor a
 * limit in bytes can be the cause. Conflicts can: ways that are no multiple of four may be no multiple of two either,
 * and five ways hold four entries both ways. Conflicts are excluded in two cases:
 *
 *   The count halves, and halves again, at strides longer than those that agree: then the last of these is b itself. A
 *   single halving also appears when two neighbours in one entry are separated. A limit in bytes halves as well, so
 *   such limits must be known, or a single set must be seen, which they do not have.
 *
 *   Strides agree over a factor of 16 and no count falls. If there were conflicts at the last of them, with at least
 *   two neighbours to a set, the first would have 32 of them, and no set is that wide. The count might still be the
 *   ways of one set, so smaller strides must have been tried. It might also be a hash of the address, which has no bit
 *   b and fills sets unevenly, so that less is held than there is room for. But then sets overflow one by one, while a
 *   single set overflows at once.
 *
 * Grades:
 *
 *   A  At least two strides put the end into the same step (lib/finding/grade.h), and conflicts are excluded as above.
 *      Smaller strides were tried, or do not exist, so that two neighbours in one entry would have shown. All other
 *      strides fall short as the rules above predict, with intervals that are compatible with one capacity.
 *   B  Two strides agree, and the count halves at longer ones or is constant over a factor of 16, but something else is
 *      missing, or a level may be missing before this one; or they agree within 2 %. Or one stride alone holds that
 *      many, longer ones halve down to a single set, and smaller ones were tried.
 *   C  Two strides agree, but conflicts are not excluded or a third stride holds more. Or one alone, and a longer one
 *      holds the expected share.
 *   U  largest-alone: no second stride supports any count. strides-end: one stride alone holds the largest count, and
 *      the next one was not tried or is undecided, so that it might hold more. levels-too-close: two levels of one
 *      curve are no farther apart than one level of two curves. not-left, experiments-disagree: as in lib/finding/grade.h.
 *
 * Levels are distinguished by their height, because a level costs the same at each stride. A level is what two strides
 * show, and levels are numbered as they show; one that no stride shows is not counted. A level may be missing where one
 * stride shows a height that no other has, is not flat where a level might be, or rises slowly.
 *
 * Strides must be powers of two of each other. The capacity is the largest count held of regular sequences: where an
 * index leaves out a bit in between, no regular sequence may fill all entries.
 *
 * Method: docs/METHODS.md, 4.2. Source: the rule of halving is jia.je's (2024 and 2025, on the branch target buffers of
 * Firestorm, Oryon and Neoverse).
 */
#ifndef FATHOM_LIB_STRUCTURE_STRIDE_FAMILY_H
#define FATHOM_LIB_STRUCTURE_STRIDE_FAMILY_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/reason.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"

enum { STRIDE_MEMBERS = 16, STRIDE_LEVELS = 6, STRIDE_FOOTPRINTS = 4, STRIDE_ROLES_TEXT = 224 };

/* One stride. */
struct stride_member {
    const char *name;              /* of its curve */
    double stride;                 /* in the unit of the family: bytes or pages */
    const struct verdict *verdict; /* of KNEE_STEP, over the count of neighbours */
};

struct stride_family {
    const struct stride_member *members; /* in ascending order of strides */
    size_t count;
    double step;     /* the smallest difference of counts that matters */
    double smallest; /* no smaller stride is possible: the length of an instruction, one page. 0: not known */
    /*
     * What other structures hold that the experiment fills as well, in the unit of strides: bytes of the instruction
     * cache, bytes of the pages that the ITLB holds. Ended by 0. INFINITY alone: it is known that there is no such
     * limit. 0 alone: none is known.
     */
    double footprints[STRIDE_FOOTPRINTS];
    double holds; /* entries that the experiment itself takes; added to counts */
    /*
     * The count that is held of places which are an odd number of smallest strides apart, so that they reach all sets,
     * and farther than any neighbours that share an entry; 0: not known. As many as at the smallest stride: none share.
     */
    double odd;
    /*
     * Levels of two strides whose heights differ by no more than this, in the unit of y, or by no more than the part
     * STRIDE_SAME_HEIGHT, are one level. For costs that are near zero; 0 where that part is enough.
     */
    double same_height;
};

/* What a stride contributes to the decision on a level. */
enum stride_role {
    STRIDE_UNDECIDED,      /* its curve is undecided or does not leave this level */
    STRIDE_REACHES,        /* it holds what the level holds */
    STRIDE_UNREACHED_SETS, /* it holds half, a quarter … as it does not reach all sets */
    STRIDE_SINGLE_SET,     /* it holds the ways of one set; longer strides hold no less */
    STRIDE_CONFLICTS,      /* a smaller stride that holds less: several neighbours map to a set */
    STRIDE_MASKED,         /* its count times its stride is a known footprint */
    STRIDE_HIDDEN,         /* its curve leaves the level before only at a larger count than this one ends at */
    STRIDE_SHORT,          /* it holds less, and no rule explains why */
    STRIDE_ABOVE,          /* it alone holds more */
    STRIDE_ROLES
};
/* "undecided", "reaches", "unreached-sets", "single-set", … */
extern const char *const stride_role_names[STRIDE_ROLES];

struct stride_level {
    double value, low, high; /* [last good, first bad] */
    char grade;              /* 'A', 'B', 'C', 'U' */
    enum reason reason;      /* for U */
    struct {
        enum stride_role role;
        size_t level;      /* the level of its verdict; level_count where its curve does not show this one */
        double count;      /* where it leaves the level, with `holds`; NaN: not known */
        unsigned halvings; /* STRIDE_UNREACHED_SETS, STRIDE_SINGLE_SET: how many times its count is half */
    } at[STRIDE_MEMBERS];
    size_t lead;         /* the member whose value it is */
    double index_stride; /* weight of the lowest bit that chooses the set, as certain as the value; NaN: not known */
    /*
     * Ways of a set: the count that the longest strides have in common, at which a single set is left. Grade A at best
     * where STRIDE_SINGLE_SET_SURE strides have that role, B where two have, C where one has, or a stride holds more or
     * less than the rules explain. U with the level's reason where that is undecided; no-single-set where not two
     * strides have the count in common; single-set-or-pairs where it halves fewer than STRIDE_HALVINGS_SURE times,
     * unless it is known that no neighbours share an entry (`odd` of the family).
     */
    struct graded ways;
    char roles[STRIDE_ROLES_TEXT]; /* "reaches: 8 16, unreached-sets: 32 64, conflicts: 4": for people */
};

struct stride_verdict {
    enum reason reason;  /* REASON_NONE where there is a level */
    size_t lone_heights; /* heights that one stride alone shows: no levels, or levels that cannot be recognised */
    size_t repeats;      /* heights whose level holds no more than one before: that one, on top of other misses */
    size_t level_count;  /* ascending in height; the last one is mostly what remains when all levels miss */
    struct stride_level levels[STRIDE_LEVELS];
};

/*
 * Decides on all levels that the family shows, by the rules in the first comment of this header, and stores them in
 * *out.
 */
void stride_family_decide(const struct stride_family *f, struct stride_verdict *out);

/*
 * Reports what level number `level` of v, from 0, holds as the finding *f. Where v has no such level, or it is
 * undecided, the finding is undecided (grade U) with the reason. The next two functions report the level's height in
 * the unit of y, each stride being an experiment, and the ways of its sets in the same manner.
 */
void report_stride_family(struct probe *p, const struct finding *f, const struct stride_family *family,
                          const struct stride_verdict *v, size_t level);
void report_stride_family_height(struct probe *p, const struct finding *f, const struct stride_family *family,
                                 const struct stride_verdict *v, size_t level);
void report_stride_family_ways(struct probe *p, const struct finding *f, const struct stride_family *family,
                               const struct stride_verdict *v, size_t level);

#endif
