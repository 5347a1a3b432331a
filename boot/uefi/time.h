/* How long a tick of the time stamp is, and the seconds of the run. */
#ifndef FATHOM_BOOT_UEFI_TIME_H
#define FATHOM_BOOT_UEFI_TIME_H

/* Frequency of reader_ticks in Hz; `source` says where it comes from. Until it is called, machine_seconds returns 0. */
double time_tick_hz(const char **source);
/* machine_seconds leaves these seconds out: the run was paused. */
void time_skip(double seconds);

#endif
