/*
 * A predictor of conditional branches with tagged tables (TAGE: Seznec and Michaud 2006), as the modelled core may have
 * one. Each table is indexed, and its entries are tagged, by bits of the branch's address and by the latest bits of the
 * history's registers (tests/model/history.h), of which each table uses another number, folded by exclusive or. Of the
 * entries whose tag matches, the one of the longest history predicts; without one, a base table does, which is indexed
 * by bits of the address alone. A misprediction allocates an entry in the next longer table that has one to spare.
 */
#ifndef FATHOM_TESTS_MODEL_TAGE_H
#define FATHOM_TESTS_MODEL_TAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/model/history.h"

enum { TAGE_TABLES = 8, TAGE_BITS = 16, TAGE_ENTRIES = 16384 /* of a table, at most */ };

struct tage_design {
    unsigned tables;                                  /* 0: there is no such predictor */
    unsigned history[TAGE_TABLES][HISTORY_REGISTERS]; /* bits of each register, the shortest history first */
    unsigned ways, index_bits, tag_bits;              /* of each table */
    uint64_t index_pc[TAGE_BITS], tag_pc[TAGE_BITS];  /* address bits that are XORed in each bit */
    unsigned base_bits, base_low;                     /* of the base table's index; the lowest address bit in it */
};

struct tage;

struct tage *tage_new(const struct tage_design *d);
void tage_free(struct tage *t);
/* The set of that table which a branch is looked up in, as entries from the table's beginning, and its tag there. */
uint64_t tage_set(const struct tage_design *d, const struct history *h, unsigned table, uint64_t pc, uint16_t *tag);
/* The branch at pc was taken or not, with that history. Whether it was predicted right; the tables learn. */
bool tage_predict(struct tage *t, const struct history *h, uint64_t pc, bool taken);

#endif
