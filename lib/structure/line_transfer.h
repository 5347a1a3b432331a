/* What it takes that another core has a line: the difference of two times (docs/METHODS.md, 8.8). */
#ifndef FATHOM_LIB_STRUCTURE_LINE_TRANSFER_H
#define FATHOM_LIB_STRUCTURE_LINE_TRANSFER_H

/*
 * The difference of the time of accesses to lines that another core had, and that of the same accesses to lines of this
 * core; 0 where the two are alike. NaN: one of them is, or the first is clearly less, so that something has disturbed
 * one of them.
 */
double line_transfer_of(double moved, double held);

#endif
