/* The other cores: which there are, and handing one of them what a window or a register access is to do. */
#include "boot/uefi/uefi.h"

const struct machine_core *machine_cores(size_t *count)
{
    static const struct machine_core booted;

    *count = 1;
    return &booted;
}

const char *machine_use_core(unsigned index)
{
    return index == 0 ? NULL : "this image does not start other cores yet";
}
