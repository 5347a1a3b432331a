#include "lib/base/checksum.h"

#include <stdio.h>

/* IEEE 802.3, section 3.2.9: polynomial 0x04C11DB7, its bits in reverse. Remainders of all bytes are made once. */
uint32_t crc32_of(const char *bytes, size_t count)
{
    static uint32_t table[256];
    uint32_t crc = 0xffffffff;

    for (uint32_t n = 0; n < 256 && !table[255]; n++) {
        uint32_t rest = n;
        for (unsigned bit = 0; bit < 8; bit++)
            rest = rest & 1 ? 0xedb88320 ^ (rest >> 1) : rest >> 1;
        table[n] = rest;
    }
    for (size_t i = 0; i < count; i++)
        crc = table[(crc ^ (unsigned char)bytes[i]) & 255] ^ (crc >> 8);
    return ~crc;
}

size_t line_end_format(char out[LINE_END_ROOM], const char *line, size_t used)
{
    return (size_t)snprintf(out, LINE_END_ROOM, ",\"c\":\"%08x\"}\n", (unsigned)crc32_of(line, used));
}
