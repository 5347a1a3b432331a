/*
 * Tolerances of hierarchies (docs/METHODS.md, 4.1), set associativity (4.3), TLBs (4.6) and caches (7.1 to 7.5): what
 * each one means, its unit, and where its value comes from. "Chosen" is a choice that no calculation gives; its reason
 * follows. Relative agreement of counts and numbers is AGREE of lib/finding/tolerances.h.
 */
#ifndef FATHOM_LIB_STRUCTURE_TOLERANCES_HIERARCHY_H
#define FATHOM_LIB_STRUCTURE_TOLERANCES_HIERARCHY_H

/* ---- Levels of a hierarchy ---------------------------------------------------------------------- */

/*
 * Edges in two experiments, and a capacity and that of an earlier probe, are those of one level if they differ by no
 * more than this factor. Chosen: between 1 and LEVELS_APART.
 */
static const double SAME_LEVEL = 1.5;
/*
 * A level holds at least this many times as much as the level before it. So what is left sooner is a part of the rise
 * to the next level, or the level before seen again, and does not show where its count at a stride would be smaller;
 * and ranges in which a next level is searched begin at this many times the level before. A rise is searched for a
 * slope change if it is wider than this, over its last part that is as wide. Caches have a far range if it is wider
 * than this and the near one shows an edge above the known second level's size divided by this. Chosen: the sizes of
 * caches and TLBs grow by more from level to level.
 */
static const double LEVELS_APART = 2;
/*
 * Another level may hide in a rise that ends at more than this many times the x at which it begins; the levels from
 * there on are undecided. Where frames lie at random a rise may be nearly as wide by itself. Chosen: LEVELS_APART
 * twice.
 */
static const double RISE_HIDES_LEVEL = 4;
/*
 * A level costs more than the one before it by at least this part. So a level that itself grows by more than this part,
 * or whose height exceeds the y at which the rise to it ended by more, may hide another one; and misses that cost less
 * more than hits are not distinguished from them. Chosen: known levels differ by more.
 */
static const double LEVEL_RISES = 0.5;
/*
 * Where the capacity of a level with a ramp needs a steady level after it (struct hierarchy, steady_behind), it is
 * undecided if the points of that level scatter by more than this part of its height: a saw-tooth in an instruction TLB
 * does. Chosen: above STEADY of lib/finding/tolerances.h.
 */
static const double LEVEL_SCATTERS = 0.1;
/*
 * Where the first level is left in several steps, the first step is its end unless a later one rises more than this
 * many times as much. Chosen: a first step so much smaller is a minor one.
 */
static const double MINOR_STEP = 3;

/* ---- Set associativity, from places a power of two apart ------------------------------------------ */

/*
 * Two counts of lines that a cache holds at different distances are taken to be equal, or one to be twice the other, if
 * they differ from that by no more than this part, or by one line. Likewise the product of ways and distance is taken
 * for the capacity, and lines of a way for a power of two. Chosen: only powers of two have to be distinguished, and a
 * step may be off by a line or two.
 */
static const double WAYS_ALIKE = 0.2;
/*
 * Of the distances at which all places lie in one set, no more than so many, the shortest, count as experiments: at
 * longer ones other tables hold less.
 */
enum { SINGLE_SET_DISTANCES = 3 };

/* ---- TLBs --------------------------------------------------------------------------------------- */

/*
 * To see whether a step of a curve is caused by the readings themselves, they are made longer by this factor: such a
 * step shrinks. Chosen: the difference is seen at once.
 */
enum { READINGS_LONGER = 16 };
/*
 * To see whether a step of a curve is caused by the readings themselves, they are made longer only as long as they are
 * less than so many times as long as usual: a step that still shrinks then has another cause. READINGS_LONGER twice.
 */
enum { READINGS_LONGEST = 256 };
/*
 * A step is caused by the readings if, in readings READINGS_LONGER times as long, less than this part of it is left: it
 * should then be one 16th, while the end of a level does not shrink. Chosen: the middle.
 */
static const double STEP_SHRINKS = 0.5;
/*
 * A rise over pages of code is looked at up to this many times as many pages as its level holds, with jumps on some
 * lines and on others. Chosen: a level of several sets is full then, and enough branches displace each other.
 */
static const double MOVED_BEYOND = 3;
/*
 * Pages that a reading touches besides those that are counted, at most: of data the stack, the list of readings, and
 * where the chase continues; of code the reader. Chosen: one more than three.
 */
static const double READING_PAGES = 4;
/*
 * The step that these pages make is lower than that of the end of the level by this factor at least: they cost misses
 * once in a reading, the end in each round. Chosen: a reading has two rounds or more.
 */
static const double TOUCHED_LOWER = 2;
/* The ratio of two numbers of pages at which such a rise is looked at. Chosen: five up to MOVED_BEYOND. */
static const double MOVED_STEP = 1.25;
/*
 * Cycles that a miss costs a jump at least: less may be a few branches that others displace, on whatever lines. One in
 * 64, at 16 cycles each, costs as much. Zen 4, which hides most of a miss, shows 0.37 to 0.9.
 */
static const double MISS_LEAST = 0.25;
/*
 * Where the control rises, too, a level counts only if the rise behind it ends at this part of the control's count or
 * earlier: jumps on pages are not in the same sets as packed ones to the last, since the loop lies elsewhere. Chosen: a
 * set of two ways that gets one jump more than its share is full at two thirds of the count.
 * no test: it takes a whole simulated core, with a branch target buffer about as large as the instruction TLB.
 */
static const double CONTROL_APART = 1.5;
/*
 * Jumps on other lines cost as much before the rise as those on the first ones if both differ by no more than this part
 * of the rise. Chosen: of 74 simulated branch target buffers with hashed indices that make a rise of their own none
 * differed by less than this and by less than MOVED_RISE, with jumps 3, 5 and 13 lines apart.
 */
static const double MOVED_BEFORE = 0.25;
/* A rise is the same one on other lines if both differ by no more than this factor. Chosen as MOVED_BEFORE. */
static const double MOVED_RISE = 1.5;
/*
 * The range of counts that is searched at a stride s begins at 1 / (this * s) of what the level holds, in case counts
 * halve with each doubling of the stride, and ends at this times what the level holds, in case they do not; but it
 * stays within what the probe has room for.
 */
static const double STRIDE_RANGE = 4;
/*
 * A level is taken for a single set if its count is the same at strides that differ by at least this factor. If instead
 * neighbours shared sets, those of the smallest of the strides would share one by at least twice as many (4.2).
 */
static const double ONE_SET_STRIDES = 16;
/*
 * The edge of a level that is a single set takes no more steps than this, from the last number of pages that costs no
 * more to the first from which all miss: one, and one before it, since a page that a reading touches takes an entry
 * from a full set once in each reading. Sets that a hash chooses overflow one by one, over many more.
 */
static const double ONE_SET_EDGE = 2;
/*
 * Levels at two strides whose heights differ by less than this part of the least rise of all strides are one level.
 * Chosen: what pages cost besides misses is far below a miss.
 */
static const double SAME_HEIGHT_PART = 0.25;
/*
 * A rise is the end of the first level if its height differs from the cost of a miss of that level by no more than this
 * part. Chosen: other levels and caches cost several times as much.
 */
static const double MISS_ALIKE = 0.25;

/*
 * Of two hypotheses on an index function (7.9) the one that shows fewer ways is better, if the other shows more than
 * this many times as many: one index bit too few shows twice as many. Chosen: the middle.
 */
static const double WAYS_FEWER = 1.5;
/*
 * A ratio of two counts of pages that a TLB set holds is taken for the nearest power of two if it differs from that by
 * no more than this factor. Chosen: 2^0.3, below half of a doubling.
 */
static const double DOUBLING_ALIKE = 1.2311444133449163;

/*
 * To find which pages share a TLB level (7.8), counts of pages are searched from this part of what the level holds on,
 * or from LEVELS_APART times the level before, if that is more. Half of the level is left if it is shared, and half of
 * that range lies before the edge.
 */
static const double SHARING_FROM = 0.25;
/*
 * Which pages share a TLB level (7.8) is not measured where the counts of pages would have to begin above this part of
 * what it holds, because of the level before: they must begin well below the half that is left if it is shared.
 */
static const double SHARING_FROM_MOST = 0.4;

/* ---- Caches ------------------------------------------------------------------------------------- */

/*
 * Lines of data that the reader touches from the end of one kernel to the end of the next, at most: from four readings
 * of its list, of 80 bytes each (arch/reader.h), which lie in six lines of 64 bytes, and two of its stack, one with
 * where it is in that list and one with a return address (arch/<isa>/reader.S).
 */
static const double READER_LINES = 8;
/*
 * Ways of a first level of data caches, at most. Chosen: a step above the 12 of Intel's cores since Sunny Cove, the
 * most in any manual (Intel's optimization manual, 2.1: 48 KiB).
 */
static const double MOST_WAYS = 16;

/*
 * Where levels are searched in two ranges, the near range of footprints ends at this many times the second level: the
 * edge of that level is well below. (The far range begins behind the last edge in the near one: LEVELS_APART.)
 */
static const double CACHE_FAR_RANGE = 3;
/*
 * A footprint reaches memory, or what is behind the last known level, if it is at least this many times that level.
 * Chosen: three of four lines miss it.
 */
static const double CACHES_TO_REACH_MEMORY = 4;
/*
 * Where the curve shows no steady height for the second level, its latency is measured over this part of its capacity,
 * if that is at least twice what the first level's edge ends at: so many lines fit all sets although frames lie at
 * random. And of the knees of mispredicted returns one that straight code lacks, beyond one that both show, is taken
 * for the instruction cache's only at no more than this part of the second level: it comes too early for that.
 */
static const double SECOND_LEVEL_PART = 0.25;
/* Loads in random order are measured over this part of a level. Chosen: surely less than the sets hold. */
static const double RANDOM_ORDER_PART = 0.75;
/* RANDOM_ORDER_PART where frames lie at random, so that some sets get more lines than others. */
static const double RANDOM_ORDER_PART_SCATTERED = 0.5;
/* From this level on guests of one hypervisor share caches: the first two levels are a core's own. */
enum { FIRST_SHARED_CACHE = 3 };

/* ---- Eviction sets (7.5) ------------------------------------------------------------------------ */

/*
 * A set is overfilled if a round over the pages has more than this many misses for each line that is used of a page
 * more than the control, or than a round without the last page: an overfilled set has one at least. Chosen: nearer to
 * one than to none, since other programs evict lines as well.
 */
static const double EVICTION_MISS = 0.75;
/*
 * The collection of pages is complete when more pages in a row were rejected than this part of those collected, and
 * more than EVICTION_SETS.
 */
static const double EVICTION_REJECTED = 0.5;
/* EVICTION_REJECTED where several lines of each page are used. Chosen smaller: a measurement takes longer. */
static const double EVICTION_REJECTED_LINES = 0.25;
/*
 * The number of places that a page can have in a cache, pages collected over ways, is accepted if it differs from a
 * power of two by no more than this part, and so is the number of lines of a page: so much may be missing of pages that
 * were rejected by mistake. The next power is a factor of two away.
 */
static const double EVICTION_SETS_ALIKE = 0.06;

/* ---- Inclusion (inclusion.c) ------------------------------------------------------------------------- */

/*
 * Lines have left a level where this part of them, at least, is no longer in it: after the level was filled three times
 * over, or on average each time that it was filled once. Where all are taken away it is near 1 in the first case. In
 * the second it is two of three where the oldest line is replaced, since the first fill only ages them; replacement at
 * random takes each line away once in a fill on average. Chosen: half.
 */
static const double LINES_LOST = 0.5;
/*
 * Lines have stayed in a level where no more than this part of them is missing. A level from which nothing is taken
 * misses none; what else runs in the measurement, and replacement that is not in the order of use, take a few. Chosen:
 * so far from LINES_LOST that a level of which every second line is gone is never taken for one that keeps them.
 */
static const double LINES_KEPT = 0.2;

/*
 * A level is not said to be exclusive where the level before it drops each line by itself more often than this, on
 * average, while the larger one is filled once: an inclusive level has such lines renewed before it takes them away. If
 * they are dropped at random, it still takes exp(-1) = 0.37 of them where each is dropped once, more than LINES_KEPT.
 */
static const double LINES_DROPPED = 1;

#endif
