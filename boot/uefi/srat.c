#include "boot/uefi/srat.h"

#include <string.h>

/* Tables 5.56 to 5.60: types of structures, their lengths, and offsets in them. Each begins with type and length. */
enum {
    HEADER_BYTES = 48,
    APIC = 0,
    APIC_BYTES = 16,
    MEMORY = 1,
    MEMORY_BYTES = 40,
    X2APIC = 2,
    X2APIC_BYTES = 24,
    GICC = 3,
    GICC_BYTES = 18,
};
enum { ENABLED = 1 << 0 }; /* in the flags of each */

static uint32_t read32(const uint8_t *p)
{
    uint32_t value;
    memcpy(&value, p, sizeof value); /* unaligned, little-endian as both instruction sets are under UEFI */
    return value;
}

static uint64_t read64(const uint8_t *p)
{
    return read32(p) | (uint64_t)read32(p + 4) << 32;
}

/* The structure at *offset, which is moved behind it; NULL at the end, and where one is longer than what is left. */
static const uint8_t *next(const void *srat, size_t bytes, size_t *offset)
{
    const uint8_t *s = (const uint8_t *)srat + *offset;

    if (*offset > bytes || bytes - *offset < 2 || s[1] < 2 || s[1] > bytes - *offset)
        return NULL;
    *offset += s[1];
    return s;
}

/* Whether the structure is about that processor, and enabled. */
static bool is_processor(const uint8_t *s, enum srat_processor kind, uint32_t processor, uint32_t *node)
{
    if (kind == SRAT_APIC && s[0] == APIC && s[1] >= APIC_BYTES) {
        /* The node's upper 24 bits stand apart, behind the flags and the SAPIC's part of the identifier. */
        *node = (read32(s + 8) & 0xffffff00) | s[2];
        return s[3] == processor && (read32(s + 4) & ENABLED);
    }
    if (kind == SRAT_APIC && s[0] == X2APIC && s[1] >= X2APIC_BYTES) {
        *node = read32(s + 4);
        return read32(s + 8) == processor && (read32(s + 12) & ENABLED);
    }
    if (kind == SRAT_GICC && s[0] == GICC && s[1] >= GICC_BYTES) {
        *node = read32(s + 2);
        return read32(s + 6) == processor && (read32(s + 10) & ENABLED);
    }
    return false;
}

bool srat_node(const void *srat, size_t bytes, enum srat_processor kind, uint32_t processor, uint32_t *node)
{
    const uint8_t *s;

    for (size_t offset = HEADER_BYTES; (s = next(srat, bytes, &offset));)
        if (is_processor(s, kind, processor, node))
            return true;
    return false;
}

size_t srat_memory(const void *srat, size_t bytes, struct srat_memory *out, size_t room)
{
    const uint8_t *s;
    size_t count = 0;

    for (size_t offset = HEADER_BYTES; (s = next(srat, bytes, &offset));) {
        if (s[0] != MEMORY || s[1] < MEMORY_BYTES || !(read32(s + 28) & ENABLED))
            continue;
        const struct srat_memory m = {.base = read64(s + 8), .bytes = read64(s + 16), .node = read32(s + 2)};
        if (m.bytes == 0 || m.base + m.bytes < m.base) /* nothing, or beyond all addresses */
            continue;
        if (count++ < room)
            out[count - 1] = m;
    }
    return count;
}
