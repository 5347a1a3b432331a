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
 * Finds the performance monitoring unit of a core (the kernel's number), or with -1 that of any core, and proves that
 * it counts by counting the instructions of a loop. Where nothing can be counted, out->why says why.
 */
void perf_find(int core, struct perf_pmu *out);

/*
 * Opens a counter for user code. It counts this process; with `inherited`, the processes that this one forks later and
 * their children, from an exec on. `leader` is the descriptor of the first counter of a group; -1 begins a group, which
 * is stopped until it is enabled (PERF_EVENT_IOC_ENABLE), or with `inherited` until the exec. Returns a descriptor, for
 * the caller to close, or -1 with errno set.
 */
int perf_open(const struct perf_pmu *pmu, const struct counter_setting *setting, int leader, bool inherited);
/*
 * Fills in *out: the counters that this process can use on the core to which it is pinned, whose unit is *pmu; they are
 * not proven yet (lib/counters/count.h). out->why_not is valid until the next call. Counters that perf_windows_count
 * has opened are closed.
 */
void perf_counters(const struct perf_pmu *pmu, const char *core_name, struct counters *out);
/*
 * Writes to `out` what has to be counted to prove these counters (counters_prove): a row for each slot. Returns how
 * many rows, at most `room`.
 */
size_t perf_proof(const struct counters *have, struct counter_proof *out, size_t room);
/* Writes to `why` what an errno of perf_open means and what the user can do about it. */
void perf_explain(int error, char *why, size_t room);

/*
 * Ticks of the time stamp per second, in Hz, by which the kernel converts time stamps for processes; 0 where it does
 * not.
 */
double perf_clock_hz(void);

/*
 * Closes the counters that windows have sampled so far, and opens and starts these, for machine_count; with a `count`
 * of 0 it only closes. NULL, or why not: then none is open. The reason is valid until the next call.
 */
const char *perf_windows_count(const struct perf_pmu *pmu, const struct counter_setting *list, size_t count);
/*
 * To be called before each window: writes to out->index where the reader finds the counters that perf_windows_count has
 * opened, and to out->count how many. False while the kernel has taken one away, or none is open.
 */
bool perf_windows_index(struct reader_counts *out);
/*
 * To be called after a window: whether the kernel has left all counters in place since perf_windows_index. Else what
 * the window sampled is void.
 */
bool perf_windows_kept(void);

#endif
