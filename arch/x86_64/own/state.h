/* What all parts of arch/x86_64/own know: what own_start made, and what own_core_start found on the core in use. */
#ifndef FATHOM_ARCH_X86_64_OWN_STATE_H
#define FATHOM_ARCH_X86_64_OWN_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/own.h"
#include "arch/reader.h"
#include "arch/x86_64/own/lfence.h"
#include "arch/x86_64/own/page_tables.h"

/* What all cores share: set by own_start. */
struct own_state {
    const struct own_services *services;
    struct page_tables tables;
    void *stack;
    uintptr_t stack_top; /* in the high half */
};

/* What says which memory is cached, and how, on one core. */
struct memory_types {
    bool known;
    uint64_t mtrr_default, pat; /* 0 where there is no such register */
};

/* The core in use: set by own_core_start. */
struct core_state {
    own_runner *runner; /* NULL: the one that booted */
    struct lfence lfence;
    uint64_t cr4_set; /* bits of CR4 that a window adds */
    enum reader_counters counters;
    const char *no_cycles; /* why the reader has no cycle counter; NULL where it has one */
    bool counts_smis;      /* MSR_SMI_COUNT can be read */
    bool shows_heat;       /* IA32_THERM_STATUS can be read */
    struct memory_types memory_types;
};

/* What all cores share in this program. */
extern struct own_state own;
/* The core in use in this program. */
extern struct core_state core;

#endif
