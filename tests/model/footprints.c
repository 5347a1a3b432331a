#include "tests/model/footprints.h"

#include <stdlib.h>

#include "lib/base/random.h"

static const struct row {
    const char *cores;
    bool of_x86_64;
    struct {
        unsigned bits, shift;
        const char *footprint; /* from the lowest bit on */
    } registers[HISTORY_REGISTERS];
    uint64_t gated;
} rows[] = {
    {"sunny-cove golden-cove raptor-cove redwood-cove",
     true,
     {{388, 2, "B3^T0, B4^T1, B5, B6, B7, B8, B9, B10, B0^T2, B1^T3, B2^T4, B11^T5, B12, B13, B14, B15"}},
     0},
    {"skylake cascade-lake",
     true,
     {{186, 2, "B3^T0, B4^T1, B7^T2, B8^T3, B11^T4, B12^T5, B5, B6, B9, B10, B13, B14, B15, B16, B17, B18"}},
     0},
    {"ivy-bridge haswell",
     true,
     {{186, 2, "B6^T0, B7^T1, B10^T2, B11^T3, B14^T4, B15^T5, B4, B5, B8, B9, B12, B13, B16, B17, B18, B19"}},
     0},
    {"neoverse-n1", false, {{144, 3, "T2^T5^B3^B6, T3^T6^B4^B7, T4^T7^B5^B8"}}, 0},
    {"neoverse-n2 neoverse-v1", false, {{192, 3, "T2^T5^B3^B6^B9^B12, T3^T6^B4^B7^B10^B13, T4^T7^B5^B8^B11^B14"}}, 0},
    {"neoverse-v2",
     false,
     {{528, 2, "B2^T7, B3^T8, B4^T9, B5^T10, B6^B12^T11, B7^B13^T2, B8^B14^T3, B9^B15^T4, B10^B16^T5, B11^B17^T6"}},
     0},
    {"neoverse-v3", /* how T5 enters is not published: here only with one value of a source bit */
     false,
     {{528, 2, "B2^T7, B3^T8, B4^T9, B5^T10, B6^B12^T11, B7^B13^T2, B8^B14^T3, B9^B15^T4, B10^B16, B11^B17^T6"}},
     1 << 5},
    {"firestorm",
     false,
     {{100, 1,
       "T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20, T21, T22, T23, T24, T25,"
       "T26, T27, T28, T29, T30, T31"},
      {28, 1, "B2, B3, B4, B5"}},
     0},
    {"oryon",
     false,
     {{100, 1,
       "T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20, T21, T22, T23, T24, T25,"
       "T26, T27, T28, T29, T30, T31"},
      {32, 1, "B2, B3, B4, B5"}},
     0},
    {"icestorm",
     false,
     {{60, 1,
       "T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20, T21, T22, T23, T24, T25,"
       "T26, T27, T28, T29, T30, T31, T32, T33, T34, T35, T36, T37, T38, T39, T40, T41, T42, T43, T44, T45, T46, T47"},
      {16, 1, "B2, B3, B4, B5"}},
     0},
};

size_t published_histories(void)
{
    return sizeof rows / sizeof *rows;
}

static void read_footprint(const char *text, struct history_register *r)
{
    for (unsigned bit = 0; *text; text++) {
        if (*text == ',')
            bit++;
        if (*text == 'B')
            r->footprint[bit].source |= (uint64_t)1 << strtoul(text + 1, NULL, 10);
        if (*text == 'T')
            r->footprint[bit].target |= (uint64_t)1 << strtoul(text + 1, NULL, 10);
        r->width = bit + 1;
    }
}

struct published_history published_history(size_t row)
{
    const struct row *from = &rows[row];
    struct published_history h = {.cores = from->cores, .of_x86_64 = from->of_x86_64};

    for (size_t i = 0; i < HISTORY_REGISTERS && from->registers[i].bits; i++) {
        h.registers[i].bits = from->registers[i].bits;
        h.registers[i].shift = from->registers[i].shift;
        read_footprint(from->registers[i].footprint, &h.registers[i]);
    }
    h.registers[0].gated = from->gated;
    return h;
}

struct published_history random_history(uint64_t *random, bool of_x86_64)
{
    struct published_history h = {.cores = "random", .of_x86_64 = of_x86_64};
    struct history_register *r = &h.registers[0];
    const unsigned low = of_x86_64 ? 0 : 2, end = 18, levels = 1 + (unsigned)random_below(random, 4);

    r->shift = 1 + (unsigned)random_below(random, 3);
    const unsigned footprint = r->width = r->shift * levels;
    r->bits = r->shift * (20 + (unsigned)random_below(random, 12));
    for (unsigned bit = 0; bit < footprint; bit++) /* every bit of the footprint has an input of its own */
        r->footprint[bit].source = (uint64_t)1 << (low + bit);
    for (unsigned bit = low + footprint; bit < end; bit++)
        if (random_below(random, 2))
            r->footprint[random_below(random, footprint)].source |= (uint64_t)1 << bit;
    for (unsigned bit = low; bit < 12; bit++)
        if (random_below(random, 2))
            r->footprint[random_below(random, footprint)].target |= (uint64_t)1 << bit;
    return h;
}
