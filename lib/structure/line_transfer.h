/* What it takes that another core has a line: the difference of two times (docs/METHODS.md, 8.8). */
#ifndef FATHOM_LIB_STRUCTURE_LINE_TRANSFER_H
#define FATHOM_LIB_STRUCTURE_LINE_TRANSFER_H

/*
 * The difference of the time of accesses to lines that another core had, and that of the same accesses to lines of this
 * core; 0 where the first is less by no more than the part NO_TRANSFER_PART of the second. NaN: one of them is, or the
 * first is less by more, so that something has disturbed one of them.
 */
double line_transfer_of(double moved, double held);

#endif
