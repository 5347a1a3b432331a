#include "lib/base/checksum.h"

#include <stdio.h>

/* IEEE 802.3, section 3.2.9: polynomial 0x04C11DB7. Four bits a step: table[n] is the remainder of n. */
uint32_t crc32_of(const char *bytes, size_t count)
{
    static const uint32_t table[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
        0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
    };
    uint32_t crc = 0xffffffff;

    for (size_t i = 0; i < count; i++) {
        crc ^= (unsigned char)bytes[i];
        crc = table[crc & 15] ^ (crc >> 4);
        crc = table[crc & 15] ^ (crc >> 4);
    }
    return ~crc;
}

size_t line_end_format(char out[LINE_END_ROOM], const char *line, size_t used)
{
    return (size_t)snprintf(out, LINE_END_ROOM, ",\"c\":\"%08x\"}\n", (unsigned)crc32_of(line, used));
}
