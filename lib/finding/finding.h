/*
 * A finding: what a probe has decided about the core, with its grade.
 *
 *   A  experiments that different things could mislead give the same value
 *   B  they agree less closely, or one experiment in two layouts does
 *   C  one experiment
 *   U  not decided; `reason` says why
 *
 * lib/finding/grade.h has the exact rules.
 */
#ifndef FATHOM_LIB_FINDING_FINDING_H
#define FATHOM_LIB_FINDING_FINDING_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/reason.h"

/* How many variants, curves, limits and remarks a finding can have. */
enum { FINDING_VARIANTS = 4, FINDING_CURVES = 4, FINDING_LIMITS = 4, FINDING_REMARKS = 4 };

/*
 * Another limit that may be reached at the same point: at value v of the finding its experiment also occupies
 * v * per_unit entries of that structure, as a footprint of v bytes occupies v / 4096 entries of the data TLB.
 */
struct finding_limit {
    const char *name, *variants; /* of the fact: "memory.dtlb.entries", "page=4k" */
    double per_unit;
};

/* What a probe hands to report (report.h). Its texts must be valid until report returns. */
struct finding {
    const char *name; /* as declared by the probe: "memory.cache.bytes" */
    struct {
        const char *key, *text; /* text NULL: the number */
        double number;
    } variants[FINDING_VARIANTS]; /* which of several: {"level", "2"}; ended by a NULL key */
    double value;                 /* NaN: not decided, or a word */
    const char *text;             /* the value where it is a word; NULL: it is a number */
    double low, high;             /* last good and first bad; both NAN where it is not an interval */
    char grade;                   /* 'A', 'B', 'C', 'U' */
    enum reason reason;           /* for U */
    const char *detail; /* what belongs to the reason: the limit that masks it, what the platform says; NULL: nothing */
    const char *method; /* how the value follows from the curve, for the record; NULL: not said */
    const char *curves[FINDING_CURVES]; /* names of the curves that it rests on; ended by NULL */
    /*
     * Of a cost or rate: it is a whole number that moments apart have confirmed, so that it counts also where others
     * disturb the core most of the time, at grade C at most.
     */
    bool is_confirmed;
    bool replaces;         /* it comes from a better experiment than an earlier finding of the same name and variants */
    double holds;          /* what the experiment itself occupies of the structure; value, low and high include it */
    const char *agreement; /* which experiments agree, and which contradict them: "lines with pitch against whole" */
    /* Texts that belong to it: "overflow", "condition", "proof"; ended by a NULL key. */
    struct {
        const char *key, *text;
    } remarks[FINDING_REMARKS];
    struct finding_limit limits[FINDING_LIMITS]; /* ended by a NULL name */
};

/*
 * Writes the variants as people read them, "level=1 page=4k", or nothing where there are none. False when `room` is too
 * small; then the text is cut.
 */
bool finding_variants(char *out, size_t room, const struct finding *f);

#endif
