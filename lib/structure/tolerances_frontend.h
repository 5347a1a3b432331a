/* Tolerances that several probes of the front end use (docs/METHODS.md, 5.2 and 5.3). */
#ifndef FATHOM_LIB_STRUCTURE_TOLERANCES_FRONTEND_H
#define FATHOM_LIB_STRUCTURE_TOLERANCES_FRONTEND_H

/*
 * The longest runs of instructions fill this part of the instruction cache. Its measured size may be too large by a
 * step of 1 KiB, a sixteenth of the smallest cache in scope, and 1 / (1 + 1/16) is 0.94; the rest is for the code
 * around a reading.
 */
static const double L1I_AVAILABLE = 0.9;

/*
 * Part of the first step of a curve over the bytes of a pair that a later step rises by at least, if it is another one.
 * Chosen: where half of the blocks begin within a line of twice their pitch both steps are equal.
 */
static const double ANOTHER_STEP = 0.5;

/*
 * Part of what a miss costs that a prefetch of code saves at least, if it brings what is missing. Chosen: most of it.
 */
static const double CODE_PREFETCH_MOST = 0.5;
/*
 * Part of what a miss costs that a prefetch of code saves at most, if it does nothing, and by which the control may
 * change meanwhile. Chosen: a fifth of CODE_PREFETCH_MOST, so that what arrives late is taken for neither.
 */
static const double CODE_PREFETCH_FEW = 0.1;
/*
 * What a miss costs at least, as a part of a jump to code that is there. Chosen: five times what two readings of one
 * kernel may differ by (NEIGHBOURS_DIFFER).
 */
static const double CODE_PREFETCH_CONTRAST = 0.05;

/* Ratio of the ends that two patterns of code find of one cache, at most. Chosen. */
static const double SAME_EDGE = 1.3;

#endif
