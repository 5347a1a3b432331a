/*
 * Thresholds of lib/structure for experiments on loads and stores.
 */
#ifndef FATHOM_LIB_STRUCTURE_TOLERANCES_MEMORY_H
#define FATHOM_LIB_STRUCTURE_TOLERANCES_MEMORY_H

/* ---- Speculation and rates (store_speculation.c, load_store_rates.c) ---------------------------------- */

/*
 * Loads speculate past stores if a step whose load reads what its store wrote takes longer than a step whose load reads
 * something else, by more than this part. Chosen: a load that waits makes its step about twice as long, so a third is
 * well below that.
 */
static const double WAIT_PART = 0.3;
/*
 * The cost of a wrong speculation is reported if it is known to this part of itself. The median of n samples is known
 * to within about the distance of the quartiles divided by the root of n. Chosen: 2 %, as for grade B.
 */
static const double COST_KNOWN_PART = 0.02;
/*
 * The core sustains a group of loads and stores if it executes so many of them a cycle. Chosen: 1, less the 2 % that
 * calibrated time may be wrong by.
 */
static const double SUSTAINED = 0.98;

/* ---- Paths of forwarding (forwarding_paths.c, forwarding_reference.c) ---------------------------------- */

/*
 * Pairs of a store and a load belong to one cluster, one path of forwarding, if neighbours in the order of their cycles
 * differ by no more than so many cycles. Paths through a core differ by whole cycles, so half of one keeps them apart.
 */
static const double SAME_PATH_CYCLES = 0.5;
/*
 * Pairs of a store and a load also belong to one cluster if neighbours in the order of their cycles differ by no more
 * than this part of these. How long a load is blocked depends on when the store retires: chosen wide enough for that.
 */
static const double SAME_PATH_PART = 0.08;
/*
 * A store and load were renamed, or the value was predicted, if the pair takes less than this part of the cycles of a
 * load from the cache. A load that is forwarded to takes about as long as that. Measured on Zen 4: a renamed pair takes
 * 1 cycle, across a line 2, where a load takes 4.
 */
static const double RENAMED_PART = 0.75;
/*
 * RENAMED_PART where one chain is judged alone, without clusters of other chains to compare with. Chosen: half, so that
 * a value between this and RENAMED_PART does not count as renamed.
 */
static const double RENAMED_PART_ALONE = 0.5;
/*
 * A load gathers its value from several stores if these cost it less than GATHERS_PART of what they cost a load that
 * has to wait for them, and waits itself from WAITS_PART of that on; what lies between is undecided. Chosen: a half,
 * and half of the rest. jia.je's Apple M4 efficiency core gathers from 8 stores in 11 cycles, from one in 7.
 */
static const double GATHERS_PART = 0.5;
static const double WAITS_PART = 0.75;
/*
 * Factor between two neighbouring times of pairs of cores from which they belong to different classes. Within a class
 * the distance to the home of a line makes at most such a difference: 44 to 51 ns on a server's mesh, 20 to 35 on a
 * ring. Across the border of a cluster it is 2 and more (results of core-to-core-latency, 2023 to 2026).
 */
static const double CLUSTER_GAP = 1.3;
/*
 * Cores of a set, one after the other, that are nearer to no other core of it, from which on the rest of the set is taken
 * to be as far apart. Where every second core of a set has a near one, as with two threads in half of all cores, four
 * drawn at random are all without one in one case of 16; where each has one, never.
 */
static const double CLUSTER_LONELY = 4;
/*
 * How many times as long a kernel takes that needs all of the core's width while another processor is busy. Threads of
 * one core take turns: twice, or less where the other one leaves slots free; from half as long again on they are
 * siblings. Cores of their own take as long as before, but for what a shared cache or a hypervisor adds: up to a
 * seventh longer, APART_UP_TO. Between these nothing is decided.
 */
static const double SIBLINGS_FROM = 1.5;
static const double APART_UP_TO = 1.15;
/*
 * Factor by which latency under load exceeds the least at the knee: up to there latency hardly depends on the
 * load. Chosen: a fifth, beyond what a latency of memory varies by while others use it, and far below twice, which
 * saturated memories exceed.
 */
static const double LOADED_KNEE = 1.2;
/*
 * Factor by which the bandwidth without pauses exceeds the most with pauses, at most, where it is saturated. Chosen:
 * what experiments that agree may differ by (lib/finding/tolerances.h, AGREE).
 */
static const double LOADED_SATURATES = 1.02;
/*
 * Part of the time of accesses to lines that this core has, by which accesses to lines that another core had may seem
 * shorter and still take as long. Chosen: what experiments that agree may differ by (lib/finding/tolerances.h, AGREE).
 */
static const double NO_TRANSFER_PART = 0.02;
/*
 * Factor by which the most of several passes over the same memory exceeds the least, at most (pass_range.c). Chosen:
 * latencies and bandwidths of memory vary by a fifth while others use it; beyond, nothing says which pass is right.
 */
static const double PASSES_APART = 1.2;

#endif
