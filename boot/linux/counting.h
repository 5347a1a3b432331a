/* The performance counters of the core in use, through perf_event_open (perf.h). */
#ifndef FATHOM_BOOT_LINUX_COUNTING_H
#define FATHOM_BOOT_LINUX_COUNTING_H

struct counters;

/*
 * Finds the counters that the kernel offers on a core, the kernel's number `core`, of the name `core_name`. To be
 * called when the process has been pinned to that core. machine_counters then proves the counters at its first call.
 * NULL, or why events cannot be counted; valid until the next call.
 */
const char *counting_start(unsigned core, const char *core_name);
/* The counters that counting_start has found, whether or not they have been proven. */
const struct counters *counting_offered(void);

#endif
