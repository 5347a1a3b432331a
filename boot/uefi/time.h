/* How long a tick of the time stamp is, and the seconds of the run. */
#ifndef FATHOM_BOOT_UEFI_TIME_H
#define FATHOM_BOOT_UEFI_TIME_H

#include <stddef.h>

/* A clock, and the frequency in Hz that the time stamp has by it. */
struct time_source {
    const char *name;
    double hz;
};

/* All clocks that the time stamp can be compared with; takes up to three seconds, most of them for the real-time clock. Returns how many; at most room. */
size_t time_sources(struct time_source *out, size_t room);

/* Frequency of reader_ticks in Hz; `source` says where it comes from. Until it is called, machine_seconds returns 0. */
double time_tick_hz(const char **source);
/* machine_seconds leaves these seconds out: the run was paused. */
void time_skip(double seconds);

#endif
