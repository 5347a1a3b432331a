#define _GNU_SOURCE
#include "boot/linux/simulated.h"

#include <string.h>
#include <sys/utsname.h>

static bool begun;

void simulated_begin(void)
{
    begun = true;
}

bool simulated(void)
{
    return begun;
}

/*
 * gem5's system call emulation calls itself sim.gem5.org, and ends the simulation at calls that it does not implement
 * (gem5, src/arch/x86/linux/syscalls.cc, unameFunc; src/sim/syscall_emul.cc, unimplementedFunc).
 */
bool simulated_offers_shared_memory(void)
{
    struct utsname name;

    return !begun || uname(&name) != 0 || strcmp(name.nodename, "sim.gem5.org") != 0;
}
