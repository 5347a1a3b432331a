#include "lib/kernels/straight.h"

enum {
    LOOP_BYTES = 16, /* of the end of the loop, at most */
    ROOM_BYTES = 64,
    ADDITION_BYTES = STRAIGHT_LINE_BYTES / STRAIGHT_ADDITIONS,
    ADDITION_REGISTERS = 8
};

static bool is_nop_length(unsigned bytes)
{
    for (const unsigned *n = emit_nop_lengths; *n; n++)
        if (*n == bytes)
            return true;
    return false;
}

/* Where in its line the NOP of this index begins. */
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

/*
 * The last line is as full as the end of the loop allows: with fewer operations it might fit where a whole one would
 * not.
 */
bool straight_build_additions(struct probe *p, size_t lines, struct kernel *k)
{
    const size_t room = (lines + 1) * STRAIGHT_LINE_BYTES;
    struct code c = probe_code(p, room);

    emit_loop(&c, 0); /* to learn its length */
    const size_t count = (lines * STRAIGHT_LINE_BYTES - c.used) / ADDITION_BYTES;
    c = probe_code(p, room);
    for (size_t i = 0; i < count && code_good(&c); i++) {
        if (i % 2)
            emit_vector_add(&c, (enum vreg)(i / 2 % VREGS), (enum vreg)(i / 2 % VREGS));
        else
            emit_add_constant(&c, (enum reg)(REG_T0 + i / 2 % ADDITION_REGISTERS), 1);
    }
    emit_loop(&c, 0);
    emit_return(&c);
    *k = (struct kernel){.units = (double)count, .warm_iterations = 4};
    return probe_kernel(p, &c, 0, k);
}
