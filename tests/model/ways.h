/*
 * Way prediction of a data cache. Each line has a short tag, a hash of the address that it was last used by, and a
 * load finds it only by an address of that tag. Lines of one set have different tags (Lipp et al. 2020, Take A Way).
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
    bool carries; /* no masks: the tag is a sum of two fields of the address, which is not linear over bits */
};

struct ways {
    struct way_design design;
    size_t sets, ways, line_bytes;
    struct way_tag {
        uint64_t line, tag;
    } * tags;       /* of each set, the latest first; line 0: none */
    uint32_t *kept; /* of each set: changes_keep */
};

struct ways ways_new(const struct way_design *design, size_t sets, size_t ways, size_t line_bytes);
void ways_free(struct ways *w);
/* The line of that frame is accessed by that address. False where prediction does not find it. */
bool ways_touch(struct ways *w, uint64_t address, uint64_t frame_address);

#endif
