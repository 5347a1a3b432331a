#include "lib/structure/form_decide.h"

#include <math.h>

/* Part of its latency below which a chain through one register is none. Chosen: half. */
static const double IDIOM_PART = 0.5;
/*
 * Part by which instances of one register must take longer than others to wait for it. Chosen: between noise, a few
 * percent, and the third that one cycle of waiting adds to operations that take three quarters of a cycle.
 */
static const double KEPT_PART = 0.15;
/*
 * Part by which instances alone must take longer than any class explains, to be limited by something else. Chosen: several
 * times the percent or two by which measurements of one form differ.
 */
static const double HIDDEN_PART = 0.1;
/*
 * Part of the shorter time that two forms must take beside each other besides the longer one, to share what limits them.
 * Forms that share nothing take none of it, and those that share it all of it; half is in the middle.
 */
static const double SHARED_PART = 0.5;
/*
 * Part by which the same instructions may take more or less than before where nothing else uses the core. Chosen: several
 * times the 1 % by which readings differ; while a sibling thread executes instructions they take 1.5 to 2 times as long.
 */
static const double PACE_PART = 0.05;

/*
 * Slots of a front end from which on a form counts as microcode, which most cores deliver by itself. Chosen: between the
 * four of the longest forms that decoders of most cores make, and the next whole number.
 */
static const double MICROCODE_SLOTS = 4.5;
/* Cycles by which a whole number of them may be exceeded. Chosen: several times the 0.02 by which measurements differ. */
static const double WHOLE_OFF = 0.1;

double form_microcode_cycles(double among_nops, double nop, double alone)
{
    return among_nops > MICROCODE_SLOTS * nop ? fmin(ceil(among_nops - WHOLE_OFF), alone) : 0;
}

bool form_is_idiom(double one_register, double latency)
{
    return one_register < IDIOM_PART * latency;
}

double form_kept_cycles(double one_register, double alone)
{
    return one_register > alone * (1 + KEPT_PART) ? one_register : 0;
}

bool form_has_hidden_limit(double alone, double most)
{
    return alone > most * (1 + HIDDEN_PART);
}

double form_shared_from(double a, double b)
{
    return fmax(a, b) + SHARED_PART * fmin(a, b);
}

bool form_is_same_pace(double now, double before)
{
    return now > 0 && fabs(now - before) <= PACE_PART * before;
}
