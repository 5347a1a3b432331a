/*
 * Findings: what a probe has decided, as a record and as a line of the table for people.
 */
#ifndef FATHOM_LIB_REPORT_H
#define FATHOM_LIB_REPORT_H

#include "lib/sweep.h"

enum { FINDING_VARIANTS = 3, FINDING_CURVES = 4 };

struct finding {
    const char *name;
    struct {
        const char *key, *text; /* text NULL: the number */
        double number;
    } variants[FINDING_VARIANTS];
    double value;       /* NAN: not decided */
    double low, high;   /* last good and first bad; both NAN where it is not an interval */
    char grade;         /* 'A', 'B', 'C', 'U' */
    const char *reason; /* for U */
    const char *method;
    const char *curves[FINDING_CURVES];
};

/* Sends the record and prints the line. In an untrusted place the finding becomes grade U. */
void report(struct probe *p, const struct finding *f);
/*
 * The capacity that a stair shows, and the height of its level. Undecided where the level is not steady:
 * neighbours share it, or it is more than one; the capacity also where the curve ends before it is left,
 * or has no level at all (no stair: NULL).
 */
void report_capacity(struct probe *p, const struct finding *f, const struct stair *s);
void report_height(struct probe *p, const struct finding *f, const struct stair *s);
/* The variant `page` as findings have it: "4k", "2m", …; "" for a size that no core in scope has. */
const char *page_name(size_t page_bytes);
/* The verdict of a gate probe: NULL trusts this place, else the cause why not. */
void trust(struct probe *p, const char *untrusted_cause);

#endif
