/*
 * What the probes of instruction and data TLBs share: levels, miss costs, ways and index bits, out of staircases over
 * pages.
 *
 * Counts behind the last level of the first stretch make a second one: a curve of many octaves with a saw-tooth in it
 * has more bends than the engine can tell apart, and the edge of a large second level is a wide ramp.
 */
#ifndef FATHOM_LIB_TLB_H
#define FATHOM_LIB_TLB_H

#include "lib/find.h"

enum { TLB_KINDS = 4, TLB_SPACINGS = 7 };

struct tlb {
    const char *entries, *miss_cycles, *ways, *index_bits; /* names of the findings */
    size_t page_bytes;                                     /* the variant `page` of all of them */
    const char *access;                                    /* the variant `access`; NULL: has none */
    struct finding_limit limit;                            /* of the entries; name NULL: none */
    const char *const *needs;                              /* events that are counted around the first knee */
    double resolution;           /* of the searches: points of one level may differ so much for reasons of their own */
    double fewest, middle, most; /* pages: where the first stretch begins, where it ends, and where all does */
    double room;                 /* pages from the first to the last where they lie apart; 0: as many as `most` */
    double seconds;              /* for each curve of a stretch */
    double seconds_apart;        /* for each spacing */
    double stretch;              /* readings are so many times longer, as tlb_levels found they have to be; 0: 1 */
    const struct sweep
        *same_order; /* of the first level: pages in one order, as find_held wants it; NULL: is not asked */
};

/* The search that a staircase over pages wants. */
struct search tlb_search(const struct probe *p, const struct tlb *t, double from, double to);
/*
 * Searches each stretch with these experiments, sweeps over pages of which name, build, control and what could fool them
 * are filled in, and reports levels and miss costs. *first is what the first level holds and by how much a page costs more
 * that it does not, in the first experiment, NaN where that was not told; and how many times longer readings had to be.
 */
struct tlb_first {
    double entries, miss_cycles, stretch;
};
bool tlb_levels(struct probe *p, const struct tlb *t, const struct sweep *experiments, size_t count,
                struct tlb_first *first);
/*
 * The sets of the first level, which holds `entries`: the i-th of these sweeps is over pages that are 2^i pages apart
 * (lib/family.h). They are searched and freed here.
 */
bool tlb_sets(struct probe *p, const struct tlb *t, struct sweep spacings[TLB_SPACINGS], double entries);

/* Bytes of code on the smallest pages that an instruction TLB of that level reaches; 0: not known. */
double tlb_code_reach(const struct probe *p, unsigned level);
/* The most pages that any level of data TLBs is known to hold, declared or measured; 0: nothing is known. */
double tlb_known_entries(const struct probe *p);
/*
 * What the core says of itself: "shared", one array of that level holds loads' pages of both sizes, or with `stores` those
 * of loads and those of stores; "separate", it has an array for either; NULL, it does not say.
 */
const char *tlb_declared(unsigned level, const char *page, const char *other, bool stores);

#endif
