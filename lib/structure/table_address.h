/*
 * By which address bits a predictor distinguishes branches that are executed with the same history
 * (lib/kernels/table_branches.h), by time.
 *
 * One of two branches goes by a bit of the history, the other against it. If the predictor takes one for the other,
 * neither is predicted. Bits are inverted alone and in pairs (lib/structure/btb_tags.h), and the result is verified by
 * differences drawn at random.
 *
 * Method: docs/METHODS.md, 5.22 and 5.24.
 */
#ifndef FATHOM_LIB_STRUCTURE_TABLE_ADDRESS_H
#define FATHOM_LIB_STRUCTURE_TABLE_ADDRESS_H

#include "lib/finding/report.h"
#include "lib/structure/table_sample.h"

/*
 * Finds these bits for conditional branches or, with `jumps`, for indirect jumps, by a bit that lies farther back in the
 * history than l.second, and reports them as a finding of that name and variants. Without lengths they are undecided.
 * Of jumps, bits within a page alone are tried: whether the targets that lead there enter the history is known of
 * conditional branches only.
 */
void table_address_find(struct probe *p, struct table_lengths l, bool jumps, const struct finding *f);

#endif
