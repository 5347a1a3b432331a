/*
 * A predictor of conditional branches by the history of all branches, as the modelled core may have one. Its tables
 * are indexed by the branch and the latest entries of the history: the whole history, half of it, a quarter and so on.
 * Of the tables that know the branch, the one with the longest history decides (TAGE: Seznec and Michaud 2006, much
 * simplified).
 */
#ifndef FATHOM_TESTS_MODEL_HISTORY_H
#define FATHOM_TESTS_MODEL_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

enum history_kind {
    HISTORY_TAKEN, /* conditional */
    HISTORY_NOT_TAKEN,
    HISTORY_UNCONDITIONAL,
    HISTORY_INDIRECT,
    HISTORY_CALL,
    HISTORY_RETURN,
    HISTORY_KINDS
};

enum { HISTORY_MAXIMUM = 256, HISTORY_TABLES = 8, HISTORY_ENTRIES = 4096 };

struct history {
    unsigned span; /* entries of the history that are used */
    bool enters[HISTORY_KINDS];

    uint64_t entries[HISTORY_MAXIMUM]; /* a ring */
    unsigned newest;
    struct {
        uint64_t key;
        bool taken;
    } tables[HISTORY_TABLES][HISTORY_ENTRIES]; /* the whole span first */
};

/* A branch went from pc to target, and enters the history if its kind does. */
void history_enter(struct history *h, enum history_kind kind, uint64_t pc, uint64_t target);
/* Predicts the branch at pc in *believed. False where no table knows it. The tables learn whether it was taken. */
bool history_predict(struct history *h, uint64_t pc, bool taken, bool *believed);

/* A hash: the finalizer of SplitMix64. */
uint64_t history_mix(uint64_t x);

#endif
