/*
 * Which kinds of prefetcher bring data from its home, and with which parameters?
 *
 *   next      Brought: the lines at the next higher addresses after the only one that is accessed
 *   pair      Brought: the other line of the same 128 aligned bytes
 *   stride    a load instruction's addresses are a constant distance apart. Brought: what that instruction would
 *             access next. Control: the same addresses, each by a load instruction of its own
 *   stream    neighbouring lines are accessed one after the other, each by an instruction of its own. Brought: lines
 *             farther in that direction that a single access does not bring. Control: the same accesses in the other
 *             order
 *   region    the same lines of several pages are accessed, in an order without constant distances, the first always by
 *             the same instruction. Brought: these lines of another page, after its first access. Control: other lines
 *             of each page
 *
 *   deltas    a load instruction's distances are none alike, and the first of them follow each other again in other
 *             lines. Brought: what followed them before. Control: other distances before
 *   pointers  an array of pointers is loaded, and each is followed to a line that is near no other. Brought: the lines
 *             that the next pointers lead to; or, where a single pointer is loaded and not followed, those that the
 *             others of its line lead to. Control: these pointers lead to other lines
 *   replay    lines in several pages are loaded in an order without pattern, by as many instructions; they are brought
 *             to their home; all this so many times; the first of them are loaded again. Brought: what followed them
 *             before. Control: the same lines in another order, others followed
 *
 * Each kind is immune to those before it: lines that a single access brings do not count for strides and streams, a
 * stream has no instruction of its own, a region has no order, of the distances none is constant, and a replay has one
 * line of each page. What follows distances that were seen before follows constant ones, too: then the kind stride is
 * found as well. "none" is a verdict like any other.
 *
 * A prefetcher is `trained` after so many accesses. For each access from then on it brings `degree` lines, the farthest
 * of them `distance` strides, or lines, ahead of the access.
 *
 * Method: docs/METHODS.md, 7.22. FetchBench (Schlüter et al., CCS 2023) for the kinds and their controls.
 */
#ifndef FATHOM_LIB_STRUCTURE_PREFETCH_KINDS_H
#define FATHOM_LIB_STRUCTURE_PREFETCH_KINDS_H

#include "lib/structure/prefetch_shown.h"

enum prefetch_kind {
    PREFETCH_NEXT,
    PREFETCH_PAIR,
    PREFETCH_STRIDE,
    PREFETCH_STREAM,
    PREFETCH_REGION,
    PREFETCH_DELTAS,
    PREFETCH_REPLAY,
    PREFETCH_POINTERS,
    PREFETCH_KINDS
};
extern const char *const prefetch_kind_names[PREFETCH_KINDS];

enum prefetch_parameter {
    PREFETCH_TRAIN,
    PREFETCH_DEGREE,
    PREFETCH_DISTANCE,
    PREFETCH_STREAMS,    /* followed at once */
    PREFETCH_STRIDE_MAX, /* lines */
    PREFETCH_PC_BITS,    /* low bits of an instruction's address by which it is known */
    PREFETCH_RESUMES,    /* accesses elsewhere after which a trained instruction is followed there */
    PREFETCH_REGION_BYTES,
    PREFETCH_REGIONS,      /* other regions whose begin ends the recording of one */
    PREFETCH_LENGTH,       /* distances that are remembered */
    PREFETCH_INDIRECTIONS, /* lines in a row, each brought from where a pointer in the one before leads */
    PREFETCH_STRIDE_MIN,   /* bytes */
    PREFETCH_PARAMETERS
};

/* What is a word, not a number. */
enum prefetch_trait {
    PREFETCH_PAGE_BORDER, /* at the end of 4 KiB: "continues", "stops" */
    PREFETCH_PAGE_ORDER,  /* at the end of a page of the smallest size: "virtual", "physical", "stops" */
    PREFETCH_LARGE_ORDER, /* of a large one: the same */
    PREFETCH_HITS,        /* loads that hit the first level: "train", "do not train" */
    PREFETCH_STORES,      /* stores: the same */
    PREFETCH_UNIT,        /* which distances must be constant: those of "bytes", or those of "lines" */
    PREFETCH_SHORT,       /* strides shorter than a line: "followed", "not followed" */
    PREFETCH_GROWTH,      /* how far ahead lines are as a sequence goes on: "grows", "constant" */
    PREFETCH_THROTTLED,   /* while other lines are under way: brings "as much", or "less" */
    PREFETCH_LOW_BITS,    /* values that are pointers but for bits within a word: "followed", "not followed" */
    PREFETCH_HIGH_BITS,   /* but for bits that address spaces of 48 bits do not have: the same */
    PREFETCH_TOP_BITS,    /* but for the upper eight: the same */
    PREFETCH_KEY,         /* what a region's pattern is known by: "instruction", "instruction and offset", "offset" */
    PREFETCH_TRAITS
};

struct prefetch_word {
    const char *text;   /* NULL: not decided */
    enum reason reason; /* why not */
};

enum {
    PREFETCH_VIEWS = 2,
    PREFETCH_SEQUENCE = 8, /* accesses of the longest sequence that is tried */
};

/* What one experiment saw of a number; NaN: nothing certain. */
struct prefetch_number {
    double view[PREFETCH_VIEWS];
    enum reason reason; /* why neither saw anything */
};

/* What lies between two numbers: the last one that is good, and the first one that is not. */
struct prefetch_span {
    double low, high;   /* NaN: not decided */
    enum reason reason; /* why not */
};

struct prefetch_found {
    bool exists;
    const char *text;   /* "none", or what it does, as "up and down"; NULL: not decided */
    char grade;         /* of the text */
    enum reason reason; /* why it is not decided */
    struct prefetch_number numbers[PREFETCH_PARAMETERS];
    struct prefetch_word words[PREFETCH_TRAITS];
    enum nearness into;           /* NEAR_UNCLEAR: not decided */
    struct prefetch_span history; /* of `replay`: lines that may be loaded since a sequence that is replayed */
    /*
     * After n accesses `stride` lines apart, bit i of in[n] is set if the line i strides ahead is brought; of
     * perhaps[n], if that is not certain, or a single access may bring it.
     */
    uint32_t in[PREFETCH_SEQUENCE + 1], perhaps[PREFETCH_SEQUENCE + 1];
    unsigned most[PREFETCH_SEQUENCE + 1]; /* strides ahead that were looked at */
    unsigned measured;                    /* the largest such n that was measured; 0: none */
    bool unsteady[PREFETCH_SEQUENCE + 1]; /* of n accesses: much later, or in the other direction, it is different */
    int stride, other;                    /* of the two views, in lines; other 0: there is one view only */
    bool masked[PREFETCH_VIEWS]; /* a single access may bring a line before the nearest one that is brought then */
    bool levels[NEARNESSES];     /* in which lines were seen that it brings */
    struct prefetch_shown shown[SHOWN_LISTS]; /* what its lists fetched */
    size_t shown_lists;
    uint32_t first[PREFETCH_VIEWS]; /* what is brought as soon as it is trained, as bits: strides, or lines */
};

struct prefetch_kinds {
    struct prefetch_look *look;
    struct prefetch_found found[PREFETCH_KINDS];
    uint32_t single_up, single_down; /* lines from a single access that are not certainly left at home, as bits */
    bool only;                       /* kinds are sought, not what they are like */
    /* Places on pages with chosen frames, small ones and large ones. */
    struct prefetch_framed {
        bool tried;              /* to map them */
        enum reason reason;      /* why they cannot be had */
        struct area area, pages; /* as access_use has them */
        struct area frames;      /* their numbers */
    } framed[2];
};

/* The findings that say them; traits of pages of several sizes, or of several bits, are of one. */
extern const char *const prefetch_parameter_findings[PREFETCH_PARAMETERS],
    *const prefetch_trait_findings[PREFETCH_TRAITS];
/* Whether a kind has such a parameter, or trait, at all. */
bool prefetch_has(enum prefetch_kind kind, enum prefetch_parameter what);
bool prefetch_has_trait(enum prefetch_kind kind, enum prefetch_trait trait);
/* The bits that a trait is of; NULL: it is of none. */
const char *prefetch_trait_bits(enum prefetch_trait trait);
/* Bytes of the pages that a trait is of; 0: of none, or the machine has no such pages. */
size_t prefetch_trait_page(const struct prefetch_kinds *k, enum prefetch_trait trait);
/*
 * Finds which kinds there are, and the parameters of these; k->look must be started, and all else zero. False: the
 * probe has ended.
 */
bool prefetch_kinds_find(struct prefetch_kinds *k);
/*
 * Finds which of the kinds that exist in *k are there now, after a switch was turned, say: sets text, exists and reason
 * of these in again->found. False: the probe has ended.
 */
bool prefetch_kinds_again(const struct prefetch_kinds *k, struct prefetch_kinds *again);

#endif
