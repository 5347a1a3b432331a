/*
 * How long a tick of the time stamp is, and the time of day.
 *
 * A frequency that the core declares is used. On x86-64 many cores declare none; then the time stamp is compared with
 * the ACPI power management timer, a counter of known frequency on every PC. The firmware's Stall is the last resort.
 * On AArch64 firmware declares the frequency: it is compared with Stall, and where they differ with the real-time
 * clock.
 */
#include "boot/uefi/time.h"

#include <efi.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "arch/identify.h"
#include "arch/reader.h"
#include "boot/uefi/acpi.h"
#include "boot/uefi/devicetree.h"
#include "boot/uefi/firmware.h"
#include "boot/uefi/tick_rate.h"
#include "boot/uefi/warnings.h"
#include "lib/machine.h"
#ifdef __aarch64__
#include "arch/aarch64/counter_errata.h"
#endif

/*
 * Relative difference that two calibrations may have. A system management interrupt in one of 20 ms would have to last
 * 0.1 ms to exceed it, and then the frequency would be wrong by more than other errors of a run.
 */
static const double AGREEMENT = 0.005;

static double tick_hz; /* 0 before time_tick_hz */
static double skipped; /* seconds that machine_seconds leaves out */

static bool agree(double a, double b)
{
    return a > 0 && b > 0 && fabs(a - b) <= AGREEMENT * b;
}

#ifdef __x86_64__

/* ACPI specification 6.5: FADT 5.2.9, timer 4.8.3.3, generic address 5.2.3.2. */
enum {
    FADT_PM_TMR_BLK = 76,
    FADT_PM_TMR_LEN = 91,
    FADT_FLAGS = 112,
    FADT_FLAGS_TMR_VAL_EXT = 1 << 8,
    FADT_X_PM_TMR_BLK = 208,
    GENERIC_ADDRESS_BYTES = 12,
    SPACE_IO = 1,
};
static const double PM_TIMER_HZ = 3579545;
static const uint32_t CALIBRATION_COUNTS = 71591; /* of PM_TIMER_HZ, 20 ms: a count more or less is 14 in a million */

struct pm_timer {
    uint16_t port;
    uint32_t mask; /* 24 or 32 bits count */
};

static bool find_pm_timer(struct pm_timer *t)
{
    const uint8_t *fadt = acpi_table("FACP", FADT_FLAGS + 4);
    uint32_t length, flags, port;

    if (!fadt)
        return false;
    memcpy(&length, fadt + 4, sizeof length);
    memcpy(&flags, fadt + FADT_FLAGS, sizeof flags);
    memcpy(&port, fadt + FADT_PM_TMR_BLK, sizeof port);
    if (length >= FADT_X_PM_TMR_BLK + GENERIC_ADDRESS_BYTES && fadt[FADT_X_PM_TMR_BLK] == SPACE_IO) {
        uint64_t address;
        memcpy(&address, fadt + FADT_X_PM_TMR_BLK + 4, sizeof address);
        if (address)
            port = (uint32_t)address;
    }
    if (fadt[FADT_PM_TMR_LEN] != 4 || port == 0 || port > UINT16_MAX)
        return false;
    *t = (struct pm_timer){(uint16_t)port, flags & FADT_FLAGS_TMR_VAL_EXT ? 0xffffffff : 0xffffff};
    return true;
}

static uint32_t read_pm_timer(const struct pm_timer *t)
{
    uint32_t value;
    __asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(t->port));
    return value & t->mask;
}

/* Reads both clocks at one moment: of eight attempts the one in which reading the timer took the least time. */
static void read_both(const struct pm_timer *t, uint64_t *ticks, uint32_t *count)
{
    uint64_t shortest = UINT64_MAX;

    for (unsigned i = 0; i < 8; i++) {
        uint64_t before = reader_ticks();
        uint32_t value = read_pm_timer(t);
        uint64_t took = reader_ticks() - before;
        if (took < shortest) {
            shortest = took;
            *ticks = before + took / 2;
            *count = value;
        }
    }
}

/* Frequency of the time stamp over 20 ms of the timer; 0 when the timer stands still. */
static double hz_by_pm_timer(const struct pm_timer *t)
{
    enum {
        MOST_READS = 4 << 20
    }; /* of a port, each of which takes 0.1 µs or more: after 0.4 s the timer stands still */
    uint64_t start_ticks = 0, end_ticks = 0;
    uint32_t start = 0, end = 0;

    read_both(t, &start_ticks, &start);
    for (unsigned i = 0; ((read_pm_timer(t) - start) & t->mask) < CALIBRATION_COUNTS; i++)
        if (i == MOST_READS)
            return 0;
    read_both(t, &end_ticks, &end);
    return (double)(end_ticks - start_ticks) * PM_TIMER_HZ / (double)((end - start) & t->mask);
}

static double calibrate(const char **source)
{
    struct pm_timer t;
    double first = 0, second = 0;

    if (find_pm_timer(&t)) {
        first = hz_by_pm_timer(&t);
        second = hz_by_pm_timer(&t);
        if (!agree(first, second))
            warn("tick", "two calibrations against the ACPI timer gave %.0f and %.0f Hz", first, second);
    }
    *source = "acpi-pm-timer";
    return agree(first, second) ? (first + second) / 2 : 0;
}

static void find_counter_erratum(void)
{
}

#else

static double calibrate(const char **source)
{
    *source = NULL;
    return 0; /* no counter here has a known frequency */
}

/* Looks for what the firmware's tables say of the counter that is the time stamp. */
static void find_counter_erratum(void)
{
    /* ACPI specification 6.5, 5.2.6: the OEM's identifiers in a table's header. */
    enum { OEM = 10, OEM_TABLE = 16, OEM_REVISION = 24, HEADER_BYTES = 36 };
    const char *gtdt = acpi_table("GTDT", HEADER_BYTES);
    size_t bytes, length;
    const void *tree = firmware_devicetree(&bytes);
    uint32_t revision;

    if (gtdt) {
        memcpy(&revision, gtdt + OEM_REVISION, sizeof revision);
        counter_erratum = counter_erratum_of_oem(gtdt + OEM, gtdt + OEM_TABLE, revision);
    }
    for (const char *const *name = counter_errata_properties; tree && *name; name++)
        if (devicetree_property(tree, bytes, "arm,armv8-timer", *name, &length))
            counter_erratum = counter_erratum_of_property(*name);
}

#endif

enum { STALL_US = 20000 }; /* in which a microsecond more or less is 50 in a million */

static double hz_by_stall(unsigned us)
{
    uint64_t start = reader_ticks();
    firmware.boot->Stall(us);
    return (double)(reader_ticks() - start) * 1e6 / us;
}

/*
 * The shortest of some, until it shows what is declared: interrupts, and a host that is busy, only make them longer. In
 * 2 ms the call of Stall itself, some microseconds, is less than what counts as a difference, and a few of them pass
 * between the interruptions of a busy host.
 */
static double hz_by_stalls(double declared)
{
    enum { ATTEMPTS = 64, US = 2000 };
    double least = hz_by_stall(US);

    for (unsigned i = 1; i < ATTEMPTS && !tick_rate_same(declared, least); i++)
        least = fmin(least, hz_by_stall(US));
    return least;
}

/* Time stamp when the real-time clock's second changes; 0 when it has not within `limit` ticks, or cannot be read. */
static uint64_t next_second(uint64_t limit)
{
    enum { MOST_READS = 20 << 20 }; /* should both clocks stand still; a second has fewer, each takes 0.1 µs or more */
    const uint64_t start = reader_ticks();
    EFI_TIME first, t;

    if (EFI_ERROR(firmware.runtime->GetTime(&first, NULL)))
        return 0;
    for (unsigned i = 0; i < MOST_READS && reader_ticks() - start < limit; i++) {
        if (EFI_ERROR(firmware.runtime->GetTime(&t, NULL)))
            return 0;
        if (t.Second != first.Second)
            return reader_ticks();
    }
    return 0;
}

/*
 * Frequency of the time stamp over two seconds of the real-time clock; 0 where it does not move by `most_hz`, or the
 * two seconds differ.
 */
static double hz_by_clock_within(double most_hz)
{
    const uint64_t limit = (uint64_t)(most_hz *
                                      1.5); /* a second, and as much again as makes up for most_hz being low */
    const uint64_t first = next_second(limit), second = first ? next_second(limit) : 0;
    const uint64_t third = second ? next_second(limit) : 0;

    if (!third || !tick_rate_same((double)(second - first), (double)(third - second)))
        return 0;
    return (double)(third - first) / 2;
}

static double likely_hz; /* the highest that may be right, for hz_by_clock */

static double hz_by_clock(void)
{
    return hz_by_clock_within(likely_hz);
}

/* What firmware wrote is compared with other clocks before it is used. */
static double check_declared(const struct identity *id, const char **source)
{
    const double stall = hz_by_stalls(id->tick_hz);

    likely_hz = fmax(id->tick_hz, stall);
    const struct tick_rate rate = tick_rate_choose(id->tick_hz, id->tick_source, stall, hz_by_clock);
    if (rate.doubt)
        warn("tick", "the firmware declares a time stamp of %.0f Hz, and its Stall shows %.0f Hz: %s", id->tick_hz,
             stall, rate.doubt);
    *source = rate.source;
    return rate.hz;
}

/* The best source first: the core itself, the ACPI timer, what the core says in whole MHz, Stall. */
static double find_tick_hz(const char **source)
{
    struct identity id;

    identify(&id);
    if (id.tick_by_firmware)
        return check_declared(&id, source);
    *source = id.tick_source;
    if (id.tick_hz > 0 && !id.tick_rounded)
        return id.tick_hz;
    double hz = calibrate(source);
    if (hz > 0)
        return hz;
    *source = id.tick_source;
    if (id.tick_hz > 0)
        return id.tick_hz;

    double first = hz_by_stall(STALL_US), second = hz_by_stall(STALL_US);
    *source = "firmware-stall";
    if (firmware.quirks.stall_lies || !agree(first, second)) {
        *source = "firmware-stall-unreliable";
        warn("tick", "the time stamp's frequency comes from the firmware's Stall, which is not reliable here");
    }
    return second;
}

size_t time_sources(struct time_source *out, size_t room)
{
    struct identity_tick declared[IDENTITY_TICKS];
    const size_t declared_count = identify_ticks(declared);
    const char *name;
    size_t count = 0;

    for (; count < declared_count && count < room; count++)
        out[count] = (struct time_source){declared[count].source, declared[count].hz};
    const double timer = calibrate(&name);
    if (timer > 0 && count < room)
        out[count++] = (struct time_source){name, timer};
    if (count < room)
        out[count++] = (struct time_source){"firmware-stall", hz_by_stall(STALL_US)};
    const double clock = count < room ? hz_by_clock_within(tick_hz) : 0;
    if (clock > 0)
        out[count++] = (struct time_source){"real-time-clock", clock};
    return count;
}

double time_tick_hz(const char **source)
{
    find_counter_erratum();
    tick_hz = find_tick_hz(source);
    return tick_hz;
}

void time_skip(double seconds)
{
    skipped += seconds;
}

double machine_seconds(void)
{
    return tick_hz > 0 ? (double)reader_ticks() / tick_hz - skipped : 0;
}

void machine_date(char out[24])
{
    EFI_TIME t;

    out[0] = 0;
    if (EFI_ERROR(firmware.runtime->GetTime(&t, NULL)) || t.Year < 1998 || t.Month < 1 || t.Month > 12)
        return;
    /* TimeZone is in minutes, and local time = UTC - TimeZone (8.3). Without a time zone the time is taken as UTC. */
    int east = -t.TimeZone;
    if (t.TimeZone == EFI_UNSPECIFIED_TIMEZONE || east == 0)
        snprintf(out, 24, "%04u-%02u-%02uT%02u:%02u:%02uZ", t.Year % 10000u, t.Month, t.Day % 100u, t.Hour % 100u,
                 t.Minute % 100u, t.Second % 100u);
    else
        snprintf(out, 24, "%04u-%02u-%02uT%02u:%02u%c%02d:%02d", t.Year % 10000u, t.Month, t.Day % 100u, t.Hour % 100u,
                 t.Minute % 100u, east < 0 ? '-' : '+', (east < 0 ? -east : east) / 60 % 100,
                 (east < 0 ? -east : east) % 60);
}
