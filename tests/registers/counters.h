/* What holds for the counters of every vendor, on a modelled register file that counts. */
#ifndef FATHOM_TESTS_REGISTERS_COUNTERS_H
#define FATHOM_TESTS_REGISTERS_COUNTERS_H

#include "arch/counters.h"
#include "tests/registers/model.h"

/* A modelled core: its registers, and what happens to them when it executes. */
struct counting_core {
    void (*build)(struct model *m);
    void (*execute)(struct model *m, uint64_t instructions, uint64_t cycles);
};

/* Finds the counters, which writes nothing, and expects that there are some. */
void expect_counters(const struct counting_core *core, struct model *m, struct counters *have);
/* Proves every counter as a caller does. NULL, or the first verdict that was not. */
const char *prove_counters(const struct counting_core *core, struct model *m, const struct counters *have);
/*
 * The settings programmed, started, stopped, read and restored: everything is as it was found. Then the same again and
 * again, with each access made to fault in turn: the caller is told, and nothing but the register that faulted differs.
 */
void survive_every_fault(const struct counting_core *core, const struct counter_setting *list, size_t count);
/* Each access of counters_find made to fault in turn: it says so, unless that register can be done without. */
void find_despite_every_fault(const struct counting_core *core, const uint32_t dispensable[], size_t count);

#endif
