/* Tests for the counters of every vendor, on a modelled register file that counts. */
#ifndef FATHOM_TESTS_REGISTERS_COUNTERS_H
#define FATHOM_TESTS_REGISTERS_COUNTERS_H

#include "arch/counters.h"
#include "tests/registers/model.h"

/* A modelled core: its registers, and how they change when it executes. */
struct counting_core {
    void (*build)(struct model *m);
    void (*execute)(struct model *m, uint64_t instructions, uint64_t cycles);
};

/* Finds the counters; fails the test when a register was written or there are none. */
void expect_counters(const struct counting_core *core, struct model *m, struct counters *have);
/* Proves every counter as a caller does. NULL, or the first verdict against a counter. */
const char *prove_counters(const struct counting_core *core, struct model *m, const struct counters *have);
/*
 * Programs these settings, starts, stops, reads and restores: afterwards every register is as it was found. Then the
 * same with each access in turn made to fault: the caller gets the fault, and only the register that faulted may
 * differ.
 */
void survive_every_fault(const struct counting_core *core, const struct counter_setting *list, size_t count);
/* Makes each access of counters_find fault in turn: it must report that, unless the register is dispensable. */
void find_despite_every_fault(const struct counting_core *core, const uint32_t dispensable[], size_t count);

#endif
