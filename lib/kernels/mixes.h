/*
 * Mixes: instructions of several forms, loads and stores, all independent of each other, over and over. What one takes
 * says which of them want the same units (lib/fit/ports.h).
 */
#ifndef FATHOM_LIB_KERNELS_MIXES_H
#define FATHOM_LIB_KERNELS_MIXES_H

#include "arch/catalogue.h"
#include "arch/emit_idioms.h"
#include "lib/fit/ports.h"
#include "lib/probe.h"

enum { MIX_AREA_BYTES = 4096, MIX_SLOTS = 256, MIX_BLANK = 0xff };

/* What takes the front end's time and no unit: NOPs of one length, or where `idiom` is told, that one. */
struct mix_blank {
    unsigned nop_bytes;
    const struct emit_idiom *idiom;
};

/* One order of what goes over and over: so many mixes, and blanks. */
struct mix_order {
    uint8_t kinds[MIX_SLOTS]; /* which of the forms, or MIX_BLANK */
    size_t slots;             /* 0: none, `shuffled` below says how mixes are built */
    unsigned mixes;
    bool tail; /* a blank more before the loop's end */
};

struct mixes {
    const struct area *area; /* MIX_AREA_BYTES that loads and stores use */
    const char *classes[PORTS_CLASSES];
    const struct form *forms[PORTS_CLASSES]; /* NULL: the load or the store */
    size_t count, load, store;               /* load, store: which of them they are; PORTS_CLASSES: none */
    struct ports_mix mix;                    /* to be built; all zeros: blanks */
    struct mix_blank blank;                  /* those in `order`, too */
    struct mix_order order;
    bool shuffled; /* the order is drawn by chance anew; else each is spread evenly */
};

/* The first `most` forms of the ISA's list, the load, and where `store` says so the store. */
void mixes_choose(struct mixes *m, size_t most, bool store);
/* The kernel; the unit is one mix, or one blank. `context` is the struct mixes. */
bool mixes_build(struct probe *p, void *context, struct kernel *k);

#endif
