/*
 * What the core that runs this declares of itself. Works at any privilege level: registers that cannot be read there
 * are left out.
 */
#ifndef FATHOM_ARCH_IDENTIFY_H
#define FATHOM_ARCH_IDENTIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A raw identification value: "cpuid.00000007.1.ebx", "midr_el1". */
struct identity_value {
    char name[28];
    uint64_t value;
};

/* What the core is, and what it runs under. */
struct identity {
    char core_name[32];      /* as in the published values: "zen4", "golden-cove", "neoverse-n1"; "" if unknown */
    char model[64];          /* for people: brand string, or implementer and part */
    char hypervisor[32];     /* "" where none is announced */
    bool emulator;           /* the name announced is that of an instruction emulator */
    double tick_hz;          /* declared frequency of the time stamp, 0 where it is not declared */
    bool tick_rounded;       /* that frequency is given in whole MHz: one that is measured is more exact */
    bool tick_by_firmware;   /* firmware wrote it where the core only stores it: it may be wrong */
    const char *tick_source; /* "cpuid.15", "cpuid.16", "cpuid.40000010", "cntfrq_el0", or NULL */
};

/* A frequency that the core declares for the time stamp. */
struct identity_tick {
    const char *source; /* as tick_source above */
    double hz;
    bool rounded; /* as tick_rounded above */
};
enum { IDENTITY_TICKS = 3 };

/* Bits of the member `holds`: what a cache or TLB is for. */
enum { HOLDS_DATA = 1, HOLDS_INSTRUCTIONS = 2 };
/*
 * Room that is enough for the caches, and for the TLBs, of any core: seven levels of two caches (CLIDR_EL1), a dozen
 * TLB arrays with four page sizes.
 */
enum { IDENTITY_CACHES = 16, IDENTITY_TLBS = 48 };

/* A cache as the core, the firmware or the system declares it. What is not declared is 0. */
struct identity_cache {
    unsigned level; /* 1 is nearest to the core */
    unsigned holds; /* HOLDS_DATA, HOLDS_INSTRUCTIONS, or both */
    uint64_t bytes;
    unsigned ways; /* the number of lines where it is fully associative */
    unsigned line_bytes;
    const char *source; /* "cpuid.4" */
};

/* The entries of a TLB for one page size; a TLB for several page sizes has several of these. */
struct identity_tlb {
    unsigned level;
    unsigned holds;
    unsigned entries;
    bool loads, stores; /* of data: which accesses use it */
    unsigned array;     /* those with the same number share their entries; 0: not declared */
    const char *page;   /* as the variants of findings: "4k", "2m", "1g" */
    const char *source;
};

/*
 * With false, identification registers that trap at this privilege level are taken as zero from now on, where nothing
 * emulates them (AArch64 at EL0 without HWCAP_CPUID). The default is true. On x86-64 it has no effect.
 */
void identify_may_trap(bool may);
/* Fills in *id for the core that runs this. */
void identify(struct identity *id);
/*
 * Writes the frequencies that the core declares for the time stamp to `out`, the best source first. Returns how many.
 */
size_t identify_ticks(struct identity_tick out[IDENTITY_TICKS]);
/*
 * Writes the type of the core that runs this: "P" (performance), "E" (efficiency), "" where none of its registers says.
 */
void identify_core_type(char out[4]);
/*
 * Width in bits of the widest vectors that the core has and the system has enabled: 128, or more on x86-64, one of
 * those that emit_wide_bits lists.
 */
unsigned identify_vector_bits(void);
/*
 * Length in bits of scalable vectors (SVE) as it is set now; 0 where the core has none or the system lets none be used.
 */
unsigned identify_scalable_bits(void);
/* Bytes that one instruction sets to zero (DC ZVA); 0 where this core has none or it is prohibited. */
size_t identify_zero_bytes(void);
/*
 * Writes identification registers to `out`, in a fixed order: on x86-64 the leaves of CPUID, on AArch64 registers that
 * describe the core, 0 for one that cannot be read. What differs between cores of one machine, such as their numbers,
 * is left out or 0. Returns how many values, at most `room`.
 */
size_t identify_raw(struct identity_value *out, size_t room);
/*
 * Writes the caches that the core declares to `out`. `privileged`: registers that a process must not read may be read.
 * Returns how many, at most `room`.
 */
size_t identify_caches(struct identity_cache *out, size_t room, bool privileged);
/*
 * Writes the TLBs that the core declares to `out`. Returns how many, at most `room`; 0 on AArch64, where no register
 * describes them.
 */
size_t identify_tlbs(struct identity_tlb *out, size_t room);

#endif
