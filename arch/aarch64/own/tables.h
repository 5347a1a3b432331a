/*
 * Translation tables: built here, walked by the core.
 *
 * No system register is touched, so that the same code runs in a test on any computer.
 *
 *     granule   bits an address gives each level     block sizes (level)
 *     4 KiB     9 | 9 | 9 | 9 | 12 (levels 0 to 3)   1 GiB (1), 2 MiB (2)
 *     16 KiB    1 | 11 | 11 | 11 | 14                32 MiB (2)
 *     64 KiB    6 | 13 | 13 | 16 (levels 1 to 3)     512 MiB (2)
 *
 * Arm ARM DDI 0487, D8.2 (translation process) and D8.3 (descriptor formats).
 */
#ifndef FATHOM_ARCH_AARCH64_OWN_TABLES_H
#define FATHOM_ARCH_AARCH64_OWN_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/access.h"
#include "arch/own.h"

/* What is mapped: its permissions and memory type. */
enum table_use {
    TABLE_DATA,       /* read-write, never executable */
    TABLE_CODE,       /* executable, read-only */
    TABLE_CONTIGUOUS, /* data, with the hint that the frames of a whole group follow each other */
    TABLE_DEVICE,     /* registers of a device, never executable */
    TABLE_FIRMWARE,   /* read-write and executable: the low half of the EL1 worker, with code and data of the image */
};

/* Translation tables of one half of the address space. */
struct tables {
    const struct own_services *services; /* where tables come from */
    unsigned granule_bits;               /* 12, 14 or 16 */
    unsigned address_bits;               /* of the addresses translated */
    unsigned memory_index;               /* of MAIR_EL1, normal write-back memory */
    int device_index;                    /* of MAIR_EL1, device memory, for TABLE_DEVICE alone */
    bool large_addresses;                /* TCR_EL1.DS: 4 KiB and 16 KiB descriptors have no shareability */
    uint64_t *root;                      /* NULL when there are no tables */
};

/* Bits of the addresses in each half. */
enum {
    HIGH_ADDRESS_BITS = 39, /* 512 GiB, a size that TCR_EL1.T1SZ can say with every granule */
    LOW_ADDRESS_BITS = 48,
};

/* Whether `mmfr0`, an ID_AA64MMFR0_EL1, announces the granule of 2^bits bytes. */
bool granule_supported(uint64_t mmfr0, unsigned bits);
/*
 * Writes the page and block sizes above of the granules that `mmfr0`, an ID_AA64MMFR0_EL1, announces to `out`,
 * ascending, ended by 0.
 */
void granule_page_sizes(uint64_t mmfr0, size_t out[10]);
/*
 * The granule that has pages or blocks of this size, as the logarithm to base 2 of its bytes: 12, 14 or 16; 0 where
 * none has.
 */
unsigned granule_of(size_t page_bytes);

/*
 * Size in bytes of the groups of pages of that size for which the contiguous hint can be given; 0 where no granule has
 * pages of that size.
 */
size_t granule_group_bytes(size_t page_bytes);

/*
 * The fields of TCR_EL1 that are for the high half (T1SZ … TG1), for HIGH_ADDRESS_BITS and a granule of 2^granule_bits
 * bytes.
 */
uint64_t tcr_high_half(unsigned granule_bits);
/* The bits of TCR_EL1 that are for the high half. */
extern const uint64_t tcr_high_half_mask;
/*
 * The whole of TCR_EL1 for a low half of LOW_ADDRESS_BITS with the 4 KiB granule, and no high half; `mmfr0` is the
 * core's ID_AA64MMFR0_EL1.
 */
uint64_t tcr_low_half(uint64_t mmfr0);

/*
 * Checks TCR2_EL1, read through `a`, for settings of the firmware at EL1 that give our descriptors another meaning:
 * 128-bit descriptors, indirect permissions, the Protected attribute. Returns a sentence that names the first one; NULL
 * where there is none, the core lacks the register, or it cannot be read, since it then acts as 0. Nothing else is
 * checked. For firmware that runs at EL1 only.
 */
const char *translation_unlike(const struct access *a);
/* The index in `mair`, a MAIR_EL1, of normal memory, write-back and read-allocating inside and outside; -1: none. */
int memory_index_write_back(uint64_t mair);
/* The index in `mair`, a MAIR_EL1, of device memory that neither gathers nor reorders accesses; -1: none. */
int memory_index_device(uint64_t mair);

/* Makes an empty root; the other members of *t must be set. False when memory is short. */
bool tables_start(struct tables *t);
/*
 * Maps `bytes` bytes from `virtual` on to those from `physical` on, with pages or blocks of page_bytes, a size that the
 * granule of *t has. All three must be multiples of page_bytes, and with TABLE_CONTIGUOUS of a whole group. NULL, or
 * the reason; then nothing new is mapped.
 */
const char *tables_map(struct tables *t, uint64_t virtual, uint64_t physical, uint64_t bytes, size_t page_bytes,
                       enum table_use use);
/*
 * Returns whether the access flag of the page or block mapped at `virtual`, of that size, is set, and clears it. The
 * page must be mapped.
 */
bool tables_accessed(struct tables *t, uint64_t virtual, size_t page_bytes);
/*
 * Maps each address of the range to the physical address of the same number, with the largest blocks that fit; the
 * granule of *t is 4 KiB. NULL, or the reason; then a part of the range may be mapped.
 */
const char *tables_map_identity(struct tables *t, const struct own_range *range, enum table_use use);
/* Frees the root and all tables below it; t->root becomes NULL. */
void tables_free(struct tables *t);

#endif
