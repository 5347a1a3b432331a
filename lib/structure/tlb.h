/*
 * TLBs: levels, miss costs, ways and index bits of instruction and data TLBs, from staircases over pages
 * (docs/METHODS.md, 4.6).
 *
 * The counts of pages are searched in two ranges, near and far: a curve over many octaves with a saw-tooth in it has
 * more knees than the search can separate, and the edge of a large second level is a wide ramp. The far range begins
 * after the end of the last level in the near one.
 */
#ifndef FATHOM_LIB_STRUCTURE_TLB_H
#define FATHOM_LIB_STRUCTURE_TLB_H

#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/probe/sweep.h"

enum {
    TLB_EXPERIMENTS = 4,   /* on the levels, at most */
    TLB_STRIDES = 7,       /* 1, 2, 4 … 64 pages apart */
    TLB_ODD_STRIDE = 17,   /* pages: reaches all sets, and no two of 16 neighbours, the most that are known to share */
    TLB_MISS_PAGES = 8192, /* of a chase that has to miss all TLBs, … */
    TLB_MISS_TIMES = 2     /* … and pages for each that they hold, at least */
};

struct tlb {
    const char *entries, *miss_cycles, *ways, *index_bits; /* names of the findings */
    size_t page_bytes;                                     /* variant `page` of all of them */
    const char *access;         /* variant `access`, "load" or "store"; NULL: none, an instruction TLB */
    struct finding_limit limit; /* what else may end the levels (lib/finding/report.h); name NULL: nothing */
    const char *const *needs;   /* events that are counted around the first knee, as proof_of_knee wants them */
    double resolution;  /* of the searches: relative difference that two points of one level may have by other causes */
    double fewest;      /* pages at which the near range begins, … */
    double near_end;    /* … and ends; … */
    double most;        /* … where the far range ends; not above near_end: there is none */
    double stride_room; /* pages from the first to the last at any stride, at most; `most` where that is more */
    double seconds;     /* for each curve of a range */
    double seconds_stride; /* for each stride */
    double length_factor;  /* by which readings are longer than usual; tlb_levels finds what is needed. 0: 1 */
    /*
     * The first experiment with a control, for the far range, where its lines may be more than the first cache has;
     * NULL: they cannot be more, or it has one.
     */
    const struct sweep *far_first;
    const struct sweep *one_order; /* near range, pages in one fixed order, for grade_resident; NULL: there is none */
    /*
     * The first experiment with jumps on other lines of the same pages, to see whether a rise depends on them; count 0:
     * it cannot.
     */
    const struct sweep *elsewhere;
    size_t elsewhere_count;
    const struct sweep *odd; /* pages TLB_ODD_STRIDE apart, for tlb_sets; NULL: they cannot be */
};

/* What tlb_levels found of the first level in the first experiment. */
struct tlb_first {
    double entries, miss_cycles; /* NaN: not known */
    double length_factor;        /* by which readings had to be longer than usual */
};

/* The settings of a search for levels over `from` to `to` pages, as tlb_levels uses them. */
struct search tlb_search(const struct probe *p, const struct tlb *t, double from, double to);
/*
 * Searches the near range with each of `count` experiments, TLB_EXPERIMENTS at most, and the far range where there is
 * one and the first experiment shows an edge in the near one; reports entries and miss costs of the levels, and stores
 * what was found of the first one in *first. Experiments are sweeps over a number of pages, of which the caller sets
 * name, build, control, context and confounder. False: the probe has ended.
 */
bool tlb_levels(struct probe *p, const struct tlb *t, const struct sweep *experiments, size_t count,
                struct tlb_first *first);
/*
 * Reports ways and index bits of the first level, which holds `entries`, from a stride family
 * (lib/structure/stride_family.h): strides[i] is a sweep over the number of pages that are 2^i pages apart, which is
 * searched and freed here. False: the probe has ended.
 */
bool tlb_sets(struct probe *p, const struct tlb *t, struct sweep strides[TLB_STRIDES], double entries);

/* Bytes of code on the smallest pages that the instruction TLB of that level reaches; 0: not known. */
double tlb_code_reach(const struct probe *p, unsigned level);
/* The most pages that any level of data TLBs holds for loads, as declared or measured; 0: nothing is known. */
double tlb_known_entries(const struct probe *p);

#endif
