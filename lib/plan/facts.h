/*
 * Facts: what the run knows about the core. Declared facts come from identification registers and tables of the
 * firmware; what a probe finds with a grade replaces them. They have the names and variants of findings.
 */
#ifndef FATHOM_LIB_PLAN_FACTS_H
#define FATHOM_LIB_PLAN_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "arch/identify.h"

struct fact {
    const char *name;        /* "memory.cache.bytes" */
    char variants[48];       /* "level=1", in the order of the finding's fields; "" where there are none */
    double value, low, high; /* low = high = value for what is declared */
    char grade;              /* 'D' declared, else the finding's: 'A', 'B', 'C' */
    char source[40];         /* "cpuid.4", "ccsidr_el1", "acpi pptt", "sysfs"; the probe's name for what was measured */
};

/* All zero: nothing is known. */
struct facts {
    struct fact *all;
    size_t count, room;
};

/*
 * Adds a fact, or replaces the one of the same name and variants unless that has a better grade (A, B, C, D). A value
 * of NaN adds nothing. False when there is no memory.
 */
bool facts_set(struct facts *f, const struct fact *fact);
void facts_forget(struct facts *f);
/* The best fact, or NULL. Its variants must include the words of `variants`. Valid until a fact is set. */
const struct fact *facts_find(const struct facts *f, const char *name, const char *variants);
/* Its value; `otherwise` where nothing is known. */
double facts_number(const struct facts *f, const char *name, const char *variants, double otherwise);

/*
 * Adds what the core, firmware or system declares, under the names that findings have: memory.cache.* and, for
 * instruction caches, frontend.l1i.*; memory.dtlb.entries with page and access, and frontend.itlb.entries. A unified
 * structure becomes a fact of both sides. Arrays of one level for the same page size are added up. Where two sources
 * declare a cache or a TLB the first one counts, so the better source comes first. False when there is no memory.
 */
bool facts_declare(struct facts *f, const struct identity_cache *caches, size_t cache_count,
                   const struct identity_tlb *tlbs, size_t tlb_count);

/* True when each word of `wanted` is among the words of `variants`, both separated by blanks. */
bool variants_cover(const char *wanted, const char *variants);

#endif
