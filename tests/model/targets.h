/*
 * A level of branch target buffer of a modelled core: LRU sets of branches with their targets. It distinguishes
 * branches by their whole addresses, or by a tag; then it may take a branch for another one, and finds that one's
 * target.
 */
#ifndef FATHOM_TESTS_MODEL_TARGETS_H
#define FATHOM_TESTS_MODEL_TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TARGET_FOLDS = 16 };

struct target_design {
    size_t sets, ways; /* 0: there is no such level */
    unsigned low;      /* the index begins at this address bit */
    bool hashed;       /* it is the exclusive or of those bits and as many above them */
    bool pairs;        /* an entry has a branch and the one at its target, if that one is unconditional */
    double cycles;     /* from one taken branch to the next, when this level has the next one */
    /*
     * Not 0: it has two branches at once, which take half of `cycles` each, where from the target of the first to the
     * end of the second there are at most that many bytes, …
     */
    unsigned two_bytes;
    bool two_cross;               /* … be it with the border of a line between them, … */
    bool two_lines;               /* … and be it that the first branch is in another line than the second */
    bool partial;                 /* branches are distinguished by a tag, not by their whole addresses: … */
    uint64_t tag;                 /* … by these address bits, … */
    uint64_t folds[TARGET_FOLDS]; /* … and by the exclusive or of each of these groups of bits; ended by 0 */
};

struct targets {
    struct target_design design;
    struct target_entry {
        uint64_t tag, target, second; /* second: the last byte of the branch at the target; 0: there is none */
    } * entries;                      /* of each set, the latest used first; a tag of 0 is empty */
    uint32_t *kept;                   /* of each set: changes_keep */
    struct target_entry *opened;      /* of the branch that was looked up last, if that is the first one of it */
    uint64_t branch, target;          /* of the branch that was looked up last; its last byte */
    bool two;                         /* that one and the one before it are taken at once */
};

enum target_found { TARGET_MISSING, TARGET_WRONG, TARGET_RIGHT };

struct targets targets_new(const struct target_design *d);
void targets_free(struct targets *t);
/* The branch whose last byte is there goes to `target`: what the level has for it. It knows that target afterwards. */
enum target_found targets_look_up(struct targets *t, uint64_t last_byte, uint64_t target, bool conditional);
/* Cycles that the branch that was looked up last takes where the level has it. */
double targets_cycles(const struct targets *t);

#endif
