/*
 * Operation cache layout: how the entries of an operation cache are organised, from how many lines of code it holds at
 * several densities.
 *
 * An entry holds up to `ops` operations that begin in the same line or half line, and the address of the line chooses
 * the set. So a line with m operations takes a number of entries of its set that depends on m alone, and the cache
 * holds
 *
 *     sets * floor(ways / entries of a line)      consecutive lines, whole
 *
 * All layouts in question are compared with all densities; what those that fit have in common is the result.
 *
 * Method: docs/METHODS.md, 5.11. Source: the limit of operations to a line is jia.je's (2024, Golden Cove); the fit is
 * ours.
 */
#ifndef FATHOM_LIB_STRUCTURE_OP_CACHE_LAYOUT_H
#define FATHOM_LIB_STRUCTURE_OP_CACHE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/reason.h"
#include "lib/kernels/straight.h"

struct op_cache_layout {
    unsigned window_bytes, ops, sets, ways; /* operations of one entry begin in the same window_bytes */
};

/*
 * How many lines of straight code (lib/kernels/straight.h) the operation cache held at one density: the last number
 * that was held and the first that was not.
 */
struct op_cache_rise {
    unsigned per_line; /* operations */
    double low, high;
};

enum op_cache_quantity { OP_CACHE_ENTRIES, OP_CACHE_OPS, OP_CACHE_OPS_PER_ENTRY, OP_CACHE_QUANTITIES };

/* The layouts that explain all rises: how many, and the range of each quantity. */
struct op_cache_fit {
    size_t layouts;
    unsigned least[OP_CACHE_QUANTITIES], most[OP_CACHE_QUANTITIES];
};

/* Compares all layouts in question with `count` rises, each of another density. */
struct op_cache_fit op_cache_fit(const struct op_cache_rise *rises, size_t count);

/* Time of few lines of one density. */
struct op_cache_rate {
    unsigned per_line;
    double cycles; /* per operation */
};

/*
 * Whether the times of a few lines at `count` densities show that the core has no operation cache: code with few
 * operations to a line takes the time of its bytes, however short it is. That is so if some density is slower per
 * operation than others, at least two have the same bytes per cycle, and none reaches a line a cycle, which is the most
 * that an operation cache delivers (Zen 4).
 */
bool op_cache_absent(const struct op_cache_rate *rates, size_t count);

/*
 * How many entries a line takes, from how many lines in random order of each kind are held
 * (lib/structure/op_cache_lines.h; NaN: not known); lines[0], of few operations, take one. Stores them in entries[],
 * unless it returns a reason: lines of few operations have no end, some kind ends where the instruction cache does
 * (l1i_lines), the ratio of two numbers is not whole, or not all lines but the first take two entries and more.
 */
enum reason op_cache_entries_of_lines(const double lines[], size_t count, double l1i_lines, double entries[]);

/*
 * How many operations an entry holds, from the most operations of a line that takes one entry and of one that takes two
 * (NaN: not known), its jump among them: REASON_NONE if the second is twice the first, so that jumps count as other
 * operations do and entries are filled across the line; then it is the first. Else why it is not known.
 */
enum reason op_cache_ops_of_lines(double one, double two);

#endif
