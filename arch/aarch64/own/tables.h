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

enum table_use {
    TABLE_DATA,       /* read-write, never executable */
    TABLE_CODE,       /* executable, read-only */
    TABLE_CONTIGUOUS, /* data, with the hint that the frames of a whole group follow each other */
    TABLE_DEVICE,     /* registers of a device, never executable */
    TABLE_FIRMWARE,   /* read-write and executable: the low half of the EL1 worker, with code and data of the image */
};

struct tables {
    const struct own_services *services; /* where tables come from */
    unsigned granule_bits;               /* 12, 14 or 16 */
    unsigned address_bits;               /* of the addresses translated */
    unsigned memory_index;               /* of MAIR_EL1, normal write-back memory */
    int device_index;                    /* of MAIR_EL1, device memory, for TABLE_DEVICE alone */
    bool large_addresses;                /* TCR_EL1.DS: 4 KiB and 16 KiB descriptors have no shareability */
    uint64_t *root;                      /* NULL when there are no tables */
};

enum {
    HIGH_ADDRESS_BITS = 39, /* 512 GiB, a size that TCR_EL1.T1SZ can say with every granule */
    LOW_ADDRESS_BITS = 48,
};

/* Whether ID_AA64MMFR0_EL1 announces the granule of 2^bits bytes. */
bool granule_supported(uint64_t mmfr0, unsigned bits);
/* Page and block sizes of all granules announced, ascending, ended by 0. */
void granule_page_sizes(uint64_t mmfr0, size_t out[10]);
/* The granule that has pages or blocks of this size: 12, 14 or 16, and 0 where none has. */
unsigned granule_of(size_t page_bytes);

/* Size in bytes of the groups of pages of that size for which the contiguous hint can be given. */
size_t granule_group_bytes(size_t page_bytes);

/* The fields of TCR_EL1 for the high half (T1SZ … TG1), and which bits of it belong to that half. */
uint64_t tcr_high_half(unsigned granule_bits);
extern const uint64_t tcr_high_half_mask;
/* The whole of TCR_EL1 for a low half of 48 bits with the 4 KiB granule, and no high half. */
uint64_t tcr_low_half(uint64_t mmfr0);

/* At EL1: why the translation that the firmware has set up there does not read these tables; NULL: it does. */
const char *translation_unlike(const struct access *a);
/* The index in MAIR_EL1 of normal memory, write-back and read-allocating inside and outside; -1: none. */
int memory_index_write_back(uint64_t mair);
/* The index in MAIR_EL1 of device memory that neither gathers nor reorders accesses; -1: none. */
int memory_index_device(uint64_t mair);

/* Makes an empty root; the other fields must be set. False when memory is short. */
bool tables_start(struct tables *t);
/*
 * Maps with pages or blocks of page_bytes. `virtual`, `physical` and `bytes` must be multiples of page_bytes, and
 * with the contiguous hint of a whole group. NULL, or the reason; then nothing new is mapped.
 */
const char *tables_map(struct tables *t, uint64_t virtual, uint64_t physical, uint64_t bytes, size_t page_bytes,
                       enum table_use use);
/* Whether the access flag of the page or block mapped there, of that size, is set; clears it. */
bool tables_accessed(struct tables *t, uint64_t virtual, size_t page_bytes);
/* Maps each address to the physical address of the same number, with the largest blocks that fit; 4 KiB granule. */
const char *tables_map_identity(struct tables *t, const struct own_range *range, enum table_use use);
void tables_free(struct tables *t);

#endif
