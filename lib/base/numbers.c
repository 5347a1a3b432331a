#include "lib/base/numbers.h"

#include <math.h>

double rounded(double value)
{
    if (!isfinite(value) || !(fabs(value) < 1e12))
        return value;
    return (value < 0 ? -1 : 1) * floor(fabs(value) * 1e4 + 0.5) / 1e4;
}

const char *page_name(size_t page_bytes)
{
    static const struct {
        size_t bytes;
        const char *name;
    } pages[] = {{4096, "4k"},      {16384, "16k"},      {65536, "64k"}, {2 << 20, "2m"},
                 {32 << 20, "32m"}, {512 << 20, "512m"}, {1 << 30, "1g"}};

    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++)
        if (pages[i].bytes == page_bytes)
            return pages[i].name;
    return "";
}
