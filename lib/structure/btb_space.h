/*
 * The space of branch target buffer organisations that are considered, numbered, and what each of them holds of a
 * branch sequence. One organisation describes one level:
 *
 *   sets      one set, fully associative, of up to 512 ways; or 2^s sets of up to 16 ways
 *   index     s bits of the branch's address from bit `low` on, as they are or folded: XORed with as many bits above
 *             them. Where branches share an entry, the address of the first of them counts
 *   entry     one branch, or several as in enum btb_entry
 *
 * Method: docs/METHODS.md, 4.7.
 */
#ifndef FATHOM_LIB_STRUCTURE_BTB_SPACE_H
#define FATHOM_LIB_STRUCTURE_BTB_SPACE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/structure/btb_sequence.h"

/* Branches in the largest block of the space: a real one may hold more, which no sequence shows. */
enum { BTB_PER_ENTRY_MOST = 8, BTB_ORGANISATION_TEXT = 64 };

struct btb_organisation {
    struct btb_index index;  /* set_bits 0: a single, fully associative set */
    unsigned ways, ways_end; /* [ways, ways_end): more than one number where several sizes of a single set fit */
    enum btb_entry entry;
    unsigned per_entry; /* branches */
};

/* Writes the organisation as "2 ways of 512 sets, PC[10:2], single 1", cut to `room`. */
void btb_organisation_text(const struct btb_organisation *o, char *out, size_t room);
/* The part of a sequence that hits under LRU replacement, 0 to 1. */
double btb_organisation_resident(const struct btb_organisation *o, const struct btb_sequence *sequence);

struct btb_space {
    unsigned alignment;   /* of instructions, in bytes: no index bit is below it */
    bool any_replacement; /* else LRU */
    size_t rule_count;    /* rules by which branches share an entry */
    size_t count;         /* organisations */
};

/*
 * The space of all organisations for that alignment, a power of two. With any_replacement, blocks hold a power of two
 * of branches only: more would fit than is of use. Blocks are in organisations of several sets only.
 */
struct btb_space btb_space(unsigned alignment, bool any_replacement);
/* The organisation of that number, below s->count. */
struct btb_organisation btb_space_organisation(const struct btb_space *s, size_t number);
/*
 * The part of the sequence that each organisation holds: out[space.count]. A range with any_replacement, and where two
 * branches share an entry in a chain of an even number: which of them is the first is not known.
 */
void btb_space_predict(const struct btb_space *s, const struct btb_sequence *sequence, struct btb_part *out);
/*
 * Whether this organisation is not the same as another one of the space: false for blocks that have room for one
 * instruction only, which behave as BTB_SINGLE does.
 */
bool btb_space_distinct(const struct btb_space *s, const struct btb_organisation *o);

#endif
