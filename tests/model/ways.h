/*
 * Way prediction of a data cache: each line has a short tag, a hash of the address that it was used by last, and is
 * found only where the tag fits and no other line of the set has the same (Lipp et al. 2020, Take A Way).
 */
#ifndef FATHOM_TESTS_MODEL_WAYS_H
#define FATHOM_TESTS_MODEL_WAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WAY_MASKS = 12 };

struct way_design {
    bool predicted;
    unsigned count;
    uint64_t masks[WAY_MASKS]; /* XORed bits of the virtual address */
    bool carries;              /* no masks, but a sum of some bits of it and others */
};

struct ways {
    struct way_design design;
    size_t sets, ways;
    struct way_tag {
        uint64_t line, tag;
    } * tags; /* of each set, newest first; line 0: none */
};

struct ways ways_new(const struct way_design *design, size_t sets, size_t ways);
void ways_free(struct ways *w);
/* The line, by its frame, is used by that address. False where it was looked for in vain. */
bool ways_touch(struct ways *w, uint64_t address, uint64_t frame_address);

#endif
