/*
 * Access to registers of the core in use, where an access that faults is reported and does no harm.
 *
 * Everything that programs counters, prefetchers, clocks or speculation goes through this, so that
 * the same sequences run on UEFI, under Linux and on the register files that tests model. A register
 * is named by its number: on x86-64 that of the MSR, on AArch64 the operands of MRS and MSR as they
 * stand in the instruction, op0 << 14 | op1 << 11 | CRn << 7 | CRm << 3 | op2 (SYSTEM_REGISTER).
 */
#ifndef FATHOM_ARCH_ACCESS_H
#define FATHOM_ARCH_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct access {
    void *context;
    /* False when the access faulted; nothing has changed then, and *value is left alone. */
    bool (*read)(void *context, uint32_t id, uint64_t *value);
    bool (*write)(void *context, uint32_t id, uint64_t value);
    /* CPUID: eax, ebx, ecx, edx; zeros for a leaf that is not there. NULL on AArch64. */
    void (*cpuid)(void *context, uint32_t leaf, uint32_t subleaf, uint32_t out[4]);
};

#define SYSTEM_REGISTER(op0, op1, crn, crm, op2) \
    ((uint32_t)(op0) << 14 | (uint32_t)(op1) << 11 | (uint32_t)(crn) << 7 | (uint32_t)(crm) << 3 | (uint32_t)(op2))

/*
 * Changes that are to be undone. Only the bits of `mask` are changed, by reading the register, replacing them and
 * writing it; the bits found before are kept, and restored in the opposite order.
 */
struct change {
    const char *name; /* as in the manual: "MISC_FEATURE_CONTROL" */
    uint32_t id;
    uint64_t mask;
    uint64_t found; /* the bits of `mask` before */
    uint64_t wanted;
    uint64_t got; /* read back after */
};

/* Changes at most: the largest PMUv3 has 31 event selectors and 31 counters, besides its control registers. */
enum { CHANGES = 80 };

struct changes {
    const struct access *access;
    struct change list[CHANGES];
    size_t count;
    char why[96]; /* what changes_set returned last, when that was not NULL */
};

/*
 * Sets the bits of `mask` to those of `value`; a register that holds them already is not written. Returns NULL when
 * they read back as written, else the reason with the register's name, for a record. When they do not read back, the
 * register is restored at once.
 */
const char *changes_set(struct changes *c, const char *name, uint32_t id, uint64_t mask, uint64_t value);
/* Undoes the changes from list[mark] on. False when a register does not read back as it was found. */
bool changes_restore(struct changes *c, size_t mark);

#endif
