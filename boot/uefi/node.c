#include "boot/uefi/node.h"

#include <stdlib.h>
#include <string.h>

#include "boot/uefi/acpi.h"
#include "boot/uefi/pptt.h"

enum { TABLE_LENGTH = 4, LEAST = 8 };

/* The table with that signature, and its length; NULL where there is none. */
static const uint8_t *table(const char signature[4], size_t *bytes)
{
    const uint8_t *t = acpi_table(signature, LEAST);
    uint32_t length = 0;

    if (t)
        memcpy(&length, t + TABLE_LENGTH, sizeof length);
    *bytes = length;
    return t;
}

bool node_of_core(uint64_t core, uint32_t *node)
{
    size_t bytes;
    const uint8_t *srat = table("SRAT", &bytes);

    if (!srat)
        return false;
#ifdef __aarch64__
    size_t madt_bytes;
    const uint8_t *madt = table("APIC", &madt_bytes);
    uint32_t uid;

    return madt && madt_processor(madt, madt_bytes, core, &uid) && srat_node(srat, bytes, SRAT_GICC, uid, node);
#else
    return srat_node(srat, bytes, SRAT_APIC, (uint32_t)core, node);
#endif
}

struct srat_memory *node_memory(size_t *count)
{
    size_t bytes;
    const uint8_t *srat = table("SRAT", &bytes);
    const size_t all = srat ? srat_memory(srat, bytes, NULL, 0) : 0;
    struct srat_memory *out = all ? malloc(all * sizeof *out) : NULL;

    *count = out ? srat_memory(srat, bytes, out, all) : 0;
    return out;
}
