/*
 * Processor properties topology table (ACPI specification 6.5, 5.2.30): a tree of processors, each node of which
 * names the caches that belong to it; and the way from this core to its node, through the GIC CPU interface
 * structures of the MADT (5.2.12.14).
 *
 * Structures refer to each other by their offset in the table. Any of them may be wrong: every offset and length is
 * checked against the table's length, and every walk has a limit, since references may form rings.
 */
#include "boot/uefi/pptt.h"

#include <string.h>

enum {
    HEADER_BYTES = 36,
    MADT_HEADER_BYTES = 44, /* with the interrupt controller's address and flags */
    MADT_GICC = 0x0b,
    GICC_LEAST = 76,       /* up to and with MPIDR; later revisions are longer */
    GICC_ENABLED = 1 << 0, /* flags, table 5.37 */
    GICC_ONLINE_CAPABLE = 1 << 3,
    GICC_EFFICIENCY = 76, /* processor power efficiency class */
    PPTT_PROCESSOR = 0,
    PROCESSOR_BYTES = 20, /* without its list of caches */
    PPTT_CACHE = 1,
    CACHE_BYTES = 24,
    WALK = 16, /* nodes from a core to the root, and levels of caches: more than any machine has */
};

/* Flags of a processor node (table 5.157) and of a cache (table 5.159). */
enum { UID_VALID = 1 << 1, LEAF = 1 << 3 };
enum { SIZE_VALID = 1 << 0, WAYS_VALID = 1 << 2, TYPE_VALID = 1 << 4, LINE_VALID = 1 << 6 };
static const uint64_t MPIDR_AFFINITY = 0xff00ffffff; /* Aff3, Aff2, Aff1, Aff0 (Arm ARM DDI 0487, D19.2) */

struct table {
    const uint8_t *at;
    size_t bytes;
};

static uint32_t read32(const uint8_t *p)
{
    uint32_t value;
    memcpy(&value, p, sizeof value); /* unaligned, little-endian as both instruction sets are under UEFI */
    return value;
}

/* The next structure of that type at or behind *offset, which is moved behind it; NULL at the end. */
static const uint8_t *next_structure(const void *madt, size_t bytes, size_t *offset, uint8_t type, size_t least)
{
    const uint8_t *at = madt;

    for (size_t i = *offset; i + 2 <= bytes && at[i + 1] >= 2 && at[i + 1] <= bytes - i; i += at[i + 1])
        if (at[i] == type && at[i + 1] >= least) {
            *offset = i + at[i + 1];
            return at + i;
        }
    return NULL;
}

static const uint8_t *next_gicc(const void *madt, size_t bytes, size_t *offset)
{
    return next_structure(madt, bytes, offset, MADT_GICC, GICC_LEAST);
}

static uint64_t read64(const uint8_t *p)
{
    return (uint64_t)read32(p + 4) << 32 | read32(p);
}

static uint64_t affinity_of(const uint8_t *gicc)
{
    return read64(gicc + 68) & MPIDR_AFFINITY;
}

bool madt_processor(const void *madt, size_t bytes, uint64_t mpidr, uint32_t *uid)
{
    const uint8_t *gicc;

    for (size_t offset = MADT_HEADER_BYTES; (gicc = next_gicc(madt, bytes, &offset));)
        if (affinity_of(gicc) == (mpidr & MPIDR_AFFINITY)) {
            *uid = read32(gicc + 8);
            return true;
        }
    return false;
}

static struct listed_core listed(const uint8_t *gicc)
{
    struct listed_core core = {
        .affinity = affinity_of(gicc),
        .rank = gicc[1] > GICC_EFFICIENCY ? gicc[GICC_EFFICIENCY] : 0,
    };

    if (!(read32(gicc + 12) & (GICC_ENABLED | GICC_ONLINE_CAPABLE)))
        core.why_not = "the firmware has disabled it (MADT)";
    else if (read32(gicc + 16) != 0) /* the protocol's version */
        core.why_not = "it waits by the ACPI parking protocol: once started it could not be given back to the firmware";
    return core;
}

size_t madt_cores(const void *madt, size_t bytes, struct listed_core *out, size_t room)
{
    const uint8_t *gicc;
    size_t count = 0;

    for (size_t offset = MADT_HEADER_BYTES; (gicc = next_gicc(madt, bytes, &offset)); count++)
        if (count < room)
            out[count] = listed(gicc);
    return count;
}

/*
 * Redistributors are listed as regions, or where there are none of those, each with its core (5.2.12.14, 5.2.12.17). A
 * distributor of version 0 leaves the version to be found out: only a GICv3 has redistributors (5.2.12.15).
 */
void madt_interrupts(const void *madt, size_t bytes, uint64_t mpidr, struct own_interrupts *out)
{
    enum { MADT_GICD = 0x0c, GICD_BYTES = 24, MADT_GICR = 0x0e, GICR_BYTES = 16, FRAMES = 0x40000 };
    size_t offset = MADT_HEADER_BYTES, regions = 0;
    const uint8_t *gicd = next_structure(madt, bytes, &offset, MADT_GICD, GICD_BYTES), *gicc, *gicr;

    for (offset = MADT_HEADER_BYTES; (gicc = next_gicc(madt, bytes, &offset));)
        if (affinity_of(gicc) == (mpidr & MPIDR_AFFINITY))
            break;
    if (!gicd || !gicc)
        return;
    for (offset = MADT_HEADER_BYTES;
         regions < OWN_REDISTRIBUTORS && (gicr = next_structure(madt, bytes, &offset, MADT_GICR, GICR_BYTES));)
        out->redistributors[regions++] = (struct own_range){read64(gicr + 4), read32(gicr + 12)};
    if (!regions && read64(gicc + 60))
        out->redistributors[regions++] = (struct own_range){read64(gicc + 60), FRAMES};
    out->distributor = read64(gicd + 8);
    out->cpu_interface = read64(gicc + 32);
    out->gic_version = gicd[20] == 2 || (gicd[20] == 0 && !regions && out->cpu_interface) ? 2
                       : (gicd[20] == 0 || gicd[20] >= 3) && regions                      ? 3
                                                                                          : 0;
}

unsigned gtdt_virtual_timer(const void *gtdt, size_t bytes)
{
    enum { VIRTUAL_TIMER = 64 };

    return bytes >= VIRTUAL_TIMER + 4 ? read32((const uint8_t *)gtdt + VIRTUAL_TIMER) : 0;
}

/* The structure at that offset when it has that type and lies within the table, else NULL. */
static const uint8_t *structure(const struct table *t, uint32_t offset, uint8_t type, size_t least)
{
    if (offset < HEADER_BYTES || offset > t->bytes || t->bytes - offset < least)
        return NULL;
    const uint8_t *s = t->at + offset;
    return s[0] == type && s[1] >= least && s[1] <= t->bytes - offset ? s : NULL;
}

/* The node of the processor with that UID; only leaves of the tree are processors. NULL when there is none. */
static const uint8_t *processor(const struct table *t, uint32_t uid)
{
    for (size_t i = HEADER_BYTES; i + 2 <= t->bytes && t->at[i + 1] >= 2; i += t->at[i + 1]) {
        const uint8_t *p = structure(t, (uint32_t)i, PPTT_PROCESSOR, PROCESSOR_BYTES);
        if (p && (read32(p + 4) & LEAF) && (read32(p + 4) & UID_VALID) && read32(p + 12) == uid)
            return p;
    }
    return NULL;
}

static struct identity_cache described(const uint8_t *c, unsigned level)
{
    static const unsigned holds[4] = {HOLDS_DATA, HOLDS_INSTRUCTIONS, HOLDS_DATA | HOLDS_INSTRUCTIONS,
                                      HOLDS_DATA | HOLDS_INSTRUCTIONS}; /* both values mean unified */
    uint32_t flags = read32(c + 4);
    uint16_t line;

    memcpy(&line, c + 22, sizeof line);
    return (struct identity_cache){.level = level,
                                   .holds = holds[c[21] >> 2 & 3],
                                   .bytes = flags & SIZE_VALID ? read32(c + 12) : 0,
                                   .ways = flags & WAYS_VALID ? c[20] : 0,
                                   .line_bytes = flags & LINE_VALID ? line : 0,
                                   .source = "acpi pptt"};
}

static uint32_t cache_named(const uint8_t *node, uint32_t i)
{
    return read32(node + PROCESSOR_BYTES + 4 * (size_t)i);
}

/*
 * Whether another cache of the same list names this one as its next level, as in some tables: then it is counted where
 * that reference leads to it, not as a nearest cache.
 */
static bool is_next_level_of_another(const struct table *t, const uint8_t *node, uint32_t names, uint32_t offset)
{
    for (uint32_t i = 0; i < names; i++) {
        const uint8_t *c = structure(t, cache_named(node, i), PPTT_CACHE, CACHE_BYTES);
        if (c && cache_named(node, i) != offset && read32(c + 8) == offset)
            return true;
    }
    return false;
}

size_t pptt_caches(const void *pptt, size_t bytes, uint32_t uid, struct identity_cache *out, size_t room)
{
    const struct table t = {.at = pptt, .bytes = bytes};
    const uint8_t *node = processor(&t, uid);
    unsigned below = 0; /* levels of caches found in nodes nearer to the core */
    size_t count = 0;

    for (unsigned step = 0; node && step < WALK; step++) {
        uint32_t names = read32(node + 16), fit = ((uint32_t)node[1] - PROCESSOR_BYTES) / 4;
        unsigned deepest = below;

        /* A node names its nearest caches, and each of those its next level. Two may have the same next level. */
        names = names < fit ? names : fit;
        for (uint32_t i = 0; i < names; i++) {
            uint32_t offset = cache_named(node, i);
            bool behind = is_next_level_of_another(&t, node, names, offset);
            for (unsigned level = below + 1; !behind && level <= WALK; level++) {
                const uint8_t *c = structure(&t, offset, PPTT_CACHE, CACHE_BYTES);
                if (!c)
                    break;
                if ((read32(c + 4) & TYPE_VALID) && count < room)
                    out[count++] = described(c, level);
                deepest = level > deepest ? level : deepest;
                offset = read32(c + 8);
            }
        }
        below = deepest;
        node = structure(&t, read32(node + 8), PPTT_PROCESSOR, PROCESSOR_BYTES);
    }
    return count;
}
