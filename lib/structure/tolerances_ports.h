/*
 * Tolerances of port maps (docs/METHODS.md, 4.9, 4.10 and 6.7): what decides whether a map is reported, and which.
 * Parts are relative to the cycles that a map predicts. A value that was calibrated on a core names it; "chosen" means
 * that it was set by the reason given and checked on simulated cores (tests/unit/ports.c).
 */
#ifndef FATHOM_LIB_STRUCTURE_TOLERANCES_PORTS_H
#define FATHOM_LIB_STRUCTURE_TOLERANCES_PORTS_H

/* ---- Which maps fit ------------------------------------------------------------------------------- */

/*
 * A mix that is faster than predicted by more than this part refutes a map, since hardware is never faster than its
 * ports. Derived: the error of time that the gates of a run allow, 1.00 +- 0.02 cycles for a dependent addition.
 */
static const double PORTS_FAST = 0.02;
/*
 * A mix may be slower than predicted by this part, since schedulers bind operations to ports that turn out to be busy.
 * Chosen: four times the error of time, so that only what schedulers lose exceeds it.
 */
static const double PORTS_SLOW = 0.08;
/*
 * Where no map fits otherwise, one mix in so many may be slower than PORTS_SLOW; and at the end one unseen mix in so
 * many may not be predicted. Nine in ten of Johnson's mixes on Firestorm fit his map, and one does not.
 */
enum { PORTS_RARE_ONE_IN = 10 };
/*
 * Weight of a squared deviation to the fast side, which no hardware explains. Chosen: (10 %)^2 slow is as bad as 2 %
 * fast.
 */
static const double PORTS_FAST_WEIGHT = 25;
/*
 * Loss of each operation beyond an instruction's first one, so that of maps that fit alike the simpler one is better.
 * Chosen: a quarter of what one mix adds that is off by PORTS_FAST, (2 %)^2 = 4e-4.
 */
static const double PORTS_OPERATION_LOSS = 1e-4;
/*
 * Maps must disagree about a mix by this part for it to be measured next: 2 PORTS_FAST, so that one of them is refuted
 * whatever the mix takes.
 */
static const double PORTS_DISPUTED = 0.04;

/* ---- Whether a map predicts ----------------------------------------------------------------------- */

/*
 * Random mixes, one after the other, that must not refute the best map. Derived: a map that is wrong about one mix in
 * ten is refuted with probability 1 - 0.9^32 = 97 %.
 */
enum { PORTS_VERIFIED = 32 };
/* An unseen mix counts as predicted where it takes what is expected within this part. Chosen: between FAST and SLOW. */
static const double PORTS_PREDICTED = 0.05;

/* ---- Orders of a mix ------------------------------------------------------------------------------ */

/*
 * A mix within this part of what a map predicts counts as predicted, and no faster order is searched for. Chosen: just
 * below PORTS_PREDICTED.
 */
static const double PORTS_NEAR = 0.04;
/* The same where there is no map yet, or another limit of the mix is known: nothing faster can be expected. */
static const double PORTS_REACHED = 0.01;
/* A change that makes an order slower by no more than this part is kept: cycles of mixes change in steps. */
static const double ORDER_SAME = 0.002;
/* What a quick sample may be wrong by: an order must be faster by more to be measured. */
static const double ORDER_SAMPLE_ERROR = 0.01;
/* Part of a slot by which the number of slots that a pace needs is rounded down. */
static const double ORDER_SLOT_PART = 0.25;

/* ---- Conflicts ------------------------------------------------------------------------------------ */

/*
 * Least part by which a mix must be slower if another kind counts fully, for its part in a conflict to be measured: a
 * smaller one is lost in the errors of time.
 */
static const double CONFLICT_SEEN = 0.05;
/*
 * Parts of other kinds in a conflict below this are left out of the text. Chosen: three times the error that
 * tests/unit/conflicts.c allows a part.
 */
static const double CONFLICT_PART_SHOWN = 0.3;

#endif
