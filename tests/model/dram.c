#include "tests/model/dram.h"

void dram_flush(struct dram *d, uint64_t line)
{
    d->flushed[d->next++ % DRAM_FLUSHED] = line;
}

double dram_load(struct dram *d, const struct dram_design *design, uint64_t line, uint64_t address)
{
    unsigned bank = 0;
    size_t i = 0;

    while (i < DRAM_FLUSHED && d->flushed[i] != line)
        i++;
    if (i == DRAM_FLUSHED)
        return 0;
    d->flushed[i] = 0;
    address += design->moved;
    for (size_t f = 0; f < design->count; f++)
        bank |= (unsigned)__builtin_parityll(address & design->functions[f]) << f;
    const uint64_t row = address & design->rows;
    const double conflict = d->open[bank] == row ? 0 : design->conflict;
    d->open[bank] = row;
    return design->cycles + conflict + bank * design->farther;
}
