/*
 * Execution ports from throughputs: which operations share units, without counters.
 *
 * Model: every operation of an instruction can run on a set of ports, one operation a port and cycle. A mix of
 * instructions then takes as many cycles as its worst bottleneck: the maximum, over sets Q of ports, of the number of
 * operations that can run nowhere else, over |Q| (Ritter, Hack: PMEvo, PLDI 2020, 4; equal to the optimum of the
 * linear program by Hall's theorem). And no more than `width` instructions begin in a cycle. That is told, by the rate of
 * NOPs; where no map fits so, it is the most that any mix reached, since NOPs may take less than an instruction does (Zen
 * packs two short ones into one).
 *
 * Hardware can be slower than this, where its schedulers bind operations to ports that turn out to be busy, and is
 * never faster: what is faster than a map allows refutes the map, what is slower counts less against it.
 *
 * The search takes one instruction after the other, those with most ports first. Ports which the instructions so far
 * do not tell apart are interchangeable, so a new one's set is only how many it takes of each kind, and how many
 * ports of its own. The best of those maps are kept at each step (a beam). Where no map fits, the instruction without
 * which the others fit best is taken to be more than one operation, each on the ports of others or on its own, and is
 * placed last. Where several maps fit, the mix over which they disagree most is measured next.
 */
#ifndef FATHOM_LIB_FIT_PORTS_H
#define FATHOM_LIB_FIT_PORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PORTS_CLASSES = 16, /* instructions at most */
    PORTS_MOST = 16,    /* ports at most */
    PORTS_OPS = 2,      /* operations with sets of their own that an instruction may be */
    PORTS_MIXES = 640,  /* measurements at most */
    PORTS_MAPS = 128    /* maps kept */
};

/* So many operations that run on any of these ports. */
struct ports_op {
    uint16_t ports; /* a bit each; 0: there is no such operation */
    uint16_t times;
};

struct ports_map {
    size_t count; /* of instructions */
    struct ports_op ops[PORTS_CLASSES][PORTS_OPS];
    double loss;       /* squared deviations of what was measured, and a little for what makes the map complicated */
    double fast, slow; /* what was measured is at most that much faster and slower than the map says: 0.02 is 2 % */
    unsigned slow_mixes, mixes; /* those slower by more than PORTS_SLOW, and all */
};

struct ports_mix {
    uint8_t times[PORTS_CLASSES]; /* of each instruction */
    double cycles;
};

/* Fills in `cycles`. False ends everything: the reason has been told. */
typedef bool ports_measure(void *context, struct ports_mix *mix);

struct ports {
    size_t count;    /* of instructions */
    double width;    /* instructions that begin in a cycle, at most; infinite: no matter. Then what the map needs */
    unsigned budget; /* measurements, besides those of each instruction alone and of each pair */
    ports_measure *measure;
    void *context;
    /* Results. */
    struct ports_mix mixes[PORTS_MIXES];
    size_t mix_count;
    double limit, reached;             /* instructions in a cycle: the width that was told, the most of any mix */
    struct ports_map maps[PORTS_MAPS]; /* the best one first; those after it fit, too */
    size_t map_count;
    bool
        fits; /* the first map does: no mix is faster by more than PORTS_FAST, and none slower by more than PORTS_SLOW … */
    bool verified; /* and has predicted what was drawn by chance afterwards; else the budget was spent before */
    bool rare;     /* … but one in ten, since no map at all fits otherwise */
};

/* What is timed is that good (DESIGN 4, the gates), and so much slower may schedulers be. */
#define PORTS_FAST 0.02
#define PORTS_SLOW 0.08

/* Cycles a mix takes by this map. */
double ports_cycles(const struct ports_map *map, double width, const struct ports_mix *mix);
/* Measures and solves. False: a measurement failed, or memory is short. */
bool ports_solve(struct ports *p);
/* A mix of three to six instructions, drawn by chance: as many of each as saturate what they run on, or `any` ratios. */
struct ports_mix ports_random_mix(const struct ports *p, uint64_t *random, bool any);
/* How many ports the map has. */
unsigned ports_used(const struct ports_map *map);

#endif
