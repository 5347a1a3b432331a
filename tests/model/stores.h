/*
 * The modelled core's stores on their way to the cache, and what loads get from them: store-to-load forwarding by
 * rules of the design, memory renaming of pairs of store and load, and the prediction of which loads may go ahead of
 * stores whose address is not known yet.
 */
#ifndef FATHOM_TESTS_MODEL_STORES_H
#define FATHOM_TESTS_MODEL_STORES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum forward_rule {
    FORWARD_CONTAINED, /* loads that lie within a store, or within `gathered` stores together */
    FORWARD_ANY,       /* loads that overlap with a store; other bytes come from the cache */
    FORWARD_SAME       /* loads that begin where the store does, and lie within it */
};

enum rename_rule {
    RENAME_NONE,
    RENAME_EQUAL /* pairs of equal widths */,
    RENAME_CONTAINED /* pairs at one address, the load no wider */
};

enum { RENAMED_MAXIMUM = 512, COUNTERS_MAXIMUM = 1024 };

struct store_design {
    bool forwards;    /* else loads are served by the cache, as if every store were in it at once */
    double cycles;    /* from when the data is known to when the load is done */
    double across;    /* added where the load crosses a line */
    double elsewhere; /* added where the load begins elsewhere than the store and its address is known last */
    double older;     /* added where an older store to the same bytes is not in the cache either */
    double blocked;   /* added to a load from the cache that has to wait until stores are there */
    double violation; /* added where a load went ahead of a store that it needed */
    enum forward_rule rule;
    unsigned gathered; /* stores that one load may get its bytes from; 0: 1 */
    double each;       /* added for each of these behind the first */

    enum rename_rule renames;
    unsigned renamed_pairs;     /* loads that are remembered, with LRU replacement, 1 to RENAMED_MAXIMUM */
    bool renames_same_base;     /* only loads with the base register of the store; … */
    bool renames_base_kept;     /* … where nobody wrote the store's base register between; … */
    bool renames_base_constant; /* … nor since the store before; … */
    bool renames_data_kept;     /* … where nobody wrote the register between that was stored */
    bool renames_lines;         /* also where a load crosses a line */

    /* Which loads go ahead of stores of unknown addresses. With neither of these the core always predicts right. */
    unsigned tracked;                       /* remembered loads that wait, with LRU replacement; or … */
    unsigned counter_bits, counter_low_bit; /* … a counter for each value of these bits of a load's address, … */
    unsigned free_after; /* … which lets loads go ahead after that many that could have; one that could not resets it */
};

struct stores;

/* `written`: how many times each register was written, by the numbers that accesses give. */
struct stores *stores_new(const struct store_design *design, size_t line_bytes, const uint32_t *written);
void stores_free(struct stores *s);
/* A new kernel: all stores are in the cache, and time begins at 0. The predictors keep what they have learned. */
void stores_done(struct stores *s);
/* A call begins (tests/model/changes.h): keeps what the predictors have learned. */
void stores_save(const struct stores *s);
/*
 * A store from the register `data` to an address in the register `base`, which are known at these times; everything
 * older is done at older_done.
 */
void stores_add(struct stores *s, uint64_t address, size_t size, unsigned base, unsigned data, double address_known,
                double data_known, double older_done);
/*
 * A load, delivered by the front end at `front`, whose address, in the register `base`, is known at `start`. Returns when it is done; from the
 * cache it takes `cache` cycles. *again becomes when the front end continues, where it and everything behind it have
 * to be done again, else 0.
 */
double stores_load(struct stores *s, uint64_t pc, uint64_t address, size_t size, unsigned base, double front,
                   double start, double cache, double *again);

#endif
