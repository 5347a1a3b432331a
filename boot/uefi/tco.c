/*
 * Sources: Intel I/O Controller Hub 9 datasheet (316972), chapters on the chipset configuration registers (GCS) and the
 * LPC bridge (its TCO registers). Every number here was checked against Linux: drivers/mfd/lpc_ich.c,
 * drivers/i2c/busses/i2c-i801.c, drivers/platform/x86/p2sb.c, drivers/watchdog/iTCO_wdt.c; those of ICH9 also against
 * QEMU, hw/acpi/ich9_tco.c, whose device is the only one of the tests that is no model of theirs. From the 100 series
 * on, Linux is the only source, but for the bridge P2SB, which coreboot hides in the same way.
 */
#include "boot/uefi/tco.h"

#include <stdbool.h>
#include <stdio.h>

enum { LPC = 0, SMBUS = 4 /* functions of device 31 */, INTEL = 0x8086, NONE = 0xffff };

/* The LPC bridge, to the 9 series. */
enum {
    PMBASE = 0x40,
    PMBASE_BITS = 0xff80,
    ACPI_CNTL = 0x44,
    ACPI_EN = 1 << 7,
    RCBA = 0xf0,
    RCBA_EN = 1,
    TCO_IN_PM = 0x60, /* of the block, behind PMBASE */
    GCS = 0x3410,     /* behind RCBA */
    GCS_NO_REBOOT = 1 << 5,
};
static const uint32_t RCBA_BITS = 0xffffc000;

/* The SMBus controller, from the 100 series on. */
enum { TCOBASE = 0x50, TCOBASE_BITS = 0xffe0, TCOCTL = 0x54, TCO_BASE_EN = 1 << 8, DENVERTON = 0x19df };

/*
 * Before Cannon Lake NO_REBOOT is in a register of that controller which is reached through a bridge to the chipset's
 * sideband, function 1. Firmware hides the bridge: then it reads as all ones, but takes the byte that shows it.
 */
enum {
    P2SB = 1,
    P2SB_BAR = 0x10,
    P2SB_BAR_HIGH = 0x14,
    P2SB_HIDE = 0xe1, /* a byte: 1 hides it */
    SMBCTRL = 0xc6000c,
    SMBCTRL_DENVERTON = 0xcf000c,
    SMBCTRL_NO_REBOOT = 1 << 1,
};
static const uint32_t P2SB_BAR_BITS = 0xff000000;

/* The block itself, of words. */
enum {
    TCO_RLD = 0x00, /* writing anything starts the time again; reading gives what is left */
    TCO_RLD_BITS = 0x3ff,
    TCO1_STS = 0x04,
    TIMEOUT = 1 << 3, /* the time ran out; cleared by writing 1 */
    TCO2_STS = 0x06,
    SECOND_TO_STS = 1 << 1, /* and ran out again; cleared by writing 1 */
    TCO1_CNT = 0x08,
    NO_REBOOT = 1,     /* Cannon Lake and later */
    NMI_NOW = 1 << 8,  /* writing 1 changes it: always written as 0 */
    TMR_HLT = 1 << 11, /* the timer stands still */
    TCO_TMR = 0x12,    /* the time */
    TCO_TMR_BITS = 0x3ff,
};

/* A tick is 0.6 s, and fewer than 4 are ignored. (Linux knows blocks with ticks of 1 s, in systems on a chip.) */
enum { TICK_MS = 600, LEAST_TICKS = 4, MOST_TICKS = 0x3ff, TWO_TICKS_MS = 1300 };

struct range {
    uint16_t first, last;
};

/* LPC bridges with the block behind PMBASE: version 2 in Linux. */
static const struct range bridges[] = {
    {0x2640, 0x2642}, /* ICH6 */
    {0x2670, 0x267f}, /* 631xESB, 632xESB */
    {0x27b0, 0x27bd}, /* ICH7, NM10 */
    {0x2810, 0x2815}, /* ICH8 */
    {0x2912, 0x2919}, /* ICH9, QEMU's q35 */
    {0x3a14, 0x3a1a}, /* ICH10 */
    {0x5031, 0x5031}, /* EP80579 */
    {0x3b00, 0x3b16}, /* 5 series, 3400 */
    {0x1c41, 0x1c5f}, /* 6 series */
    {0x1d40, 0x1d41}, /* Patsburg */
    {0x2310, 0x2310}, /* DH89xxCC */
    {0x2390, 0x2390}, /* Coleto Creek */
    {0x1e40, 0x1e5f}, /* 7 series */
    {0x8c40, 0x8c5f}, /* 8 series */
    {0x9c40, 0x9c47}, /* 8 series, low power */
    {0x8cc1, 0x8cc6}, /* 9 series */
    {0x9cc1, 0x9cc9}, /* 9 series, low power */
    {0x8d40, 0x8d5f}, /* Wellsburg */
};

/* SMBus controllers with NO_REBOOT in TCO1_CNT: version 6 in Linux. Not Birch Stream, which has no such timer. */
static const uint16_t controllers[] = {
    0xa323, 0x9da3, /* Cannon Lake */
    0x18df, 0x1bc9, /* Cedar Fork, Emmitsburg */
    0x34a3, 0x38a3, /* Ice Lake */
    0x02a3, 0x06a3, /* Comet Lake */
    0x4b23, 0x4da3, /* Elkhart Lake, Jasper Lake */
    0xa0a3, 0x43a3, /* Tiger Lake */
    0x7aa3, 0x51a3, /* Alder Lake */
    0x54a3, 0x7a23, /* Alder Lake, Raptor Lake */
    0x7e22, 0xae22, /* Meteor Lake */
    0x7f23, 0x7722, /* Meteor Lake, Arrow Lake */
    0xe322, 0xe422, /* Panther Lake */
};

/* SMBus controllers with NO_REBOOT behind the bridge P2SB: version 4 in Linux. */
static const uint16_t behind_p2sb[] = {
    0xa123,    0x9d23, /* Sunrise Point */
    DENVERTON, 0xa1a3, /* and Lewisburg */
    0xa223,    0xa2a3, /* Lewisburg, Kaby Lake */
    0xa3a3,            /* Comet Lake V */
};

/* ---- Finding it ------------------------------------------------------------------------------------------------ */

static bool is_bridge(uint16_t device)
{
    for (size_t i = 0; i < sizeof bridges / sizeof bridges[0]; i++)
        if (device >= bridges[i].first && device <= bridges[i].last)
            return true;
    return false;
}

static bool is_one_of(uint16_t device, const uint16_t *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (device == list[i])
            return true;
    return false;
}

static const char *find_behind_bridge(struct tco *t)
{
    const uint32_t pmbase = t->access->config(LPC, PMBASE) & PMBASE_BITS, rcba = t->access->config(LPC, RCBA);

    if (!(t->access->config(LPC, ACPI_CNTL) & ACPI_EN) || !pmbase)
        return "the firmware has not switched on the power management registers, where the watchdog is (ACPI_CNTL)";
    if (!(rcba & RCBA_EN) || !(rcba & RCBA_BITS))
        return "the firmware has not switched on the registers where NO_REBOOT is (RCBA)";
    t->base = (uint16_t)(pmbase + TCO_IN_PM);
    t->no_reboot_at = (rcba & RCBA_BITS) + GCS;
    t->no_reboot_bit = GCS_NO_REBOOT;
    t->no_reboot_in = "GCS";
    return NULL;
}

static const char *find_behind_smbus(struct tco *t)
{
    const uint32_t base = t->access->config(SMBUS, TCOBASE) & TCOBASE_BITS;

    if (!(t->access->config(SMBUS, TCOCTL) & TCO_BASE_EN) || !base)
        return "the firmware has not switched on the registers of the watchdog (TCOCTL)";
    t->base = (uint16_t)base;
    return NULL;
}

/* Shows the bridge for as long as its address is read. */
static const char *find_behind_p2sb(struct tco *t, uint16_t controller)
{
    const bool hidden = t->access->config(P2SB, 0) == UINT32_MAX;

    if (hidden)
        t->access->put_config(P2SB, P2SB_HIDE, 0);
    const uint32_t vendor = t->access->config(P2SB, 0) & 0xffff,
                   bar = t->access->config(P2SB, P2SB_BAR) & P2SB_BAR_BITS;
    const uint32_t high = t->access->config(P2SB, P2SB_BAR_HIGH);
    if (hidden)
        t->access->put_config(P2SB, P2SB_HIDE, 1);
    if (vendor != INTEL || !bar || high)
        return "the register with NO_REBOOT is out of reach: the firmware hides the bridge to it (P2SB) for good";
    t->no_reboot_at = (uint64_t)bar + (controller == DENVERTON ? SMBCTRL_DENVERTON : SMBCTRL);
    t->no_reboot_bit = SMBCTRL_NO_REBOOT;
    t->no_reboot_in = "SMBCTRL";
    if (t->access->read(t->no_reboot_at) == UINT32_MAX)
        return "the register with NO_REBOOT does not respond (SMBCTRL): it reads as all ones";
    return find_behind_smbus(t);
}

const char *tco_find(struct tco *t, const struct tco_access *access)
{
    *t = (struct tco){.access = access};
    const uint32_t lpc = access->config(LPC, 0), smbus = access->config(SMBUS, 0);
    const uint16_t bridge = (lpc & 0xffff) == INTEL ? (uint16_t)(lpc >> 16) : 0;
    const uint16_t controller = (smbus & 0xffff) == INTEL ? (uint16_t)(smbus >> 16) : 0;
    const char *why = t->why;

    if (is_bridge(bridge))
        why = find_behind_bridge(t);
    else if (is_one_of(controller, controllers, sizeof controllers / sizeof controllers[0]))
        why = find_behind_smbus(t);
    else if (is_one_of(controller, behind_p2sb, sizeof behind_p2sb / sizeof behind_p2sb[0]))
        why = find_behind_p2sb(t, controller);
    else
        snprintf(t->why, sizeof t->why, "there is no chipset whose watchdog is known (device 31: %04x:%04x)",
                 (unsigned)(lpc & 0xffff), (unsigned)(lpc >> 16));
    if (!why && access->in(t->base + TCO1_CNT) == NONE)
        why = "its registers do not respond: they read as all ones";
    return why;
}

/* ---- Using it -------------------------------------------------------------------------------------------------- */

static uint16_t get(const struct tco *t, unsigned at)
{
    return t->access->in((uint16_t)(t->base + at));
}

static void put(const struct tco *t, unsigned at, uint16_t value)
{
    t->access->out((uint16_t)(t->base + at), value);
}

/* Clears and sets bits of TCO1_CNT. */
static void control(const struct tco *t, uint16_t clear, uint16_t set)
{
    put(t, TCO1_CNT, (uint16_t)((get(t, TCO1_CNT) & ~(clear | NMI_NOW)) | set));
}

static bool reboots(const struct tco *t)
{
    return !(t->no_reboot_at ? t->access->read(t->no_reboot_at) & t->no_reboot_bit : get(t, TCO1_CNT) & NO_REBOOT);
}

static void allow_reboot(const struct tco *t, bool allow)
{
    if (!t->no_reboot_at) {
        control(t, NO_REBOOT, allow ? 0 : NO_REBOOT);
    } else {
        const uint32_t others = t->access->read(t->no_reboot_at) & ~t->no_reboot_bit;
        t->access->write(t->no_reboot_at, others | (allow ? 0 : t->no_reboot_bit));
    }
}

/* Whether it already counts down to a reset: then the firmware uses it, or a controller of the board. */
static bool used(const struct tco *t)
{
    if ((get(t, TCO1_CNT) & TMR_HLT) || !reboots(t))
        return false;
    const uint16_t before = get(t, TCO_RLD) & TCO_RLD_BITS;
    t->access->wait_ms(TWO_TICKS_MS);
    return (get(t, TCO_RLD) & TCO_RLD_BITS) != before;
}

static const char *say_locked(struct tco *t)
{
    static const char locked[] = "the watchdog cannot reset this machine: firmware or a strap locks NO_REBOOT";

    if (t->no_reboot_at)
        snprintf(t->why, sizeof t->why, "%s (%s at %llx: %x)", locked, t->no_reboot_in,
                 (unsigned long long)t->no_reboot_at, (unsigned)t->no_reboot);
    else
        snprintf(t->why, sizeof t->why, "%s (TCO1_CNT at port %x: %x)", locked, t->base + TCO1_CNT, t->control);
    return t->why;
}

/*
 * The order matters: while the timer may run, or old timeouts are noted, NO_REBOOT stays set. Bits that note timeouts
 * are cleared and not put back.
 */
const char *tco_arm(struct tco *t, unsigned seconds)
{
    const unsigned ticks = (seconds * 1000 + TICK_MS - 1) / TICK_MS;

    if (ticks < LEAST_TICKS || ticks > MOST_TICKS)
        return "this watchdog takes 3 to 613 seconds";
    if (used(t))
        return "it counts down already: the firmware or the board uses it";
    t->control = get(t, TCO1_CNT);
    t->timer = get(t, TCO_TMR);
    t->no_reboot = t->no_reboot_at ? t->access->read(t->no_reboot_at) : 0;

    control(t, 0, TMR_HLT);
    if (get(t, TCO1_STS) & TIMEOUT)
        put(t, TCO1_STS, TIMEOUT);
    if (get(t, TCO2_STS) & SECOND_TO_STS)
        put(t, TCO2_STS, SECOND_TO_STS);
    put(t, TCO_TMR, (uint16_t)((t->timer & ~(unsigned)TCO_TMR_BITS) | ticks));
    put(t, TCO_RLD, 1);
    allow_reboot(t, true);
    if (!reboots(t)) {
        tco_disarm(t);
        return say_locked(t);
    }
    control(t, TMR_HLT, 0);
    if (!(get(t, TCO1_CNT) & TMR_HLT) && (get(t, TCO_TMR) & TCO_TMR_BITS) == ticks)
        return NULL;
    tco_disarm(t);
    return "its registers do not keep what is written: it cannot be started";
}

void tco_refresh(const struct tco *t)
{
    put(t, TCO_RLD, 1);
}

/*
 * A timer that was found running but could not reset the machine runs again. One that could, and stood still all the
 * same, stays halted: now it would count (in QEMU, whose timer starts with the first write).
 */
void tco_disarm(struct tco *t)
{
    const bool harmless = t->no_reboot_at ? t->no_reboot & t->no_reboot_bit : t->control & NO_REBOOT;

    control(t, 0, TMR_HLT);
    allow_reboot(t, !harmless);
    put(t, TCO_TMR, t->timer);
    if (harmless && !(t->control & TMR_HLT))
        control(t, TMR_HLT, 0);
}

size_t tco_registers(const struct tco *t, struct watchdog_register *out, size_t room)
{
    const struct watchdog_register all[] = {
        {"TCO1_CNT", t->control, get(t, TCO1_CNT)},
        {"TCO_TMR", t->timer, get(t, TCO_TMR)},
        {t->no_reboot_in, t->no_reboot, t->no_reboot_at ? t->access->read(t->no_reboot_at) : 0},
    };
    size_t count = 0;

    for (; count < (t->no_reboot_at ? 3u : 2u) && count < room; count++)
        out[count] = all[count];
    return count;
}
