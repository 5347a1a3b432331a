/*
 * Question: by which address bits does the predictor of indirect branches tell these apart?
 *
 * Experiment: two indirect jumps are executed with the same history, of which a bit drawn at random lies in the third
 * quarter of the longest history that the predictor looks at (lib/kernels/table_branches.h). Both go to one of the same
 * two places, one by that bit, the other against it. Their addresses differ in chosen bits, and in a high one that
 * separates their code. Two controls calibrate time, as in the probe `history`.
 *
 * Inference: where a table has an index or a tag of a bit in which the addresses differ, both jumps are predicted. Where
 * not, it takes one for the other, and neither is. Bits are inverted alone and in pairs (lib/structure/table_address.h),
 * and random differences verify the result.
 *
 * What could mislead: what misleads the probe `cond_address`. Several tables may reach so far; where they differ in the
 * bits that they distinguish, those of all of them show.
 *
 * Sources: Li et al. 2024 (Indirector): two indirect branches whose addresses differ in one bit, with counters. Separating
 * bits, pairs, random verification, and time instead of counters are ours. docs/METHODS.md, 5.25.
 */
#include "lib/finding/report.h"
#include "lib/plan/facts.h"
#include "lib/probe/probe.h"
#include "lib/structure/table_address.h"

static void run(struct probe *p)
{
    const unsigned longest = (unsigned)facts_number(&p->run->facts, "frontend.indirect.history",
                                                    "kind=conditional-taken", 0);
    const struct table_lengths l = {.longest = longest, .second = longest / 2};
    const struct finding f = {.name = "frontend.indirect.address_bits"};

    table_address_find(p, l, true, &f);
}

PROBE(indirect_address, .title = "Addresses in the indirect predictor", .family = "frontend", .run = run,
      .after = "footprint", .wants = NEEDS("frontend.indirect.history kind=conditional-taken"),
      .findings = FINDINGS({"frontend.indirect.address_bits", "bits",
                            "address bits in the index or tag of the indirect predictor; ^: only their XOR"}));
