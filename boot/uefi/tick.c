/*
 * The firmware's periodic tick is stopped at its source while a window is open: masking alone would leave it pending,
 * which slows some cores (nanoBench, kernel module). The interrupt controller lets the timer of our deadline reach an
 * AArch64 core. Both protocols are edk2's; other firmware may lack them, and then the environment record says so.
 */
#include "boot/uefi/tick.h"

#include <efi.h>

#include <stddef.h>

#include "boot/uefi/firmware.h"
#include "lib/machine.h"

/* PI specification 1.8, volume 2, 12.11: Timer Architectural Protocol; periods in 100 ns. */
struct timer {
    EFI_STATUS(EFIAPI *register_handler)(struct timer *, void *handler);
    EFI_STATUS(EFIAPI *set_period)(struct timer *, UINT64 period);
    EFI_STATUS(EFIAPI *get_period)(struct timer *, UINT64 *period);
    EFI_STATUS(EFIAPI *soft_interrupt)(struct timer *);
};

/* edk2, EmbeddedPkg/Include/Protocol/HardwareInterrupt.h; sources are the GIC's interrupt numbers. */
struct interrupt_controller {
    EFI_STATUS(EFIAPI *register_source)(struct interrupt_controller *, UINTN source, void *handler);
    EFI_STATUS(EFIAPI *enable)(struct interrupt_controller *, UINTN source);
    EFI_STATUS(EFIAPI *disable)(struct interrupt_controller *, UINTN source);
    EFI_STATUS(EFIAPI *get_state)(struct interrupt_controller *, UINTN source, BOOLEAN *enabled);
    EFI_STATUS(EFIAPI *end_of_interrupt)(struct interrupt_controller *, UINTN source);
};

static struct timer *timer;
/*
 * As the firmware set it. It is read once: a driver may round a period that it is given, and each round would add up.
 */
static UINT64 period;
static const char *no_control = "the firmware's timer has not been examined yet";

void tick_start(void)
{
    static EFI_GUID guid = {0x26baccb3, 0x6f42, 0x11d4, {0xbc, 0xe7, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81}};

    timer = firmware_locate(&guid);
    no_control = NULL;
    if (!timer)
        no_control = "the firmware offers no timer protocol";
    else if (EFI_ERROR(timer->get_period(timer, &period)))
        no_control = "the firmware does not report the period of its tick";
    else if (EFI_ERROR(timer->set_period(timer, 0)) || EFI_ERROR(timer->set_period(timer, period)))
        no_control = "the firmware's tick cannot be stopped";
    if (no_control)
        timer = NULL;
}

const char *tick_no_control(void)
{
    return no_control;
}

void tick_stop(void)
{
    if (timer)
        timer->set_period(timer, 0);
}

void tick_resume(void)
{
    if (timer)
        timer->set_period(timer, period);
}

/*
 * Whether the firmware signals timer events at all. It is tried once, polling, since waiting for an event that never
 * comes would not end. Half a second is fifty ticks of 10 ms, edk2's usual period.
 */
static bool timer_events_work(EFI_EVENT event)
{
    static enum { UNKNOWN, THEY_COME, THEY_DO_NOT } seen;
    const double patience_seconds = 0.5;

    if (seen == UNKNOWN) {
        double start = machine_seconds();
        seen = THEY_DO_NOT;
        if (EFI_ERROR(firmware.boot->SetTimer(event, TimerRelative, 10000))) /* 1 ms: at the next tick */
            return false;
        while (seen == THEY_DO_NOT && machine_seconds() - start < patience_seconds)
            if (firmware.boot->CheckEvent(event) == EFI_SUCCESS)
                seen = THEY_COME;
        firmware.boot->SetTimer(event, TimerCancel, 0);
    }
    return seen == THEY_COME;
}

/* The firmware waits for an event (7.1.5, 7.1.7) in the way in which it always idles: HLT or WFI in edk2. */
const char *machine_idle(double seconds)
{
    EFI_EVENT event;
    UINTN index;
    const char *why = NULL;

    if (machine_info()->core != 0)
        return "only the core that booted can idle: the firmware runs there, and another core is in use";
    if (!timer)
        return no_control;
    if (EFI_ERROR(firmware.boot->CreateEvent(EVT_TIMER, TPL_APPLICATION, NULL, NULL, &event)))
        return "the firmware does not create a timer event";
    if (!timer_events_work(event))
        why = "the firmware does not signal timer events";
    else if (EFI_ERROR(firmware.boot->SetTimer(event, TimerRelative, (UINT64)(seconds * 1e7))) ||
             EFI_ERROR(firmware.boot->WaitForEvent(1, &event, &index)))
        why = "the firmware does not wait for a timer event";
    firmware.boot->CloseEvent(event);
    return why;
}

bool tick_interrupt_source(unsigned id, bool on)
{
    static EFI_GUID guid = {0x2890b3ea, 0x053d, 0x1643, {0xad, 0x0c, 0xd6, 0x48, 0x08, 0xda, 0x3f, 0xf1}};
    static BOOLEAN was_on;
    struct interrupt_controller *gic = firmware_locate(&guid);

    if (!gic)
        return false;
    if (on)
        return !EFI_ERROR(gic->get_state(gic, id, &was_on)) && !EFI_ERROR(gic->enable(gic, id));
    return was_on || !EFI_ERROR(gic->disable(gic, id));
}
