#include "boot/uefi/node.h"

#include <stdlib.h>
#include <string.h>

#include "boot/uefi/acpi.h"
#include "boot/uefi/devicetree.h"
#include "boot/uefi/firmware.h"
#include "boot/uefi/pptt.h"
#include "boot/uefi/ways.h"
#include "lib/machine.h"

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

/* The firmware's device tree, which says what nodes there are where ACPI does not; NULL: none. */
static const void *tree_of_nodes(size_t *bytes)
{
#ifdef __aarch64__
    return firmware_devicetree(bytes);
#else
    *bytes = 0;
    return NULL;
#endif
}

static bool tree_node_of_core(uint64_t core, uint32_t *node)
{
    size_t bytes;
    const void *tree = tree_of_nodes(&bytes);
    const size_t count = tree ? devicetree_cores(tree, bytes, NULL, 0) : 0;
    struct listed_core *list = count ? calloc(count, sizeof *list) : NULL;
    bool found = false;

    for (size_t i = 0, n = list ? devicetree_cores(tree, bytes, list, count) : 0; i < n && !found; i++)
        if (list[i].affinity == core && list[i].has_node) {
            *node = list[i].node;
            found = true;
        }
    free(list);
    return found;
}

bool node_of_core(uint64_t core, uint32_t *node)
{
    size_t bytes;
    const uint8_t *srat = table("SRAT", &bytes);

    if (!srat)
        return tree_node_of_core(core, node);
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
    size_t bytes, tree_bytes;
    const uint8_t *srat = table("SRAT", &bytes);
    const void *tree = srat ? NULL : tree_of_nodes(&tree_bytes);
    const size_t all = srat   ? srat_memory(srat, bytes, NULL, 0)
                       : tree ? devicetree_memory(tree, tree_bytes, NULL, 0)
                              : 0;
    struct srat_memory *out = all ? malloc(all * sizeof *out) : NULL;

    *count = out ? all : 0;
    if (out && srat)
        srat_memory(srat, bytes, out, all);
    else if (out)
        devicetree_memory(tree, tree_bytes, out, all);
    return out;
}

/* ---- All nodes --------------------------------------------------------------------------------------------------- */

bool machine_core_node(unsigned index, uint32_t *node)
{
    size_t count;
    const struct machine_core *cores = machine_cores(&count);

    return index < count && node_of_core(cores[index].id, node);
}

static int by_id(const void *a, const void *b)
{
    const struct machine_node *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Adds up what has the same number. Returns how many nodes are left. */
static size_t merge(struct machine_node *nodes, size_t count)
{
    size_t merged = 0;

    qsort(nodes, count, sizeof *nodes, by_id);
    for (size_t i = 1; i < count; i++) {
        if (nodes[i].id == nodes[merged].id)
            nodes[merged].bytes += nodes[i].bytes;
        else
            nodes[++merged] = nodes[i];
    }
    return count ? merged + 1 : 0;
}

const struct machine_node *machine_nodes(size_t *count)
{
    static struct machine_node *nodes;
    static size_t found;
    size_t ranges, cores;

    *count = found;
    if (nodes)
        return nodes;
    struct srat_memory *memory = node_memory(&ranges);
    machine_cores(&cores);
    nodes = calloc(ranges + cores, sizeof *nodes);
    for (size_t i = 0; nodes && i < ranges; i++)
        nodes[found++] = (struct machine_node){memory[i].node, memory[i].bytes};
    for (size_t i = 0; nodes && i < cores; i++)
        found += machine_core_node((unsigned)i, &nodes[found].id);
    free(memory);
    found = merge(nodes, found);
    *count = found;
    return nodes;
}

struct machine_way machine_way(uint32_t from, uint32_t to)
{
    size_t slit_bytes, hmat_bytes, tree_bytes;
    const uint8_t *slit = table("SLIT", &slit_bytes), *hmat = table("HMAT", &hmat_bytes);
    const struct hmat_way way = hmat ? hmat_way_of(hmat, hmat_bytes, from, to) : (struct hmat_way){0};

    const void *tree = slit ? NULL : tree_of_nodes(&tree_bytes);

    return (struct machine_way){.distance = slit   ? slit_distance(slit, slit_bytes, from, to)
                                            : tree ? devicetree_distance(tree, tree_bytes, from, to)
                                                   : 0,
                                .ns = way.ns,
                                .bytes_per_ns = way.bytes_per_ns};
}
