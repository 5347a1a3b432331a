/* The figures of many trials and studies, for people and for the tests. */
#ifndef FATHOM_TESTS_MODEL_CURVES_FIGURES_H
#define FATHOM_TESTS_MODEL_CURVES_FIGURES_H

#include "tests/model/curves/studies.h"
#include "tests/model/curves/trials.h"

/* NaN of nothing. */
double percent(size_t part, size_t whole);
/* Identifiable truths for which a knee was reported. */
size_t decided(const struct tally *t);
/* Knees in whose interval a structure ends, identifiable or not. */
size_t reported_truly(const struct tally *t);
/* Knees beside an identifiable truth, and knees where nothing is. */
size_t reported_falsely(const struct tally *t);

/*
 * On standard error a table by class: `inside` is the share of intervals that hold the truth; U the share of truths
 * for which none was reported; `steps` the widths of intervals, in their median and for nine of ten. Right of the bar
 * are the truths that are not identifiable, and for 95 of 100 of the gradual ones by how many steps they are off. On
 * standard output, which the harness does not show, the same by noise and by ground.
 */
void print_results(struct results *r);
void print_grading(const struct grading *a);

#endif
