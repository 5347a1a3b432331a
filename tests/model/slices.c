#include "tests/model/slices.h"

#include "tests/model/cache.h"

unsigned slice_of_line(const struct slice_design *d, uint64_t line)
{
    uint64_t place = line & ((UINT64_C(1) << d->period_bits) - 1);

    for (unsigned i = 0; i < d->period_bits; i++)
        place ^= (uint64_t)__builtin_parityll(line & d->moves[i]) << i;
    return d->base[place];
}

double slice_farther(const struct slice_design *d, unsigned core, uint64_t address)
{
    return d ? d->farther[core][slice_of_line(d, address / CACHE_LINE_BYTES)] : 0;
}
