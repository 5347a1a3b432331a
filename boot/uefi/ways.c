#include "boot/uefi/ways.h"

#include <stdbool.h>
#include <string.h>

enum { REVISION = 8 /* offset in every table's header */ };

static uint64_t read_bytes(const uint8_t *p, size_t count)
{
    uint64_t value = 0;

    memcpy(&value, p, count); /* unaligned, little-endian as both instruction sets are under UEFI */
    return value;
}

/* ---- Relative distances: table 5.61 ------------------------------------------------------------------------------ */

enum { SLIT_COUNT = 36, SLIT_ENTRIES = 44, SLIT_UNREACHABLE = 255 };

unsigned slit_distance(const void *slit, size_t bytes, uint32_t from, uint32_t to)
{
    const uint8_t *t = slit;
    const uint64_t count = bytes >= SLIT_ENTRIES ? read_bytes(t + SLIT_COUNT, 8) : 0;

    if (from >= count || to >= count || count > (bytes - SLIT_ENTRIES) / count)
        return 0;
    const unsigned distance = t[SLIT_ENTRIES + from * count + to];
    return distance == SLIT_UNREACHABLE ? 0 : distance;
}

/* ---- Latency and bandwidth: tables 5.142 and 5.146 ---------------------------------------------------------------- */

enum {
    HMAT_STRUCTURES = 40,
    LEAST_REVISION = 2,
    HEADER_BYTES = 8, /* of every structure: type, and in bytes 4 to 7 its length */
    LOCALITY = 1,
    LOCALITY_BYTES = 32, /* before its lists */
    NONE = 0xffff
};
enum { ACCESS_LATENCY = 0, READ_LATENCY = 1, ACCESS_BANDWIDTH = 3, READ_BANDWIDTH = 4 };
enum { OF_MEMORY = 0, HIERARCHY = 0xf /* in the flags: of which level of a memory's own caches */ };

/* The place of a node in a list; `count` where it is not there. */
static size_t place(const uint8_t *list, size_t count, uint32_t node)
{
    size_t i = 0;

    while (i < count && read_bytes(list + 4 * i, 4) != node)
        i++;
    return i;
}

/* The entry of a structure for this way, times its unit: picoseconds or MB/s; 0: none. */
static double entry(const uint8_t *s, size_t bytes, uint32_t from, uint32_t to)
{
    const size_t initiators = read_bytes(s + 12, 4), targets = read_bytes(s + 16, 4), left = bytes - LOCALITY_BYTES;

    if (initiators > left / 4 || targets > left / 4 || 4 * (initiators + targets) > left ||
        (initiators && targets > (left - 4 * (initiators + targets)) / 2 / initiators))
        return 0;
    const uint8_t *lists = s + LOCALITY_BYTES, *entries = lists + 4 * (initiators + targets);
    const size_t row = place(lists, initiators, from), column = place(lists + 4 * initiators, targets, to);
    if (row == initiators || column == targets)
        return 0;
    const uint64_t value = read_bytes(entries + 2 * (row * targets + column), 2);
    return value == NONE ? 0 : (double)value * (double)read_bytes(s + 24, 8);
}

struct hmat_way hmat_way_of(const void *hmat, size_t bytes, uint32_t from, uint32_t to)
{
    const uint8_t *t = hmat;
    struct hmat_way way = {0};

    if (bytes < HMAT_STRUCTURES || t[REVISION] < LEAST_REVISION)
        return way;
    for (size_t at = HMAT_STRUCTURES, length; bytes - at >= HEADER_BYTES; at += length) {
        const uint8_t *s = t + at;
        length = read_bytes(s + 4, 4);
        if (length < HEADER_BYTES || length > bytes - at)
            break;
        if (read_bytes(s, 2) != LOCALITY || length < LOCALITY_BYTES || (s[8] & HIERARCHY) != OF_MEMORY)
            continue;
        const double value = entry(s, length, from, to);
        if (value > 0 && (s[9] == ACCESS_LATENCY || s[9] == READ_LATENCY))
            way.ns = value / 1000;
        if (value > 0 && (s[9] == ACCESS_BANDWIDTH || s[9] == READ_BANDWIDTH))
            way.bytes_per_ns = value / 1000;
    }
    return way;
}
