/*
 * How a branch target buffer is organised: sets, ways, index bits, branches per entry, found by simulating all that it
 * might be.
 *
 * Rows of always-taken branches, each jumping to the next and the last to the first, are measured at many spacings,
 * lengths and patterns of branch types. Every organisation in question predicts which part of a row it holds; those
 * whose predictions explain what was measured are told, all of them, and the row that would tell them apart best.
 * (Rows and reading by eye: jia.je, 2024 and 2025; the rule of halving is in lib/family.h.)
 *
 * An organisation is sets of least recently used entries, at one level or two:
 *
 *   index   set_bits bits of the branch's address from bit `low` on; folded: XOR with as many bits above them. Where
 *           an entry holds several branches, the first one's address counts
 *   entry   one branch; or several: enum btb_entry
 *
 * In a row that goes round and round, a set holds all its entries or, one too many, misses all. So hits are counted set
 * by set. Index bits are linear in the address bits over GF(2): a stretch of 2^k entries reaches a coset of a subspace,
 * each set of it equally often, and any count is a few such stretches.
 *
 * A row costs its hits of either level and its misses, each times a cost. Costs are fitted for each pattern, and must
 * ascend. Rows of one spacing may deviate from their pattern's by some percent, since fetching, fast paths and two
 * branches per cycle cost or save what has nothing to do with who is held: Neoverse N1's main level takes 2, 2.5 or
 * 2.75 cycles, by the spacing (jia.je 2025). Misfit is chi-square, of points by their own errors, of rows by that
 * spread.
 *
 * An organisation survives when its misfit is at most that of the best one plus 25: a likelihood ratio of five sigma.
 * Where the best one misses the points by more than chance would, none fits. One level is told where it explains the
 * points as well as two.
 *
 * What cannot be known this way:
 *
 *   The size of a single set is known as far as counts were measured: ways … ways_end - 1.
 *   A level that takes the victims of the one before it behaves like one that holds the sum, if both are single sets.
 *   An L1I or ITLB in the way looks like a level: say its size. Where it is not known, no grade is above C.
 *   A row must start at a multiple of its length, or a folded index is not what is simulated.
 *   Outside are random and pseudo-LRU replacement, victims in sets, tags that alias, three levels. Leave the rows of a
 *   smaller level out, and the others are levels 1 and 2.
 */
#ifndef FATHOM_LIB_BTB_FIT_H
#define FATHOM_LIB_BTB_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/report.h"

enum {
    BTB_FIT_POINTS = 320,
    BTB_FIT_LEVELS = 2,
    BTB_FIT_FOOTPRINTS = 4,
    BTB_FIT_SHOWN = 32, /* organisations of one level that are told one by one */
    BTB_FIT_TEXT = 96
};

/* As the variant `branch` of findings; the first type is the row's first branch, at its lowest address. */
enum btb_pattern { BTB_UNCOND, BTB_COND, BTB_COND_UNCOND, BTB_UNCOND_COND, BTB_PATTERNS };
/* "uncond", "cond", "cond-uncond", "uncond-cond" */
extern const char *const btb_pattern_names[BTB_PATTERNS];

/* One row: `count` branches, the one that closes it among them, `stride` bytes apart, which is a power of two. */
struct btb_row {
    enum btb_pattern pattern;
    unsigned stride, count;
};

/*
 * Which branches share an entry. Blocks: Perais and Sheikh 2023, Branch Target Buffer Organizations. Pairs: AMD 57647,
 * Software Optimization Guide for Zen 4, on the branch target buffer; of Neoverse V1: jia.je 2025.
 */
enum btb_entry {
    BTB_SINGLE,      /* none */
    BTB_BLOCK,       /* up to per_entry of one aligned block of 2^low bytes */
    BTB_COND_FIRST,  /* a conditional one and the next, both in one aligned line of 64 bytes */
    BTB_UNCOND_NEXT, /* any and the one at its target, if that is unconditional */
    BTB_ANY_NEXT,    /* any and the one at its target */
    BTB_ENTRIES
};
/* "single", "block", "cond-first", "uncond-next", "any-next" */
extern const char *const btb_entry_names[BTB_ENTRIES];

struct btb_organisation {
    unsigned set_bits; /* 0: one set, fully associative */
    unsigned ways, ways_end;
    unsigned low; /* lowest index bit */
    bool folded;
    enum btb_entry entry;
    unsigned per_entry;
};

/* "2 ways of 512 sets, PC[10:2], single" */
void btb_organisation_text(const struct btb_organisation *o, char *out, size_t room);

struct btb_fit_question {
    unsigned patterns;                     /* that can be measured: 1 << enum btb_pattern, or-ed */
    unsigned stride_from, stride_to;       /* powers of two: what can be measured */
    unsigned count_from, count_to;         /* what can be measured */
    double footprints[BTB_FIT_FOOTPRINTS]; /* bytes: as in lib/family.h */
};

struct btb_fit_level {
    size_t count;                                 /* organisations that survive */
    struct btb_organisation shown[BTB_FIT_SHOWN]; /* the first of them */
    bool left;                                    /* false: some of them hold all rows that were measured */
    double cycles[BTB_PATTERNS];                  /* a hit's cost, of the best; NaN */
};

struct btb_fit_result {
    const char *reason; /* NULL: survivors are told; else none-fits, no-level, too-few-points, no-memory */
    size_t level_count;
    struct btb_fit_level levels[BTB_FIT_LEVELS];
    double misfit, expected; /* chi-square of the best; what chance allows */
    size_t points;           /* that counted */
    size_t patterns;         /* with points that counted */
    bool limits_known;
};

struct btb_fit;

/* NULL when memory is short: some megabytes. */
struct btb_fit *btb_fit_start(const struct btb_fit_question *q);
void btb_fit_free(struct btb_fit *f);
/*
 * Adds a point: cycles per branch, and their standard error. Rows beyond a footprint are taken and do not count. False:
 * no room, no such row, or not a number.
 */
bool btb_fit_add(struct btb_fit *f, const struct btb_row *row, double cycles, double error);
/* Decides about the points so far. */
const struct btb_fit_result *btb_fit_decide(struct btb_fit *f);
/*
 * After btb_fit_decide: the row, not measured yet, that tells survivors apart best. False when there is none: what
 * remains behaves alike in all that can be measured.
 *
 *     while (btb_fit_decide(f), btb_fit_next(f, &row) && measure(&row, &cycles, &error))
 *         btb_fit_add(f, &row, cycles, error);
 */
bool btb_fit_next(struct btb_fit *f, struct btb_row *row);

/*
 * Reports one level's ways, sets, index bits and branches per entry, under the names that the probe declares; `level`
 * from 0. What all survivors share is grade B where two patterns have spoken and limits are known, else C. What they do
 * not share is U, several-fit; they are sent as a table, a row each.
 */
struct btb_fit_names {
    const char *ways, *sets, *index_bits, *branches_per_entry;
};
void btb_fit_report(struct probe *p, const struct btb_fit_result *r, size_t level, const struct btb_fit_names *names);

#endif
