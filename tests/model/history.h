/*
 * A predictor of conditional branches by the history of all branches, as the modelled core may have one. Its tables
 * are indexed by the branch and the latest entries of the history: the whole history, half of it, a quarter and so on.
 * Of the tables that know the branch, the one with the longest history decides (TAGE: Seznec and Michaud 2006, much
 * simplified).
 *
 * An entry is a branch with its target. Or the history is one or two registers of bits, as published for many cores:
 * each branch shifts a register and XORs a footprint into it, whose bits are XORs of bits of its address and its
 * target.
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

enum {
    HISTORY_MAXIMUM = 256,
    HISTORY_TABLES = 8,
    HISTORY_ENTRIES = 4096,
    HISTORY_REGISTERS = 2,
    HISTORY_WORDS = 10, /* of a register, of 64 bits each */
    HISTORY_FOOTPRINT = 64,
    HISTORY_GATE = 18
};

/* A register: all zeros, there is none. */
struct history_register {
    unsigned bits, shift;
    unsigned width; /* of the footprint */
    struct {
        uint64_t source, target; /* that are XORed in this bit of the footprint */
    } footprint[HISTORY_FOOTPRINT];
    uint64_t gated; /* bits of the target that enter bit 0, too, but only where the source has bit HISTORY_GATE */
};

struct history {
    unsigned span; /* entries of the history that are used; with registers 1 */
    bool enters[HISTORY_KINDS];

    struct history_register registers[HISTORY_REGISTERS]; /* the first one has bits: instead of entries */

    uint64_t entries[HISTORY_MAXIMUM];                /* the newest first */
    uint64_t words[HISTORY_REGISTERS][HISTORY_WORDS]; /* of the registers, the lowest bits first */
    struct {
        uint64_t key;
        bool taken;
    } tables[HISTORY_TABLES][HISTORY_ENTRIES]; /* the whole span first */
};

/* A call begins (tests/model/changes.h). */
void history_save(const struct history *h);
/* Shifts a register and XORs the footprint of a branch into it. */
void history_shift(const struct history_register *r, uint64_t words[HISTORY_WORDS], uint64_t source, uint64_t target);
/* A branch went from `source` to `target`, and enters the history if its kind does. */
void history_enter(struct history *h, enum history_kind kind, uint64_t source, uint64_t target);
/* Predicts the branch at pc in *believed. False where no table knows it. The tables learn whether it was taken. */
bool history_predict(struct history *h, uint64_t pc, bool taken, bool *believed);

/* A hash: the finalizer of SplitMix64. */
uint64_t history_mix(uint64_t x);

#endif
