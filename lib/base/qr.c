/* Sections and tables are those of ISO/IEC 18004:2015. */
#include "lib/base/qr.h"

#include <limits.h>
#include <string.h>

enum {
    VERSIONS = 40,
    CODEWORDS_MAXIMUM = 3706, /* of version 40, data and error correction (table 1) */
    CORRECTION_MAXIMUM = 30,  /* codewords of error correction in a block, at level L (table 9) */
    MASKS = 8,
    MODE_BYTE = 4, /* 7.4.5 */
    LEVEL_L = 1,   /* table 12 */
};

/* Level L, by version: error correction codewords of each block, and blocks (table 9). */
static const uint8_t correction_words[VERSIONS + 1] = {0,  7,  10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26,
                                                       30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26, 28, 30,
                                                       30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30};
static const uint8_t block_counts[VERSIONS + 1] = {0,  1,  1,  1,  1,  1,  2,  2,  2,  2,  4,  4,  4,  4,
                                                   4,  6,  6,  6,  6,  7,  8,  8,  9,  9,  10, 12, 12, 12,
                                                   13, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22, 24, 25};

/* ---- How much a version holds ----------------------------------------------------------------------------------- */

static unsigned alignment_count(unsigned version)
{
    return version == 1 ? 0 : version / 7 + 2; /* on a side (annex E) */
}

/* Data and error correction: all modules without the fixed patterns, in codewords of 8 (table 1). */
static unsigned all_words(unsigned version)
{
    const unsigned n = alignment_count(version);
    unsigned modules = (16 * version + 128) * version + 64;

    if (n)
        modules -= (25 * n - 10) * n - 55;
    if (version >= 7)
        modules -= 36;
    return modules / 8;
}

static unsigned data_words(unsigned version)
{
    return all_words(version) - (unsigned)correction_words[version] * block_counts[version];
}

static unsigned length_bits(unsigned version)
{
    return version < 10 ? 8 : 16; /* table 3 */
}

/* ---- Codewords -------------------------------------------------------------------------------------------------- */

struct bits {
    uint8_t *bytes;
    unsigned used;
};

static void append(struct bits *b, unsigned value, unsigned count)
{
    for (unsigned i = count; i-- > 0; b->used++)
        b->bytes[b->used / 8] |= (uint8_t)((value >> i & 1) << (7 - b->used % 8));
}

/* Product in the field of 256 elements with the polynomial x^8 + x^4 + x^3 + x^2 + 1 (7.5.2). */
static uint8_t product(uint8_t a, uint8_t b)
{
    unsigned sum = 0;

    for (unsigned i = 8; i-- > 0;)
        sum = (sum << 1 ^ (sum >> 7) * 0x11du) ^ ((unsigned)b >> i & 1) * (unsigned)a;
    return (uint8_t)sum;
}

/* The polynomial whose roots are 2^0 to 2^(degree - 1), highest coefficient left out (annex A). */
static void generator(uint8_t *out, unsigned degree)
{
    uint8_t root = 1;

    memset(out, 0, degree);
    out[degree - 1] = 1;
    for (unsigned i = 0; i < degree; i++) {
        for (unsigned j = 0; j < degree; j++)
            out[j] = (uint8_t)(product(out[j], root) ^ (j + 1 < degree ? out[j + 1] : 0));
        root = product(root, 2);
    }
}

/* The remainder of the data, as a polynomial, by the generator. */
static void correct(const uint8_t *data, unsigned count, const uint8_t *divisor, unsigned degree, uint8_t *out)
{
    memset(out, 0, degree);
    for (unsigned i = 0; i < count; i++) {
        const uint8_t factor = data[i] ^ out[0];
        memmove(out, out + 1, degree - 1);
        out[degree - 1] = 0;
        for (unsigned j = 0; j < degree; j++)
            out[j] ^= product(divisor[j], factor);
    }
}

/* Mode, length, bytes, terminator and padding (7.4). */
static void make_data(unsigned version, const uint8_t *bytes, size_t count, uint8_t *out)
{
    const unsigned words = data_words(version);
    struct bits b = {.bytes = out};

    memset(out, 0, words);
    append(&b, MODE_BYTE, 4);
    append(&b, (unsigned)count, length_bits(version));
    for (size_t i = 0; i < count; i++)
        append(&b, bytes[i], 8);
    append(&b, 0, 8 * words - b.used < 4 ? 8 * words - b.used : 4);
    b.used = (b.used + 7) / 8 * 8;
    for (unsigned pad = 0xec; b.used < 8 * words; pad ^= 0xec ^ 0x11)
        append(&b, pad, 8);
}

/* Blocks with their error correction, interleaved (7.6): the first blocks are one data codeword shorter. */
static void interleave(unsigned version, const uint8_t *data, uint8_t *out)
{
    const unsigned blocks = block_counts[version], degree = correction_words[version], words = data_words(version);
    const unsigned least = words / blocks, shorter = blocks - words % blocks;
    uint8_t divisor[CORRECTION_MAXIMUM], correction[CORRECTION_MAXIMUM];
    unsigned at = 0;

    generator(divisor, degree);
    for (unsigned block = 0; block < blocks; block++) {
        const unsigned count = least + (block >= shorter);
        correct(data + at, count, divisor, degree, correction);
        for (unsigned i = 0; i < count; i++)
            out[i < least ? i * blocks + block : least * blocks + block - shorter] = data[at + i];
        for (unsigned i = 0; i < degree; i++)
            out[words + i * blocks + block] = correction[i];
        at += count;
    }
}

/*
 * ---- Modules
 * ---------------------------------------------------------------------------------------------------------
 */

static void set(struct qr *q, unsigned x, unsigned y, bool dark)
{
    q->module[y][x] = (uint8_t)(QR_FUNCTION | (dark ? QR_DARK : 0));
}

static unsigned distance(int dx, int dy)
{
    const int x = dx < 0 ? -dx : dx, y = dy < 0 ? -dy : dy;
    return (unsigned)(x > y ? x : y);
}

/*
 * A square of rings around a centre: finder patterns, with their light border, and alignment patterns (6.3.3, 6.3.6).
 */
static void draw_rings(struct qr *q, int x, int y, int radius)
{
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++) {
            const unsigned ring = distance(dx, dy);
            if (x + dx < 0 || y + dy < 0 || x + dx >= (int)q->size || y + dy >= (int)q->size)
                continue;
            set(q, (unsigned)(x + dx), (unsigned)(y + dy), radius == 2 ? ring != 1 : ring != 2 && ring != 4);
        }
}

/* The i-th of the coordinates of alignment patterns (annex E). */
static unsigned alignment_at(unsigned version, unsigned i)
{
    const unsigned n = alignment_count(version), size = 17 + 4 * version;
    const unsigned step = version == 32 ? 26 : (4 * version + 2 * n + 1) / (2 * n - 2) * 2;

    return i == 0 ? 6 : size - 7 - (n - 1 - i) * step;
}

/* Remainder in the binary polynomials, for format and version (annexes C and D). */
static unsigned remainder_of(unsigned value, unsigned polynomial, unsigned degree)
{
    for (unsigned i = 0; i < degree; i++)
        value = value << 1 ^ (value >> (degree - 1) & 1) * polynomial;
    return value & ((1u << degree) - 1);
}

static void draw_format(struct qr *q, unsigned mask)
{
    const unsigned data = LEVEL_L << 3 | mask, size = q->size;
    const unsigned bits = (data << 10 | remainder_of(data, 0x537, 10)) ^ 0x5412;

    for (unsigned i = 0; i < 15; i++) { /* figure 25 */
        const bool dark = bits >> i & 1;
        if (i < 8) {
            set(q, 8, i < 6 ? i : i + 1, dark);
            set(q, size - 1 - i, 8, dark);
        } else {
            set(q, i == 8 ? 7 : 14 - i, 8, dark);
            set(q, 8, size - 15 + i, dark);
        }
    }
    set(q, 8, size - 8, true);
}

static void draw_version(struct qr *q)
{
    const unsigned bits = q->version << 12 | remainder_of(q->version, 0x1f25, 12);

    for (unsigned i = 0; i < 18 && q->version >= 7; i++) { /* figure 28 */
        set(q, q->size - 11 + i % 3, i / 3, bits >> i & 1);
        set(q, i / 3, q->size - 11 + i % 3, bits >> i & 1);
    }
}

static void draw_patterns(struct qr *q)
{
    const unsigned n = alignment_count(q->version), last = q->size - 4;

    for (unsigned i = 0; i < q->size; i++) { /* timing (6.3.5) */
        set(q, 6, i, i % 2 == 0);
        set(q, i, 6, i % 2 == 0);
    }
    draw_rings(q, 3, 3, 4);
    draw_rings(q, (int)last, 3, 4);
    draw_rings(q, 3, (int)last, 4);
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < n; j++)
            if (!(i == 0 && j == 0) && !(i == 0 && j == n - 1) && !(i == n - 1 && j == 0))
                draw_rings(q, (int)alignment_at(q->version, i), (int)alignment_at(q->version, j), 2);
    draw_format(q, 0); /* its place; the mask is chosen later */
    draw_version(q);
}

/* Columns in pairs from the right, up and down in turn, without the one of the timing pattern (7.7.3). */
static void draw_words(struct qr *q, const uint8_t *words)
{
    const unsigned bits = 8 * all_words(q->version);
    unsigned at = 0;

    for (unsigned pair = 0, right = q->size - 1; pair < (q->size - 1) / 2; pair++, right -= right == 8 ? 3 : 2)
        for (unsigned i = 0; i < q->size; i++)
            for (unsigned j = 0; j < 2; j++) {
                uint8_t *m = &q->module[pair % 2 ? i : q->size - 1 - i][right - j];
                if (*m & QR_FUNCTION || at >= bits)
                    continue;
                *m = words[at / 8] >> (7 - at % 8) & 1 ? QR_DARK : 0;
                at++;
            }
}

/*
 * ---- Masks
 * -------------------------------------------------------------------------------------------------------------
 */

/* Table 10. */
static bool masked(unsigned mask, unsigned x, unsigned y)
{
    switch (mask) {
    case 0: return (x + y) % 2 == 0;
    case 1: return y % 2 == 0;
    case 2: return x % 3 == 0;
    case 3: return (x + y) % 3 == 0;
    case 4: return (x / 3 + y / 2) % 2 == 0;
    case 5: return x * y % 2 + x * y % 3 == 0;
    case 6: return (x * y % 2 + x * y % 3) % 2 == 0;
    default: return ((x + y) % 2 + x * y % 3) % 2 == 0;
    }
}

static void apply_mask(struct qr *q, unsigned mask)
{
    for (unsigned y = 0; y < q->size; y++)
        for (unsigned x = 0; x < q->size; x++)
            if (!(q->module[y][x] & QR_FUNCTION) && masked(mask, x, y))
                q->module[y][x] ^= QR_DARK;
}

/* Runs of one colour, and what looks like a finder pattern, in one row or column (7.8.3.1, rules 1 and 3). */
static unsigned line_penalty(const struct qr *q, unsigned line, bool column)
{
    unsigned penalty = 0, run = 0, window = 0;

    for (unsigned i = 0; i < q->size; i++) {
        const unsigned dark = (column ? q->module[i][line] : q->module[line][i]) & QR_DARK;
        run = i > 0 && dark == (window & 1) ? run + 1 : 1;
        penalty += run == 5 ? 3 : run > 5;
        window = (window << 1 | dark) & 0x7ff;
        penalty += i >= 10 && (window == 0x5d0 || window == 0x05d) ? 40 : 0; /* 1:1:3:1:1 beside four light modules */
    }
    return penalty;
}

static unsigned penalty_of(const struct qr *q)
{
    unsigned penalty = 0, dark = 0;

    for (unsigned y = 0; y < q->size; y++) {
        penalty += line_penalty(q, y, false) + line_penalty(q, y, true);
        for (unsigned x = 0; x < q->size; x++) {
            const unsigned here = q->module[y][x] & QR_DARK;
            dark += here;
            if (x && y && here == (q->module[y][x - 1] & QR_DARK) && here == (q->module[y - 1][x] & QR_DARK) &&
                here == (q->module[y - 1][x - 1] & QR_DARK))
                penalty += 3; /* rule 2 */
        }
    }
    const unsigned percent = q->size ? 100 * dark / (q->size * q->size) : 0;
    return penalty + 10 * ((percent > 50 ? percent - 50 : 50 - percent) / 5); /* rule 4 */
}

bool qr_encode(struct qr *q, const void *bytes, size_t count)
{
    uint8_t data[CODEWORDS_MAXIMUM], words[CODEWORDS_MAXIMUM];
    unsigned best = 0, least = UINT_MAX;

    memset(q, 0, sizeof *q);
    if (count > QR_BYTES_MAXIMUM)
        return false;
    for (q->version = 1; 8 * (size_t)data_words(q->version) < 4 + length_bits(q->version) + 8 * count;)
        q->version++;
    q->size = 17 + 4 * q->version;
    make_data(q->version, bytes, count, data);
    interleave(q->version, data, words);
    draw_patterns(q);
    draw_words(q, words);
    for (unsigned mask = 0; mask < MASKS; mask++) {
        draw_format(q, mask);
        apply_mask(q, mask);
        const unsigned penalty = penalty_of(q);
        if (penalty < least) {
            least = penalty;
            best = mask;
        }
        apply_mask(q, mask); /* takes it off again */
    }
    draw_format(q, best);
    apply_mask(q, best);
    return true;
}
