/* Stands in for arch/counters.c and the counters of the platform, in tests of a machine without counters. */
#ifndef FATHOM_TESTS_NO_COUNTERS_H
#define FATHOM_TESTS_NO_COUNTERS_H

#include "lib/machine.h"

const struct counters *machine_counters(void)
{
    static const struct counters none = {.why_not = "this machine has no counters"};

    return &none;
}

const char *machine_count(const struct counter_setting *list, size_t count)
{
    (void)list;
    return count ? "this machine has no counters" : NULL;
}

const char *counters_lacks(const struct counters *have, uint64_t code)
{
    (void)have, (void)code;
    return "this machine has no counters";
}

const char *counters_proof_verdict(const struct counter_proof *proof, uint64_t more, uint64_t over_short,
                                   uint64_t over_long, uint64_t while_stopped)
{
    (void)proof, (void)more, (void)over_short, (void)over_long, (void)while_stopped;
    return "this machine has no counters";
}

#endif
