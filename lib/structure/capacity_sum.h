/*
 * Capacity sums: do two levels of cache together hold as many lines as each of them, or only as many as the larger one?
 *
 * A ring of lines lies at a distance of a power of two bytes, so that all of them fall into one set of the first level
 * and into few of the second. Where frames follow each other it is known how many the second level holds. The ring has
 * a few lines more than that, half of the ways of the first level: they fit only if the levels hold different lines.
 *
 * Method: docs/METHODS.md, 7.24.
 */
#ifndef FATHOM_LIB_STRUCTURE_CAPACITY_SUM_H
#define FATHOM_LIB_STRUCTURE_CAPACITY_SUM_H

#include "lib/probe/probe.h"
#include "lib/structure/inclusion.h"

/*
 * Measures the three rings, for levels of so many bytes of which the first has so many ways; all are NaN where the
 * frames of lines so far apart are not known. False: the probe has ended.
 */
bool capacity_sum_measure(struct probe *p, double second_bytes, double first_ways, struct capacity_rings *r);

#endif
