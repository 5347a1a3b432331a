/* Windows: running readings on the core in use. */
#ifndef FATHOM_BOOT_LINUX_WINDOW_H
#define FATHOM_BOOT_LINUX_WINDOW_H

#include <stdbool.h>

struct machine_info;

/*
 * Makes windows possible on the core that the process is pinned to: installs signal handlers and the deadline's timer,
 * and finds out what the reader can read, which is written into `info`. *no_cycles says why it cannot read a cycle
 * counter; NULL where it can. Returns NULL, or why nothing can be measured.
 */
const char *windows_start(unsigned deadline_ms, struct machine_info *info, const char **no_cycles);
/*
 * Frequency of the reader's time stamp in Hz, measured against the kernel's clock, in windows, until two measurements
 * in a row agree, but not for ever; *source says how. To be called after windows_start. In profile simulated it is
 * measured once, and 1 GHz is assumed where the result is impossible, since a simulator's clock may stand still.
 */
double windows_tick_hz(const char **source);
/*
 * While `on`, identification registers that this process may not read are read as zero, instead of ending the program
 * by a signal.
 */
void windows_describing(bool on);
/* While `on`, the readings of windows sample the counters that perf_windows_count has opened. */
void windows_count(bool on);

#endif
