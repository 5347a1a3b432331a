#include "arch/aarch64/own/timers.h"

#include "arch/aarch64/registers.h"
#include "arch/reader.h"

#define CNTV_CTL_EL02 S3_5_C14_C3_1 /* CNTV_CTL_EL0 of EL1, with HCR_EL2.E2H */

/* CNTV_CTL_EL0, CNTP_CTL_EL0 (Arm ARM DDI 0487, D19.12). */
enum {
    ENABLE = 1 << 0,
    MASKED = 1 << 1,
    DUE = 1 << 2, /* ISTATUS */
};

void timers_stop(struct timers *found)
{
    found->virtual_control = READ(CNTV_CTL_EL0);
    found->virtual_compare = READ(CNTV_CVAL_EL0);
    found->physical_control = READ(CNTP_CTL_EL0);
    WRITE(CNTV_CTL_EL0, 0);
    WRITE(CNTP_CTL_EL0, 0);
    isb();
}

/* A timer that has expired meanwhile interrupts as soon as it is enabled again, so the firmware misses no tick. */
void timers_restore(const struct timers *found)
{
    WRITE(CNTV_CTL_EL0, 0);
    WRITE(CNTV_CVAL_EL0, found->virtual_compare);
    WRITE(CNTV_CTL_EL0, found->virtual_control);
    WRITE(CNTP_CTL_EL0, found->physical_control);
    isb();
}

bool virtual_timer_runs(bool e2h)
{
    const uint64_t control = e2h ? READ(CNTV_CTL_EL02) : READ(CNTV_CTL_EL0);

    return (control & (ENABLE | MASKED)) == ENABLE;
}

void deadline_arm(uint64_t ticks)
{
    WRITE(CNTV_CVAL_EL0, reader_ticks() + ticks);
    WRITE(CNTV_CTL_EL0, ENABLE);
    isb();
}

bool deadline_due(void)
{
    return (READ(CNTV_CTL_EL0) & (ENABLE | MASKED | DUE)) == (ENABLE | DUE);
}
