/* The performance counters of the core in use, through perf_event_open (perf.h). */
#ifndef FATHOM_BOOT_LINUX_COUNTING_H
#define FATHOM_BOOT_LINUX_COUNTING_H

struct counters;

/*
 * To be called when the process has been pinned to another core: finds the counters that the kernel offers there. NULL,
 * or why events cannot be counted. machine_counters proves the counters when they are asked for first.
 */
const char *counting_start(unsigned core, const char *core_name);
/* The counters that the kernel offers on that core, not proven yet. */
const struct counters *counting_offered(void);

#endif
