/*
 * The modelled core's stores on their way to the cache, and what loads get from them: forwarding by rules of the design,
 * renaming of pairs that belong together, and the prediction of which loads may go ahead of stores whose address is not
 * known yet.
 */
#ifndef FATHOM_TESTS_MODEL_STORES_H
#define FATHOM_TESTS_MODEL_STORES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum forward_rule {
    FORWARD_CONTAINED, /* what lies within a store, or within `gathered` of them together */
    FORWARD_ANY,       /* whatever overlaps; what no store has comes from the cache */
    FORWARD_SAME       /* what begins where the store does, and lies within it */
};

enum rename_rule { RENAME_NONE, RENAME_EQUAL /* of equal widths */, RENAME_CONTAINED /* of any at one address */ };

enum { RENAMED_MAXIMUM = 512, COUNTERS_MAXIMUM = 1024 };

struct store_design {
    bool forwards;    /* else loads see the cache alone, at once, as if every store were in it */
    double cycles;    /* from data to load */
    double across;    /* on top where the load crosses a line */
    double elsewhere; /* on top where the load does not begin where the store does, and gets its address last */
    double blocked;   /* on top of a load from the cache, once the stores are there */
    double violation; /* on top where a load went ahead that should not have */
    enum forward_rule rule;
    unsigned gathered; /* stores that one load may get its bytes from */

    enum rename_rule renames;
    unsigned renamed_pairs; /* loads known, least recently used, 1 … RENAMED_MAXIMUM */

    /* Loads go ahead of stores of unknown addresses; with neither of these they know by themselves which may. */
    unsigned tracked;                       /* loads that are known not to, least recently used; or … */
    unsigned counter_bits, counter_low_bit; /* … a counter for each value of these address bits, … */
    unsigned free_after; /* … which lets a load go after so many that might have; else starts anew */
};

struct stores;

struct stores *stores_new(const struct store_design *design);
void stores_free(struct stores *s);
/* Another kernel: all is in the cache, and time begins anew. What was learned stays. */
void stores_done(struct stores *s);
/* A store whose address and data are known at these times, after everything older is done. */
void stores_add(struct stores *s, uint64_t address, size_t size, double address_known, double data_known,
                double older_done);
/*
 * A load: when it is done, that gets its address at `start`, the front end having delivered it at `front`. From the cache
 * it takes `cache` cycles. `again`: when the front end can go on, where all behind the load is to be done again; else 0.
 */
double stores_load(struct stores *s, uint64_t pc, uint64_t address, size_t size, double front, double start,
                   double cache, double *again);

#endif
