/*
 * Tolerances of port maps (docs/METHODS.md, 4.9, 4.10 and 6.7): what decides whether a map is reported, and which.
 * Parts are relative to the cycles that a map predicts, unless the comment says otherwise. A value that was calibrated
 * on a core names it; "chosen" means that it was set by the reason given and checked on simulated cores
 * (tests/unit/ports.c).
 */
#ifndef FATHOM_LIB_STRUCTURE_TOLERANCES_PORTS_H
#define FATHOM_LIB_STRUCTURE_TOLERANCES_PORTS_H

/* ---- Which maps fit ------------------------------------------------------------------------------- */

/*
 * A mix that is faster than predicted by more than this part refutes a map, since hardware is never faster than its
 * ports; one that is faster than the best map allows is measured twice, and the slower time counts. Where no map fits
 * at the width that was given, that is lowered to what was reached, if that is less by more than this part. Derived:
 * the error of time that the gates of a run allow, 1.00 +- 0.02 cycles for a dependent addition.
 */
static const double PORTS_FAST = 0.02;
/*
 * A map fits only if no mix, or hardly any (PORTS_RARE_ONE_IN), is slower than predicted by more than this part, and
 * none of an instruction alone: schedulers bind operations to ports that turn out to be busy. Chosen: four times the
 * error of time, so that only what schedulers lose exceeds it.
 */
static const double PORTS_SLOW = 0.08;
/*
 * Where no map fits otherwise, one mix in so many may be slower than PORTS_SLOW allows; and a map with its conflicts is
 * reported only if no more than one unseen mix in so many is not predicted. Nine in ten of Johnson's mixes on Firestorm
 * fit his map, and one does not.
 */
enum { PORTS_RARE_ONE_IN = 10 };
/*
 * In the loss of a map, the squared deviation of a mix that is faster than predicted counts this many times as much as
 * that of a slower one, since no hardware explains it. Chosen: 10 % slow is as bad as 2 % fast.
 */
static const double PORTS_FAST_WEIGHT = 25;
/*
 * Each operation beyond an instruction's first one adds this to the loss of a map, so that of maps that fit equally
 * well the simpler one is better. Chosen: a quarter of what one mix adds that is slower by 2 %, (2 %)^2 = 4e-4.
 */
static const double PORTS_OPERATION_LOSS = 1e-4;
/*
 * A mix is measured next, instead of a random one, if maps disagree about it by more than this part. Chosen: 2
 * PORTS_FAST, so that where the lower prediction is right the higher one is refuted, although times have errors.
 */
static const double PORTS_DISPUTED = 0.04;

/* ---- Whether a map predicts ----------------------------------------------------------------------- */

/*
 * The best map is verified when so many random mixes have not refuted it. Derived: a map that one mix in ten refutes is
 * refuted with probability 1 - 0.9^32 = 97 %.
 */
enum { PORTS_VERIFIED = 32 };
/*
 * An unseen mix counts as predicted if its cycles differ from those expected by no more than this part; one that is
 * slower by more is searched for faster orders again. Chosen: between PORTS_FAST and PORTS_SLOW.
 */
static const double PORTS_PREDICTED = 0.05;

/* ---- Orders of a mix ------------------------------------------------------------------------------ */

/*
 * All searches for a faster order of a mix but the first one (PORTS_REACHED) are left out, or end, once it takes no
 * more than this part longer than expected: by the map, for an unseen mix by the map and its conflicts
 * (ports_expected). Two kinds conflict if their mix takes longer than that by the map, both before and after these
 * searches. Chosen: just below PORTS_PREDICTED.
 */
static const double PORTS_NEAR = 0.04;
/*
 * The first search for a faster order of a mix is left out, or ends, once it takes no more than this part longer than
 * expected; where there is no map yet, than what each of its kinds takes alone and what all take at the highest rate so
 * far. So do all searches where the part of another kind in a conflict is measured. See PORTS_NEAR for the others.
 */
static const double PORTS_REACHED = 0.01;
/* An order replaces the best one if it is slower by less than this part at most: cycles of mixes change in steps. */
static const double ORDER_SAME = 0.002;
/*
 * An order is measured only if its quick sample reaches the goal of the search, or is faster than the best so far by
 * more than this part, its error.
 */
static const double ORDER_SAMPLE_ERROR = 0.01;
/*
 * The number of slots that an order takes at a certain pace is rounded up to an even number, unless it exceeds an even
 * number by no more than twice this part of a slot.
 */
static const double ORDER_SLOT_PART = 0.25;

/* ---- Conflicts ------------------------------------------------------------------------------------ */

/*
 * Another kind counts as a part of the first kind in a conflict only if its mix would be slower by more than this part
 * were it to count fully: less is lost in the errors of time.
 */
static const double CONFLICT_SEEN = 0.05;
/*
 * The text on a conflict of two kinds of instructions names another kind only if one instruction of it counts as at
 * least this part of one of the first kind. Chosen: three times the error that tests/unit/conflicts.c allows a part.
 */
static const double CONFLICT_PART_SHOWN = 0.3;

/* ---- Units of a form (lib/structure/form_units.h) -------------------------------------------------- */

/*
 * Blockers must take the cycles that the map gives them to this part, else their set is of no use; and a form alone
 * must be as fast as the operations that were found for it allow, to this part. See PORTS_PREDICTED, which is the same.
 */
static const double BLOCKERS_OFF = 0.05;
/*
 * Operations that an instance adds to blocked units must be a whole number to this, by each number of blockers.
 * Derived: with FORM_UNITS_MOST blockers, times that are off by half of PORTS_FAST are 0.4 operations; with half as
 * many, which is usual, 0.2.
 */
static const double BLOCKED_WHOLE = 0.25;
/*
 * No further order of instances and blockers is measured once the instance adds no more than this many operations. Well
 * below BLOCKED_WHOLE.
 */
static const double BLOCKED_NEAR = 0.1;
/*
 * Blockers beside an instance take this many times as long as the instance alone, at least, so that what else limits
 * the form does not show. Chosen: four times BLOCKERS_OFF.
 */
static const double BLOCKED_LONGER = 1.2;
/* Slots of the front end that must be free beside the blockers and the instance. Chosen: half of one. */
static const double BLOCKED_SLOTS_FREE = 0.5;

#endif
