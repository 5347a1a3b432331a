/*
 * Execution ports: a map says on which ports the operations of each instruction can run (docs/METHODS.md, 4.9).
 *
 * Model: an operation can run on a set of ports, one operation a port and cycle. A mix of instructions then takes as
 * many cycles as its worst bottleneck: the maximum, over sets Q of ports, of the number of operations that can run
 * nowhere else, over |Q| (Ritter and Hack, PMEvo, PLDI 2020, section 4; equal to the optimum of the linear program by
 * Hall's theorem). And no more than `width` instructions begin in a cycle.
 *
 * Hardware can be slower than this, where its schedulers bind operations to ports that turn out to be busy, and is
 * never faster: a mix that is faster than a map allows refutes the map, one that is slower counts less against it.
 */
#ifndef FATHOM_LIB_STRUCTURE_PORTS_H
#define FATHOM_LIB_STRUCTURE_PORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PORTS_CLASSES = 24, /* instructions at most */
    PORTS_MOST = 16,    /* ports at most */
    PORTS_OPS = 2,      /* operations with sets of their own that an instruction may be */
    PORTS_MIXES = 768,  /* mixes kept */
    PORTS_MAPS = 128    /* maps kept */
};

/* `times` operations, each of which can run on any one of the ports. */
struct ports_op {
    uint16_t ports; /* a bit each; 0: there is no such operation */
    uint16_t times;
};

/* What a mix is made of, and what it takes. */
struct ports_mix {
    uint8_t times[PORTS_CLASSES]; /* how many of each instruction */
    double cycles;
};

struct ports_map {
    size_t count; /* of instructions */
    struct ports_op ops[PORTS_CLASSES][PORTS_OPS];
    /* How well it fits the mixes it was compared with. */
    double loss;         /* sum of squared relative deviations, and a little for each further operation */
    double fast, slow;   /* the most that a mix is faster and slower than predicted; 0.02 is 2 % */
    unsigned slow_mixes; /* mixes slower by more than PORTS_SLOW … */
    unsigned mixes;      /* … of so many */
};

/* Measures the mix and sets its `cycles`. False: it could not be measured, and ports_solve gives up. */
typedef bool ports_measure(void *context, struct ports_mix *mix);

/* What is known of the instructions of a core: mixes that were measured, and maps that fit them. */
struct ports {
    size_t count;    /* of instructions */
    double width;    /* instructions that begin in a cycle at most; infinite: unlimited. ports_solve may lower it */
    unsigned budget; /* mixes that may be measured besides each instruction alone and each pair */
    ports_measure *measure;
    void *context;
    /* Results. */
    struct ports_mix mixes[PORTS_MIXES]; /* the first ones are each instruction alone, once */
    size_t mix_count;
    double limit;                      /* `width` as it was given */
    double reached;                    /* the most instructions a cycle of any mix */
    struct ports_map maps[PORTS_MAPS]; /* the best one first; those after it fit, too */
    size_t map_count;
    bool fits; /* the first map fits */
    bool rare; /* maps fit of which one mix in PORTS_RARE_ONE_IN is slow, since no other map does */
    /* PORTS_VERIFIED random mixes have not refuted the first map; else none fits, or budget or room was spent. */
    bool verified;
};

/* Cycles that a mix takes by this map. */
double ports_cycles(const struct ports_map *map, double width, const struct ports_mix *mix);
/* How many ports the map has. */
unsigned ports_used(const struct ports_map *map);
/* Compares the map with a mix that was measured: updates loss, fast, slow, slow_mixes and mixes. */
void ports_compare(struct ports_map *map, double width, const struct ports_mix *mix);
/*
 * Whether the map fits the mixes that it was compared with: none is faster than predicted by more than the part
 * PORTS_FAST, and none is slower by more than PORTS_SLOW; with `rare`, one mix in PORTS_RARE_ONE_IN may be slower.
 */
bool ports_fits(const struct ports_map *map, bool rare);
/* Numbers the ports by what runs on them: maps that differ only in numbers become equal. */
void ports_renumber(struct ports_map *map);

#endif
