/*
 * Prefetchers of code, by which lines are there after others were executed (docs/METHODS.md, 5.18). The kinds follow:
 *
 *   next         the line behind a single one, at odd and at even lines
 *   pair         the other half of an aligned pair, whichever half is executed, and not its neighbour on the other side
 *   stream up    after several lines in order, a line that a single one does not bring
 *   stream down  the same downwards
 */
#ifndef FATHOM_LIB_STRUCTURE_CODE_PREFETCHERS_H
#define FATHOM_LIB_STRUCTURE_CODE_PREFETCHERS_H

#include <stdbool.h>

#include "lib/structure/code_prefetch.h"

enum code_look {
    CODE_LOOK_ODD_1,
    CODE_LOOK_ODD_2,
    CODE_LOOK_ODD_4,
    CODE_LOOK_ODD_BEFORE,
    CODE_LOOK_EVEN_1,
    CODE_LOOK_EVEN_BEFORE,
    CODE_LOOK_EVEN_2_BEFORE,
    CODE_LOOK_UP_1,
    CODE_LOOK_UP_2,
    CODE_LOOK_UP_4,
    CODE_LOOK_DOWN_1,
    CODE_LOOK_DOWN_2,
    CODE_LOOKS,
    CODE_LOOK_ITSELF = CODE_LOOKS /* the line that was executed: it is surely there */
};

/* After which lines of a block another one is looked at, and how far behind the last of them that is. */
struct code_look_design {
    const char *after;     /* "odd line", "4 lines up" */
    unsigned first, count; /* line of a block that begins with an even line; lines */
    int step, line;        /* from one to the next: 1, -1; lines */
};

extern const struct code_look_design code_looks[CODE_LOOKS + 1];

enum code_prefetcher {
    CODE_PREFETCHER_NEXT,
    CODE_PREFETCHER_PAIR,
    CODE_PREFETCHER_UP,
    CODE_PREFETCHER_DOWN,
    CODE_PREFETCHERS
};

extern const char *const code_prefetcher_names[CODE_PREFETCHERS]; /* "next", "stream up" */

/* Whether looks decide if there is a prefetcher of that kind; then *found becomes whether there is. */
bool code_prefetcher_decided(const enum code_prefetch_effect looks[CODE_LOOKS], enum code_prefetcher kind, bool *found);

#endif
