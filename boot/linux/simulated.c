#define _GNU_SOURCE
#include "boot/linux/simulated.h"

#include <string.h>
#include <sys/utsname.h>

static bool begun, anonymous_code;

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

void simulated_note_anonymous_code(void)
{
    anonymous_code = true;
}

bool simulated_has_anonymous_code(void)
{
    return anonymous_code;
}
