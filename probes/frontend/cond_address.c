/*
 * Question: by which address bits does the table of the conditional predictor that looks at the longest history tell
 * branches apart?
 *
 * Experiment: two branches are executed with the same history, of which a bit drawn at random is so far back that only
 * this table sees it (lib/kernels/table_branches.h). One goes by that bit, the other against it. Their addresses differ
 * in chosen bits, and in a high one that separates their code. Two controls calibrate time, as in the probe `history`.
 *
 * Inference: where the table has an index or a tag of a bit in which the addresses differ, both branches are predicted.
 * Where not, it takes one for the other, and neither is. Bits are inverted alone and in pairs (lib/structure/btb_tags.h):
 * a pair that does not show is one XOR. The result is verified by random differences.
 *
 * What could mislead: a separating bit by which the table tells branches apart, or which enters the history, as a bit of
 * the router's target. So branches that differ in nothing else have to be taken for one; bits of page numbers, in which
 * targets differ too, are tried only where the probe `footprint` has found that none of them enters the history.
 *
 * Sources: Chen 2024 for Apple's and Qualcomm's cores, and Yavarzadeh et al. 2023 (Half&Half): branches with equal
 * histories, with counters. Separating bits, pairs, random verification, and time instead of counters are ours.
 * docs/METHODS.md, 5.22.
 */
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/structure/table_address.h"

static void run(struct probe *p)
{
    const struct finding f = {.name = "frontend.cond.address_bits", .variants = {{"table", NULL, 1}}};

    table_address_find(p, table_lengths_known(p), false, &f);
}

PROBE(cond_address, .title = "Addresses in the conditional predictor", .family = "frontend", .run = run,
      .after = "footprint", .wants = NEEDS("frontend.cond.history table=1"),
      .findings =
          FINDINGS({"frontend.cond.address_bits", "bits",
                    "address bits in the index or tag of that table of the conditional predictor; ^: only their XOR"}));
