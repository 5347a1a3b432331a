/*
 * A predictor of indirect branches with tagged tables (ITTAGE: Seznec 2011), as the modelled core may have one. Tables are
 * organised as those of tests/model/tage.h, but have targets in their entries; so has the base table, by the address alone.
 * Without tags and with one way, its table is one that is indexed by a hash of address and history.
 */
#ifndef FATHOM_TESTS_MODEL_ITTAGE_H
#define FATHOM_TESTS_MODEL_ITTAGE_H

#include "tests/model/tage.h"

struct ittage_design {
    struct tage_design tables; /* without any there is no such predictor */
    bool latest; /* the base table has the latest target of a branch; else one that was wrong twice leaves it */
};

struct ittage;

struct ittage *ittage_new(const struct ittage_design *d);
void ittage_free(struct ittage *t);
/* The branch at pc went to that target, with that history. Whether it was predicted right; the tables learn. */
bool ittage_predict(struct ittage *t, const struct history *h, uint64_t pc, uint64_t target);

#endif
