/*
 * Facts: what the run knows about the core. Declared facts come from identification registers and tables of the
 * firmware; what a probe finds with a grade replaces them. They have the names and variants of findings.
 */
#ifndef FATHOM_LIB_PLAN_FACTS_H
#define FATHOM_LIB_PLAN_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "arch/identify.h"

struct form;       /* arch/catalogue.h */
struct emit_idiom; /* arch/emit_idioms.h */

struct fact {
    const char *name;        /* "memory.cache.bytes" */
    char variants[64];       /* "level=1", in the order of the finding's fields; "" where there are none */
    double value, low, high; /* low = high = value for what is declared */
    char grade;              /* 'D' declared, else the finding's: 'A', 'B', 'C' */
    char source[40];         /* "cpuid.4", "ccsidr_el1", "acpi pptt", "sysfs"; the probe's name for what was measured */
};

enum { FACT_UNITS = 24 };

/* The map of execution units, for probes that keep chosen units busy. */
struct fact_units {
    size_t count; /* of classes; 0: the map is not known */
    struct {
        const struct form *form; /* NULL: a load, or a store */
        bool is_store;
        uint16_t ports; /* a bit each: one operation, which runs on any of these; 0: it is more than one operation */
    } of[FACT_UNITS];
    double width; /* instructions that begin in a cycle at most; infinite: not known */
    /* What takes a slot of the front end and no unit: a NOP of that length, or `idiom` unless it is NULL. */
    unsigned nop_bytes;
    const struct emit_idiom *idiom;
};

/* Which of the other cores is a thread of this one. */
struct fact_sibling {
    enum { SIBLING_UNKNOWN, SIBLING_NONE, SIBLING_KNOWN } state; /* SIBLING_NONE: each is known to be none */
    unsigned core;
};

/* What is known about one core; begins as all zero, when nothing is known. facts_forget frees it. */
struct facts {
    struct fact *all;
    size_t count, room;
    struct fact_units units;
    struct fact_sibling sibling;
};

/*
 * Adds a copy of a fact. One of the same name and variants is replaced, unless its grade is better (A is best, then B,
 * C, D). A value of NaN adds nothing, and the result is true. False when there is no memory. fact->name is not copied:
 * it must stay valid.
 */
bool facts_set(struct facts *f, const struct fact *fact);
/* Frees all facts; nothing is known then. */
void facts_forget(struct facts *f);
/*
 * The fact of that name with the best grade, among those whose variants contain every word of `variants`, and of equal
 * grades the one that was added first; NULL: there is none. Valid until facts are added or forgotten.
 */
const struct fact *facts_find(const struct facts *f, const char *name, const char *variants);
/* The value of the fact that facts_find returns; `otherwise` where there is none. */
double facts_number(const struct facts *f, const char *name, const char *variants, double otherwise);

/*
 * Adds as facts of grade D what the core, firmware or system declares, under the names that findings have: bytes, ways
 * and line_bytes of memory.cache and, for caches of level 1 that hold instructions, of frontend.l1i;
 * memory.dtlb.entries with page and access, and frontend.itlb.entries. A unified TLB becomes facts of both sides. A
 * number that is 0 is not declared. A fact that is known already stays, so the caller puts the better source first;
 * only the entries of several TLB arrays of one level and source for the same page size are added up. False when there
 * is no memory for some fact; the others are added.
 */
bool facts_declare(struct facts *f, const struct identity_cache *caches, size_t cache_count,
                   const struct identity_tlb *tlbs, size_t tlb_count);

/* True when each word of `wanted` is among the words of `variants`, both separated by blanks. */
bool variants_cover(const char *wanted, const char *variants);

#endif
