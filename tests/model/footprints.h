/*
 * Published branch histories, bit by bit: the rows of public tables (jiegec/cpu, docs/cbp.md; arXiv 2411.13900 for
 * Apple's and Qualcomm's cores), as registers of the modelled core's history.
 */
#ifndef FATHOM_TESTS_MODEL_FOOTPRINTS_H
#define FATHOM_TESTS_MODEL_FOOTPRINTS_H

#include <stddef.h>

#include "tests/model/history.h"

struct published_history {
    const char *cores;
    bool of_x86_64;        /* else of AArch64 */
    bool only_conditional; /* no other branches enter */
    struct history_register registers[HISTORY_REGISTERS];
};

size_t published_histories(void);
/* The row of that number. */
struct published_history published_history(size_t row);
/* A history of the same form, drawn at random: one register, bits of both addresses, XORs of up to three of them. */
struct published_history random_history(uint64_t *random, bool of_x86_64);

#endif
