/*
 * Tolerances of the experiments on the instruction window (docs/METHODS.md, 4.12 to 4.15): what decides whether a
 * number is reported, and which. Ratios have no unit; numbers of fillers, instructions and entries are counts. A value
 * that was calibrated on a core names it; "chosen" means that it was set by the reason given and checked on modelled
 * cores.
 */
#ifndef FATHOM_LIB_STRUCTURE_TOLERANCES_INFLIGHT_H
#define FATHOM_LIB_STRUCTURE_TOLERANCES_INFLIGHT_H

/* ---- Which long-latency operations are usable ---------------------------------------------------- */

/*
 * Two long-latency operations of a kind count as overlapping if an iteration in which the second one needs the result
 * of the first takes more than this many times as long as one in which they are independent. Perfect overlap gives 2,
 * none gives 1; chosen: the middle.
 */
static const double OVERLAP_RATIO = 1.5;
/*
 * OVERLAP_RATIO for cache misses. Their latencies vary, and of two that overlap the longer one counts: for
 * exponentially distributed latencies that is 1.5 times the mean, and the ratio only 2 / 1.5 = 1.33. Chosen below that.
 */
static const double MISS_OVERLAP_RATIO = 1.2;

/*
 * A core executes out of order if two dependency chains run at the same time for more than this part of one of them.
 * Out of order that part is 1 less what the second chain takes to be retired: on a core that retires one instruction a
 * cycle, a cycle of the two or more that an operation takes, so at least 1/2. In order it is 1/8, the last of eight
 * operations. Nothing is decided unless the control, the same chains interleaved, exceeds it too. The geometric mean.
 */
static const double CHAINS_OVERLAP = 0.25;

/* ---- Whether an iteration is slow ---------------------------------------------------------------- */

/*
 * How many fillers fit is undecided unless an iteration with more than fit takes more than this many times as long as
 * one with few. A second latency is most of an iteration, so the true ratio is near 2. Chosen: far from both 1 and 2.
 */
static const double SLOW_RATIO = 1.1;
/*
 * This many times as many fillers as fit, and a few more, surely do not fit: there bisection begins. Chosen: more than
 * any other error here.
 */
static const double BEYOND_FITTING = 1.15;
/*
 * Bisection for how many fillers fit stops when that is known to this part, or to one filler. Chosen: a third of
 * ALIKE_COUNTS.
 */
static const double COUNT_RESOLUTION = 0.01;

/* ---- Whether two limits are one ------------------------------------------------------------------ */

/*
 * Two limits found by knees may be one and the same where they differ by at most this part, or by SAME_LIMIT_COUNT,
 * whichever is more. Chosen: more than the resolution of a curve, 1 %.
 */
static const double SAME_LIMIT = 0.015;
/*
 * Two limits found by knees may be one limit where they differ by no more than so many instructions: more than the
 * operation or two by which the calculated rest of a chain may be wrong. So many fillers less than at a knee must fit
 * when the knee is checked again.
 */
static const double SAME_LIMIT_COUNT = 3;
/*
 * Two counts of fillers by bisection (inflight_count) are taken to be equal if they differ by no more than this part
 * and ALIKE_COUNTS_MORE fillers besides. Chosen: a blurred edge moves half of the rise by about 3 %.
 */
static const double ALIKE_COUNTS = 0.03;
/*
 * Two counts of fillers by bisection are taken to be equal although they differ by so many fillers more than the part
 * ALIKE_COUNTS: as SAME_LIMIT_COUNT.
 */
static const double ALIKE_COUNTS_MORE = 3;
/*
 * Most instructions of any kind that may share an entry of the reorder buffer: 7 on Apple M1 (Johnson 2021), plus one.
 */
enum { PER_ENTRY_MOST = 8 };
/*
 * Where only one kind of long-latency operation shows an end, and that is a ramp wider than so many fillers, the
 * finding is undecided: such a ramp may be the time that delivering the fillers takes. Chosen: so few are delivered in
 * a cycle or two.
 */
enum { LONE_RAMP_MOST = 4 };

/* ---- Sharing of one structure by two classes (4.14) ---------------------------------------------- */

/*
 * Two classes share one structure if, after half as many of one as fit alone, half as many of the other fit as alone,
 * give or take this part of what fits alone. Between that and as many as alone they are "overlapping". Chosen: a fifth
 * of the distance between half and all.
 */
static const double HALF_OFF = 0.1;
/*
 * Two classes have structures of their own if, after half as many of one as fit alone, as many of the other fit as
 * alone. Fewer by more than this part never count as that, however large the group of instructions is that enters
 * together. Half way between half and all.
 */
static const double ALL_OFF = 0.25;
/*
 * The ratio of the counts of half-width and of whole registers is taken for 1 or 2 if it differs from that by no more
 * than this. Chosen: what blurred edges leave of both counts.
 */
static const double HALVES_PER_WHOLE_OFF = 0.1;

/* ---- Schedulers (6.4) ---------------------------------------------------------------------------- */

/*
 * Experiments on one scheduler agree if they differ by no more than so many entries: the load that fillers wait for,
 * and the second operation, may hold one each. A knee that is no farther from the known size of another structure may
 * be that one's, and the interval of a difference of two experiments is wider by so many.
 */
enum { WAITING_STEP = 2 };

/*
 * Of the operations of one class that can wait alone this part comes before those of another one, to see whether both
 * wait in the same schedulers. Chosen: as many as possible, since each of them is to be missing, but less than all,
 * since operations enter several schedulers unevenly, and one that is full by mistake would hold up everything.
 */
static const double PARTS_HEAD = 2.0 / 3;
/*
 * Nothing is said about two classes unless the operations that come first are more than so many times what two counts
 * may differ by. At 2, "all of them are missing" and "none is" are as far apart as either may be wrong.
 */
static const double PARTS_SEEN = 2;

/* ---- Reorder buffer (6.1, 4.15) ------------------------------------------------------------------ */

/*
 * Instructions divided by entries are taken for a whole number if they differ from it by no more than this part of it.
 * Chosen: less than half of 1 / 8 (PER_ENTRY_MOST).
 */
static const double WHOLE_PER_ENTRY = 0.03;
/*
 * Neighbours share entries if of some sequence, as of short NOPs, at least this many times as many instructions fit as
 * of kinds that share none. Two to an entry give 2; chosen: 10 % less. Zen 4 shows 4.
 */
static const double PACKED_RATIO = 1.8;
/*
 * A count decides between "all entries are full" and "some are not" if it is this near to one of the two, as a part of
 * their distance. Chosen: a quarter, so that the middle half decides nothing.
 */
static const double FULL_OR_NOT = 0.25;

/* ---- Renames in flight (6.2) --------------------------------------------------------------------- */

/*
 * Renames in flight are reported as a limit only if twice the smaller register file exceeds the number in flight by
 * this factor: the instructions counted write to both files in turn, so that files alone would end there. Chosen:
 * several times SAME_LIMIT.
 */
static const double FILES_END_LATER = 1.1;
/*
 * Whether NOPs take room from instructions that write registers, as both would in the reorder buffer, is undecided
 * unless they would have to take more than this part of these: less could not be distinguished from none. Chosen:
 * several times ALIKE_COUNTS.
 */
static const double NOPS_TAKE_LEAST = 0.1;

/* ---- Branches in flight (6.3) -------------------------------------------------------------------- */

/*
 * Branches are too many for the branch target buffer where each of the last ones takes this many times as long as each
 * of the first ones, and as many cycles at least. Chosen: a taken branch whose target is found takes a cycle or two, and
 * one whose target the decoders find several times that.
 */
static const double DELIVERY_SLOWER = 3;

#endif
