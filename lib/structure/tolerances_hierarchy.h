/*
 * Tolerances of hierarchies (docs/METHODS.md, 4.1), set associativity (4.3), TLBs (4.6) and caches (7.1 to 7.5): what
 * each one means, its unit, and where its value comes from. "Chosen" is a choice that no calculation gives; its reason
 * follows. Relative agreement of counts and numbers is AGREE of lib/finding/tolerances.h.
 */
#ifndef FATHOM_LIB_STRUCTURE_TOLERANCES_HIERARCHY_H
#define FATHOM_LIB_STRUCTURE_TOLERANCES_HIERARCHY_H

/* ---- Levels of a hierarchy ---------------------------------------------------------------------- */

/* Ratio of the edges of one level in two experiments, at most. Chosen: between 1 and LEVELS_APART. */
static const double SAME_LEVEL = 1.5;
/*
 * Ratio of the capacities of a level and the level before it, at least: one that is left sooner is a part of a rise.
 * Chosen: the sizes of caches and TLBs grow by more from level to level.
 */
static const double LEVELS_APART = 2;
/*
 * Ratio of the end and the beginning of a rise in which another level may hide: where frames lie at random a rise may
 * be nearly as wide by itself. Chosen: LEVELS_APART twice.
 */
static const double RISE_HIDES_LEVEL = 4;
/*
 * Part of its height by which a level costs more than the one before it, at least. A level that grows by more, or
 * lies so much above the end of the rise to it, may hide another one. Chosen: known levels differ by more.
 */
static const double LEVEL_RISES = 0.5;
/*
 * Relative scatter of the level behind, at most, where that must be even (struct hierarchy): a saw-tooth behind the
 * first level of an instruction TLB scatters by more. Chosen: above STEADY of lib/finding/tolerances.h.
 */
static const double LEVEL_SCATTERS = 0.1;
/*
 * Of a first level that is left in several steps the first one is its end, unless another one rises this many times as
 * much. Chosen: a first step so much smaller is a minor one.
 */
static const double MINOR_STEP = 3;

/* ---- Set associativity, from places a power of two apart ------------------------------------------ */

/*
 * Relative difference up to which counts are equal, or one is twice the other. Chosen: only powers of two have to be
 * distinguished, and a step may be off by a line or two.
 */
static const double WAYS_ALIKE = 0.2;
/* Distances that count as experiments on a single set, at most; at still longer ones other tables hold less. */
enum { SINGLE_SET_DISTANCES = 3 };

/* ---- TLBs --------------------------------------------------------------------------------------- */

/* Factor by which readings are made longer to see whether a step shrinks. Chosen: the difference is seen at once. */
enum { READINGS_LONGER = 16 };
/* The longest readings, by the usual length: a step that still shrinks then has another cause. READINGS_LONGER twice. */
enum { READINGS_LONGEST = 256 };
/*
 * Part of a step that is left, at most, in such longer readings if the step is caused by the readings: it should be one
 * 16th; the end of a level does not shrink. Chosen: the middle.
 */
static const double STEP_SHRINKS = 0.5;
/*
 * Factor by which the range of counts at a stride is wider than expected: it begins at that part of the count if counts
 * halve with each stride, and ends at that multiple of the count if they do not.
 */
static const double STRIDE_RANGE = 4;
/*
 * Ratio of strides over which the count has to be constant if the level is a single set: as for stride families (4.2),
 * twice that many neighbours would share a set otherwise.
 */
static const double ONE_SET_STRIDES = 16;
/*
 * Part of the least rise of the strides: heights that differ by less are one level's. Chosen: what else pages cost is
 * far below a miss.
 */
static const double SAME_HEIGHT_PART = 0.25;
/*
 * Relative difference of a rise and the cost of a miss of the first level, at most, if the rise is the end of that
 * level. Chosen: other levels and caches cost several times as much.
 */
static const double MISS_ALIKE = 0.25;

/*
 * Ratio of the ways that two hypotheses on an index function (7.9) show from which on they differ: a bit too few shows
 * twice as many. Chosen: the middle.
 */
static const double WAYS_FEWER = 1.5;
/*
 * Factor between a ratio of counts and the nearest power of two, at most, if the ratio is that power. Chosen: 2^0.3,
 * below half of a doubling.
 */
static const double DOUBLING_ALIKE = 1.2311444133449163;

/*
 * Which pages share a TLB (7.8): where the range of counts begins, in parts of what the level holds. Half of the level
 * is left if it is shared, and half of that lies before the edge.
 */
static const double SHARING_FROM = 0.25;
/* Where it may begin at the latest, because of the level before: surely below the half that is left. */
static const double SHARING_FROM_MOST = 0.4;

/* ---- Caches ------------------------------------------------------------------------------------- */

/*
 * Lines of data that the reader touches from the end of one kernel to the end of the next, at most: from four readings
 * of its list, of 80 bytes each (arch/reader.h), which lie in six lines of 64 bytes, and two of its stack, one with
 * where it is in that list and one with a return address (arch/<isa>/reader.S).
 */
static const double READER_LINES = 8;
/*
 * Ways of a first level of data caches, at most. Chosen: a step above the 12 of Intel's cores since Sunny Cove, the most
 * in any manual (Intel's optimization manual, 2.1: 48 KiB).
 */
static const double MOST_WAYS = 16;

/* Footprint at which the far range begins, in parts of the second level: the edge of that level is well before it. */
static const double CACHE_FAR_RANGE = 3;
/* Footprint that reaches memory, in parts of the largest cache. Chosen: three of four lines miss it. */
static const double CACHES_TO_REACH_MEMORY = 4;
/*
 * Part of the second level over which its latency is measured where its curve has no steady height: so much fits all
 * sets although frames lie at random.
 */
static const double SECOND_LEVEL_PART = 0.25;
/* Part of a level over which loads in random order are measured. Chosen: surely less than the sets hold. */
static const double RANDOM_ORDER_PART = 0.75;
/* The same where frames lie at random, so that some sets get more lines than others. */
static const double RANDOM_ORDER_PART_SCATTERED = 0.5;
/* From this level on guests of one hypervisor share caches: the first two levels are a core's own. */
enum { FIRST_SHARED_CACHE = 3 };

/* ---- Eviction sets (7.5) ------------------------------------------------------------------------ */

/*
 * Misses in a round, per line of each page, from which on a set is overfilled: it has one in every round at least.
 * Chosen: between none and one, nearer to one, since other programs evict lines as well.
 */
static const double EVICTION_MISS = 0.75;
/*
 * Pages rejected in a row, in parts of those collected, after which no page fits any more.
 */
static const double EVICTION_REJECTED = 0.5;
/* The same with several lines of each page. Chosen smaller: a measurement takes longer. */
static const double EVICTION_REJECTED_LINES = 0.25;
/*
 * Relative difference from a power of two, at most, of the number of sets: pages that were rejected by mistake make up
 * so much of it. Sets are a power of two; the next one is a factor of two away.
 */
static const double EVICTION_SETS_ALIKE = 0.06;

#endif
