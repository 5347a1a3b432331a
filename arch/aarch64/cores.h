/* Which core a MIDR_EL1 stands for. */
#ifndef FATHOM_ARCH_AARCH64_CORES_H
#define FATHOM_ARCH_AARCH64_CORES_H

#include <stddef.h>
#include <stdint.h>

/* A core that is known by name. */
struct core {
    uint8_t implementer; /* MIDR_EL1[31:24] */
    uint16_t part;       /* MIDR_EL1[15:4] */
    const char *name;    /* as in the published values */
    const char *model;   /* for people */
};

/* How many cores the table in cores.c holds. */
extern const size_t core_count;

/* The core that a MIDR_EL1 stands for; NULL when it is not in the table. */
const struct core *core_find(uint64_t midr);
/* Name of the implementer in a MIDR_EL1: "Arm", "Apple", …; NULL when it is not known. */
const char *core_implementer(uint64_t midr);

#endif
