/*
 * Tolerances of what limits a kernel of the user (docs/METHODS.md, 6.10): what each one means, its unit, and where its
 * value comes from.
 */
#ifndef FATHOM_LIB_STRUCTURE_TOLERANCES_USER_H
#define FATHOM_LIB_STRUCTURE_TOLERANCES_USER_H

/*
 * Part of its cycles by which a kernel must become faster for what was taken away to be a limit, and part by which it
 * must be faster than with NOPs in its place. Chosen: several times
 * the 1 % by which readings differ; a chain that is no limit leaves the kernel as it is.
 */
static const double USER_FASTER_PART = 0.05;
/*
 * Part of its cycles that added operations should take if they take any; at least one is added. Chosen so that they
 * show, and change little else; no test: what is decided is by part of what so many operations take.
 */
static const double USER_ADDED_PART = 0.1;
/*
 * Part of what added NOPs take alone by more than which the kernel must become slower for it to be limited by the
 * number of instructions. Where they find room it is 0, where they find none 1, or a half where a core keeps two NOPs
 * as one.
 */
static const double USER_WIDTH_PART = 0.4;
/*
 * The same of other operations. On Zen 4 it is 0.5 to 0.7 of shifts, multiplications and stores where the units of
 * additions, or of loads, are used up that these need too (measured), and 1 where their own units are.
 */
static const double USER_UNIT_PART = 0.75;
/*
 * From this part on they do more than take a unit: on Zen 4 a store to another line delays stores to one by 2
 * (measured).
 */
static const double USER_UNIT_PART_MOST = 1.5;
/*
 * Part of what added operations take alone by more than which the kernel becomes slower where they take entries of a
 * queue, or of the reorder buffer, that is full. An entry costs as long as it is kept, divided by how many there are:
 * 200 cycles of memory and 320 entries are 0.6 cycles, 4 times what a NOP takes where 6 begin in a cycle. What takes a
 * unit costs once, a store to another line on Zen 4 twice (above).
 */
static const double USER_QUEUE_PART = 3;
/*
 * How many times as much as a short NOP a long one costs where the bytes of the code limit: 4 to 8 times where it is 8
 * bytes long and the other one or two; twice where a core keeps two short ones as one, once elsewhere.
 */
static const double USER_FETCH_RATIO = 2.8;
/*
 * Part by which operations that have more units take less time each than others. Chosen: below 11 %, by which eight and
 * nine units differ, and above the 6 % that the loop around them adds to operations that share a unit with it.
 */
static const double USER_MORE_UNITS_PART = 0.09;

#endif
