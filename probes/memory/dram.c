/*
 * DRAM: by which address bits is a bank chosen, which bits choose the row, and what does it cost to open another row?
 *
 * Experiment: two lines are loaded in turn and flushed each time. Lines of one bank in different rows take longer, since
 * each load has to close the other one's row (lib/structure/row_pairs.h). No curve: each pair is measured by itself.
 *
 * Inference: the XOR of two addresses alone decides whether they have the same bank, where banks are chosen by parities
 * of address bits. Which parities follows from linear algebra (lib/structure/gf2.h), and is verified with differences
 * drawn at random. Two lines of one bank may be in one row, and then are as fast as others: so a difference that does
 * not conflict is tried once more with one added that is known to change the row alone.
 *
 * What could mislead: a controller that closes rows after each access has no conflicts; a hypervisor whose pages are
 * smaller than ours has others than the addresses say, which the verification notices; bits above the page do not show.
 *
 * Rows are never opened often enough to disturb others (lib/measure/activations.h), but memory is shared with whoever
 * else is on the machine: so the probe runs only when it is named.
 *
 * docs/METHODS.md, 9.7. Sources: Pessl et al. 2016, DRAMA (conflicts by time, functions of the bank); that the functions
 * follow from differences by linear algebra: as for way predictors, 4.8.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/random.h"
#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/structure/gf2.h"
#include "lib/structure/row_pairs.h"
#include "lib/structure/tolerances_rows.h"

enum {
    MASKS = 8, /* 256 banks, with ranks and channels */
    VOTES = 9, /* measurements that say whether a bit chooses the row */
    TEXT = 256
};

static struct finding finding_of(const char *name, enum reason reason)
{
    return (struct finding){.name = name,
                            .value = NAN,
                            .low = NAN,
                            .high = NAN,
                            .grade = 'U',
                            .reason = reason,
                            .method = "two lines loaded in turn, each flushed after its load"};
}

static void report_conflict(struct probe *p, const struct row_pairs *r, enum reason reason)
{
    struct finding f = finding_of("memory.dram.row_conflict_ns", reason);

    if (!reason) {
        f.value = row_pairs_load_ns(r);
        f.grade = 'C';
    }
    report(p, &f);
}

static void report_functions(struct probe *p, const struct gf2_result *a, unsigned line_bits, unsigned page_bits)
{
    struct finding functions = finding_of("memory.dram.functions", a->reason),
                   banks = finding_of("memory.dram.banks", a->reason);
    char text[TEXT], bits[32], tried[32];

    if (!a->reason) {
        gf2_text(a, text, sizeof text);
        snprintf(bits, sizeof bits, "address bits %u to %u", line_bits, page_bits - 1);
        snprintf(tried, sizeof tried, "%u of %u", a->checked - a->missed, a->checked);
        functions.text = text;
        functions.remarks[0].key = "condition";
        functions.remarks[0].text = bits;
        functions.remarks[1].key = "foreseen";
        functions.remarks[1].text = tried;
        banks.value = (double)(1U << a->count);
        functions.grade = banks.grade = 'C';
    }
    report(p, &functions);
    report(p, &banks);
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

/* Whether most of some measurements of pairs with this difference conflict. False: the probe has ended. */
static bool most_conflict(struct row_pairs *r, const struct gf2_request *q, uint64_t difference, bool *conflict)
{
    unsigned count = 0;

    for (unsigned i = 0; i < VOTES; i++) {
        bool one;
        if (!row_pairs_conflict(r, random_next(q->random) & q->bits, difference, &one))
            return false;
        count += one;
    }
    *conflict = count > VOTES / 2;
    return true;
}

/* Those of the bits that choose no bank by which the row changes. False: the probe has ended. */
static bool find_rows(struct row_pairs *r, const struct gf2_request *q, uint64_t bits, uint64_t *rows)
{
    *rows = 0;
    for (uint64_t left = bits; left; left &= left - 1) {
        bool changes;
        if (!most_conflict(r, q, left & -left, &changes))
            return false;
        *rows |= changes ? left & -left : 0;
    }
    return true;
}

static void report_rows(struct probe *p, const struct gf2_result *a, uint64_t rows)
{
    struct finding f = finding_of("memory.dram.row_bits", a->reason ? a->reason : REASON_NO_ROW_BIT);
    char text[TEXT] = "";
    size_t used = 0;

    for (unsigned bit = 0; bit < 64 && used + 4 < sizeof text; bit++)
        if (rows >> bit & 1)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%u", used ? " " : "", bit);
    if (!a->reason && rows) {
        f.text = text;
        f.grade = 'C';
        f.reason = REASON_NONE;
    }
    report(p, &f);
}

/* ---- All of it ------------------------------------------------------------------------------------------------- */

static bool collide(void *context, uint64_t base, uint64_t difference, bool *result)
{
    return row_pairs_same_bank(context, base, difference, result);
}

static bool find(struct probe *p, struct row_pairs *r)
{
    const struct gf2_request q = {.bits = (UINT64_C(1) << r->page_bits) - (UINT64_C(1) << r->line_bits),
                                  .most = MASKS,
                                  .checks = (unsigned)probe_scale(p, 4, 100, 500, 500),
                                  .error = ROWS_WRONG_ANSWERS,
                                  .collide = collide,
                                  .context = r,
                                  .random = &p->random};
    struct gf2_result a = {.reason = REASON_NONE};
    uint64_t rows = 0;

    if (!row_pairs_calibrate(r, &a.reason))
        return false;
    report_conflict(p, r, a.reason);
    if (!a.reason && !gf2_find(&q, &a))
        return false;
    if (!a.reason && !find_rows(r, &q, a.null, &rows))
        return false;
    report_functions(p, &a, r->line_bits, r->page_bits);
    report_rows(p, &a, rows);
    return true;
}

static void run(struct probe *p)
{
    struct row_pairs *r = probe_calloc(p, 1, sizeof *r);

    if (r && row_pairs_start(p, r))
        (void)find(p, r);
    free(r);
}

PROBE(dram, .title = "DRAM: banks and rows", .family = "memory", .only_named = true, .run = run,
      .findings = FINDINGS({"memory.dram.banks", "banks",
                            "banks, ranks and channels counted together, that address bits within a page distinguish"},
                           {"memory.dram.functions", "bits", "parities of address bits by which the bank is chosen"},
                           {"memory.dram.row_bits", "bits", "address bits that choose the row and no bank"},
                           {"memory.dram.row_conflict_ns", "ns",
                            "time by which a load is longer that has to close another row of its bank first"}));
