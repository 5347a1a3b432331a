/*
 * The end of a record's line: its checksum. A record is one line of JSON whose last key is `c`, with the CRC-32 of the
 * line's bytes before `,"c"` as eight hexadecimal digits.
 */
#ifndef FATHOM_LIB_BASE_CHECKSUM_H
#define FATHOM_LIB_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/*
 * CRC-32 of `count` bytes as IEEE 802.3 defines it: polynomial 0x04C11DB7, bits reflected, register preset to ones and
 * inverted at the end.
 */
uint32_t crc32_of(const char *bytes, size_t count);

/* Bytes that line_end_format writes: `,"c":"01234567"}`, a newline and a final 0. */
enum { LINE_END_ROOM = 18 };
/*
 * Writes to `out` the end of a record's line whose first `used` bytes are at `line`: the checksum of those bytes, the
 * closing brace and a newline, then a 0. Returns how many characters it wrote without that 0.
 */
size_t line_end_format(char out[LINE_END_ROOM], const char *line, size_t used);

#endif
