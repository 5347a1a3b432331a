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

/* How registers of one core are accessed. */
struct access {
    void *context;
    /* Reads register `id` into *value. False when the access faulted; *value is left alone then. */
    bool (*read)(void *context, uint32_t id, uint64_t *value);
    /* Writes register `id`. False when the access faulted; nothing has changed then. */
    bool (*write)(void *context, uint32_t id, uint64_t value);
    /* CPUID: eax, ebx, ecx, edx; zeros for a leaf that is not there. NULL on AArch64. */
    void (*cpuid)(void *context, uint32_t leaf, uint32_t subleaf, uint32_t out[4]);
};

/* The number of a system register of AArch64, by its operands. */
#define SYSTEM_REGISTER(op0, op1, crn, crm, op2) \
    ((uint32_t)(op0) << 14 | (uint32_t)(op1) << 11 | (uint32_t)(crn) << 7 | (uint32_t)(crm) << 3 | (uint32_t)(op2))

/*
 * A change of a register that is to be undone. Only the bits of `mask` are changed, by reading the register, replacing
 * them and writing it; the bits found before are kept.
 */
struct change {
    const char *name; /* as in the manual: "MISC_FEATURE_CONTROL" */
    uint32_t id;
    uint64_t mask;
    uint64_t found; /* the bits of `mask` before */
    uint64_t wanted;
    uint64_t got; /* read back after */
};

/*
 * Changes that the list can hold: the largest PMUv3 has 31 event selectors and 31 counters, besides its control
 * registers.
 */
enum { CHANGES = 80 };

/* Changes, in the order in which they were made. The caller sets `access` and a `count` of 0. */
struct changes {
    const struct access *access;
    struct change list[CHANGES];
    size_t count;
    char why[96]; /* what changes_set returned last, when that was not NULL */
};

/*
 * Sets the bits of `mask` in register `id` to those of `value`, and notes the bits found for changes_restore. A
 * register that holds them already is noted too, but not written. `name` is the register's, and must stay valid.
 *
 * Returns NULL when the bits read back as written; else a text for a record, with the register's name, which is valid
 * until the next call: the list is full, an access faulted, or other bits read back. In the last case the register is
 * restored at once. Where it cannot be read after the write, or not be restored, it stays on the list.
 */
const char *changes_set(struct changes *c, const char *name, uint32_t id, uint64_t mask, uint64_t value);
/*
 * Undoes the changes from list[mark] on, the last one first, and takes them off the list. False when a register does
 * not read back as it was found; the others are restored nevertheless.
 */
bool changes_restore(struct changes *c, size_t mark);

#endif
