/*
 * QR codes (ISO/IEC 18004:2015): bytes as a square of dark and light modules that a telephone reads off a screen. Only
 * what that needs: byte mode, error correction level L (7 % of the codewords), versions 1 to 40.
 */
#ifndef FATHOM_LIB_BASE_QR_H
#define FATHOM_LIB_BASE_QR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    QR_SIZE_MAXIMUM = 177,   /* modules on a side, of version 40 */
    QR_BYTES_MAXIMUM = 2953, /* that it holds */
    QR_QUIET = 4,            /* light modules that must surround the square (6.3.8) */
};

/* Bits of one module. */
enum { QR_DARK = 1, QR_FUNCTION = 2 /* part of the fixed patterns, holds no data */ };

struct qr {
    unsigned version, size;                           /* 1 to 40; modules on a side */
    uint8_t module[QR_SIZE_MAXIMUM][QR_SIZE_MAXIMUM]; /* [y][x] */
};

/*
 * Makes *q the smallest code that holds the bytes. False, with *q not to be used, when they are more than
 * QR_BYTES_MAXIMUM.
 */
bool qr_encode(struct qr *q, const void *bytes, size_t count);

#endif
