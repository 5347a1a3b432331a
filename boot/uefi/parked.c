#include "boot/uefi/parked.h"

#include <stdio.h>

/*
 * A core that takes longer to arrive was woken by INIT, after which 10 ms have to pass (Intel SDM vol. 3A, 9.4.4.1;
 * edk2, PcdCpuInitIpiDelayInMicroSeconds): it was halted. One that waits for a store, in MWAIT or in a loop, arrives
 * within microseconds. (edk2 has these three ways, UefiCpuPkg/Library/MpInitLib/MpLib.c; an application cannot read
 * which one its setting, PcdCpuApLoopMode, is.)
 */
static const double WOKEN_BY_INIT_MS = 5;

const char *parked_text(double woke_ms)
{
    static char text[240];
    const char *also = "the core that booted waits in a loop while another one measures";

    if (woke_ms <= 0)
        snprintf(text, sizeof text, "parked by the firmware, whether halted or awake is known once one is started; %s",
                 also);
    else
        snprintf(text, sizeof text, "parked by the firmware, %s: one arrived %.3f ms after it was started; %s",
                 woke_ms > WOKEN_BY_INIT_MS ? "halted" : "in MWAIT or awake in a loop", woke_ms, also);
    return text;
}
