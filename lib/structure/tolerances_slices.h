/*
 * Tolerances of slices (docs/METHODS.md, 9.6): what each one means and where its value comes from.
 */
#ifndef FATHOM_LIB_STRUCTURE_TOLERANCES_SLICES_H
#define FATHOM_LIB_STRUCTURE_TOLERANCES_SLICES_H

/*
 * A mean differs from what is expected if it does by this many of its standard errors. Of 2^20 means of noise none
 * does: that would take 4.9 of them, and the errors of labels depend on each other, which makes theirs 1.2 times as
 * large.
 */
static const double SLICE_ERRORS = 6;
/*
 * Lines do not differ if the mean square of their difference is no more than this part of that of any two lines, but
 * for errors. What single lines have of their own (lines of the program in their sets) adds to all such means. Chosen:
 * half of the least that a parity can change where 16 slices lie in a row: 0.5 of 21.25 squares of the way between two.
 */
static const double SLICE_UNCHANGED = 0.01;
/*
 * They do if it is more than so many times as much. Between both nothing is decided. It follows from the choice above.
 */
static const double SLICE_CHANGED = 2;
/*
 * Independent differences that change nothing, at least: each place of a period is measured 2^2 times, in two passes.
 */
enum { SLICE_REPEATS_BITS = 2 };

/*
 * Hits in the third level differ from their median by no more than this part of what they take longer than those in the
 * second level. Chosen: a line that is not displaced from there takes less by all of that.
 */
static const double SLICE_APART = 0.5;
/*
 * No more than this part of the lines may be set aside because they take longer or less, or were disturbed. A hash of
 * the second level's sets, for which the displacers are not made, spares one line in 64 at least. Chosen: below that.
 * no test: the hashes that are modelled spare far more lines.
 */
static const double SLICE_LOST = 0.01;
/*
 * Lines are not equally far where the cycles of a hit differ by so many, and by more than errors explain. Chosen: half
 * a cycle, since a way between two slices takes a cycle at least, there and back.
 */
static const double SLICE_STEP = 0.5;
/* Fewer lines than this part of all do not count as another distance: 64 slices have twice as many each. */
static const double SLICE_LEAST_PART = 1.0 / 128;
/*
 * Times seen by two cores are alike, as those of two threads of a core or from opposite ends of a ring, if the
 * magnitude of their correlation is at least this: they may see the same slices as equally far. Chosen: the one
 * explains four fifths of the other's variance.
 */
static const double SLICE_VIEWS_ALIKE = 0.9;

#endif
