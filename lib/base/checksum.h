/*
 * The end of a record's line: its checksum. A record is one line of JSON whose last key is `c`, with the CRC-32 of the
 * line's bytes before `,"c"` as eight hexadecimal digits.
 */
#ifndef FATHOM_LIB_BASE_CHECKSUM_H
#define FATHOM_LIB_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32 of IEEE 802.3: reflected, preset and inverted. */
uint32_t crc32_of(const char *bytes, size_t count);

/* Bytes of `,"c":"01234567"}`, a newline and a final 0. */
enum { LINE_END_ROOM = 18 };
/* Writes to `out` the end of a line whose first `used` bytes are at `line`. Returns its length without the final 0. */
size_t line_end_format(char out[LINE_END_ROOM], const char *line, size_t used);

#endif
