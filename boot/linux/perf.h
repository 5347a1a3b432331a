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

/* The kernel's PMU that a core belongs to. */
struct perf_pmu {
    enum counters_kind kind;
    uint32_t type; /* for perf_event_attr.type */
    char name[48]; /* below /sys/bus/event_source/devices: "cpu", "cpu_core", "armv8_pmuv3_0" */
    char why[200]; /* why nothing can be counted; "" where something can */
};

/* Finds it and proves that it counts, by an event of a process that computes. `core` -1: any. */
void perf_find(int core, struct perf_pmu *out);

/*
 * Opens a counter of user code, stopped: of this process, or, `inherited`, of the one that this process will
 * become by exec, and its children, from exec on. `leader` -1 begins a group. Returns a descriptor, or -1 with errno set.
 */
int perf_open(const struct perf_pmu *pmu, const struct counter_setting *setting, int leader, bool inherited);
/* What this process can count on that core; not proven yet (lib/counters/count.h). */
void perf_counters(const struct perf_pmu *pmu, const char *core_name, struct counters *out);
/* How that is proven: a row for each slot. Returns how many; at most room. */
size_t perf_proof(const struct counters *have, struct counter_proof *out, size_t room);
/* What an errno of perf_open means, and what to do about it. */
void perf_explain(int error, char *why, size_t room);

/*
 * Makes windows sample these counters (machine_count). NULL, or why not. perf_windows_index fills in, before each
 * window, where the reader finds them; perf_windows_kept tells after it whether they stayed there all the time.
 */
const char *perf_windows_count(const struct perf_pmu *pmu, const struct counter_setting *list, size_t count);
bool perf_windows_index(struct reader_counts *out);
bool perf_windows_kept(void);

#endif
