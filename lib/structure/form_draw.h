/*
 * Which forms of the catalogue a run measures: all that the configuration names (its key `forms`); where it names none,
 * as many as the profile allows, drawn so that each has the same chance.
 */
#ifndef FATHOM_LIB_STRUCTURE_FORM_DRAW_H
#define FATHOM_LIB_STRUCTURE_FORM_DRAW_H

#include <stddef.h>
#include <stdint.h>

#include "arch/catalogue.h"
#include "lib/probe/probe.h"

struct form_draw {
    struct probe *probe;
    const char *pattern;
    size_t next, left, wanted; /* the form that is looked at next; how many may still be drawn; how many will be */
    uint64_t random;
};

/* `wanted`: how many forms where the configuration names none. Probes that want as many draw the same ones. */
struct form_draw form_draw_start(struct probe *p, size_t wanted);
/* The next form, in the order of the catalogue, and a message to people now and then; NULL: there are no more. */
const struct form *form_draw_next(struct form_draw *d);

#endif
