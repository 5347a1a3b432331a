/*
 * Performance counters as a Linux process gets them: perf_event_open(2), and reading without a system call
 * where the kernel allows it (perf_event_mmap_page in linux/perf_event.h).
 */
#ifndef FATHOM_BOOT_LINUX_PERF_H
#define FATHOM_BOOT_LINUX_PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/counters.h"
#include "arch/reader.h"

/* The performance monitoring unit that the kernel uses for a core. */
struct perf_pmu {
    enum counters_kind kind;
    uint32_t type; /* for perf_event_attr.type */
    char name[48]; /* below /sys/bus/event_source/devices: "cpu", "cpu_core", "armv8_pmuv3_0" */
    char why[200]; /* why nothing can be counted; "" where something can */
};

/*
 * Finds the unit of a core, or with -1 that of any core, and proves that it counts by counting the instructions of a
 * loop. out->why says why nothing can be counted.
 */
void perf_find(int core, struct perf_pmu *out);

/*
 * Opens a counter for user code, stopped. It counts this process; with `inherited`, the processes that this one forks
 * later and their children, from an exec on. `leader` is the descriptor of the first of a group; -1 begins a group.
 * Returns a descriptor, or -1 with errno set.
 */
int perf_open(const struct perf_pmu *pmu, const struct counter_setting *setting, int leader, bool inherited);
/* The counters that this process can use on that core; they are not proven yet (lib/counters/count.h). */
void perf_counters(const struct perf_pmu *pmu, const char *core_name, struct counters *out);
/* What has to be counted to prove these counters: a row for each slot. Returns how many; at most room. */
size_t perf_proof(const struct counters *have, struct counter_proof *out, size_t room);
/* Writes what an errno of perf_open means and what the user can do about it. */
void perf_explain(int error, char *why, size_t room);

/* Ticks of the time stamp per second by which the kernel converts them for processes; 0 where it does not. */
double perf_clock_hz(void);

/*
 * Opens the counters that windows are to sample (machine_count). NULL, or why not. perf_windows_index writes, before
 * each window, where the reader finds them; false while the kernel has taken one away. perf_windows_kept returns, after
 * the window, whether they stayed there all the time.
 */
const char *perf_windows_count(const struct perf_pmu *pmu, const struct counter_setting *list, size_t count);
bool perf_windows_index(struct reader_counts *out);
bool perf_windows_kept(void);

#endif
