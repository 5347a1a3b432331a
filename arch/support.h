/*
 * Registers that are read once for the support file (boot/uefi/support.h), so that a machine that nobody has tried can
 * be understood from afar. They are only read, and each read is guarded. None of them identifies the machine's owner:
 * numbers of a single chip (PPIN) are not among them.
 */
#ifndef FATHOM_ARCH_SUPPORT_H
#define FATHOM_ARCH_SUPPORT_H

#include <stddef.h>
#include <stdint.h>

#include "arch/access.h"

/* One register to be read. */
struct support_register {
    const char *name; /* as in the manual */
    uint32_t id;      /* arch/access.h */
};

/* Registers that are read in one stage. */
struct support_group {
    const char *stage; /* name of the stage: "support-control" */
    const char *text;  /* for people, as lib/run/stage.h has it */
    const struct support_register *list;
    size_t count;
};

enum { SUPPORT_GROUPS = 4 };

/*
 * Writes the groups of registers that fit this core to `out`, the ones that are most likely to exist first. Returns how
 * many.
 */
size_t support_groups(const struct access *a, struct support_group out[SUPPORT_GROUPS]);

#endif
