/* How long a tick of the time stamp is, and the seconds of the run. */
#ifndef FATHOM_BOOT_UEFI_TIME_H
#define FATHOM_BOOT_UEFI_TIME_H

#include <stddef.h>

/*
 * A source of the time stamp's frequency: a clock that it was compared with, or what the core declares; and that
 * frequency in Hz.
 */
struct time_source {
    const char *name;
    double hz;
};

/*
 * Writes the frequencies of the time stamp that there are to `out`, each with its source: those that the core declares,
 * then those measured by the ACPI timer, by the firmware's Stall and by the real-time clock. Takes up to three seconds,
 * most of them for the real-time clock. Returns how many, at most `room`.
 */
size_t time_sources(struct time_source *out, size_t room);

/*
 * Finds out the frequency of reader_ticks in Hz; *source says by what. To be called once, at the start; until then
 * machine_seconds returns 0.
 */
double time_tick_hz(const char **source);
/* From now on machine_seconds leaves out these seconds, too: the run was paused for so long. */
void time_skip(double seconds);

#endif
