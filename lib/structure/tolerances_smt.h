/* Thresholds of what threads of a core share. */
#ifndef FATHOM_LIB_STRUCTURE_TOLERANCES_SMT_H
#define FATHOM_LIB_STRUCTURE_TOLERANCES_SMT_H

/*
 * A curve rises where what does not fit takes so many times as long as what fits. A miss of a data TLB adds 5 cycles or
 * more to a load of 5, and two operations in sequence take twice what they take at once, less where the delivery of
 * fillers takes as long as one of them: a rise by half. Chosen: below that, and far above any noise.
 */
static const double BESIDE_RISE = 1.3;
/*
 * So many times what fits does not fit, and a part as small fits: where the second search begins and ends. A set of a cache
 * of four ways is full at the former. Chosen: the nearest that leaves all of the rise between them.
 */
static const double BESIDE_BEYOND = 1.33;
/*
 * How far a share, a part of what fits while the sibling sleeps, may be from one half or all to be that. Instructions that
 * enter together by up to 8 of 128 entries, and the two that are waited for, move half of the reorder buffer by 5 of 64; a
 * structure of which a part is kept for each thread shows up in its middle between half and all, as SMTcheck's 53 of 70
 * and 90 of 97 do.
 */
static const double SHARE_WITHIN = 0.06;
/*
 * What is found beside a sleeping sibling is within this part of what the structure's own probe has found: a cache of four
 * ways is half overflowed an eighth beyond its end, and fillers fit that are fewer by the operations around them. Chosen:
 * a little more than that.
 */
static const double KNOWN_WITHIN = 0.15;

#endif
