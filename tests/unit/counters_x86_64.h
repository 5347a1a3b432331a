/* For the tests of Intel's and AMD's counters: one modelled core, and what its counters count. */
#ifndef FATHOM_TESTS_COUNTERS_X86_64_H
#define FATHOM_TESTS_COUNTERS_X86_64_H

#include "tests/unit/counters_of_core.h"

static const char *const selector_names[] = {"PERFEVTSEL0", "PERFEVTSEL1", "PERFEVTSEL2", "PERFEVTSEL3", "PERFEVTSEL4",
                                             "PERFEVTSEL5", "PERFEVTSEL6", "PERFEVTSEL7", "PERFEVTSEL8", "PERFEVTSEL9"};
static const char *const count_names[] = {"PMC0", "PMC1", "PMC2", "PMC3", "PMC4",
                                          "PMC5", "PMC6", "PMC7", "PMC8", "PMC9"};

static void add(struct model_register *r, uint64_t count, unsigned bits)
{
    r->value = (r->value + count) & ONES(bits);
}

static uint64_t of_event(uint64_t selector, uint64_t instructions, uint64_t cycles)
{
    switch (selector & 0xffff) {
    case 0xc0: return instructions;
    case 0x3c: return cycles;
    default: return instructions / 4;
    }
}

#endif
