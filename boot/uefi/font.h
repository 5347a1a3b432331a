/* The characters of the screen; build/font.c is packed by scripts/pack-font. */
#ifndef FATHOM_BOOT_UEFI_FONT_H
#define FATHOM_BOOT_UEFI_FONT_H

#include <stdint.h>

/* The first and the last character of each font, ASCII codes; and how many fonts there are. */
enum { FONT_FIRST = 32, FONT_LAST = 126, FONTS = 2 };

/* One font. */
struct font {
    unsigned width, height;
    /* For each character from FONT_FIRST on: `height` rows of width / 8 bytes each, the leftmost dot in bit 7. */
    const uint8_t *rows;
};

extern const struct font fonts[FONTS]; /* of 8 x 16 and of 16 x 32 dots */

#endif
