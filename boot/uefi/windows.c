#include "boot/uefi/windows.h"

#include "arch/own.h"
#include "boot/uefi/control.h"
#include "boot/uefi/cores.h"
#include "boot/uefi/platform.h"
#include "boot/uefi/responder.h"
#include "boot/uefi/tick.h"
#include "boot/uefi/warnings.h"
#include "boot/uefi/watchdog.h"
#include "lib/machine.h"
#include "lib/plan/config.h"

static bool wanted;  /* by the configuration */
static bool windows; /* on the core in use */
static unsigned deadline_ms;

void windows_start(const struct config *c)
{
    wanted = c->windows;
    deadline_ms = c->deadline_ms;
}

bool windows_are_on(void)
{
    return windows;
}

unsigned windows_deadline_ms(void)
{
    return deadline_ms;
}

/* `windows = off` needs a firmware that handles interrupts; where it does not, windows stay on, with a warning. */
static void try_without_windows(void)
{
    struct reading once = {.kernel = (uintptr_t)reader_empty_kernel};
    struct window_result result;
    const char *why = own_noisy_window(&once, 1, machine_info()->counters, SILENCE_NONE, &result);

    if (why) {
        warn("windows", "windows = off is not possible on core %u: %s", machine_info()->core, why);
        windows = true;
    }
}

void windows_core_taken(void)
{
    windows = wanted;
    if (!windows)
        try_without_windows();
}

static struct window_result no_result(const char *why)
{
    return (struct window_result){.end = WINDOW_FAULT, .fault = {.vector = why}};
}

struct window_result machine_window(struct reading *list, size_t count)
{
    if (platform_not_ours() || cores_gone())
        return no_result(platform_not_ours() ? platform_not_ours() : cores_gone());
    responders_rest();
    watchdog_refresh();
    enum reader_counters counters = control_counting(list, count) ? READER_EVENTS : machine_info()->counters;
    if (!windows) {
        struct window_result result = {0};
        const char *why = own_noisy_window(list, count, counters, SILENCE_NONE, &result);
        return why ? no_result(why) : result;
    }
    tick_stop();
    struct window_result result = own_window(list, count, counters, deadline_ms);
    tick_resume();
    return result;
}

const char *machine_window_kind(struct reading *list, size_t count, enum silence silence, struct window_result *result)
{
    *result = (struct window_result){0};
    if (platform_not_ours())
        return platform_not_ours();
    if (silence != SILENCE_NONE && !windows)
        return "windows are switched off (windows = off)";
    responders_rest();
    if (silence != SILENCE_STOPPED)
        return own_noisy_window(list, count, machine_info()->counters, silence, result);
    *result = machine_window(list, count);
    return NULL;
}
