/*
 * Family: one question asked at several spacings, as for branches 4, 8, 16 … bytes apart, or pages 1, 2, 4 … apart.
 * No curve by itself tells what a branch target buffer or a TLB holds; the family does. The rule of halving is jia.je's (2024
 * and 2025, on the branch target buffers of Firestorm, Oryon and Neoverse).
 *
 * Entries stand in sets, and some address bits say in which. Let the lowest of these bits have the weight b:
 *
 *   spacing > b    b, and then the next bit and the next, never change: of the sets only every second, fourth … is
 *                  reached, and the count halves with every doubling until a single set is left, the ways  (sparse, floor)
 *   spacing = b    every set is reached in turn
 *   spacing < b    b / spacing neighbours share a set. Where the ways are no multiple of that, some stay empty; where
 *                  they are fewer, hardly anything is held                                                (crowded)
 *   any            count * spacing bytes are more than another structure holds, the instruction cache say: the count
 *                  halves with every doubling, too                                                        (masked)
 *
 * So the capacity is the largest count that two spacings support. What could fool a single spacing is one of the above,
 * and each depends on the spacing: at another one that holds just as many, neither unreached sets nor a limit of bytes
 * can be the cause. Crowding can, since ways that are no multiple of four may be none of two either: five ways hold four
 * entries both ways. It is excluded
 *
 *   where the count halves, and halves again, behind the spacings that agree: then the last of these is b itself. A single
 *   halving may also be two neighbours in one entry that part. A limit of bytes halves, too: it must be known, or a floor
 *   be seen, which such a limit does not have.
 *
 *   where spacings agree over a factor of 16 and fall nowhere: crowded at the last one, with two neighbours to a set at
 *   least, the first one would have 32 of them, and no set is so wide. It might be the ways of one set, so smaller spacings
 *   must have been tried. And it might be a hash of the address, which has no b and fills sets unevenly, so that less is
 *   held than there is room for; but then sets overflow one by one, while a single one overflows at once.
 *
 * Hence:
 *
 *   A  two spacings at least put it into the same step, as lib/find.h has it, and crowding is excluded as above; smaller
 *      spacings were tried, or there are none, so that two neighbours in one entry would have been seen; all other
 *      spacings fall short as the rules above want it, with intervals that can be true of one capacity
 *   B  two agree, and fall behind that or are constant over a factor of 16, but something else of the above is missing, or
 *      a level may be missing before this one; or they agree within 2 %; or one spacing alone holds so many, those behind
 *      it halve down to a floor, and smaller ones were tried
 *   C  two agree, but crowding is not excluded, or a third holds more; or one alone, and one behind it its share of that
 *   U  largest-alone: no second spacing supports any count; spacings-end: the largest count stands alone at the first or
 *      last spacing, and the one beyond might hold more; levels-too-close: two levels of one curve are no farther apart
 *      than one level of two curves; not-left; experiments-disagree as in lib/find.h
 *
 * Levels are told apart by their height: a level costs the same at each spacing. A level is what two spacings show, and
 * levels are numbered as they show: one that no spacing shows is not counted. Where one spacing shows a height that no
 * other has, is not flat where a level might be, or takes long to rise, a level may be missing.
 *
 * Only spacings that are powers of two of each other are expected. What is told is the largest count held in regular
 * rows: an index that leaves out a bit in between may never hold all in any of them.
 */
#ifndef FATHOM_LIB_FAMILY_H
#define FATHOM_LIB_FAMILY_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/find.h"

enum { FAMILY_MEMBERS = 16, FAMILY_LEVELS = 6, FAMILY_FOOTPRINTS = 4, FAMILY_WHICH = 160 };

/* One spacing. */
struct family_member {
    const char *name;              /* of its curve */
    double spacing;                /* from one neighbour to the next, in the unit of all: bytes, pages */
    const struct verdict *verdict; /* of KNEE_STEP, over the count of neighbours */
};

struct family {
    const struct family_member *members; /* ascending in spacing */
    size_t count;
    double step;    /* the finest difference of counts that means something */
    double closest; /* no smaller spacing is possible: an instruction's length, one page. 0: not known */
    /*
     * What other structures hold, in the unit of spacing: bytes of the L1I, reach of the ITLB. Ended by 0; INFINITY alone:
     * it is known that there is none. 0 alone: not known.
     */
    double footprints[FAMILY_FOOTPRINTS];
    double holds; /* what the experiment itself holds, in counts: added */
    /*
     * Heights no farther apart than this are one level's, in the unit of y, where 5 % of them are less: as for what costs
     * next to nothing until it costs a miss.
     */
    double same;
};

enum family_role {
    FAMILY_UNDECIDED, /* its curve decides nothing, or does not leave this level */
    FAMILY_REACHES,   /* holds what the level holds */
    FAMILY_SPARSE,    /* half, a quarter …: sets that it does not reach */
    FAMILY_FLOOR,     /* the ways of one set; falls no further */
    FAMILY_CROWDED,   /* a smaller spacing, and less: several neighbours to a set */
    FAMILY_MASKED,    /* its count times its spacing is a footprint that is known */
    FAMILY_HIDDEN,    /* does not show this level, as it leaves the one before behind the end of this one */
    FAMILY_SHORT,     /* less, and no rule says why */
    FAMILY_ABOVE,     /* more, and alone with that */
    FAMILY_ROLES
};
/* "undecided", "reach", "sparse", … */
extern const char *const family_role_names[FAMILY_ROLES];

struct family_level {
    double value, low, high; /* [last good, first bad] */
    char grade;              /* 'A', 'B', 'C', 'U' */
    const char *reason;      /* for U */
    struct {
        enum family_role role;
        size_t level;      /* of its verdict; level_count where it does not show this one */
        double count;      /* where it leaves the level, `holds` added; NaN */
        unsigned halvings; /* FAMILY_SPARSE, FAMILY_FLOOR: by which it falls short */
    } at[FAMILY_MEMBERS];
    size_t lead;          /* the member whose value it is */
    double index_spacing; /* weight of the lowest bit that chooses the set, as sure as the value; NaN: not known */
    struct find_result
        ways; /* of a set, where the floor is seen; else U, no-floor. A floor of three spacings behind the last share is an A, of one a C */
    char which[FAMILY_WHICH]; /* "reach: 8 16, sparse: 32 64, crowded: 4": for people */
};

struct family_verdict {
    const char *reason; /* NULL where there is a level */
    size_t lone;        /* heights that one spacing alone shows: no levels, or levels that cannot be told */
    size_t echoes;      /* heights at which no more is held than at one before: it shows again on top of other misses */
    size_t level_count; /* ascending in height; the last is mostly what is left when all levels miss */
    struct family_level levels[FAMILY_LEVELS];
};

void family_decide(const struct family *f, struct family_verdict *out);

/* Reports one level's capacity; its height, for which spacings are the experiments; its ways. `level` from 0. */
void find_family(struct probe *p, const struct finding *f, const struct family *family, const struct family_verdict *v,
                 size_t level);
void find_family_height(struct probe *p, const struct finding *f, const struct family *family,
                        const struct family_verdict *v, size_t level);
void find_family_ways(struct probe *p, const struct finding *f, const struct family *family,
                      const struct family_verdict *v, size_t level);

#endif
