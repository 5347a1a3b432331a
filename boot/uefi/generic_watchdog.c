/*
 * Sources: ACPI specification 6.5, 5.2.25 (GTDT); Arm Base System Architecture (DEN0094), the appendix on the generic
 * watchdog. The frames were checked against Linux, drivers/watchdog/sbsa_gwdt.c, and QEMU, hw/watchdog/sbsa_gwdt.c.
 *
 * No machine of the tests has one: QEMU's `virt` has none, and for its `sbsa-ref` Debian has no firmware. The tests run
 * it on a modelled frame.
 */
#include "boot/uefi/generic_watchdog.h"

#include <stdio.h>
#include <string.h>

/* The GTDT: how many structures there are, and where they begin. Revision 1 ends before that. */
enum { PLATFORM_TIMERS = 88, PLATFORM_TIMER_OFFSET = 92, GTDT_LEAST = 96 };
/* A structure, and that of a watchdog. */
enum {
    TYPE = 0,
    LENGTH = 1,
    STRUCTURE_LEAST = 3,
    WATCHDOG = 1,
    REFRESH_FRAME = 4,
    CONTROL_FRAME = 12,
    FLAGS = 24,
    SECURE = 1 << 2,
    WATCHDOG_BYTES = 28,
};
/* The frames are whole pages. */
enum { FRAME_BYTES = 4096 };

/* The refresh frame, and the control frame. */
enum { WRR = 0 };
enum { WCS = 0x000, WCS_EN = 1, WOR = 0x008, WOR_HIGH = 0x00c, W_IIDR = 0xfcc };
static const uint64_t NARROW = UINT32_MAX, WIDE = (UINT64_C(1) << 48) - 1;

static uint64_t field(const uint8_t *at, size_t bytes)
{
    uint64_t value = 0;

    memcpy(&value, at, bytes);
    return value;
}

static bool is_frame(uint64_t address)
{
    return address && address % FRAME_BYTES == 0;
}

bool generic_watchdog_listed(struct generic_watchdog *w, const void *gtdt, size_t bytes)
{
    const uint8_t *table = gtdt;

    if (bytes < GTDT_LEAST)
        return false;
    size_t count = (size_t)field(table + PLATFORM_TIMERS, 4), at = (size_t)field(table + PLATFORM_TIMER_OFFSET, 4);
    for (; count > 0 && at >= GTDT_LEAST && at < bytes && bytes - at >= STRUCTURE_LEAST; count--) {
        const size_t length = (size_t)field(table + at + LENGTH, 2);
        if (length < STRUCTURE_LEAST || length > bytes - at)
            return false;
        if (table[at + TYPE] == WATCHDOG && length >= WATCHDOG_BYTES && !(field(table + at + FLAGS, 4) & SECURE)) {
            w->refresh = field(table + at + REFRESH_FRAME, 8);
            w->control = field(table + at + CONTROL_FRAME, 8);
            if (is_frame(w->refresh) && is_frame(w->control))
                return true;
        }
        at += length;
    }
    return false;
}

static uint64_t get_offset(const struct generic_watchdog *w)
{
    const uint64_t low = w->read(w->control + WOR);

    return w->wide ? (uint64_t)w->read(w->control + WOR_HIGH) << 32 | low : low;
}

/* Only while it is off: of two writes, the first alone would make a short time. */
static void put_offset(const struct generic_watchdog *w, uint64_t ticks)
{
    w->write(w->control + WOR, (uint32_t)ticks);
    if (w->wide)
        w->write(w->control + WOR_HIGH, (uint32_t)(ticks >> 32));
}

const char *generic_watchdog_arm(struct generic_watchdog *w, unsigned seconds, double hz)
{
    const uint32_t iidr = w->read(w->control + W_IIDR), status = w->read(w->control + WCS);
    const double ticks = seconds * hz;

    if (iidr == UINT32_MAX || status == UINT32_MAX)
        return "its registers do not respond: they read as all ones";
    if (status & WCS_EN)
        return "it counts down already: the firmware or the board uses it";
    w->wide = (iidr >> 16 & 0xf) != 0;
    if (ticks > (double)(w->wide ? WIDE : NARROW)) {
        snprintf(w->why, sizeof w->why, "this watchdog takes at most %.0f seconds",
                 (double)(w->wide ? WIDE : NARROW) / hz - 0.5);
        return w->why;
    }
    w->offset = get_offset(w);
    put_offset(w, (uint64_t)ticks);
    w->write(w->control + WCS, WCS_EN);
    if ((w->read(w->control + WCS) & WCS_EN) && get_offset(w) == (uint64_t)ticks)
        return NULL;
    generic_watchdog_disarm(w);
    return "its registers do not keep what is written: it cannot be started";
}

void generic_watchdog_refresh(const struct generic_watchdog *w)
{
    w->write(w->refresh + WRR, 1);
}

void generic_watchdog_disarm(struct generic_watchdog *w)
{
    w->write(w->control + WCS, 0);
    put_offset(w, w->offset);
}

size_t generic_watchdog_registers(const struct generic_watchdog *w, struct watchdog_register *out, size_t room)
{
    if (room < 2)
        return 0;
    out[0] = (struct watchdog_register){"WCS", 0, w->read(w->control + WCS)};
    out[1] = (struct watchdog_register){"WOR", w->offset, get_offset(w)};
    return 2;
}
