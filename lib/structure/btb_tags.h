/*
 * Which high bits of a branch's address a level of branch target buffer distinguishes, from trials that show whether
 * it takes two branches for one.
 *
 * A level finds a branch by a set and a tag, each bit of which is an XOR of address bits. Two branches are taken for
 * one if what their addresses differ in changes none of these. A bit that does not show when it is inverted alone is in
 * none of them: it does not matter. Two bits that do not show when they are inverted together are in the same ones: the
 * level sees their XOR only. Folds of addresses make such pairs; sets of three bits and more, none of which fold in
 * pairs, are not sought, and make the verification by random differences fail where they exist.
 */
#ifndef FATHOM_LIB_STRUCTURE_BTB_TAGS_H
#define FATHOM_LIB_STRUCTURE_BTB_TAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/reason.h"

enum { BTB_TAG_BITS = 64, BTB_TAG_TEXT = 200 };

struct btb_tags {
    uint64_t masks[BTB_TAG_BITS]; /* address bits that show by their XOR, by the lowest of them */
    size_t count;
    uint64_t ignored;         /* bits that do not matter */
    unsigned checked, missed; /* differences drawn at random, and those of them that contradict the masks */
    unsigned unmeasured;      /* differences without a clear result */
    bool hidden;              /* some of those drawn at random should collide */
};

struct btb_tag_trial {
    /* Whether branches whose addresses differ in these bits are taken for one. False: the probe is over. */
    bool (*collide)(void *context, uint64_t difference, bool *result);
    void *context;
};

/*
 * Where levels show in the cost of a branch among more and more of them, four numbers of branches an octave. A level is
 * a row of points whose costs are alike. What the last octave costs is none, as no level holds so many. Stores in
 * second[] the second point of each row, where the level before has been left, and returns how many rows there are,
 * `most` at most.
 */
size_t btb_tags_levels(const double *cycles, size_t count, size_t *second, size_t most);
/* Finds the masks among these bits by inverting one and two at a time. False: the probe is over. */
bool btb_tags_find(const struct btb_tag_trial *t, uint64_t bits, struct btb_tags *out);
/*
 * Draws a difference to verify them with: in half of the cases one that should not show, in the others any. Returns it;
 * 0: none of that kind was drawn.
 */
uint64_t btb_tags_draw(const struct btb_tags *a, bool hidden, uint64_t *random);
/* Whether branches whose addresses differ in these bits should be taken for one. */
bool btb_tags_collide(const struct btb_tags *a, uint64_t difference);
/* Writes the masks as text, "12 13 18^30", or single bits, "31 32". */
void btb_tags_text(const uint64_t *masks, size_t count, char out[BTB_TAG_TEXT]);
void btb_tags_bits_text(uint64_t bits, char out[BTB_TAG_TEXT]);

#endif
