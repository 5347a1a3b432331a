/*
 * Findings: what a probe has decided, as a record and as a line of the table for people.
 */
#ifndef FATHOM_LIB_REPORT_H
#define FATHOM_LIB_REPORT_H

#include "lib/sweep.h"

enum { FINDING_VARIANTS = 4, FINDING_CURVES = 4, FINDING_LIMITS = 4, FINDING_REMARKS = 4 };

/*
 * At value v of a finding its experiment also occupied v * per_unit of another structure: a footprint of v bytes
 * v / 4096 pages of the data TLB, say. Where that is just what the structure holds, the knee may be its.
 */
struct finding_limit {
    const char *name, *variants; /* of the fact: "memory.dtlb.entries", "page=4k" */
    double per_unit;
};

struct finding {
    const char *name;
    struct {
        const char *key, *text; /* text NULL: the number */
        double number;
    } variants[FINDING_VARIANTS];
    double value;       /* NAN: not decided */
    const char *text;   /* the value, where it is a word; then there is no number. NULL: it is one */
    double low, high;   /* last good and first bad; both NAN where it is not an interval */
    char grade;         /* 'A', 'B', 'C', 'U' */
    const char *reason; /* for U */
    const char *method;
    const char *curves[FINDING_CURVES];
    bool replaces;         /* a better experiment than that of the finding that another probe told before */
    double holds;          /* what the experiment itself held of the structure: value, low and high have it in them */
    const char *agreement; /* how its experiments and views agree: "lines and pitch agree within one step" */
    /* What belongs to it and is no number: "overflow", "condition", "proof"; ended by a NULL key. */
    struct {
        const char *key, *text;
    } remarks[FINDING_REMARKS];
    struct finding_limit limits[FINDING_LIMITS]; /* ended by a NULL name */
};

/* Sends the record and prints the line. In an untrusted place the finding becomes grade U. */
void report(struct probe *p, const struct finding *f);
/* The same for a number of one experiment, which has no interval: grade C; NaN: not decided, for the finding's reason. */
void report_number(struct probe *p, const struct finding *f, double value);
/*
 * The last pass over all findings of this core: one whose experiment reached another limit at just that value is
 * sent again with grade U, the reason "masked-by:" and which, `replaces` true and its value as `seen`. A finding
 * that replaces stands for every earlier one of the same name, core and variants.
 */
void report_masked(struct run *run);
/* The variant `page` as findings have it: "4k", "2m", …; "" for a size that no core in scope has. */
const char *page_name(size_t page_bytes);
/* Adds the core in use to a record: `core`, its index, and `type` where it has one. */
void record_core(struct record *r);
/* The verdict of a gate probe: NULL trusts this place, else the cause why not. */
void trust(struct probe *p, const char *untrusted_cause);

#endif
