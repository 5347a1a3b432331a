#include "lib/kernels/access.h"

#include "lib/machine.h"

bool access_can_run(const struct emit_access *a)
{
    return a->vector_bits <= machine_info()->vector_bits;
}

bool access_stands_for_width(const struct emit_access *a)
{
    return a->streams || (a->file == ACCESS_GENERAL ? a->registers == 1 : a->bits > 64);
}
