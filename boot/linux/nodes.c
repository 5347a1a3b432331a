/*
 * Nodes are in /sys/devices/system/node (Documentation/ABI/stable/sysfs-devices-node): their memory, their cores, and
 * the distances from the ACPI SLIT or the device tree; under access0/initiators what the HMAT declares of loads by the
 * nearest cores (Documentation/admin-guide/mm/numaperf.rst). Memory is chosen by mbind(2), and asked after by
 * move_pages(2), which have no wrapper in the C library.
 */
#define _GNU_SOURCE
#include "boot/linux/nodes.h"

#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "boot/linux/files.h"
#include "boot/linux/simulated.h"
#include "lib/machine.h"

#define NODES_PATH "/sys/devices/system/node"
enum { NODES = 1024 /* that the kernel may be built for (NODES_SHIFT), and bits of a mask */, TEXT = 4096 };

static struct machine_node nodes[NODES];
static size_t node_count;
static bool asked;

static bool node_line(char *out, size_t room, uint32_t node, const char *file)
{
    char path[128];

    snprintf(path, sizeof path, NODES_PATH "/node%u/%s", node, file);
    return file_line(path, out, room);
}

/* A number of a node's meminfo, "Node 0 MemTotal:       11626272 kB", in bytes; 0 where it has none of that name. */
static uint64_t memory_number(uint32_t node, const char *name)
{
    char path[128], line[256];
    unsigned long long kib = 0;

    snprintf(path, sizeof path, NODES_PATH "/node%u/meminfo", node);
    FILE *f = files_open(path);
    while (f && fgets(line, sizeof line, f)) {
        const char *at = strstr(line, name);
        if (at && sscanf(at + strlen(name), ": %llu kB", &kib) == 1)
            break;
    }
    if (f)
        fclose(f);
    return (uint64_t)kib << 10;
}

const struct machine_node *machine_nodes(size_t *count)
{
    char list[TEXT];

    if (!asked && file_line(NODES_PATH "/online", list, sizeof list))
        for (uint32_t i = 0; i < NODES; i++)
            if (file_list_has(list, i))
                nodes[node_count++] = (struct machine_node){.id = i, .bytes = memory_number(i, "MemTotal")};
    asked = true;
    *count = node_count;
    return nodes;
}

bool machine_core_node(unsigned index, uint32_t *node)
{
    char list[TEXT];
    size_t count;

    machine_nodes(&count);
    for (size_t i = 0; i < count; i++)
        if (node_line(list, sizeof list, nodes[i].id, "cpulist") && file_list_has(list, index)) {
            *node = nodes[i].id;
            return true;
        }
    return false;
}

/* The number in a file of what a node's nearest initiators have; 0 where `from` is none of them. */
static double nearest(uint32_t from, uint32_t to, const char *file)
{
    char path[128], line[64];

    snprintf(path, sizeof path, NODES_PATH "/node%u/access0/initiators/node%u", to, from);
    if (access(path, F_OK) != 0)
        return 0;
    snprintf(path, sizeof path, "access0/initiators/%s", file);
    return node_line(line, sizeof line, to, path) ? strtod(line, NULL) : 0;
}

struct machine_way machine_way(uint32_t from, uint32_t to)
{
    struct machine_way way = {.distance = 0};
    char list[TEXT], *at = list;

    if (simulated())
        return way;
    /* a number for each online node, in their order */
    if (node_line(list, sizeof list, from, "distance"))
        for (size_t i = 0; i < node_count && *at; i++) {
            const double distance = strtod(at, &at);
            if (nodes[i].id == to)
                way.distance = distance;
        }
    way.ns = nearest(from, to, "read_latency");
    way.bytes_per_ns = nearest(from, to, "read_bandwidth") / 1000; /* MB/s */
    return way;
}

uint64_t nodes_free_bytes(uint32_t node)
{
    return memory_number(node, "MemFree");
}

bool nodes_bind(void *at, size_t bytes, uint32_t node)
{
    enum { BITS = 8 * sizeof(unsigned long) };
    unsigned long mask[NODES / BITS] = {0};

    if (node >= NODES)
        return false;
    mask[node / BITS] = 1UL << node % BITS;
    /* the kernel takes one bit less than it is told */
    return syscall(SYS_mbind, at, bytes, MPOL_BIND, mask, (unsigned long)NODES + 1, 0) == 0;
}

bool nodes_holds(const void *at, size_t bytes, size_t page_bytes, uint32_t node)
{
    enum { PAGES = 512 };
    const void *pages[PAGES];
    int status[PAGES];

    for (size_t from = 0, count; from < bytes; from += count * page_bytes) {
        for (count = 0; count < PAGES && from + count * page_bytes < bytes; count++)
            pages[count] = (const char *)at + from + count * page_bytes;
        if (syscall(SYS_move_pages, 0, count, pages, NULL, status, 0) != 0)
            return false;
        for (size_t i = 0; i < count; i++)
            if (status[i] < 0 || (uint32_t)status[i] != node)
                return false;
    }
    return true;
}
