/*
 * Forwarding by offset: what a pair of a store and a load takes for every width of either and every offset at which
 * they overlap, within a line or across a border, and by which path the value reaches the load in each case.
 *
 * Chains are those of lib/kernels/store_load.h; paths are decided by clustering the cycles of all cells together.
 *
 * Method: docs/METHODS.md, 4.16 and 7.15.
 */
#ifndef FATHOM_LIB_STRUCTURE_FORWARDING_H
#define FATHOM_LIB_STRUCTURE_FORWARDING_H

#include "lib/kernels/store_load.h"
#include "lib/probe/probe.h"
#include "lib/structure/forwarding_paths.h"

enum {
    FORWARDING_WIDTHS = 6,           /* at most */
    FORWARDING_AREA_BYTES = 1 << 17, /* of the memory that a grid is measured in */
    FORWARDING_MIDDLE = 1 << 16,     /* where in it pairs lie: at the border of two pages */
    FORWARDING_VECTOR_STEP = 4       /* bytes from offset to offset of vectors */
};

/* The boundary, if any, within the range of addresses that the store and the load cover together. */
enum crossing { CROSSING_NONE, CROSSING_LINE, CROSSING_PAGE, CROSSINGS };
/* As in the variant `crossing` of findings: "none", "64" and "page". */
extern const char *const crossing_names[CROSSINGS];

/* The cycles of all pairs of one register file, linked in one way. */
struct forwarding_grid {
    const struct emit_access *widths[FORWARDING_WIDTHS];
    size_t count;                  /* of widths; 0: the core has none of this file */
    size_t columns;                /* offsets: 2 * reach + 1 */
    enum dependency_through chain; /* THROUGH_DATA or THROUGH_LOAD */
    int reach;                     /* bytes of the widest: offsets of the load from the store go from -reach to reach */
    unsigned crossings;            /* how many kinds of borders are measured */
    double *cells;   /* cycles a pair by crossing, store, load and offset; NaN: there is no such pair, or no result */
    double *scratch; /* room for as many numbers, in the memory of `cells` */
    struct forwarding_paths paths;
    bool failed[FORWARDING_WIDTHS][FORWARDING_WIDTHS]; /* by store and load: some cell within a line gave no result */
};

/*
 * Prepares an empty grid of the widths of single registers of a file that the core can both load and store, the first
 * FORWARDING_WIDTHS at most (in a smoke run the narrowest and the widest). Where there are none the grid has count 0
 * and no cells. The caller frees `cells`. False, and the probe is over, where there is no memory.
 */
bool forwarding_grid_start(struct probe *p, struct forwarding_grid *g, enum dependency_through chain,
                           enum access_file file);
/*
 * Measures all cells, of vectors those at every FORWARDING_VECTOR_STEP bytes, in a smoke run fewer, sends them as
 * matrices, and decides the paths: g->paths.clusters.count is 0 where it cannot. Does nothing on a grid without widths.
 * False when the probe is over.
 */
bool forwarding_grid_measure(struct probe *p, const struct area *area, struct forwarding_grid *g);
/* "data" or "address", the variant `dependence` of findings. */
const char *forwarding_chain_name(const struct forwarding_grid *g);

/* The cell of a store, a load and an offset; `store` and `load` are indices of widths. */
double *forwarding_cell(const struct forwarding_grid *g, enum crossing crossing, size_t store, size_t load, int offset);
/* Whether the load got its value without waiting for the cache. */
bool forwarding_works(enum forwarding_path path);
/*
 * Whether two grids of the same widths have, for this store and load, the same offsets within a line at which
 * forwarding works.
 */
bool forwarding_same_offsets(const struct forwarding_grid *a, const struct forwarding_grid *b, size_t store,
                             size_t load);
/*
 * Corrects which clusters of cycles of the grid `load` count as slow and which as blocked: moves the border between
 * them so that forwarding works in the same cells within a line as in the grid `data`; leaves it as it is where no
 * border does that. Where pairs are linked through addresses, forwarding may be slower by more than the time of a load
 * (on Zen 4 by 7 cycles, where the load is not at the store's own address), which by itself would count as blocked.
 */
void forwarding_align(const struct forwarding_grid *data, struct forwarding_grid *load);
/*
 * The number of offsets, within a line, at which forwarding works, and in `text`, of `room` bytes, which: "-1 ... 3,
 * 8". NaN where some cell gave no result or its path is not known.
 */
double forwarding_offsets(const struct forwarding_grid *g, size_t store, size_t load, char *text, size_t room);
/*
 * Cycles of a path: the median over all cells of one crossing that took it, without arithmetic; NaN where none did.
 * Across a border only loads of more than a byte count, since these cross it themselves.
 */
double forwarding_path_cycles(const struct forwarding_grid *g, enum crossing crossing, enum forwarding_path path);

#endif
