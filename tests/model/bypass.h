/*
 * Ways between units of a modelled core: how long an operand takes to be ready depends on what made it and on what
 * needs it.
 */
#ifndef FATHOM_TESTS_MODEL_BYPASS_H
#define FATHOM_TESTS_MODEL_BYPASS_H

#include <stdbool.h>
#include <stdint.h>

/* Kinds of instruction that make a value, and kinds of operand that need one. */
enum bypass_kind {
    BYPASS_PLAIN,
    BYPASS_MULTIPLY, /* of general registers */
    BYPASS_LOAD,     /* needs an address */
    BYPASS_FLOAT,
    BYPASS_INTEGER, /* of vectors */
    BYPASS_CONVERT,
    BYPASS_WAY, /* between general registers and vectors */
    BYPASS_MAKERS,
    /* sums of multiply-adds need a value, and are none of the kinds that make one */
    BYPASS_SUM = BYPASS_MAKERS,
    BYPASS_FLOAT_SUM,
    BYPASS_INTEGER_SUM,
    BYPASS_KINDS
};

struct bypass_design {
    bool differs;                  /* else all of it is left out */
    double latency[BYPASS_MAKERS]; /* of each kind, except for multiplications of general registers, and loads */
    double longer[BYPASS_MAKERS][BYPASS_KINDS]; /* cycles, by who made a value and by who needs it; or less than 0 */
};

#endif
