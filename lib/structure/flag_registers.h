/*
 * Registers of flags (docs/METHODS.md, 6.2): comparisons write nothing else, but their results may lie in the file of
 * general registers, and neighbours may need a register for only one of them.
 */
#ifndef FATHOM_LIB_STRUCTURE_FLAG_REGISTERS_H
#define FATHOM_LIB_STRUCTURE_FLAG_REGISTERS_H

#include "lib/base/reason.h"
#include "lib/structure/inflight_measure.h"

/*
 * Sets e[] to the experiments of `spaced`, where one filler in `every` is a comparison, with their results divided by
 * that; verdicts[] keeps these. `general` and `vector`: how many fillers fit that write registers of these files; NaN:
 * not known. Returns why the results may be those of a file of the fillers between the comparisons: these alone end at
 * the same number, or at twice that where comparisons write general registers too; else REASON_NONE.
 */
enum reason flag_registers_divide(const struct inflight_result *spaced, unsigned every, double general, double vector,
                                  struct verdict verdicts[LONG_OPS], struct experiment e[LONG_OPS]);
/*
 * Corrects what the experiments of comparisons alone occupy. `general`: the size of the file of general registers; NaN:
 * not known. `sharing`: what comparisons and writes of general registers do, "shared", "separate", or anything else
 * where that is not known. Where they share a file, the registers that the long-latency operations write are in it as
 * well. Returns REASON_MASKED_BY_REGISTERS where that is not known and both end at the same number; else REASON_NONE.
 */
enum reason flag_registers_count(struct inflight_result *flags, double general, const char *sharing);

#endif
