/* Windows: running readings on the core in use. */
#ifndef FATHOM_BOOT_LINUX_WINDOW_H
#define FATHOM_BOOT_LINUX_WINDOW_H

#include <stdbool.h>

struct machine_info;

/*
 * Makes windows possible on the core that the process is pinned to: signal handlers, the deadline, and what the
 * reader can read, which is written into `info`; *no_cycles says why it cannot read a cycle counter, NULL where it
 * can. Returns NULL, or why nothing can be measured.
 */
const char *windows_start(unsigned deadline_ms, struct machine_info *info, const char **no_cycles);
/*
 * Frequency of the reader's time stamp in Hz, measured against the kernel's clock; *source says how. 1 GHz is assumed
 * where the result is impossible, as in a simulator whose clock stands still.
 */
double windows_tick_hz(const char **source);
/* While on, identification registers that this process may not read are read as zero. */
void windows_describing(bool on);
/* While on, the readings of windows sample the counters that perf_windows_count opened. */
void windows_count(bool on);

#endif
