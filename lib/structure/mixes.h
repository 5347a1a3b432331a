/*
 * Mixes: independent instructions of several forms, loads and stores, repeated in a loop (docs/METHODS.md, 6.7). Their
 * cycles say which of them need the same units (lib/structure/ports.h).
 */
#ifndef FATHOM_LIB_STRUCTURE_MIXES_H
#define FATHOM_LIB_STRUCTURE_MIXES_H

#include "arch/catalogue.h"
#include "arch/emit_idioms.h"
#include "lib/probe/probe.h"
#include "lib/structure/ports.h"

enum { MIX_AREA_BYTES = 4096, MIX_SLOTS = 256, MIX_BLANK = 0xff, MIXES_KINDS = PORTS_CLASSES + 1 /* and blanks */ };

/* An instruction that takes a slot of the front end and no unit: a NOP of that length, or `idiom` unless it is NULL. */
struct mix_blank {
    unsigned nop_bytes;
    const struct emit_idiom *idiom;
};

/* The order of the instructions in the loop, which holds `mixes` mixes and blanks between them. */
struct mix_order {
    uint8_t kinds[MIX_SLOTS]; /* index of a class, or MIX_BLANK */
    size_t slots;             /* 0: there is no order, and `shuffled` below says how mixes are built */
    unsigned mixes;
    bool tail; /* one more blank before the loop's end */
};

struct mixes {
    const struct area *area; /* MIX_AREA_BYTES that loads and stores use */
    const char *classes[PORTS_CLASSES];
    const struct form *forms[PORTS_CLASSES]; /* not used of the load and the store */
    size_t count, load, store;               /* load, store: their indices; PORTS_CLASSES: there is none */
    struct ports_mix mix;                    /* to be built; all zeros: blanks alone */
    struct mix_blank blank;                  /* also those in `order` */
    struct mix_order order;
    bool shuffled; /* each kernel has a random order; else each kind is spread evenly */
};

/* Whether the core executes the form. */
typedef bool mixes_is_there(void *context, const struct form *f);
/*
 * Sets the classes and forms of mixes: the first `most` classes of the ISA's list that this core has; unless `more` is
 * NULL, those of form_units_more for which it is true; PORTS_CLASSES - 2 at most; then the load, and the store if `store`.
 */
void mixes_choose(struct mixes *m, size_t most, mixes_is_there *more, void *context, bool store);
/*
 * Spreads kinds, so many times[] of each, evenly over `count` slots: next is always the one that is furthest behind its
 * share. There are MIXES_KINDS kinds at most.
 */
void mixes_spread(const uint8_t *times, size_t kinds, uint8_t *all, size_t count);
/* Builds the kernel; `context` is the struct mixes, the unit is one mix, or one blank. False: the probe is over. */
bool mixes_build(struct probe *p, void *context, struct kernel *k);

#endif
