/*
 * Lines in random order: how many entries does the operation cache have, and how many operations does one hold? The
 * answer is in how many lines of code are held, each of which ends in a jump to the next one, somewhere else.
 *
 * Neither fetching ahead nor decoding hides a miss then: what a line costs rises with the first lines that are not
 * kept. A line of few operations takes one entry, so that as many lines as entries are kept; lines of more operations
 * take two or more of the same set, so that half or a third of them are. That no other structure ends like this is the
 * proof: an instruction cache holds equally many lines whatever is in them, and so does a branch target buffer.
 *
 * Where the entries are known, a number of lines is chosen that is held only if each takes one entry, and then one that
 * is held only if each takes two. The most operations with which they are held fill one entry, and two.
 *
 * Operations are additions to registers, and the jump. NOPs will not do: operation caches pack them (Zen 4).
 *
 * Method: docs/METHODS.md, 5.11.
 */
#ifndef FATHOM_LIB_STRUCTURE_OP_CACHE_LINES_H
#define FATHOM_LIB_STRUCTURE_OP_CACHE_LINES_H

#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/structure/op_cache_layout.h"

/*
 * Measures lines of three kinds. Asked for are the findings that have a name; they are undecided, and reported as they
 * are where lines decide nothing. Reports nothing where the probe has ended.
 */
void op_cache_lines_report(struct probe *p, const struct finding otherwise[OP_CACHE_QUANTITIES]);

#endif
