#include "tests/model/dram.h"

void dram_flush(struct dram *d, uint64_t line)
{
    d->flushed[d->next++ % DRAM_FLUSHED] = line;
}

/* Any number from 0 to 1 that belongs to this refresh of the bank (the finalizer of SplitMix64). */
static double chance_of(uint64_t refresh, unsigned bank)
{
    uint64_t x = refresh * 64 + bank;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return (double)((x ^ (x >> 31)) >> 11) / 9007199254740992.0;
}

/* How long a load at that time waits for a refresh of its bank. */
static double refresh_wait(const struct dram_design *design, unsigned bank, double time)
{
    if (!(design->period > 0))
        return 0;
    const double turns = time / design->period + bank * 0.37;
    const uint64_t refresh = (uint64_t)turns;
    const double in = (turns - (double)refresh) * design->period - design->put_off * chance_of(refresh, bank);

    return in > 0 && in < design->refreshing ? design->refreshing - in : 0;
}

double dram_load(struct dram *d, const struct dram_design *design, uint64_t line, uint64_t address, double time)
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
    return design->cycles + conflict + bank * design->farther + refresh_wait(design, bank, time);
}
