/*
 * Pairs of lines in memory: does the one's row have to be closed for the other one's (docs/METHODS.md, 9.7)?
 *
 * Two lines are loaded in turn, and each is flushed from all caches as soon as it has been loaded. If they lie in the
 * same bank of DRAM and in different rows, each load first has to close the other one's row and to open its own, by
 * precharge and activation. If they lie in different banks, or in one row, all rows stay open.
 *
 * How long either takes is found from pairs that are drawn at random: most lie in different banks.
 */
#ifndef FATHOM_LIB_STRUCTURE_ROW_PAIRS_H
#define FATHOM_LIB_STRUCTURE_ROW_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/reason.h"
#include "lib/measure/activations.h"
#include "lib/probe/probe.h"

enum { ROW_PAIRS_DRAWN = 2048 /* at most */ };

struct row_pairs {
    struct probe *p;
    struct activations activations;
    struct area area;      /* one page, in which addresses are chosen */
    struct area addresses; /* of the two lines, which the kernel reads */
    struct kernel kernel;
    unsigned line_bits, page_bits; /* address bits of lines that can be chosen: from line_bits on, below page_bits */
    /* By how much turns take longer than those of one line, with open rows and with rows that conflict. */
    double open_ns, conflict_ns;
    uint64_t conflict; /* a difference of addresses of which the rows conflict */
    double times[ROW_PAIRS_DRAWN], scratch[ROW_PAIRS_DRAWN];
    uint64_t differences[ROW_PAIRS_DRAWN];
};

/* Maps a page, the largest there is, and makes the kernel. False: the probe has ended. */
bool row_pairs_start(struct probe *p, struct row_pairs *r);
/*
 * Finds what turns take with open rows and with rows that conflict. *reason: NO_CONTRAST where no pair takes clearly
 * longer than most, NOISE where too many take something between. False: the probe has ended.
 */
bool row_pairs_calibrate(struct row_pairs *r, enum reason *reason);
/* By how many nanoseconds a load takes longer whose row conflicts, after row_pairs_calibrate. */
double row_pairs_load_ns(const struct row_pairs *r);
/*
 * Whether the rows of the lines at `base` and base ^ difference, offsets in the page, conflict: one measurement, which
 * may err. False: the probe has ended.
 */
bool row_pairs_conflict(struct row_pairs *r, uint64_t base, uint64_t difference, bool *conflict);
/*
 * Whether both lie in the same bank, in whatever rows: they, or a third line in another row of the first one's bank and
 * the second, conflict. One measurement, which may err, after row_pairs_calibrate. False: the probe has ended.
 */
bool row_pairs_same_bank(struct row_pairs *r, uint64_t base, uint64_t difference, bool *same);

#endif
