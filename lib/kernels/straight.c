#include "lib/kernels/straight.h"

enum { LOOP_BYTES = 16 /* at most, of its end */, ROOM_BYTES = 64 };

static bool is_nop_length(unsigned bytes)
{
    for (const unsigned *n = emit_nop_lengths; *n; n++)
        if (*n == bytes)
            return true;
    return false;
}

/* Where in its line a NOP begins: evenly spread. */
static unsigned nop_at(unsigned per_line, unsigned index)
{
    return index * STRAIGHT_LINE_BYTES / per_line;
}

static unsigned nop_length(unsigned per_line, unsigned index)
{
    return nop_at(per_line, index + 1) - nop_at(per_line, index);
}

bool straight_fits(unsigned per_line)
{
    if (per_line == 0 || per_line > STRAIGHT_LINE_BYTES)
        return false;
    for (unsigned i = 0; i < per_line; i++)
        if (!is_nop_length(nop_length(per_line, i)))
            return false;
    return true;
}

unsigned straight_begin(unsigned per_line, unsigned bytes)
{
    unsigned i = 0;

    while (i < per_line && nop_at(per_line, i) < bytes)
        i++;
    return i;
}

bool straight_build(struct probe *p, size_t lines, unsigned per_line, struct kernel *k)
{
    struct code c = probe_code(p, lines * STRAIGHT_LINE_BYTES + ROOM_BYTES);
    const unsigned last = straight_begin(per_line, STRAIGHT_LINE_BYTES - LOOP_BYTES) - 1;
    const size_t nops = (lines - 1) * per_line + last;

    for (size_t i = 0; i < nops && code_good(&c); i++)
        emit_nop(&c, nop_length(per_line, (unsigned)(i % per_line)));
    emit_loop(&c, 0);
    emit_return(&c);
    *k = (struct kernel){.units = (double)nops, .warm_iterations = 4};
    return probe_kernel(p, &c, 0, k);
}
